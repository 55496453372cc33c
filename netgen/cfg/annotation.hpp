#pragma once

#include "netgen/cfg/cfg.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// A number of SIMD units; u = S + 1: the unit of the wavefront and the S reserved ones.
using Units = std::int64_t;

/// The assignment of units to the parts of a graph.
enum class UnitSharing : std::uint8_t {
    allotted,         ///< a split branch divides its units between its sides until the join
    first_come,       ///< a pool: a unit returned by a side goes to the first branch that reaches its split
    fixed_hand_over,  ///< a pool whose hand-overs between sides and branches are those of a run in which
                      ///< every block takes e(b)
};
const char* to_string(UnitSharing sharing);  ///< "static", "first-come", "fixed"

/// The annotation of one block by a compiler. For a branch this is n(b, u) of equation (3) of the source.
struct BlockAnnotation {
    bool split = false;     ///< the sides run in parallel and merge at the join
    Units units = 1;        ///< units that the block and everything nested in it may use
    Units true_units = 1;   ///< of a branch: units that its true side may use
    Units false_units = 1;  ///< of a branch: units that its false side may use
    bool operator==(const BlockAnnotation&) const = default;
};

/// The split points of a graph and the units of each part. A split branch divides its units between its
/// sides. An unsplit branch runs one side after the other, and each side may use all of its units. With
/// pooled units (netgen/cfg/unit_pool.hpp) no part has units, and `units` is the size of the pool plus the
/// unit of the wavefront.
struct CfgAnnotation {
    Units units = 1;                      ///< of the top-level sequence
    std::vector<BlockAnnotation> blocks;  ///< in the order of StructuredCfg::blocks()
    UnitSharing sharing = UnitSharing::allotted;

    SplitSet splits() const;
    bool operator==(const CfgAnnotation&) const = default;
};

/// The units u1, u2, … of each block, as the number of the first one, from 1; BlockAnnotation::units gives
/// their number. The true side of a split branch has the first units of the branch, and the false side has
/// the next ones ([Klashtorny24] section IV-A, the walk from the root). REQUIRES: check_annotation() holds.
/// O(blocks).
std::vector<Units> first_units(const StructuredCfg& cfg, const CfgAnnotation& annotation);

/// The units that must be free for the splits within each block. It is 1 for a plain block. A split branch
/// needs the sum of the demands of its sides, and an unsplit branch the larger of them. A sequence needs the
/// largest demand of its blocks, since units are free again at every merge; an empty sequence needs 1.
/// O(blocks).
std::vector<Units> unit_demands(const StructuredCfg& cfg, const SplitSet& splits);

/// The demand of the whole graph: the least number of units that can be allotted to these splits. A pool may
/// need fewer units, see pool_demand().
Units unit_demand(const StructuredCfg& cfg, const SplitSet& splits);

/// Distributes `units` from the root: each side of a split branch gets its demand. Throws InputError if the
/// units do not suffice or if `units` is below 1. O(blocks).
CfgAnnotation annotate(const StructuredCfg& cfg, const SplitSet& splits, Units units);

/// The same splits with a pool of units. REQUIRES: `sharing` is not `allotted`. Throws InputError if `units`
/// is below 1. O(blocks).
CfgAnnotation annotate_pooled(const StructuredCfg& cfg, const SplitSet& splits, Units units,
                              UnitSharing sharing);

/// Throws InputError, naming the block, if the annotation is inconsistent: its size differs from that of the
/// graph, a split is at a block that is no branch, or a part has more units than the enclosing part.
/// O(blocks).
void check_annotation(const StructuredCfg& cfg, const CfgAnnotation& annotation);

// These functions write a graph with its split and merge points in each format that can be read. The points
// are comments, so that reading the result returns the graph. All throw InputError like check_annotation().
// O(blocks), plus the text.

/// The format of read_cfg_json(), one block per line. Reading it returns an equal graph.
std::string write_cfg_json(const StructuredCfg& cfg);

/// The same; the comments are members "comment".
std::string annotated_cfg_json(const StructuredCfg& cfg, const CfgAnnotation& annotation);

/// Graph text in program order. If nothing follows the last branch, an end block of no time is added. Throws
/// InputError, naming the block, if an id cannot be written in the text.
std::string annotated_cfg_text(const StructuredCfg& cfg, const CfgAnnotation& annotation);

/// Graph text with nodes numbered in program order, see read_cfg_text(). The ids are in the comments. Two
/// adjacent one-sided branches, which would be read as one two-sided branch, are separated by a node of no
/// time.
std::string numbered_cfg_text(const StructuredCfg& cfg, const CfgAnnotation& annotation);

/// The position of the code of a block.
struct CodeBlock {
    std::string id;
    std::size_t line = 0;  ///< from 1
    /// The else of a branch begins here (CfgLanes::others): its wavefronts merge behind it.
    bool begins_else = false;
};

/// The text of a kernel, PTX, SASS or GCN, with a comment before the branch of each split block, and a
/// comment at the point where its wavefronts merge. `code` lists the blocks of the graph that are in the
/// text, in any order. The rest of the text is unchanged. `comment` begins a comment.
std::string annotated_ptx(std::string_view text, std::span<const CodeBlock> code, const StructuredCfg& cfg,
                          const CfgAnnotation& annotation, std::string_view comment = "//");

}  // namespace warpnet::netgen
