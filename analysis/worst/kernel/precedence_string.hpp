#pragma once

#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/search/objective.hpp"
#include "netgen/kernel/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace warpnet::worst {

/// Number of a warp, from 0. Kernel searches go up to max_search_warps; hardware holds 64 warps.
using Warp = std::uint8_t;
inline constexpr int max_search_warps = 250;
inline constexpr std::size_t max_search_letters = 1'000'000;  ///< W*I

/// A pseudo-precedence string ([Berezovskyi13] section IV): W*I warp numbers, each I times. The k-th
/// occurrence of a warp is its k-th instruction. I counts instructions: waits are in no string.
using PrecedenceString = std::vector<Warp>;

/// How a pseudo-precedence string becomes a schedule. Both readings reach the same schedules if all
/// instructions take one cycle (tested exhaustively), but not for the same string, and not if an instruction
/// occupies its unit for longer.
enum class StringReading : std::uint8_t {
    serial,  ///< left to right, each instruction at the earliest cycle its warp and the capacities allow
    maximal_step,  ///< cycle by cycle, the ready instructions in the order of the string
};

/// Throws InputError unless every type has a capacity, every capacity, `warps` and `schedulers` are at least
/// 1, levels are absent or one per instruction, and waits have a type with a capacity for all warps and are
/// not the only positions. Suffices for bounds by counting.
void check_kernel(const netgen::KernelInstance& instance);

/// Whether W and W*I, waits included, are within the limits above.
bool fits_search(const netgen::KernelInstance& instance);

/// check_kernel(), and throws InputError unless the instance fits the searches.
void check_instance(const netgen::KernelInstance& instance);

/// Throws InputError unless each of the W warps occurs I times.
void check_precedence_string(const netgen::KernelInstance& instance, std::span<const Warp> string);

/// The reading that searches use: serial, which is faster, except with fairness levels, for which only the
/// maximal step is defined, or with waits, which the serial reading does not support.
StringReading search_reading(const netgen::KernelInstance& instance);

/// The string that has this schedule under either reading: its cycles in sequence, within a cycle in the
/// given order. `schedule` must be one of `instance` (check_schedule).
PrecedenceString encode(const netgen::KernelInstance& instance, const KernelSchedule& schedule);

/// Renames the warps in the order of their first occurrence. Warps are identical, so this is the same
/// solution.
PrecedenceString canonical(std::span<const Warp> string);

/// 1 2 ... W, I times.
PrecedenceString round_robin_string(const netgen::KernelInstance& instance);

/// 1 ... 1 2 ... 2 ... W ... W.
PrecedenceString fixed_priority_string(const netgen::KernelInstance& instance);

/// The most pending warp executes first (Fig. 8): a list of warps is scanned from the head in each cycle, and
/// a warp that executes goes to the tail. A warp executes at most once per cycle. This rule ignores fairness
/// levels.
PrecedenceString most_pending_string(const netgen::KernelInstance& instance);

/// Uniformly random, a function of (seed, stream).
PrecedenceString random_string(const netgen::KernelInstance& instance, std::uint64_t seed,
                               std::uint64_t stream);

/// One of KernelStrings::starts; seed and stream matter for SearchStart::random only.
PrecedenceString start_string(const netgen::KernelInstance& instance, SearchStart start, std::uint64_t seed,
                              std::uint64_t stream);

}  // namespace warpnet::worst
