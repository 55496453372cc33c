#pragma once

#include "analysis/worst/search/service_search.hpp"

#include <optional>

namespace warpnet::worst {

/// The order whose run takes as many steps as `schedule`, a run of the net to its end: every decision as in
/// the schedule, with the priority of earlier departures. Nothing if no such order is found: the schedule has
/// immediate steps, or does not belong to the net. O(firings).
std::optional<ServiceOrder> order_from(const ServiceInstance& instance, const Schedule& schedule);

}  // namespace warpnet::worst
