#pragma once

#include "netgen/blocks/task_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet {

struct LaunchOrderOptions {
    SmPolicy policy = SmPolicy::first_fit;
    /// Schedules computed, or steps of the exact search over prefixes; the answer depends on it, not on time.
    std::int64_t evaluations = 100'000;
    std::uint64_t seed = 1;
    std::int64_t max_jobs = 1'000'000;  ///< in one schedule
};

/// Positions in TaskSet::operations, first launch first.
using LaunchOrder = std::vector<std::uint32_t>;

/// The longest response of one operation over the launch orders looked at.
struct WorstResponse {
    Time response = 0;
    LaunchOrder order;          ///< a witness: respond() on reorder(tasks, order) gives this response
    std::optional<Time> upper;  ///< no order gives more; absent: no such bound is known
};

struct WorstOrders {
    std::vector<WorstResponse> operations;  ///< in the order of the set
    Time makespan = 0;                      ///< the longest found
    LaunchOrder makespan_order;
    bool exact = false;            ///< every order was looked at, or cannot be worse
    std::string method;            ///< in words
    std::int64_t evaluations = 0;  ///< used
    bool limit_reached = false;    ///< some schedule ended at max_jobs
};

/// The set with its operations in that order.
TaskSet reorder(const TaskSet& tasks, const LaunchOrder& order);

}  // namespace warpnet
