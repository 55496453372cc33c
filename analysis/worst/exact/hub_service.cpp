#include "analysis/worst/exact/hub_service.hpp"

#include <algorithm>
#include <map>

namespace warpnet {

bool HubService::is_enabled(const MultisetNet::Loop& loop, std::size_t number,
                            std::span<const Tokens> counters) const {
    return counters[net_.hubs + number] == 0 &&
           std::all_of(loop.takes.begin(), loop.takes.end(),
                       [&](PlaceWeight take) { return counters[take.place] >= take.weight; }) &&
           std::all_of(loop.hub_tests.begin(), loop.hub_tests.end(),
                       [&](const Watch& test) { return meets(counters[test.transition], test.threshold); });
}

bool HubService::loop_enabled(std::span<const Tokens> counters) const {
    for (std::size_t i = 0; i < net_.loops.size(); ++i)
        if (is_enabled(net_.loops[i], i, counters)) return true;
    return false;
}

bool HubService::fits(const Item& item) const {
    return std::all_of(item.demands.begin(), item.demands.end(),
                       [&](PlaceWeight demand) { return room_[demand.place] >= demand.weight; });
}

void HubService::take(const Item& item, Tokens times) {
    for (const auto [hub, weight] : item.demands) room_[hub] -= weight * times;
}

/// Who wants nothing that is short is served; the others are items_.
void HubService::divide(std::span<const Tokens> counters) {
    room_.assign(counters.begin(), counters.begin() + static_cast<std::ptrdiff_t>(net_.hubs));
    wanted_.assign(net_.hubs, 0);
    items_.clear();
    loops_compete_ = false;
    for (std::uint32_t g = 0; g < groups_.size(); ++g)
        items_.push_back({net_.demand_classes[groups_[g].demand_class], groups_[g].count, g});
    for (std::size_t i = 0; i < net_.loops.size(); ++i) {
        if (is_enabled(net_.loops[i], i, counters))
            items_.push_back({net_.loops[i].takes, 1, static_cast<std::uint32_t>(groups_.size())});
    }
    for (const Item& item : items_)
        for (const auto [hub, weight] : item.demands) wanted_[hub] += Tokens{weight} * item.count;
    certain_.assign(groups_.size(), 0);
    std::erase_if(items_, [&](const Item& item) {
        const bool is_short = std::any_of(item.demands.begin(), item.demands.end(), [&](PlaceWeight demand) {
            return wanted_[demand.place] > counters[demand.place];
        });
        if (!is_short && item.group < groups_.size()) {
            certain_[item.group] = item.count;
            take(item, item.count);
        }
        return !is_short;
    });
    for (const Item& item : items_) loops_compete_ |= item.group == groups_.size();
}

bool HubService::is_certain(std::span<const Tokens> counters, std::span<const WaitingGroup> groups) {
    groups_ = groups;
    divide(counters);
    return items_.size() <= 1;
}

bool HubService::find(std::span<const Tokens> counters, std::span<const WaitingGroup> groups,
                      std::size_t most) {
    groups_ = groups;
    most_ = most;
    too_many_ = false;
    served_.clear();
    blocked_.clear();
    probability_.clear();
    divide(counters);
    chosen_.assign(items_.size(), 0);
    if (probabilities_ && !all_want_the_same()) {
        draw();
    } else {
        enumerate(0, 1);
        // As many of the same are served in every service: each of their sets is as likely as any other.
        double sum = 0;
        for (const double ways : probability_) sum += ways;
        for (double& ways : probability_) ways /= sum;
    }
    return !too_many_ && size() <= most_;
}

bool HubService::all_want_the_same() const {
    return std::all_of(items_.begin(), items_.end(), [&](const Item& item) {
        return std::equal(item.demands.begin(), item.demands.end(), items_.front().demands.begin(),
                          items_.front().demands.end());
    });
}

/// What has been chosen is a service, unless it is known.
void HubService::emit(double probability) {
    const std::size_t first = served_.size();
    served_.insert(served_.end(), certain_.begin(), certain_.end());
    for (std::size_t i = 0; i < items_.size(); ++i)
        if (items_[i].group < groups_.size()) served_[first + items_[i].group] += chosen_[i];
    bool blocked = false;
    if (loops_compete_) {
        for (std::size_t i = 0; i < items_.size(); ++i)
            if (items_[i].group == groups_.size()) take(items_[i], -Tokens{chosen_[i]});
        for (std::size_t i = 0; i < items_.size(); ++i) {
            blocked |= items_[i].group < groups_.size() && chosen_[i] < items_[i].count && fits(items_[i]);
        }
        for (std::size_t i = 0; i < items_.size(); ++i)
            if (items_[i].group == groups_.size()) take(items_[i], chosen_[i]);
        for (std::size_t known = 0; known < blocked_.size(); ++known) {
            const auto row = served(known);
            if (!std::equal(row.begin(), row.end(), served_.begin() + static_cast<std::ptrdiff_t>(first)))
                continue;
            probability_[known] += probability;
            served_.resize(first);
            return;
        }
    }
    blocked_.push_back(blocked ? 1 : 0);
    probability_.push_back(probability);
}

/// Every number of each item, in turn; what is not maximal is left out. `ways` to choose those chosen so far.
void HubService::enumerate(std::size_t i, double ways) {
    if (size() > most_) return;
    if (i == items_.size()) {
        for (std::size_t k = 0; k < items_.size(); ++k)
            if (chosen_[k] < items_[k].count && fits(items_[k])) return;
        emit(ways);
        return;
    }
    const Item item = items_[i];
    for (;;) {
        enumerate(i + 1, ways);
        if (chosen_[i] == item.count || !fits(item)) break;
        take(item, 1);
        ways *= static_cast<double>(item.count - chosen_[i]) / (chosen_[i] + 1);
        ++chosen_[i];
    }
    take(item, -Tokens{chosen_[i]});
    chosen_[i] = 0;
}

/// One after the other is drawn from those for whom there is room: the order of the others does not matter.
void HubService::draw() {
    std::map<std::vector<std::uint32_t>, double> front{{chosen_, 1.0}};
    const std::vector<Tokens> room = room_;
    while (!front.empty() && size() <= most_) {
        std::map<std::vector<std::uint32_t>, double> next;
        for (const auto& [chosen, probability] : front) {
            room_ = room;
            std::uint32_t open = 0;
            for (std::size_t i = 0; i < items_.size(); ++i) take(items_[i], chosen[i]);
            for (std::size_t i = 0; i < items_.size(); ++i)
                if (fits(items_[i])) open += items_[i].count - chosen[i];
            if (open == 0) {
                chosen_ = chosen;
                emit(probability);
                continue;
            }
            if (next.size() > most_) {
                too_many_ = true;
                return;
            }
            for (std::size_t i = 0; i < items_.size(); ++i) {
                if (chosen[i] == items_[i].count || !fits(items_[i])) continue;
                std::vector<std::uint32_t> then = chosen;
                ++then[i];
                next[then] += probability * (items_[i].count - chosen[i]) / open;
            }
        }
        front = std::move(next);
    }
}

}  // namespace warpnet
