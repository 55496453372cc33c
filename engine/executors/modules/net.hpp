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

/// A transition that touches hubs only, takes nothing from them for good and may test any place (`idle` of
/// the warps net). It fires in every step in which it can.
struct HubLoop {
    std::uint32_t transition;
    std::vector<PlaceWeight> takes;  ///< numbers of hubs: what it holds during a step
    std::vector<Watch> hub_tests;  ///< read and inhibitor arcs on hubs (Watch::transition: number of the hub)
};

/// A net as modules that meet in hubs only.
struct ModuleNet {
    std::vector<std::uint32_t> hubs;  ///< places, ascending
    std::vector<HubLoop> loops;
    Rows<std::uint32_t> places, transitions;  ///< per module, ascending
    std::vector<std::uint32_t> start;         ///< per module: its first node
    /// Per module: the places that are supplies, as many as the row is long; a supply is a place that
    /// is never refilled and starts with more tokens than matter to any one step.
    Rows<std::uint32_t> supplies;
    std::size_t most_supplies = 1;       ///< of a module; at least 1
    std::vector<Tokens> start_supplies;  ///< most_supplies numbers per module: its tokens at the beginning
    /// At the beginning: tokens of the hubs, then of each hub loop how many conditions on other places are
    /// unmet.
    std::vector<Tokens> start_counters;
    /// Per transition: its module, or size() + number of the hub loop.
    std::vector<std::uint32_t> owner;
    std::size_t kinds = 0;  ///< of modules that are equal but for their tokens
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
    std::shared_ptr<const ModuleNet> net;  ///< null where the net does not fall into such modules
    std::string reason;                    ///< then: why not
};

/// Takes the places with more than `hub_consumers` consumers out of a compiled net and looks whether what is
/// left falls into modules that need nothing but hubs from each other. In small nets hubs with fewer
/// consumers are found too: places without a like in the net; with `borrowed_hubs` also those out
/// of which a transition takes tokens only to give them back at once: the hub of a lone warp, as `idle`
/// tells. O(n log n) in arcs, plus the automaton.
ModuleAnalysis find_modules(const CompiledNet& net, std::uint32_t hub_consumers, bool borrowed_hubs = false);

}  // namespace warpnet
