#include "analysis/states/structure/timed_net.hpp"

#include "analysis/states/structure/place_bounds.hpp"
#include "analysis/states/structure/stable_steps.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace warpnet {

namespace {

TimedNet by_arcs(const Net& net, const ExploreOptions& options, std::size_t most_copies) {
    std::vector<std::uint8_t> looked_at(net.places().size(), 0);
    for (const Arc& arc : net.arcs())
        if (net[arc.transition].immediate) looked_at[index(arc.place)] = 1;
    return without_immediates(net, bounds_of(net, looked_at, options).of, most_copies);
}

}  // namespace

FoundTimedNet timed_net(const Net& net, const ExploreOptions& options) {
    const std::size_t few_copies = std::min(most_timed_copies, 2 * net.transitions().size());
    try {
        ExploreOptions invariants_alone = options;
        invariants_alone.max_states = 1;
        return {by_arcs(net, invariants_alone, few_copies), false};
    } catch (const InputError&) {  // what is asked next says why not, if it does not do either
    }
    StableStepsOptions reachable;
    reachable.max_markings = std::min(most_markings_of_timed_net, options.max_states);
    reachable.limits = options.limits;
    if (auto timed = timed_by_reachable(net, reachable)) return {std::move(*timed), true};
    try {
        return {by_arcs(net, options, most_timed_copies), false};
    } catch (const InputError& error) {
        throw InputError(std::string(error.what()) +
                         "; nor by its reachable markings, which are too many (more than " +
                         std::to_string(reachable.max_markings) + ", or large ones)");
    }
}

}  // namespace warpnet
