#pragma once

#include "netgen/cfg/cfg.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet {

/// A basic block of a general control-flow graph.
struct CfgNode {
    std::string id;
    std::int64_t time = 0;                     ///< worst-case steps of the block alone
    std::vector<std::size_t> successors = {};  ///< indices of nodes; of two, the first is the true side
    std::optional<std::int64_t> loop_bound =
        {};  ///< of a loop header: how often it runs per entry, 1 or more
    bool operator==(const CfgNode&) const = default;
};

/// Nodes in any order but that the first is the entry. Nodes without successors leave the kernel.
struct ControlFlowGraph {
    std::vector<CfgNode> nodes;
    bool operator==(const ControlFlowGraph&) const = default;
};

/// Which nodes of a graph lie in which loop. Loops are nested or disjoint and entered at their headers only.
struct LoopForest {
    std::vector<bool> is_header;
    /// Per node the header of the innermost loop around it; for a header, of the loop around its own.
    std::vector<std::optional<std::size_t>> around;
    std::vector<std::size_t> headers;  ///< inner loops before outer ones
};

/// Finds the loops of a graph all of whose nodes can be reached from the first (Havlak, TOPLAS 19, 1997, for
/// reducible graphs). Throws InputError naming the node that cannot be reached, or the edge that enters a
/// loop beside its header. Nearly linear.
LoopForest find_loops(const ControlFlowGraph& graph);

/// The structured graph with the same blocks, in the same order, and the same WCET for every choice of
/// splits.
///
/// The join of a branch is its immediate post-dominator. What is restructured, because it is exact:
/// - Several ways out of the kernel, or several jumps back to a loop header, join in a place without time.
/// - A node both of whose successors are the same is no branch.
/// - A bounded loop is run straight once, with the times of its blocks multiplied. Where its header runs at
/// most n
///   times, so do the blocks up to the last one that can leave the loop; those behind it, n - 1 times.
///   Wavefronts merge at the end of every iteration, every iteration has the same splits, and the time of a
///   block sequence scales with the times in it, so n iterations take n times one, whatever is split.
///
/// Everything else is refused. Copying a shared node into both of its branches, harmless where a path is what
/// counts, is not exact here: an unsplit branch runs both sides and would count the copy twice, and the
/// copies of a branch could be split differently although the program has one instruction.
///
/// Throws InputError naming the edge for a node with more than two successors, an edge that enters or leaves
/// a branch or a loop elsewhere than at its ends, and a loop without a bound, without a way out or with two
/// different ones; naming the node for a bound on a node that heads no loop, a node that is not reachable and
/// a time that overflows; and as StructuredCfg does. O(n log n) for n nodes, at most max_cfg_nodes of them.
StructuredCfg structure(const ControlFlowGraph& graph);

/// The dominator algorithm recurses; this many nodes fit its stack in any shape.
inline constexpr std::size_t max_cfg_nodes = 50'000;

}  // namespace warpnet
