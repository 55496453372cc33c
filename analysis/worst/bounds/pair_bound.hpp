#pragma once

#include "analysis/worst/bounds/module_graph.hpp"
#include "analysis/worst/bounds/step_bound.hpp"
#include "engine/base/work_limits.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet {

class Collectives;

struct PairBoundInput {
    const CompiledNet& net;
    const ModuleNet& parts;
    const ModuleGraph& graph;
    const std::vector<ModuleClass>& classes;
    std::uint32_t hub;                 ///< number of the one hub that can be short
    std::vector<std::uint64_t> known;  ///< per class: an upper bound if a module of it moves last
    std::size_t most_columns;          ///< of a linear program
    WorkLimits limits;
    /// Others that do the same: each solves the programs of other classes. Null: none.
    Collectives* ranks = nullptr;
};

/// A bound on the steps of every run that ends, by its last move, sharper than the argument of starvation
/// where long delays decide: a step in which the last part works costs the others nothing only while all of
/// them are delayed or have ended, and they cannot all be delayed at the same time as often as they like.
///
/// A run is a flow through the pairs of states of the last part and each other one (pair_program.hpp), and
/// through the triples with each two others (triple_program.hpp); the longest flow in fractions is a linear
/// program, and the last part moves no later. The moves of the last part remember how long ago it was last
/// served after a wait, and how soon it will be, since others can begin long delays together only while they
/// still keep it waiting.
///
/// Nothing where parts want more than one token at a time, or the program would have more columns than
/// allowed for any of the parts that could be last, or does not improve on `known`. About half a minute for
/// 35,000 columns with OpenBLAS, a small fraction of that for pairs alone.
std::optional<LastMoveBound> pair_bound(const PairBoundInput& input);

}  // namespace warpnet
