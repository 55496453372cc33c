#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/executors/modules/automaton.hpp"
#include "engine/run/executor.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
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

/// A segment as the module executor reads it. One cache line contains the data for the start of a segment.
/// Most segments have at most one effect at once, one pair of later effects and one supply. Fields without a
/// value refer to a dummy, so that no branch is needed.
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

/// A transition that touches only hubs, gives back everything that it takes, and may test any place (`idle`
/// of the warps net). It fires in every step in which it is enabled.
struct HubLoop {
    std::uint32_t transition;
    std::vector<PlaceWeight> takes;  ///< numbers of hubs, with the tokens that it holds during a step
    std::vector<Watch> hub_tests;  ///< read and inhibitor arcs on hubs (Watch::transition: number of the hub)
};

/// A net as modules that are connected by hubs only.
struct ModuleNet {
    std::vector<std::uint32_t> hubs;  ///< places, ascending
    std::vector<HubLoop> loops;
    Rows<std::uint32_t> places, transitions;  ///< per module, ascending
    std::vector<std::uint32_t> start;         ///< per module: its first node
    /// Per module the places that are supplies; the length of the row is their number. A supply is a place
    /// that is never refilled and starts with more tokens than any one step needs.
    Rows<std::uint32_t> supplies;
    std::size_t most_supplies = 1;       ///< per module; at least 1
    std::vector<Tokens> start_supplies;  ///< most_supplies numbers per module: the initial tokens
    /// Initially: the tokens of the hubs, and per hub loop the number of its unmet conditions on other
    /// places.
    std::vector<Tokens> start_counters;
    /// Per transition: its module, or size() + the number of its hub loop.
    std::vector<std::uint32_t> owner;
    std::size_t kinds = 0;  ///< kinds of modules that are equal except for their tokens
    ModuleAutomaton automaton;
    ModuleRoutes routes;                ///< of the automaton
    std::uint32_t longest_segment = 1;  ///< steps

    std::size_t size() const noexcept { return start.size(); }
    bool is_hub(std::uint32_t place) const { return std::binary_search(hubs.begin(), hubs.end(), place); }
    std::size_t counters() const noexcept { return hubs.size() + loops.size(); }
    std::span<const Tokens> start_supplies_of(std::uint32_t module) const {
        return std::span(start_supplies).subspan(module * most_supplies, most_supplies);
    }
};

struct ModuleAnalysis {
    std::shared_ptr<const ModuleNet> net;  ///< null if the net does not consist of such modules
    std::string reason;                    ///< if it is null: the reason
};

/// Removes the places with more than `hub_consumers` consumers from a compiled net and checks whether the
/// rest consists of modules that are connected by these hubs only. In small nets, hubs with fewer consumers
/// are found, too: places without an equivalent in the net. `borrowed_hubs` adds the places from which a
/// transition takes tokens only to give them back at once; the hub of a lone warp is recognised in this way,
/// by its `idle`. O(n log n) in arcs, plus the automaton.
ModuleAnalysis find_modules(const CompiledNet& net, std::uint32_t hub_consumers, bool borrowed_hubs = false);

/// The module executor, for maximal steps, no stop condition and a policy that does not depend on earlier
/// firings. It costs about a constant per interaction of a module with the hubs, whatever the number of steps
/// between them.
std::unique_ptr<RunInProgress> begin_module_run(const CompiledNet& net, const ModuleNet& modules,
                                                const RunOptions& options, Observer* observer);

/// The hubs of the modules of a net (find_modules()) that get their tokens back, such as the schedulers and
/// units of an SM. Places without initial tokens are left out. Ascending; empty if the net does not consist
/// of modules. O(n log n) in arcs, plus the automaton of a module.
std::vector<std::uint32_t> shared_places(const CompiledNet& net);

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
