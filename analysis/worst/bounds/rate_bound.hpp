#pragma once

#include "analysis/worst/bounds/step_bound.hpp"
#include "netgen/sm/sm.hpp"

#include <optional>

namespace warpnet {

/// A bound on every run of an sm net under maximal steps and any policy: the time that blocks take alone, and
/// the steps in which a rate is short (proof: rate_bound.cpp). Of n blocks, R at a time, it is
///     (⌊(n - 1)/R⌋ + 1) L + Σ over rates c of ⌈(D_c - m_c)/r_c⌉,
/// L the steps of a block alone, D_c what all blocks demand of c, r_c what a step refills, m_c what is there
/// at the start. Nothing for programs whose rates have caps too small for the proof, and for numbers out of
/// range. O(operations of the bodies, and of the trips of one block, at most 10 million).
std::optional<StepBound> rate_bound(const SmNet& sm);

}  // namespace warpnet
