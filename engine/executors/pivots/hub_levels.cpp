// Computes the levels of each hub from the different weights that classes demand, sorted. Level i of a hub
// has a bit for each class whose weight is at most the tokens of this level, and for each class without a
// demand on the hub.

#include "engine/executors/pivots/hub_levels.hpp"

#include <algorithm>
#include <limits>

namespace warpnet {

HubLevels::HubLevels(std::uint32_t hubs, const Rows<HubDemand>& demands)
    : words_((demands.size() + 63) / 64) {
    struct ClassDemand {
        std::int32_t weight;
        std::uint32_t number;
    };
    const auto by_hub = Rows<ClassDemand>::sorted(hubs, [&](auto put) {
        for (std::uint32_t number = 0; number < demands.size(); ++number) {
            for (const HubDemand& demand : demands[number])
                put(demand.hub, ClassDemand{demand.weight, number});
        }
    });
    for (std::uint32_t hub = 0; hub < hubs; ++hub) {
        std::vector<ClassDemand> wanted(by_hub[hub].begin(), by_hub[hub].end());
        std::sort(wanted.begin(), wanted.end(),
                  [](const ClassDemand& a, const ClassDemand& b) { return a.weight < b.weight; });
        std::vector<std::uint64_t> served(words_, ~std::uint64_t{0});
        for (const ClassDemand& one : wanted)
            served[one.number / 64] &= ~(std::uint64_t{1} << one.number % 64);
        first_served_.push_back(served_.size());
        std::int32_t least = 0;
        for (auto one = wanted.begin();; least = one->weight) {
            for (; one != wanted.end() && one->weight <= least; ++one)
                served[one->number / 64] |= std::uint64_t{1} << one->number % 64;
            served_.insert(served_.end(), served.begin(), served.end());
            if (one == wanted.end()) break;
            too_few_.append(one->weight - 1);
        }
        // Fill up with levels above the highest, which serve the same classes.
        while (too_few_.open_row().size() < usual) {
            too_few_.append(std::numeric_limits<std::int32_t>::max());
            served_.insert(served_.end(), served.begin(), served.end());
        }
        too_few_.close_row();
    }
    for (std::size_t word = 0; word < words_; ++word) {
        std::vector<std::uint32_t> found;
        for (std::size_t number = word * 64; number < std::min(demands.size(), word * 64 + 64); ++number) {
            for (const HubDemand& demand : demands[number]) found.push_back(demand.hub);
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        for (const std::uint32_t hub : found) hubs_of_.append(hub);
        hubs_of_.close_row();
    }
}

}  // namespace warpnet
