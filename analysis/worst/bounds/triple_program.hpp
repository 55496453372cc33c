#pragma once

#include "analysis/worst/bounds/pair_program.hpp"

namespace warpnet {

/// As pair_program.hpp, up to the last move of w: the longest flow through the triples of states of w, the
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

}  // namespace warpnet
