#pragma once

#include "engine/net/net.hpp"
#include "netgen/blocks/task_set.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::netgen {

struct BlocksNetOptions {
    SmPolicy policy = SmPolicy::first_fit;
    /// Jobs released before it are in the net; absent: release_horizon().
    std::optional<Time> horizon = {};
    /// Time units of one step; must divide every time. common_time() gives the largest.
    Time step = 1;
    /// The limit on places and transitions together.
    std::size_t max_nodes = 4'000'000;
};

/// The net of a task set and the places of its results.
struct BlocksNet {
    Net net;
    /// Per operation: the place that gets a token with each finished job, at the step of its completion
    /// (`NAME_done`).
    std::vector<PlaceId> done;
    std::vector<std::int64_t> jobs;  ///< per operation: the number of its jobs
    Time step = 1;                   ///< time units of one step
};

/// Family `blocks`: the scheduler's rules ([Paredes19] section 2.3) as a net. Under maximal steps it makes
/// exactly the schedule of schedule_blocks(), whatever the conflict policy. The makespan is `step` times the
/// number of steps to the dead marking. Job j of an operation completes in the step that brings token j to
/// its done place.
///
/// The time of each block is a delay gadget, one per block of a kernel that an SM can hold. All decisions of
/// an instant are immediate transitions, ordered by their priorities over one token in `arbiter`. Nodes:
/// O(sum over kernels of SMs times resident blocks, plus jobs). A queue whose order is unknown beforehand
/// adds the square of its streams. Layout and ids: docs/reference/family-blocks.md.
///
/// Throws InputError like validate(). Throws it also if CPU segments of one core have different priorities
/// (one would preempt another), if `step` does not divide a time, if a time is 2^31 steps or more, and if the
/// net exceeds max_nodes.
BlocksNet blocks_net(const TaskSet& tasks, const BlocksNetOptions& options = {});

/// The greatest common divisor of all times that decide a schedule: block times, releases, periods.
Time common_time(const TaskSet& tasks);

}  // namespace warpnet::netgen
