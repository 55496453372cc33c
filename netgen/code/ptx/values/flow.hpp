#pragma once

#include "netgen/cfg/graph.hpp"
#include "netgen/code/ptx/text/module.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::netgen {

/// Instructions [first, last) that are executed one after the other.
struct PtxBlock {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    /// Successor blocks, the target of a taken branch first, each once; none if the function ends.
    std::vector<std::uint32_t> successors = {};
    std::vector<std::uint32_t> predecessors = {};
    std::optional<std::uint32_t> label = {};  ///< the first label here that a branch targets
};

/// A natural loop.
struct PtxFlowLoop {
    std::uint32_t header = 0;
    std::optional<std::uint32_t> parent = {};  ///< the innermost loop around it
    std::uint32_t depth = 1;                   ///< 1 for an outermost loop
    std::vector<std::uint32_t> latches = {};   ///< blocks that jump back to the header
    std::vector<std::uint32_t> exits = {};     ///< blocks with an edge that leaves the loop
    /// The last iteration ends in the middle, because some latch cannot leave the loop.
    bool leaves_early = false;
    /// Its name for --trips: the label of its header, with "@line" if another loop of the function has the
    /// same label. Also its position among the loops in the order of the text, from 1.
    std::string name = {};
    std::size_t place = 0;
    std::uint32_t first = 0, last = 0;  ///< its instructions are in [first, last)
};

/// The basic blocks of a function that are reachable from its entry, in the order of the text, and its loops.
struct PtxFlow {
    std::vector<PtxBlock> blocks;
    std::uint32_t unreachable_instructions = 0;
    std::vector<PtxFlowLoop> loops;  ///< inner loops before outer ones
    /// Per block its innermost loop. For a header this is its own loop.
    std::vector<std::optional<std::uint32_t>> loop_of;
    /// Per block its immediate dominator. For the entry this is itself.
    std::vector<std::uint32_t> dominator;
    /// Per block its position in a preorder of the dominator tree, and the number of blocks it dominates,
    /// including itself.
    std::vector<std::uint32_t> dominator_place, dominated;
    /// The blocks in this preorder: each behind its dominators.
    std::vector<std::uint32_t> dominators_first;

    bool dominates(std::uint32_t above, std::uint32_t below) const {
        return dominator_place[below] - dominator_place[above] < dominated[above];
    }
    /// Whether the block is in the loop or in one nested in it. O(depth).
    bool is_inside(std::uint32_t block, std::uint32_t loop) const;
};

/// Throws InputError that names the function and the edge if a loop is entered past its header (the graph is
/// irreducible). Throws also for more than max_cfg_nodes blocks or 1000 nested loops. Nearly linear.
PtxFlow ptx_flow(const PtxModule& module, const PtxFunction& function);

/// The displayed name of a block: its label, or "line N".
std::string ptx_block_name(const PtxFunction& function, const PtxBlock& block);

/// The points at which lanes that part at a branch meet again, and whether their values differ.
class PtxDivergence {
  public:
    explicit PtxDivergence(const PtxFlow& flow);  ///< `flow` must outlive this

    /// Whether lanes that part at one of these branches (by block) meet again in `use` with and without the
    /// values that block `from` wrote. Inside a loop all lanes are in the same iteration; behind it they have
    /// left it in different ones. `differ`: there are further values; otherwise only loops matter. True if
    /// the function is too large to examine.
    bool splits(const std::vector<bool>& divergent, std::uint32_t from, std::uint32_t use, bool differ);

  private:
    using Reach = std::array<std::vector<bool>, 2>;
    const Reach& reach(std::uint32_t branch);

    const PtxFlow& flow_;
    std::vector<std::size_t> postdominator_;  // by block; the number of blocks: the end of the function
    std::map<std::uint32_t, Reach> reach_;    // by block: the blocks that each side reaches before they meet
};

}  // namespace warpnet::netgen
