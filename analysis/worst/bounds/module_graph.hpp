#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/executors/modules/net.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::worst {

/// The moves of the modules of a net (parts that meet only in hubs) between their decisions, as a graph over
/// the nodes of their automata. All modules of a kind share its nodes and edges.
struct ModuleGraph {
    struct Edge {
        std::uint32_t from, to;  ///< nodes of the automaton
        std::uint32_t steps;     ///< at least 1
    };
    std::vector<Edge> edges;
    Rows<PlaceWeight> uses;  ///< per edge: tokens that it takes from supplies, by number of the supply

    /// Token-steps of hubs: per edge and hub (edges x hubs), the sum over its steps of the tokens that the
    /// module holds or takes in the step. Can be negative if a module gives tokens that it never took.
    std::vector<std::int64_t> hub_steps;
    /// Per edge and hub: the most tokens that the module holds at once.
    std::vector<std::int64_t> hub_peaks;
    std::vector<std::uint32_t> holding;  ///< per edge: the steps in which the module holds or takes any token
    /// Per node and hub: tokens that the module holds on arrival; 0 for nodes that cannot be reached.
    std::vector<std::int64_t> held;
    /// Per node and hub: the most that a module holds at once in a step of an edge from there.
    std::vector<std::int64_t> most_held;
    std::vector<std::uint8_t> reached;  ///< per node
    /// Why the tokens that a module holds do not follow from its node; empty if they do.
    std::string unclear;

    std::size_t hubs = 0;
    std::int64_t hub_steps_of(std::size_t edge, std::size_t hub) const {
        return hub_steps[edge * hubs + hub];
    }
    std::int64_t hub_peak_of(std::size_t edge, std::size_t hub) const { return hub_peaks[edge * hubs + hub]; }
    std::int64_t held_at(std::size_t node, std::size_t hub) const { return held[node * hubs + hub]; }
    std::int64_t most_held_at(std::size_t node, std::size_t hub) const {
        return most_held[node * hubs + hub];
    }
};

/// O(size of the automaton x hubs).
ModuleGraph module_graph(const ModuleNet& parts);

/// Modules with the same behaviour in every context: one kind, one start, one supply.
struct ModuleClass {
    std::uint32_t start;           ///< node
    std::vector<Tokens> supplies;  ///< tokens at the start, as ModuleNet::supplies
    std::uint64_t modules = 0;     ///< how many there are
    std::uint32_t first = 0;       ///< one of them
};
/// Ascending by start and supplies.
std::vector<ModuleClass> module_classes(const ModuleNet& parts);

/// Per node of the automaton: whether modules of a class can be there. O(graph).
std::vector<std::uint8_t> nodes_of(const ModuleGraph& graph, const ModuleClass& modules);

/// The weight of an edge of a ModuleGraph; at least 0.
using EdgeWeight = std::function<std::int64_t(std::size_t edge)>;

/// An upper bound on the weight of every walk of the modules of a class, from their start to anywhere: a
/// longest walk under the tokens of their supplies. Nothing if walks can be arbitrarily heavy (a cycle that
/// uses no supply), or if the linear program was given up. Tight if the supplies are used one at a time;
/// otherwise it may be the weight of a fractional walk, rounded down.
///
/// `most_edges`: an upper bound on the number of edges of a walk, if one is known; absent if every weight is
/// at least 1. Linear in the graph if no supply is used; otherwise a linear program with one row per node.
std::optional<std::int64_t> heaviest_walk(const ModuleGraph& graph, const ModuleClass& modules,
                                          const EdgeWeight& weight,
                                          std::optional<std::int64_t> most_edges = {});

/// The lower bound: the least weight of a walk that ends at a node from which nothing can fire. `ends` marks
/// the nodes at which a walk may end.
std::optional<std::int64_t> lightest_walk(const ModuleGraph& graph, const ModuleNet& parts,
                                          const ModuleClass& modules, const EdgeWeight& weight,
                                          std::int64_t most_edges);

}  // namespace warpnet::worst
