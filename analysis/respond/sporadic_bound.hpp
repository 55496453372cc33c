#pragma once

#include "netgen/blocks/task_set.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpnet {

struct SporadicOptions {
    /// A job enters its stream at most so much later than it is released: what a launch takes until the GPU
    /// has it. It may be different for each job.
    Time launch_offset = 0;
};

/// What no response exceeds when releases are not those of the file.
struct SporadicBounds {
    /// Per operation, from the release of its job to its completion, the launch offset included; all absent
    /// where nothing is proved.
    std::vector<std::optional<Time>> response;
    std::string argument;  ///< in words: what is assumed, or why there is no bound
};

/// Bounds of all responses when jobs are *sporadic*: a period is the least time between two releases of an
/// operation, first releases are unknown, and what is released together enters its queue in any order. Needs
/// one priority; the operations of one stream must have the same release and period: they are one task, whose
/// jobs run through them one after the other (copies around a kernel). What is launched once comes once,
/// whenever it likes. Holds for every SM policy.
///
/// Proof. *A queue.* Give each block of operation j a weight w_j, and let every moment in which a block at
/// the head of the queue cannot be assigned find blocks of a total weight of at least k on the GPU. (Blocks
/// that are interchangeable: w = 1, k = the number of slots. Else: w_j is the largest share of threads,
/// blocks, shared memory or registers that it takes of an SM; a block that does not fit into an SM finds one
/// of these so full that adding it would exceed it, and k is the sum over the SMs of the least such share.
/// The copy engine: w = k = 1.) Let a job of i enter the queue at r and its last block be assigned at d, and
/// let [s, d) be the longest time up to d with weight k or more on the GPU, so s <= r or d = r. Before s the
/// queue was empty. So what runs in [s, d) are blocks that were on the GPU before s, of a weight below k;
/// blocks of jobs that entered in [s, r]; and of the job itself all but the last block. With x = r - s,
/// n_j(x) the most jobs of j that enter in a time of length x, both ends included, and g_j C_j w_j the work
/// of one,
///     k (d - s) <= carried in + sum of n_j(x) g_j C_j w_j - C_i w_i,
/// and the job ends at d + C_i: at most (d - s) - x + C_i after r. The bound is the largest of these over x;
/// n_j grows at multiples of the period only, and where the utilisation sum of g_j C_j w_j / (T_j k) is below
/// 1 only finitely many x satisfy x <= d - s. Carried in are blocks that have run already, of a weight
/// below k, the longest first, of j no more than g_j where its jobs do not overlap (bound <= T_j). With times
/// in whole numbers each has at most C_j - 1 left.
///
/// *Streams.* An operation enters its queue when the one before it in its task ends: between B, the sum of
/// the times before it, and R, their bound, after the release. So n_j(x) = floor((x + R - B) / T_j) + 1
/// (release jitter, [Tindell94]). Where the bound of a whole task exceeds its period a job might
/// wait in its stream for the one before, and nothing is claimed. The bounds are the least fixed point; they
/// hold since at the first moment at which one of them would be exceeded all others have held so far. The
/// launch offset is a jitter of the first operation.
///
/// Throws InputError where validate() does. O(operations^2 * periods in a busy interval) a round of the fixed
/// point.
SporadicBounds sporadic_bounds(const TaskSet& tasks, const SporadicOptions& options = {});

}  // namespace warpnet
