#pragma once

#include "analysis/states/explore/marking_store.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <vector>

namespace warpnet::states {

/// The tokens of a place that can hold any number of them, written ω.
inline constexpr Tokens any_number = Tokens{1} << 62;

/// A coverability graph [Karp69]: for each reachable marking it has a node with at least as many tokens in
/// every place, and for each node with ω there are reachable markings with arbitrarily many tokens in these
/// places at once.
struct CoverabilityGraph {
    struct Edge {
        std::uint32_t from, transition, to;
    };

    MarkingStore nodes;       ///< node 0 is the initial marking; breadth-first
    std::vector<Edge> edges;  ///< by source, then by transition
    WorkEnd stop = WorkEnd::complete;

    bool complete() const noexcept { return stop == WorkEnd::complete; }
    /// Per place: the most tokens in a node, or any_number. O(nodes x places).
    std::vector<Tokens> bounds() const;
};

/// The places whose bound is any_number.
std::vector<std::uint32_t> unbounded_places(const std::vector<Tokens>& bounds);

/// Whether `after` has at least the tokens of `before`, and more only in places that may grow: then the steps
/// between the two can repeat.
bool can_repeat(const Marking& before, const Marking& after, const std::vector<std::uint8_t>& may_grow);

/// Builds the graph under interleaving. coverability_graph.cpp describes the algorithm. If no inhibitor place
/// is unbounded, it ends without a limit.
///
/// O(edges x depth x places). Throws InputError for immediate transitions and priorities,
/// and for places with any_number tokens or more.
CoverabilityGraph coverability_graph(const CompiledNet& net, std::uint64_t max_nodes,
                                     const WorkLimits& limits);

}  // namespace warpnet::states
