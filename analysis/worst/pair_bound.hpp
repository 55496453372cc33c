#pragma once

#include "analysis/worst/module_graph.hpp"
#include "analysis/worst/step_bound.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet {

struct PairBoundInput {
    const CompiledNet& net;
    const ModuleNet& parts;
    const ModuleGraph& graph;
    const std::vector<ModuleClass>& classes;
    std::uint32_t hub;                 ///< number of the one hub that can be short
    std::vector<std::uint64_t> known;  ///< per class: an upper bound if a module of it moves last
    std::size_t most_columns;          ///< of a linear program
    std::optional<std::chrono::steady_clock::time_point> deadline;
};

/// An upper bound on the steps of every run that ends, sharper than the argument of starvation where long
/// delays decide: a step in which the last part works costs the others nothing only while all of them are
/// delayed or have ended, and they cannot all be delayed at the same time as often as they like.
///
/// A run gives, for the part w that moves last and each other part v, a walk through the pairs of their
/// states. Summed over all v it is a flow through these pairs that leaves the start once for each v, in which
/// each move of w is met by one move of each v, everybody uses up its supplies, and every move of w is one of
/// three kinds: w waits: then exactly S others hold a token. Nobody waits: at most S - (1 if w holds one)
/// others hold one. Some q others wait: then exactly so many hold one. The longest such flow in fractions is
/// a linear program, and no run is longer. The moves of w remember how long ago it was last served after a
/// wait, and how soon it will be, since others can begin long delays together only while they still keep w
/// waiting.
///
/// Nothing where parts want more than one token at a time, or the program would have more columns than
/// allowed for any of the parts that could be last, or does not improve on `known`. About a minute for 50,000
/// columns.
std::optional<StepBound> pair_bound(const PairBoundInput& input);

}  // namespace warpnet
