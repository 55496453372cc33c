#include "engine/executors/modules/routes.hpp"

#include "engine/base/no_index.hpp"

namespace warpnet {

ModuleRoutes::ModuleRoutes(const ModuleAutomaton& automaton, std::uint32_t counters)
    : nodes_(automaton.nodes.size()), routes_(automaton.orders.size()) {
    targets_.reserve(automaton.targets.size());
    for (const std::uint32_t target : automaton.targets) targets_.push_back(&nodes_[target]);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const ModuleNode& node = automaton.nodes[i];
        const bool waits = node.kind == ModuleNode::Kind::waiting;
        nodes_[i] = {routes_.data() + node.first_order, node.orders, waits ? node.demand_class : no_index,
                     static_cast<std::uint32_t>(i), node.kind};
    }
    for (std::size_t i = 0; i < routes_.size(); ++i) {
        const Segment& segment = automaton.segments[automaton.orders[i]];
        Route& route = routes_[i];
        route.targets = targets_.data() + segment.first_target;
        route.pair_offset = segment.steps - 1;
        route.counter = static_cast<std::uint8_t>(counters);
        if (segment.at_once > 0) {
            const TimedEffect& effect = automaton.effects[segment.first_effect];
            route.counter = static_cast<std::uint8_t>(effect.counter);
            route.delta = effect.delta;
        }
        if (segment.pairs > 0) {
            const EffectPair& pair = automaton.pairs[segment.first_pair];
            route.deltas = pair.deltas;
            route.pair_offset = pair.offset;
            route.pair = static_cast<std::uint8_t>(pair.pair);
        }
        if (segment.uses > 0) {
            const SupplyUse& use = automaton.uses[segment.first_use];
            route.supply = use.supply;
            route.stride = use.stride;
            route.weight = static_cast<std::int32_t>(use.weight);
            route.capacity = static_cast<std::int32_t>(use.capacity);
        }
        route.steps = segment.steps;
        route.firings = segment.firings;
        route.segment = automaton.orders[i];
        route.more = segment.at_once > 1 || segment.pairs > 1 || segment.uses > 1;
        for (std::uint32_t k = 0; k < segment.at_once; ++k) {
            const TimedEffect& effect = automaton.effects[segment.first_effect + k];
            if (effect.counter == automaton.timed[0]) route.at_once += effect.delta;
            if (effect.counter == automaton.timed[1]) route.at_once += std::int64_t{effect.delta} << 32;
            if (!automaton.is_in_first_pair(effect.counter)) route.more = true;
        }
    }
}

}  // namespace warpnet
