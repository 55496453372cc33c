#pragma once

#include "netgen/cfg/cfg.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// A number of SIMD units; u = S + 1, the wavefront's own and the S reserved ones.
using Units = std::int64_t;

/// Who has the units of a graph.
enum class UnitSharing : std::uint8_t {
    allotted,         ///< a split branch divides its units between its sides until they join
    first_come,       ///< a pool: a unit that a side returns goes to the first branch that gets to its split
    fixed_hand_over,  ///< a pool whose units go from side to branch as they do if every block takes e(b)
};
const char* to_string(UnitSharing sharing);  ///< "static", "first-come", "fixed"

/// What a compiler writes at one block. For a branch this is n(b, u) of the source's equation (3).
struct BlockAnnotation {
    bool split = false;     ///< the sides run at the same time, and merge at the join
    Units units = 1;        ///< the block and all that is nested in it may use so many
    Units true_units = 1;   ///< of a branch: units its true side may use
    Units false_units = 1;  ///< of a branch: units its false side may use
    bool operator==(const BlockAnnotation&) const = default;
};

/// A graph's split points and the units every part of it holds. A split branch divides its units between its
/// sides, an unsplit one runs one side after the other, and each may use all of them. With pooled units
/// (netgen/cfg/unit_pool.hpp) no part holds any, and `units` is the size of the pool and the wavefront's own.
struct CfgAnnotation {
    Units units = 1;                      ///< held by the top-level sequence
    std::vector<BlockAnnotation> blocks;  ///< in the order of StructuredCfg::blocks()
    UnitSharing sharing = UnitSharing::allotted;

    SplitSet splits() const;
    bool operator==(const CfgAnnotation&) const = default;
};

/// Which of the units u1, u2, … a block may use: per block the number of the first one, from 1; it has
/// BlockAnnotation::units in a row from there on. The true side of a split branch has the first ones of the
/// branch, the false side those behind them ([Klashtorny24] section IV-A, the walk from the root). REQUIRES:
/// check_annotation() holds. O(blocks).
std::vector<Units> first_units(const StructuredCfg& cfg, const CfgAnnotation& annotation);

/// Units that must be free for the splits within a block: 1 for a plain block; for a split branch the demands
/// of its sides added up, for an unsplit one the larger of them; a sequence demands what its neediest block
/// does (units are free again at every merge), an empty one 1. Per block, O(blocks).
std::vector<Units> unit_demands(const StructuredCfg& cfg, const SplitSet& splits);

/// The demand of the whole graph: the least number of units that can be allotted to these splits. A pool may
/// need fewer, see pool_demand().
Units unit_demand(const StructuredCfg& cfg, const SplitSet& splits);

/// Hands `units` down from the root: a side of a split branch gets what it demands. Throws InputError where
/// they do not suffice or fewer than one is given. O(blocks).
CfgAnnotation annotate(const StructuredCfg& cfg, const SplitSet& splits, Units units);

/// The same splits with a pool of units; `sharing` is not `allotted`. Throws InputError where fewer than one
/// unit is given. O(blocks).
CfgAnnotation annotate_pooled(const StructuredCfg& cfg, const SplitSet& splits, Units units,
                              UnitSharing sharing);

/// Throws InputError, naming the block, where the parts of the annotation do not fit together: a size other
/// than the graph's, a split at a block that is no branch, or a part that holds more units than what it is
/// in. O(blocks).
void check_annotation(const StructuredCfg& cfg, const CfgAnnotation& annotation);

// A graph with its split and merge points, in every format that is read: the points are comments, so that
// what is read again is the graph. All throw InputError as check_annotation() does. O(blocks), but for the
// text.

/// JSON; the comments are members "comment".
std::string annotated_cfg_json(const StructuredCfg& cfg, const CfgAnnotation& annotation);

/// Graph text in program order. Where the last branch has nothing behind it there is one block more, the end,
/// without time. Throws InputError where an id is none of the text's, naming the block.
std::string annotated_cfg_text(const StructuredCfg& cfg, const CfgAnnotation& annotation);

/// Graph text whose nodes are numbered in program order, see read_cfg_text(); the ids are in the comments.
/// Between two neighbouring branches with one side, which would be read as one with two, there is a node
/// without time.
std::string numbered_cfg_text(const StructuredCfg& cfg, const CfgAnnotation& annotation);

/// Where the code of a block begins.
struct CodeBlock {
    std::string id;
    std::size_t line = 0;  ///< from 1
};

/// The text of a kernel in PTX with a comment before the branch of each split block, and one where its
/// wavefronts merge. `code` are the blocks of the graph that stand in the text, in any order. Everything else
/// stays letter for letter.
std::string annotated_ptx(std::string_view text, std::span<const CodeBlock> code, const StructuredCfg& cfg,
                          const CfgAnnotation& annotation);

}  // namespace warpnet
