#include "analysis/states/reductions/rules.hpp"

#include <algorithm>

namespace warpnet {

/// Fires all that can fire if places that something adds to held any number, and those that something takes
/// from none.
void remove_dead_transitions(ReducedNet& net) {
    std::vector<std::uint8_t> grows(net.place_numbers(), 0), shrinks(net.place_numbers(), 0);
    std::vector<std::uint8_t> fires(net.transition_numbers(), 0);
    std::vector<std::uint32_t> open;
    const auto possible = [&](const PlaceUse& use) {
        const Tokens tokens = net.initial()[use.place];
        return (tokens >= use.needs || grows[use.place] != 0) &&
               (tokens < use.below || shrinks[use.place] != 0);
    };
    for (std::uint32_t t = 0; t < net.transition_numbers(); ++t)
        if (net.has_transition(t)) open.push_back(t);
    while (!open.empty()) {
        const std::uint32_t transition = open.back();
        open.pop_back();
        if (fires[transition] != 0 || !std::ranges::all_of(net.uses(transition), possible)) continue;
        fires[transition] = 1;
        for (const PlaceUse& use : net.uses(transition)) {
            if (use.change == 0) continue;
            std::uint8_t& known = use.change > 0 ? grows[use.place] : shrinks[use.place];
            if (known != 0) continue;
            known = 1;
            for (const std::uint32_t t : net.users(use.place))
                if (fires[t] == 0) open.push_back(t);
        }
    }
    for (std::uint32_t t = 0; t < fires.size(); ++t)
        if (net.has_transition(t) && fires[t] == 0) net.remove_transition(t);
}

}  // namespace warpnet
