// The open questions about single markings. While an exploration runs, each shard collects its own first hit
// and best values. No lock is needed, because only one thread at a time fills a shard. Between rounds the
// findings are entered into the goals in the order of the shards, so the result does not depend on threads.
// Ranks exchange their findings as bytes first. Rounds go level by level, so the first hit has a shortest
// path.

#include "analysis/states/properties/goals.hpp"

#include "analysis/ranks/collectives.hpp"

#include <algorithm>
#include <utility>

namespace warpnet::states {

void write_known(const Goals& goals, ranks::ByteWriter& writer) {
    for (const ReachGoal& goal : goals.reach) {
        writer.put(goal.reachable);
        writer.put(goal.marking.has_value());
        writer.put_list(goal.marking.value_or(Marking()));
        writer.put(goal.schedule.has_value());
        writer.put(goal.shortest);
    }
    for (const MaximumGoal& goal : goals.maxima) {
        writer.put(goal.best);
        writer.put_list(goal.marking);
        writer.put(goal.at_most);
        writer.put(goal.exact);
        writer.put(goal.schedule.has_value());
        writer.put(goal.pump.has_value());
    }
    writer.put_list(goals.changes);
    writer.put(goals.changes_complete);
}

void read_known(ranks::ByteReader& reader, Goals& goals) {
    const auto schedule = [&] { return reader.get<bool>() ? std::optional(Schedule()) : std::nullopt; };
    for (ReachGoal& goal : goals.reach) {
        goal.reachable = reader.get<std::optional<bool>>();
        const bool known = reader.get<bool>();
        Marking marking = reader.get_list<Tokens>();
        goal.marking = known ? std::optional(std::move(marking)) : std::nullopt;
        goal.schedule = schedule();
        goal.shortest = reader.get<bool>();
    }
    for (MaximumGoal& goal : goals.maxima) {
        goal.best = reader.get<WideSum>();
        goal.marking = reader.get_list<Tokens>();
        goal.at_most = reader.get<std::optional<WideSum>>();
        goal.exact = reader.get<bool>();
        goal.schedule = schedule();
        goal.pump = reader.get<bool>() ? std::optional(Pump()) : std::nullopt;
    }
    goals.changes = reader.get_list<std::uint8_t>();
    goals.changes_complete = reader.get<bool>();
}

GoalWatch::GoalWatch(const Net& net, Goals& goals, std::function<bool()> enough)
    : goals_(goals), enough_(std::move(enough)), initial_(net.initial_marking()) {
    for (std::size_t i = 0; i < goals.reach.size(); ++i) {
        if (!goals.reach[i].reachable) open_.push_back({i, {goals.reach[i].condition, net}});
    }
    found_.assign(open_.size(), 0);
    for (std::size_t p = 0; p < goals.changes.size(); ++p) {
        if (goals.changes[p] == 0) watched_.push_back(static_cast<std::uint32_t>(p));
    }
    for (Seen& seen : seen_) {
        seen.hits.resize(open_.size());
        seen.best.resize(goals.maxima.size());
        seen.best_marking.resize(goals.maxima.size());
        seen.changes.assign(watched_.size(), 0);
    }
}

void GoalWatch::see(std::uint32_t shard, const PackedLayout& layout, const Word* packed) {
    Seen& seen = seen_[shard];
    const auto tokens = [&](std::uint32_t place) { return layout.tokens(packed, place); };
    const auto unpacked = [&] {
        Marking marking(layout.places());
        layout.unpack(packed, marking);
        return marking;
    };
    for (std::size_t i = 0; i < open_.size(); ++i) {
        if (found_[i] == 0 && !seen.hits[i] && open_[i].condition.holds(tokens)) seen.hits[i] = unpacked();
    }
    for (std::size_t i = 0; i < seen.best.size(); ++i) {
        const MaximumGoal& goal = goals_.maxima[i];
        if (goal.exact) continue;
        const WideSum value = value_of(goal.sum, tokens);
        if (value <= goal.best && !goal.marking.empty()) continue;
        if (seen.best[i] && value <= *seen.best[i]) continue;
        seen.best[i] = value;
        seen.best_marking[i] = unpacked();
    }
    for (std::size_t i = 0; i < watched_.size(); ++i)
        if (tokens(watched_[i]) != initial_[watched_[i]]) seen.changes[i] = 1;
}

/// Enters the findings of the shards into the goals, shard by shard, so the kept finding does not depend on
/// threads. True if something was new.
bool GoalWatch::gather() {
    bool news = false;
    for (Seen& seen : seen_) news = enter(seen) || news;
    return gather_changes() || news;
}

bool GoalWatch::enter(Seen& seen) {
    bool news = false;
    for (std::size_t i = 0; i < open_.size(); ++i) {
        if (!seen.hits[i] || found_[i] != 0) continue;
        ReachGoal& goal = goals_.reach[open_[i].goal];
        goal.reachable = true;
        goal.marking = std::move(seen.hits[i]);
        found_[i] = 1;
        news = true;
    }
    for (std::size_t i = 0; i < seen.best.size(); ++i) {
        MaximumGoal& goal = goals_.maxima[i];
        if (seen.best[i] && (goal.marking.empty() || *seen.best[i] > goal.best)) {
            goal.best = *seen.best[i];
            goal.marking = std::move(seen.best_marking[i]);
            goal.schedule.reset();
            goal.exact = goal.at_most && goal.best >= *goal.at_most;
            news = true;
        }
        seen.best[i].reset();
    }
    return news;
}

/// The first hits, and the first of the best values, in the order of the shards.
std::string GoalWatch::news() {
    ranks::ByteWriter writer;
    for (std::size_t i = 0; i < open_.size(); ++i) {
        const Marking* first = nullptr;
        for (const Seen& seen : seen_)
            if (first == nullptr && seen.hits[i]) first = &*seen.hits[i];
        writer.put(first != nullptr);
        if (first != nullptr) writer.put_list(*first);
        for (Seen& seen : seen_) seen.hits[i].reset();
    }
    for (std::size_t i = 0; i < goals_.maxima.size(); ++i) {
        const Seen* best = nullptr;
        for (const Seen& seen : seen_)
            if (seen.best[i] && (best == nullptr || *seen.best[i] > *best->best[i])) best = &seen;
        writer.put(best != nullptr);
        if (best != nullptr) {
            writer.put(*best->best[i]);
            writer.put_list(best->best_marking[i]);
        }
        for (Seen& seen : seen_) seen.best[i].reset();
    }
    std::vector<std::uint8_t> changes(watched_.size(), 0);
    for (const Seen& seen : seen_)
        for (std::size_t i = 0; i < changes.size(); ++i) changes[i] |= seen.changes[i];
    writer.put_list(changes);
    return std::move(writer).take();
}

void GoalWatch::take(const std::vector<std::string>& news_of_ranks) {
    for (const std::string& news : news_of_ranks) {
        ranks::ByteReader reader(news);
        Seen seen;
        for (std::size_t i = 0; i < open_.size(); ++i) {
            seen.hits.emplace_back();
            if (reader.get<bool>()) seen.hits.back() = reader.get_list<Tokens>();
        }
        for (std::size_t i = 0; i < goals_.maxima.size(); ++i) {
            seen.best.emplace_back();
            seen.best_marking.emplace_back();
            if (!reader.get<bool>()) continue;
            seen.best.back() = reader.get<WideSum>();
            seen.best_marking.back() = reader.get_list<Tokens>();
        }
        const std::vector<std::uint8_t> changes = reader.get_list<std::uint8_t>();
        for (std::size_t i = 0; i < changes.size(); ++i) seen_.front().changes[i] |= changes[i];
        entered_ = enter(seen) || entered_;
    }
    entered_ = gather_changes() || entered_;
}

bool GoalWatch::gather_changes() {
    std::vector<std::uint32_t> still;
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        for (const Seen& seen : seen_) goals_.changes[watched_[i]] |= seen.changes[i];
        if (goals_.changes[watched_[i]] == 0) still.push_back(watched_[i]);
    }
    if (still.size() == watched_.size()) return false;
    watched_ = std::move(still);
    for (Seen& seen : seen_) seen.changes.assign(watched_.size(), 0);
    return true;
}

bool GoalWatch::satisfied() {
    if (gather() || std::exchange(entered_, false)) satisfied_ = enough_();
    return satisfied_;
}

void GoalWatch::finish(bool complete) {
    gather();
    if (!complete) return;
    for (std::size_t i = 0; i < open_.size(); ++i)
        if (found_[i] == 0) goals_.reach[open_[i].goal].reachable = false;
    for (MaximumGoal& goal : goals_.maxima) goal.exact = true;
}

}  // namespace warpnet::states
