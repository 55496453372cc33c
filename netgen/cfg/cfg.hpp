#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// Position of a block in StructuredCfg::blocks().
enum class BlockId : std::uint32_t {};
constexpr std::size_t index(BlockId block) noexcept { return static_cast<std::size_t>(block); }

/// A basic block: straight-line code that may end in a two-way branch, and the two sides of this branch. A
/// side is a sequence of sibling blocks up to the join. Blocks inside an inner branch belong to that branch.
struct CfgBlock {
    std::string id;
    std::int64_t time = 0;  ///< e(b): worst-case steps of the block alone, 0 or more
    std::vector<BlockId> true_side = {};
    std::vector<BlockId> false_side = {};

    /// A block with two empty sides is no branch.
    bool is_branch() const { return !true_side.empty() || !false_side.empty(); }
    bool operator==(const CfgBlock&) const = default;
};

/// A structured control-flow graph: a sequence of blocks, some of which branch into two sequences that join
/// again ([Klashtorny24] section IV-A). Every block is in exactly one sequence. There are no loops:
/// netgen/cfg/graph.hpp folds bounded loops into the times of their blocks.
///
/// Immutable. The sum of all block times is at most 2^63 - 1, so no sum of block times can overflow.
class StructuredCfg {
  public:
    /// Throws InputError if there is no block, if an id is empty, contains control characters or is used
    /// twice, if a time is negative or the times overflow, or if a block is in no sequence, in two, or inside
    /// itself. O(blocks), without recursion, so the nesting depth is not limited.
    StructuredCfg(std::vector<CfgBlock> blocks, std::vector<BlockId> root);

    std::span<const CfgBlock> blocks() const noexcept { return blocks_; }
    std::size_t size() const noexcept { return blocks_.size(); }
    const CfgBlock& operator[](BlockId block) const { return blocks_[index(block)]; }

    /// The top-level sequence.
    std::span<const BlockId> root() const noexcept { return root_; }

    /// All blocks in the order in which a single wavefront runs them: a branch, its true side, its false
    /// side, then its next sibling. In reverse order, every block comes after everything nested in it.
    std::span<const BlockId> program_order() const noexcept { return program_order_; }

    /// The branches in program order.
    std::vector<BlockId> branches() const;

    /// Number of branches around the innermost block.
    std::size_t nesting_depth() const;

    std::optional<BlockId> find(std::string_view id) const;  ///< O(blocks)

    bool operator==(const StructuredCfg&) const = default;

  private:
    std::vector<CfgBlock> blocks_;
    std::vector<BlockId> root_;
    std::vector<BlockId> program_order_;
};

/// One side of a branch.
struct CfgSide {
    BlockId branch;
    bool true_side = true;
    bool operator==(const CfgSide&) const = default;
};

/// The position of a block in its graph.
struct CfgPlace {
    std::uint32_t position = 0;          ///< in program order
    std::optional<BlockId> next = {};    ///< the next block in its sequence
    std::optional<CfgSide> inside = {};  ///< the side that contains it; none at the top level
    /// The block that runs after the block and all blocks nested in it; none at the end of the graph.
    std::optional<BlockId> behind = {};
};

/// By block. O(blocks).
std::vector<CfgPlace> places_of(const StructuredCfg& cfg);

/// The split points: per block of the graph, whether it is a branch that runs both sides in parallel.
using SplitSet = std::vector<bool>;

/// The branches with these ids. Throws InputError for an unknown id, or if its block is no branch.
SplitSet split_set(const StructuredCfg& cfg, std::span<const std::string> ids);

/// The ids of the split branches in program order.
std::vector<std::string> split_ids(const StructuredCfg& cfg, const SplitSet& splits);

}  // namespace warpnet::netgen
