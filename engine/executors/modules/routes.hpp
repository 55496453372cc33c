#pragma once

#include "engine/executors/modules/automaton.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

struct Route;

/// A node as the module executor reads it.
struct RouteNode {
    const Route* routes;  ///< one per order of the competitors
    std::uint32_t orders;
    std::uint32_t demand_class;  ///< no_class if it does not wait
    std::uint32_t number;
    ModuleNode::Kind kind;
};

/// A segment as the module executor reads it. One cache line contains what the start of a segment needs. Most
/// segments have at most one effect at once, one pair of later effects and one supply. Fields without a value
/// refer to a dummy, so that no branch is needed.
struct alignas(64) Route {
    const RouteNode* const* targets;
    std::int64_t deltas;        ///< of the later pair
    std::int64_t at_once;       ///< the change of the first pair at once
    std::uint32_t pair_offset;  ///< steps after the first step
    std::int32_t delta;         ///< of another counter, at once
    std::uint32_t stride;       ///< see SupplyUse
    std::int32_t weight, capacity;
    std::uint32_t steps, firings;
    std::uint32_t segment;
    std::uint32_t supply;
    std::uint8_t pair, counter;
    bool more;  ///< a list has a second item, or a counter outside the first pair changes at once

    /// The node at the end of the route. Takes the tokens that the route uses from the supplies of the
    /// module.
    const RouteNode* follow(const ModuleAutomaton& automaton, Tokens* supplies) const noexcept {
        std::size_t target = SupplyUse{supply, stride, weight, capacity}.take_from(supplies, 0);
        if (more) [[unlikely]] {
            const Segment& whole = automaton.segments[segment];
            for (std::uint32_t i = 1; i < whole.uses; ++i)
                target = automaton.uses[whole.first_use + i].take_from(supplies, target);
        }
        return targets[target];
    }
};

/// The automaton of a net's modules as records that point to one another.
class ModuleRoutes {
  public:
    ModuleRoutes() = default;
    /// `counters` is the number of the dummy counter.
    ModuleRoutes(const ModuleAutomaton& automaton, std::uint32_t counters);

    ModuleRoutes(const ModuleRoutes&) = delete;
    ModuleRoutes& operator=(const ModuleRoutes&) = delete;
    ModuleRoutes(ModuleRoutes&&) = default;
    ModuleRoutes& operator=(ModuleRoutes&&) = default;
    ~ModuleRoutes() = default;

    const RouteNode& node(std::uint32_t number) const noexcept { return nodes_[number]; }

  private:
    std::vector<RouteNode> nodes_;
    std::vector<Route> routes_;  // in the order of ModuleAutomaton::orders
    std::vector<const RouteNode*> targets_;
};

}  // namespace warpnet
