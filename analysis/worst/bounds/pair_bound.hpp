#pragma once

#include "analysis/worst/bounds/module_graph.hpp"
#include "analysis/worst/bounds/module_steps.hpp"
#include "analysis/worst/bounds/step_bound.hpp"
#include "engine/base/work_limits.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet {

/// The part that moves last and the others, which share a hub from which all want one token at a time.
struct FlowInput {
    const ModuleSteps& last_steps;
    const LastPart& last;
    const std::vector<Tokens>& supplies;  ///< of the last part
    const std::vector<Others>& others;    ///< by kind
    Tokens tokens;                        ///< of the hub
    std::size_t most_columns;
};

/// Up to the last move of w, which bounds the runs that end: the longest flow through the pairs of states of
/// w, the part that moves last, and each other part v.
///
/// A run gives, for w and each v, a walk through the pairs of their states. Summed over all v it is a flow
/// through these pairs that leaves the start once for each v, in which each move of w is met by one move of
/// each v, everybody uses up its supplies, and every move of w is one of three kinds: w waits: then exactly S
/// others hold a token. Nobody waits: at most S - (1 if w holds one) others hold one. Some q others wait:
/// then exactly so many hold one.
///
/// Columns: the moves of w, worth a step each; pairs of moves of w and a v. Rows: pairs of states, moves of
/// w, supplies. Nothing where there would be more columns than allowed.
std::optional<LinearProgram> pair_program(const FlowInput& input);

/// As pair_program(), up to the last move of w: the longest flow through the triples of states of w, the
/// part that moves last, and each two of n other parts, all of one kind.
///
/// A run gives, for w and each two others, a walk through the triples of their states; their sum is a flow
/// that leaves the start n (n - 1) / 2 times, and each move of w is met by so many pairs of moves of the
/// others. Beside what pair_program() asks on the average over all others, every move m of another part,
/// while w makes one of its own, knows what the n - 1 third parts do then: if m waits, as many of them hold a
/// token as w and m leave; so too, exactly S, if w waits; else at most so many, and some of them wait only
/// then. Two parts cannot hold more than there is.
///
/// Columns: the moves of w, worth a step each; triples of moves. Nothing where there would be more columns
/// than allowed, or where the others are not two or more of one kind.
std::optional<LinearProgram> triple_program(const FlowInput& input);

struct PairBoundInput {
    const CompiledNet& net;
    const ModuleNet& parts;
    const ModuleGraph& graph;
    const std::vector<ModuleClass>& classes;
    std::uint32_t hub;                 ///< number of the one hub that can be short
    std::vector<std::uint64_t> known;  ///< per class: an upper bound if a module of it moves last
    std::size_t most_columns;          ///< of a linear program
    WorkLimits limits;
};

/// A bound on the steps of every run that ends, by its last move, sharper than the argument of starvation
/// where long delays decide: a step in which the last part works costs the others nothing only while all of
/// them are delayed or have ended, and they cannot all be delayed at the same time as often as they like.
///
/// A run is a flow through the pairs of states of the last part and each other one (pair_program()), and
/// through the triples with each two others (triple_program()); the longest flow in fractions is a linear
/// program, and the last part moves no later. The moves of the last part remember how long ago it was last
/// served after a wait, and how soon it will be, since others can begin long delays together only while they
/// still keep it waiting.
///
/// Nothing where parts want more than one token at a time, or the program would have more columns than
/// allowed for any of the parts that could be last, or does not improve on `known`. About half a minute for
/// 35,000 columns with OpenBLAS, a small fraction of that for pairs alone.
std::optional<LastMoveBound> pair_bound(const PairBoundInput& input);

}  // namespace warpnet
