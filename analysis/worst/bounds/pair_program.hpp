#pragma once

#include "analysis/worst/bounds/last_part.hpp"

#include <cstddef>
#include <optional>

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

}  // namespace warpnet
