#pragma once

#include "netgen/kernel/kernel.hpp"

namespace warpnet {

/// Cycles that no schedule of an instance exceeds, by what the other warps can put in the way of one; where
/// warps wait long this is nearer than counting all instructions.
///
/// Proof (of the kind of [Graham66]). Follow the warp w that ends last. Until its end it spends each cycle in
/// one of two ways: it takes a position of its string, I cycles in all, waits included; or it is ready and
/// does not execute. Since the cycle is maximal, then either all lambda_U units of the type U that it wants
/// are taken by other warps, or all sigma schedulers are. Let n_U be the instructions of type U in the
/// string, so that the others have (W - 1) n_U. The cycles of the first kind with U wanted are at most b_U =
/// floor((W - 1) n_U / lambda_U), and all blocked cycles together use up lambda_U instructions each, or
/// sigma. With lambda_U >= sigma a full U is a full set of schedulers. So there are at most
///     sum of b_U over the U with lambda_U < sigma
///     + floor(((W - 1) sum of n_U - sum of lambda_U b_U over the same U) / sigma)
/// of them, since a cycle of the first kind uses up less than one of the second. Without schedulers the last
/// term is missing and all U are summed. Fairness levels change nothing: who takes the units has its own or a
/// lower level. O(I).
int interference_bound(const KernelInstance& instance);

}  // namespace warpnet
