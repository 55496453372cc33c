#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/executors/modules/automaton.hpp"
#include "engine/executors/modules/routes.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace warpnet {

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

}  // namespace warpnet
