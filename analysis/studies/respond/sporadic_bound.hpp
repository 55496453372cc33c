#pragma once

#include "netgen/blocks/task_set.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpnet::studies {

struct SporadicOptions {
    /// A kernel or copy that the CPU launches, at the release of a job or after a CPU segment, enters its
    /// stream at most so much later, the time that a launch takes to reach the GPU. It may differ per launch.
    netgen::Time launch_offset = 0;
};

/// Upper bounds on all responses for releases other than those of the file.
struct SporadicBounds {
    /// Per operation, from the release of its job to its completion, launch offsets included; absent if
    /// nothing is proved.
    std::vector<std::optional<netgen::Time>> response;
    std::vector<std::string> obstacle;  ///< per operation why there is no bound; empty if there is one
    std::string argument;               ///< in words: the assumptions
};

/// Bounds of all responses when jobs are *sporadic*: a period is the least time between two releases of an
/// operation, and each release is then up to the operation's jitter late. First releases are unknown, and
/// operations released together enter their queue in any order. An operation that is launched once comes
/// once, at any time. The operations of a stream that have the same release, period and jitter are one task,
/// whose jobs run through them in succession (CPU segments, copies around a kernel). Holds for every SM
/// policy and every run: a job that has a bound is completed.
///
/// Proof. *A queue.* Give each block of operation j a weight w_j, and let every moment in which a block at
/// the head of the queue cannot be assigned find blocks of a total weight of at least k on the GPU. (Blocks
/// that are interchangeable: w = 1, k = the number of slots. Else: w_j is the largest share of threads,
/// blocks, shared memory or registers that it takes of an SM; a block that does not fit into an SM finds one
/// of these so full that adding it would exceed it, and k is the sum over the SMs of the least such share.
/// The copy engine: w = k = 1.) Let a job of i, of priority p, enter its queue at r and its last block be
/// assigned at d. Unless d = r let [s, d) be the longest time up to d with weight k or more on the GPU in
/// which no block of a priority below p is assigned: s <= r, since a lower one waits for all higher ones
/// (A2). Just before s either weight was below k, or a block of lower priority was assigned; in both cases
/// nothing of p or above was waiting. So only three kinds of blocks run in [s, d). The first were on the GPU
/// before s. The second are blocks of jobs of p that entered in [s, r] and of jobs above p that entered in
/// [s, d). The third are all but the last block of the job itself. queue_bounds() turns that into a bound of
/// d - r, and the job ends at d + C_i. The work carried in is that of blocks that have run already: of a
/// weight below k, the longest first, and of one block of lower priority. If weights differ and some
/// operation has a lower priority, their weight is at most 4 per SM, 1 per resource. At most g_j of them
/// belong to j if its jobs do not overlap (streams; bound <= T_j - J_j, J_j its jitter). With times in whole
/// numbers each has at most C_j - 1 left.
///
/// *A core.* It is preempted, so that nothing of a lower priority is carried in: let [s, f) be the longest
/// time up to the completion f of the segment in which the core is busy with p or above. A segment that keeps
/// its core occupies it up to the end of the last segment for which the core is kept. For other segments, its
/// work is that time, with the bounds of the operations in between. The segments for which the core is kept
/// are then left out. They do not wait for segments of their priority.
///
/// *Streams.* An operation enters its queue when the one before it in its task ends: between B, the sum of
/// the times before it, and R, their bound, after the release. So n_j(x) = floor((x + J_j + R - B) / T_j) + 1
/// (release jitter, [Tindell94]); launch offsets are a part of R alone. If the bound of a whole task exceeds
/// T_j - J_j, a job might wait in its stream for the job before it. Then no operation of the stream has a
/// bound. The same holds if operations of a stream are not released together. Bounds of other operations
/// assume only that jobs of a stream do not overlap: entries are at least one pass through it apart. The
/// bounds are a fixed point. They hold since at the first moment at which one of them would be exceeded all
/// other bounds have held so far.
///
/// Throws InputError if validate() does. The cost is that of queue_bounds() per round of the fixed point.
SporadicBounds sporadic_bounds(const netgen::TaskSet& tasks, const SporadicOptions& options = {});

}  // namespace warpnet::studies
