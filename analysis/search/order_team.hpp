#pragma once

#include "analysis/search/order_search.hpp"
#include "analysis/team/team.hpp"

#include <functional>

namespace warpnet {

/// Rank 0: continue_order_search() with the chains divided among a team, to the same end as by one process.
/// `threads`: of each rank. `save`, if not empty, is called now and then while all chains are at rest here.
OrderSearchStop lead_order_search(Team& team, int threads, const Net& net, const CompiledNet& compiled,
                                  const OrderSearchOptions& options, std::vector<OrderChain>& chains,
                                  const OrderSearchLimits& limits, const std::function<void()>& save = {});

/// All other ranks, for a search with these options: advances chains until rank 0 leaves.
void follow_order_search(Team& team, int threads, const Net& net, const CompiledNet& compiled,
                         const OrderSearchOptions& options, const OrderSearchLimits& limits);

}  // namespace warpnet
