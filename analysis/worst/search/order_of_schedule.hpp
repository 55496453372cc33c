#pragma once

#include "analysis/worst/search/service_search.hpp"

#include <optional>

namespace warpnet {

/// The plan whose run takes as many steps as `schedule`, a run of the net to its end: every decision as it
/// was made there, who set out first served first. Nothing where no such plan is found: the schedule has
/// immediate steps, or is not one of the net. O(firings).
std::optional<ServicePlan> plan_of(const PlanInstance& instance, const Schedule& schedule);

}  // namespace warpnet
