#pragma once

#include "netgen/cfg/cfg.hpp"

#include <cstdint>
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

}  // namespace warpnet
