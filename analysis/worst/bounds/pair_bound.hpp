#pragma once

#include "analysis/worst/bounds/module_graph.hpp"
#include "analysis/worst/bounds/module_steps.hpp"
#include "analysis/worst/bounds/step_bound.hpp"
#include "engine/base/work_limits.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet::worst {

/// The part that moves last and the other parts, which share a hub from which each wants one token at a time.
struct FlowInput {
    const ModuleSteps& last_steps;
    const LastPart& last;
    const std::vector<Tokens>& supplies;  ///< of the last part
    const std::vector<Others>& others;    ///< by kind
    Tokens tokens;                        ///< of the hub
    std::size_t most_columns;
};

/// An upper bound on the last move of w, and so on the runs that end: the longest flow through the pairs of
/// states of w, the part that moves last, and each other part v.
///
/// A run gives, for w and each v, a walk through the pairs of their states. The sum over all v is a flow
/// through these pairs that leaves the start once for each v. In it, each move of w coincides with one move
/// of each v, every part uses its supplies, and every move of w is one of three kinds. If w waits, exactly S
/// other parts hold a token. If no part waits, at most S - (1 if w holds one) other parts hold one. If some
/// number q of other parts wait, exactly that many hold one.
///
/// Columns: the moves of w, each worth one step; pairs of moves of w and a v. Rows: pairs of states, moves of
/// w, supplies. Nothing if there would be more columns than allowed.
std::optional<states::LinearProgram> pair_program(const FlowInput& input);

/// As pair_program(), but with the longest flow through the triples of states of w, the part that moves last,
/// and each two of n other parts, all of one kind.
///
/// A run gives, for w and each two other parts, a walk through the triples of their states. Their sum is a
/// flow that leaves the start n (n - 1) / 2 times, and each move of w coincides with that many pairs of moves
/// of other parts. pair_program() constrains only the average over all other parts. Here every move m of
/// another part during a move of w constrains the n - 1 third parts. If m waits, they hold exactly the tokens
/// that w and m leave, and the same, exactly S, if w waits. Otherwise they hold at most that many, and some
/// of them wait only if they hold all of these. Two parts cannot hold more tokens than there are.
///
/// Columns: the moves of w, each worth one step; triples of moves. Nothing if there would be more columns
/// than allowed, or if the other parts are not two or more of one kind.
std::optional<states::LinearProgram> triple_program(const FlowInput& input);

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

/// A bound on the steps of every run that ends, by its last move. It is sharper than the starvation argument
/// if long delays dominate: a step in which the last part works costs the other parts nothing only while all
/// of them are delayed or have ended. They cannot all be delayed at the same time arbitrarily often.
///
/// A run is a flow through the pairs of states of the last part and each other part (pair_program()), and
/// through the triples with each two other parts (triple_program()). The longest fractional flow is a linear
/// program, and the last part moves no later. The moves of the last part include a memory of how long ago it
/// was last served after a wait, and how soon it will be, because other parts can begin long delays together
/// only while they still keep it waiting.
///
/// Nothing if parts want more than one token at a time, if the program would have more columns than allowed
/// for any of the parts that could be last, or if it does not improve on `known`. About half a minute for
/// 35,000 columns with OpenBLAS, a small fraction of that for pairs alone.
std::optional<LastMoveBound> pair_bound(const PairBoundInput& input);

}  // namespace warpnet::worst
