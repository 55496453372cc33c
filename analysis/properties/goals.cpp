#include "analysis/properties/goals.hpp"

#include <algorithm>
#include <utility>

namespace warpnet {

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

/// Tells the goals what the shards have seen, shard by shard, so that no thread decides which is told. True
/// where something was new.
bool GoalWatch::gather() {
    bool news = false;
    for (Seen& seen : seen_) {
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
    }
    return gather_changes() || news;
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
    if (gather()) satisfied_ = enough_();
    return satisfied_;
}

void GoalWatch::finish(bool complete) {
    gather();
    if (!complete) return;
    for (std::size_t i = 0; i < open_.size(); ++i)
        if (found_[i] == 0) goals_.reach[open_[i].goal].reachable = false;
    for (MaximumGoal& goal : goals_.maxima) goal.exact = true;
}

}  // namespace warpnet
