#pragma once

#include "netgen/cfg/cfg.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// The known behaviour of the lanes of a wavefront at a branch.
enum class CfgLanes : std::uint8_t {
    unknown,    ///< they may part
    uniform,    ///< all go the same way
    divergent,  ///< they part
    others,     ///< they part, and those that continue are the ones that the branch before it left out
};
/// "", "uniform", "divergent", "else".
std::string_view to_string(CfgLanes lanes);

/// Reconstructs two-sided branches. Compilers for GPUs write `if (c) A; else B;` as `if (c) A;` followed by a
/// second branch `if (!c) B;`. If two adjacent siblings are one-sided branches, the first gets the side of
/// the second as its other side, and the second becomes a block that both paths run. The blocks, their times
/// and the time without splits stay the same. O(blocks).
StructuredCfg with_else_sides(const StructuredCfg& cfg);

/// The effect of lanes on the structure of a graph. A branch CfgLanes::others is the else of the branch
/// before it, as in with_else_sides(). A uniform branch never runs both sides. If no branch in its sides may
/// part, the longer side becomes its continuation and the other side is dropped. This is exact for the WCET
/// of every set of splits. All other uniform branches count as if their lanes parted, which is never too
/// short. `lanes`: by block; unknown for further blocks. O(blocks).
StructuredCfg with_lanes(const StructuredCfg& cfg, std::span<const CfgLanes> lanes);

/// A basic block of a general control-flow graph.
struct CfgNode {
    std::string id;
    std::int64_t time = 0;  ///< worst-case steps of the block alone
    std::vector<std::size_t> successors =
        {};  ///< indices of nodes; with two successors, the first is the true side
    std::optional<std::int64_t> loop_bound = {};  ///< of a loop header: its runs per entry, 1 or more
    CfgLanes lanes = CfgLanes::unknown;           ///< at the branch that ends the block
    bool operator==(const CfgNode&) const = default;
};

/// Nodes in any order, except that the first is the entry. Nodes without successors leave the kernel.
struct ControlFlowGraph {
    std::vector<CfgNode> nodes;
    bool operator==(const ControlFlowGraph&) const = default;
};

/// The loops around the nodes of a graph. Loops are nested or disjoint and are entered only at their headers.
struct LoopForest {
    std::vector<bool> is_header;
    /// Per node the header of the innermost loop around it; for a header, of the loop around its own loop.
    std::vector<std::optional<std::size_t>> around;
    std::vector<std::size_t> headers;  ///< inner loops before outer ones
};

/// Finds the loops of a graph in which all nodes are reachable from the first (Havlak, TOPLAS 19, 1997, for
/// reducible graphs). Throws InputError that names an unreachable node, or an edge that enters a loop other
/// than at its header. Nearly linear.
LoopForest find_loops(const ControlFlowGraph& graph);

struct CfgEdge {
    std::size_t from, to;
};

/// The immediate dominator of each of `nodes` nodes, in the direction of the edges. No node (SIZE_MAX) for
/// the root and for nodes that it does not reach. With turned edges and the end as root: post-dominators.
/// O((nodes + edges) log), for at most max_cfg_nodes nodes. [Lengauer79] by Boost.
std::vector<std::size_t> immediate_dominators(std::size_t nodes, const std::vector<CfgEdge>& edges,
                                              std::size_t root);

/// The structured graph with the same blocks, in the same order, and the same WCET for every choice of
/// splits.
///
/// The join of a branch is its immediate post-dominator. The following conversions are exact:
///
/// - Several exits of the kernel, or several back edges to a loop header, join in a block of no time.
///
/// - A node with two equal successors is no branch.
///
/// - A bounded loop becomes one straight iteration with multiplied block times. If its header runs at most n
/// times, so do the blocks up to the last one that can leave the loop, and the blocks after it run n - 1
/// times. Wavefronts merge at the end of every iteration, every iteration has the same splits, and the time
/// of a block sequence is linear in its block times. So n iterations take n times as long as one, for any
/// splits.
///
/// - CfgNode::lanes count as with_lanes() says (above).
///
/// Other graphs are rejected. Copying a shared node into both branches preserves paths, but it is not exact
/// here. An unsplit branch runs both sides and would count the copy twice. The copies of a branch could also
/// be split differently although the program has one instruction.
///
/// Throws InputError that names the edge for a node with more than two successors, an edge that enters or
/// leaves a branch or a loop other than at its ends, and a loop without a bound, without an exit or with two
/// different exits. Throws InputError that names the node for a bound on a node that is no loop header, an
/// unreachable node and a time that overflows. Throws like StructuredCfg. O(n log n) for n nodes, at most
/// max_cfg_nodes of them.
StructuredCfg structure(const ControlFlowGraph& graph);

/// The dominator algorithm is recursive; this many nodes fit its stack in any graph.
inline constexpr std::size_t max_cfg_nodes = 50'000;

}  // namespace warpnet::netgen
