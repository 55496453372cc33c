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
    /// Blocks, the one that a branch takes first; none if the function is left. Each once.
    std::vector<std::uint32_t> successors = {};
    std::vector<std::uint32_t> predecessors = {};
    std::optional<std::uint32_t> label = {};  ///< the first label here that a branch names
};

/// A natural loop.
struct PtxFlowLoop {
    std::uint32_t header = 0;
    std::optional<std::uint32_t> parent = {};  ///< innermost loop around it
    std::uint32_t depth = 1;                   ///< 1 for a loop in no other
    std::vector<std::uint32_t> latches = {};   ///< blocks that jump back to the header
    std::vector<std::uint32_t> exits = {};     ///< blocks with an edge that leaves the loop
    /// The last iteration ends in the middle: some latch cannot leave.
    bool leaves_early = false;
    /// What --trips calls it: the label of its header, with "@line" if another loop of the function has the
    /// same; and its place among the loops in the order of the text, from 1 on.
    std::string name = {};
    std::size_t place = 0;
    std::uint32_t first = 0, last = 0;  ///< its instructions lie in [first, last)
};

/// The basic blocks of a function that can be reached from its entry, in the order of the text, and its
/// loops.
struct PtxFlow {
    std::vector<PtxBlock> blocks;
    std::uint32_t unreachable_instructions = 0;
    std::vector<PtxFlowLoop> loops;  ///< inner ones before outer ones
    /// Per block its innermost loop; a header's is its own.
    std::vector<std::optional<std::uint32_t>> loop_of;
    /// Per block the one that dominates it immediately; the entry's is itself.
    std::vector<std::uint32_t> dominator;
    /// Per block its place in a preorder of the dominator tree, and how many blocks it dominates, itself too.
    std::vector<std::uint32_t> dominator_place, dominated;
    /// The blocks in this preorder: each behind those that dominate it.
    std::vector<std::uint32_t> dominators_first;

    bool dominates(std::uint32_t above, std::uint32_t below) const {
        return dominator_place[below] - dominator_place[above] < dominated[above];
    }
    /// Whether the block lies in the loop or in one inside it. O(depth).
    bool is_inside(std::uint32_t block, std::uint32_t loop) const;
};

/// Throws InputError, naming the function and the edge, where a loop is entered past its header (the graph
/// is irreducible), and for more than max_cfg_nodes blocks or 1000 loops in one
/// another. Nearly linear.
PtxFlow ptx_flow(const PtxModule& module, const PtxFunction& function);

/// What people call a block: its label, or "line N".
std::string ptx_block_name(const PtxFunction& function, const PtxBlock& block);

/// Where lanes that part at a branch come together again, and with different values.
class PtxDivergence {
  public:
    explicit PtxDivergence(const PtxFlow& flow);  ///< `flow` must outlive this

    /// Whether lanes that part at one of these branches (by block) meet again in `use` with and without what
    /// block `from` wrote. Inside a loop all lanes are in the same iteration; behind it they left it in
    /// different ones. `differ`: there are other values; else only loops matter. True where the function is
    /// too large to be looked at.
    bool splits(const std::vector<bool>& divergent, std::uint32_t from, std::uint32_t use, bool differ);

  private:
    using Reach = std::array<std::vector<bool>, 2>;
    const Reach& reach(std::uint32_t branch);

    const PtxFlow& flow_;
    std::vector<std::size_t> postdominator_;  // by block; the number of blocks: the end of the function
    std::map<std::uint32_t, Reach> reach_;    // by block: what each side comes to before they meet
};

}  // namespace warpnet::netgen
