#pragma once

#include "engine/executors/modules/net.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace warpnet {

// The possible moves of a module, for analyses of the automaton of a net's modules. A move is a segment that
// some order of the competitors of a node selects.

/// The moves from a node, each represented by the first order of competitors that selects its segment,
/// ascending by segment. O(orders · log(orders)).
inline std::vector<std::uint32_t> moves_from(const ModuleAutomaton& automaton, const ModuleNode& node) {
    const auto segment = [&](std::uint32_t order) { return automaton.orders[node.first_order + order]; };
    std::vector<std::uint32_t> moves(node.orders);
    for (std::uint32_t order = 0; order < node.orders; ++order) moves[order] = order;
    std::ranges::stable_sort(moves, {}, segment);
    moves.erase(std::unique(moves.begin(), moves.end(),
                            [&](std::uint32_t a, std::uint32_t b) { return segment(a) == segment(b); }),
                moves.end());
    return moves;
}

/// Whether a module at this node keeps a hub loop from firing, by a read or inhibitor arc on a place of the
/// module. Such places are no supplies, so the node determines their tokens.
inline bool stops_loop(const CompiledNet& net, const ModuleNet& modules, std::uint32_t module,
                       std::uint32_t node, const HubLoop& loop) {
    const auto& places = modules.places[module];
    const auto tokens = [&](std::uint32_t place) -> const Tokens* {
        const auto at = std::lower_bound(places.begin(), places.end(), place);
        if (at == places.end() || *at != place) return nullptr;
        return &modules.automaton.markings[node][static_cast<std::size_t>(at - places.begin())];
    };
    const auto inhibits = [&](PlaceWeight arc) {
        const Tokens* const there = tokens(arc.place);
        return there != nullptr && *there >= arc.weight;
    };
    const auto lacks = [&](PlaceWeight arc) {
        const Tokens* const there = tokens(arc.place);
        return there != nullptr && *there < arc.weight;
    };
    return std::ranges::any_of(net.inhibitors[loop.transition], inhibits) ||
           std::ranges::any_of(net.reads[loop.transition], lacks);
}

/// The class of each module. The modules of a class start at the same node with equal supplies. Classes are
/// numbered in the order of their first modules.
inline std::vector<std::uint32_t> classes_of_modules(const ModuleNet& modules) {
    std::map<std::pair<std::uint32_t, std::vector<Tokens>>, std::uint32_t> known;
    std::vector<std::uint32_t> classes;
    for (std::uint32_t module = 0; module < modules.size(); ++module) {
        const auto supplies = modules.start_supplies_of(module);
        const auto [at, added] =
            known.try_emplace({modules.start[module], {supplies.begin(), supplies.end()}},
                              static_cast<std::uint32_t>(known.size()));
        classes.push_back(at->second);
    }
    return classes;
}

}  // namespace warpnet
