#pragma once

#include "analysis/worst/kernel/schedule.hpp"
#include "engine/base/round_up.hpp"
#include "netgen/kernel/kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace warpnet::worst {

/// Cycles that no schedule of an instance exceeds, by the delays that the other warps can cause to one warp.
/// With long waits this is closer than counting all instructions.
///
/// Proof (of the kind of [Graham66]). Follow the warp w that ends last. Until its end it spends each cycle in
/// one of two ways: it executes a position of its string, I cycles in all, waits included; or it is ready and
/// does not execute. Because the cycle is maximal, then either all lambda_U units of the type U that it wants
/// are taken by other warps, or all sigma schedulers are. Let n_U be the number of instructions of type U in
/// the string, so that the other warps have (W - 1) n_U. At most b_U = floor((W - 1) n_U / lambda_U) cycles
/// are of the first kind with U wanted, and all blocked cycles together use lambda_U instructions each, or
/// sigma. With lambda_U >= sigma a full U is a full set of schedulers. So their number is at most
///     sum of b_U over the U with lambda_U < sigma
///     + floor(((W - 1) sum of n_U - sum of lambda_U b_U over the same U) / sigma)
/// of them, because a cycle of the first kind uses fewer than one of the second. Without schedulers the last
/// term is missing and all U are summed. Fairness levels change nothing: the warp that takes the units has
/// its own or a lower level. O(I).
int interference_bound(const netgen::KernelInstance& instance);

/// Cycles that no schedule of a string of two types exceeds, one of them (L) with one unit and the other (C)
/// with at least two, if every C is followed by an L, without waits, and with two schedulers or without a
/// limit. With f = max(W / 2, 1) for two schedulers, else f = 1:
///     W n_L + n_C            if the string starts with L
///     W n_L + n_C + f - 1    if it starts with C, for any levels
/// and for the template of [Raravi10] and W >= 2, where both are reached
///     W n_L + f + 1 if sub-blocks are levels (its conjecture), W n_L + f if prelude and store have their
///     own.
/// A cycle without an L is one in which every unfinished warp is at a C, or two schedulers execute two C. The
/// proof bounds their number: docs/explanation/kernel-makespan.md. Nothing for other instances. O(I).
std::optional<int> single_unit_bound(const netgen::KernelInstance& instance);

/// A lower bound on the remaining cycles of a state, by counting: the instructions of one type before
/// position b, over all warps, need their units, and the warp that executes the last of them still has I - b
/// instructions after it. Cheap and, unlike a segment abstraction, aware of every position.
class CountingBound {
  public:
    explicit CountingBound(const netgen::KernelInstance& instance)
        : length_(static_cast<int>(instance.type.size())) {
        for (std::size_t type = 0; type < instance.capacity.size(); ++type) {
            std::vector<int> before{0};  // per position: instructions of this type before it
            for (const auto t : instance.type) before.push_back(before.back() + (t == type ? 1 : 0));
            for (int end = 1; end <= length_; ++end) {
                const auto e = static_cast<std::size_t>(end);
                const bool run_ends =
                    instance.type[e - 1] == type && (end == length_ || instance.type[e] != type);
                if (run_ends) windows_.push_back({end, instance.capacity[type], before});
            }
        }
    }

    /// The positions must be sorted, the least advanced warp first. O(W) per run of equal types.
    int operator()(std::span<const int> positions) const {
        int bound = length_ - positions[0];
        for (const Window& window : windows_) {
            int left = 0;
            for (const int p : positions) {
                if (p >= window.end) break;
                left += window.before[static_cast<std::size_t>(window.end)] -
                        window.before[static_cast<std::size_t>(p)];
            }
            if (left > 0) bound = std::max(bound, length_ - window.end + divided_up(left, window.capacity));
        }
        return bound;
    }

  private:
    struct Window {
        int end;
        int capacity;
        std::vector<int> before;
    };

    int length_;
    std::vector<Window> windows_;
};

/// The schedules of simple priority rules: types in a fixed order, and within each type the most or the least
/// advanced warp first. All combinations for up to four types (at most 384 schedules), one order of the types
/// for more. They are good starts, above all for the best case. Only the first schedule is made if the limits
/// of time are met. The instance must be well-formed (check_instance).
std::vector<KernelSchedule> list_schedules(const netgen::KernelInstance& instance, const WorkLimits& limits);

}  // namespace warpnet::worst
