#pragma once

#include "netgen/blocks/task_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::studies {

/// The budget of the search for the worst launch order. Equal options give equal answers.
struct LaunchOrderOptions {
    netgen::SmPolicy policy = netgen::SmPolicy::first_fit;
    /// Schedules computed, or steps of the exact search over prefixes; the answer depends on it, not on time.
    std::int64_t evaluations = 100'000;
    std::uint64_t seed = 1;
    std::int64_t max_jobs = 1'000'000;  ///< in one schedule
};

/// Positions in TaskSet::operations, first launch first.
using LaunchOrder = std::vector<std::uint32_t>;

/// The longest response of one operation over the launch orders looked at.
struct WorstResponse {
    netgen::Time response = 0;
    LaunchOrder order;                  ///< a witness: respond() on reorder(tasks, order) gives this response
    std::optional<netgen::Time> upper;  ///< no order gives more; absent: no such bound is known
};

struct WorstOrders {
    std::vector<WorstResponse> operations;  ///< in the order of the set
    netgen::Time makespan = 0;              ///< the longest found
    LaunchOrder makespan_order;
    bool exact = false;            ///< every order was looked at, or cannot be worse
    std::string method;            ///< in words
    std::int64_t evaluations = 0;  ///< used
    bool limit_reached = false;    ///< some schedule ended at max_jobs
};

/// The set with its operations in that order.
netgen::TaskSet reorder(const netgen::TaskSet& tasks, const LaunchOrder& order);

/// The worst response of every operation over all orders in which they may be launched. Operations of one
/// stream keep their order. With periodic operations an order settles every tie of releases the same way.
///
/// Exact if the orders (up to exchanging identical kernels) number at most `evaluations`. A search over
/// prefixes is used if kernels are launched once, together, into streams of their own on interchangeable
/// block slots. It cuts a prefix with a known state, and ends early at the bound below. Otherwise a seeded
/// search begins at chosen starts, one chain per operation and one for the makespan, in parallel. The answer
/// depends on the seed and the budget, not on the number of threads.
///
/// Upper bound on interchangeable slots: while the last block of kernel i waits, all slots work, so it starts
/// by (W - C_i) / g_max, with W the work of all blocks.
WorstOrders worst_launch_orders(const netgen::TaskSet& tasks, const LaunchOrderOptions& options = {});

}  // namespace warpnet::studies
