#pragma once

#include "netgen/blocks/task_set.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpnet::studies {

/// Of a bound; beyond it doubles are no whole numbers.
constexpr netgen::Time longest_time = netgen::Time{1} << 50;

/// An operation as its queue sees it. Work is weight times time.
struct QueuedOperation {
    std::int32_t priority = 0;  ///< larger numbers are served first; equal ones in order of entry
    std::optional<netgen::Time> period = {};  ///< absent: one job
    netgen::Time jitter =
        0;            ///< at most floor((x + jitter) / period) + 1 jobs enter within a time x, ends included
    double work = 0;  ///< of a job, as far as other jobs wait for it
    double rate = 0;  ///< most of it that is done in a unit of time
    double own = 0;   ///< work of a job up to the moment that is bounded, such as its last assignment
    double own_rate = 0;      ///< most of it that is done in a unit of time
    netgen::Time rest = 0;    ///< from that moment to its completion
    double carried = 0;       ///< most work that is left when a busy interval of this priority begins
    double running = 0;       ///< most work that is left of running blocks of a lower priority
    double running_rate = 0;  ///< most of that that is done in a unit of time
    bool first = false;       ///< does not wait for other jobs of its priority
    /// Jobs of one stream do not overlap, even of different operations; absent: jobs of this operation may.
    std::optional<std::size_t> stream = {};
};

struct QueueBound {
    std::optional<netgen::Time> time;  ///< from entry to completion, at most
    std::string obstacle;              ///< why there is none
};

/// Bounds for all operations of one queue that is served at a rate of at least `full` whenever an operation
/// of the priority in question waits ([Lehoczky90]'s busy intervals, with whole times).
///
/// Let a job of priority p enter at r and reach the moment in question at d, and let [s, d), s <= r, be
/// served at that rate, only with work of p and above and work carried in at s. With x = r - s and n_j(x) the
/// most jobs of j that enter within x, every t up to d - s fulfils
///
///     full * t <= carried + sum_{j above p} n_j(t - 1) work_j
///               + sum_{j of p} n_j(x) work_j - work_i + min(own_i, own_rate_i * max(0, t - x)),
///
/// since jobs that enter at s + t or later have no effect before. So d - s is less than the first t > x that
/// violates this, and x is at most the length of a busy interval of p and above. Let H be their hyperperiod.
/// If their utilisation is at most `full`, x < H is enough: both sides grow by at most full * H from x and t
/// to x + H and t + H. With a higher utilisation there is no such bound. With exactly `full` there is one if
/// all work is whole.
///
/// If all operations of p and above are in streams, there is a second bound at any utilisation. From r on
/// each stream has at most one job, so every t up to d - r fulfils
///
///     full * t <= min(running, running_rate * t) + min(own_i, own_rate_i * t)
///               + sum over other streams of min(their largest work + that of those above p that enter
///                                               within t - 1, their largest rate * t).
///
/// If this fails for t = 1, nothing waits: all work that can be present at once has room.
///
/// The result is the lesser of the two bounds.
///
/// O(operations^2 * entries in a busy interval), given up beyond a fixed number of them.
std::vector<QueueBound> queue_bounds(const std::vector<QueuedOperation>& operations, double full);

}  // namespace warpnet::studies
