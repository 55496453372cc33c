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
    /// More places and transitions than this are refused.
    std::size_t max_nodes = 4'000'000;
};

/// The net of a task set and where its answers appear.
struct BlocksNet {
    Net net;
    /// Per operation: the place that gets a token with each finished job, at the step of its completion
    /// (`NAME_done`).
    std::vector<PlaceId> done;
    std::vector<std::int64_t> jobs;  ///< per operation: how many
    Time step = 1;                   ///< time units of one step
};

/// Family `blocks`: the scheduler's rules ([Paredes19] section 2.3) as a net. Under maximal
/// steps it makes exactly the schedule of schedule_blocks(), whatever the conflict policy: steps to the dead
/// marking times `step` are the makespan, and job j of an operation completes in the step that brings token j
/// to its done place.
///
/// A block's time is a delay gadget of its own, one per block that an SM can hold of a kernel; all decisions
/// of an instant are immediate transitions, put in order by their priorities over one token in `arbiter`.
/// Nodes: O(sum over kernels of SMs times resident blocks, plus jobs); a queue whose order is not known
/// beforehand adds the square of its streams. Layout and ids: netgen/blocks/README.md.
///
/// Throws InputError if validate() does, where CPU segments of one core have different priorities (they
/// would be preempted), where `step` does not divide a time, where a time is 2^31 steps
/// or more and where the net exceeds max_nodes.
BlocksNet blocks_net(const TaskSet& tasks, const BlocksNetOptions& options = {});

/// The greatest common divisor of all times that decide a schedule: block times, releases, periods.
Time common_time(const TaskSet& tasks);

}  // namespace warpnet::netgen
