#pragma once

#include "analysis/studies/respond/launch_order.hpp"

namespace warpnet {

/// The worst response of every operation over all orders in which they may be launched. Operations of one
/// stream keep their order. With periodic operations an order settles every tie of releases the same way.
///
/// Exact where the orders (up to exchanging identical kernels) number at most `evaluations`; for kernels
/// launched once, together, into streams of their own on interchangeable block slots by a search over
/// prefixes, which ends early where equal states meet and where the bound below is reached. Else a seeded
/// search from chosen starts, one chain per operation and one for the makespan, in parallel; the answer
/// depends on the seed and the budget, not on the number of threads.
///
/// Upper bound on interchangeable slots: while the last block of kernel i waits, all slots work, so it starts
/// by (W - C_i) / g_max, with W the work of all blocks.
WorstOrders worst_launch_orders(const TaskSet& tasks, const LaunchOrderOptions& options = {});

}  // namespace warpnet
