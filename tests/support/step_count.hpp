#pragma once

#include "engine/net/net.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace warpnet::testing {

struct StepCount {
    std::uint64_t steps = 0;  ///< timed steps to the dead marking
    Marking marking;          ///< the dead one
};

/// Runs a net without conflicts (each place has tokens for all its enabled consumers) to its dead marking,
/// with input and output arcs only: fires all that is enabled, immediate transitions first. Nothing where two
/// transitions do compete. Looks again only at what the last step touched, so that long delays stay cheap to
/// check.
inline std::optional<StepCount> count_steps(const Net& net) {
    std::vector<std::vector<TransitionId>> consumers(net.places().size());
    for (const Arc& arc : net.arcs()) {
        if (arc.kind != ArcKind::input && arc.kind != ArcKind::output) return std::nullopt;
        if (arc.kind == ArcKind::input) consumers[index(arc.place)].push_back(arc.transition);
    }
    StepCount result{0, net.initial_marking()};
    Marking& marking = result.marking;
    const auto enabled = [&](TransitionId t) {
        const auto arcs = net.arcs_of(t);
        return std::all_of(arcs.begin(), arcs.end(), [&](const Arc& arc) {
            return arc.kind != ArcKind::input || marking[index(arc.place)] >= arc.weight;
        });
    };
    std::set<TransitionId> active;
    for (std::size_t t = 0; t < net.transitions().size(); ++t) active.insert(TransitionId(t));
    while (true) {
        std::erase_if(active, [&](TransitionId t) { return !enabled(t); });
        if (active.empty()) return result;
        std::vector<TransitionId> firing;
        for (const TransitionId t : active)
            if (net[t].immediate) firing.push_back(t);
        if (firing.empty()) {
            firing.assign(active.begin(), active.end());
            ++result.steps;
        }
        for (const TransitionId t : firing) {
            for (const Arc& arc : net.arcs_of(t)) {
                if (arc.kind != ArcKind::input) continue;
                if ((marking[index(arc.place)] -= arc.weight) < 0) return std::nullopt;
            }
        }
        for (const TransitionId t : firing) {
            for (const Arc& arc : net.arcs_of(t)) {
                if (arc.kind == ArcKind::output) marking[index(arc.place)] += arc.weight;
                active.insert(consumers[index(arc.place)].begin(), consumers[index(arc.place)].end());
            }
        }
    }
}

}  // namespace warpnet::testing
