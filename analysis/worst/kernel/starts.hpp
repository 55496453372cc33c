#pragma once

#include "analysis/worst/kernel/precedence_string.hpp"

#include <cstdint>
#include <string_view>

namespace warpnet {

/// Where a search begins ([Berezovskyi13] section VI).
enum class Start : std::uint8_t { round_robin, fixed_priority, most_pending, random };

std::string_view to_string(Start start);

/// 1 2 ... W, I times.
PrecedenceString round_robin_string(const KernelInstance& instance);

/// 1 ... 1 2 ... 2 ... W ... W.
PrecedenceString fixed_priority_string(const KernelInstance& instance);

/// The most pending warp executes first (Fig. 8): a list of warps is scanned from the head in each cycle, and
/// a warp that executes goes to the tail. A warp executes at most once a cycle. Fairness levels are not known
/// to this rule.
PrecedenceString most_pending_string(const KernelInstance& instance);

/// Uniformly random, a function of (seed, stream).
PrecedenceString random_string(const KernelInstance& instance, std::uint64_t seed, std::uint64_t stream);

/// One of the four; seed and stream matter for Start::random only.
PrecedenceString start_string(const KernelInstance& instance, Start start, std::uint64_t seed,
                              std::uint64_t stream);

}  // namespace warpnet
