#include "engine/executors/general/open_groups.hpp"

namespace warpnet {

void OpenGroups::close_blocked(const ResidualTokens& residual) {
    candidates_ = 0;
    std::erase_if(groups_, [&](std::uint32_t group) {
        const std::uint32_t count = sets_.count(group);
        if (count == 0 || !residual.fit(net_.groups[group].demands)) return true;
        candidates_ += count;
        return false;
    });
}

GroupSlot OpenGroups::candidate(std::uint32_t rank) const {
    auto group = groups_.begin();
    for (;; ++group) {
        const std::uint32_t count = sets_.count(*group);
        if (rank < count) return {*group, sets_.select(*group, rank)};
        rank -= count;
    }
}

GroupSlot OpenGroups::next() {
    if (order_.policy() == Policy::random) return candidate(order_.random().below(candidates_));
    const bool last = order_.policy() == Policy::last;
    GroupSlot best{};
    std::uint32_t best_transition = 0;
    for (const std::uint32_t group : groups_) {
        const std::uint32_t slot = last ? sets_.highest(group) : sets_.lowest(group);
        const std::uint32_t t = net_.groups[group].members[slot];
        if (group != groups_.front() && (last ? t < best_transition : t > best_transition)) continue;
        best = {group, slot};
        best_transition = t;
    }
    return best;
}

}  // namespace warpnet
