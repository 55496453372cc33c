#pragma once

#include "analysis/worst/kernel/schedule.hpp"

#include <vector>

namespace warpnet {

/// The schedules of simple priority rules: types in a fixed order, and within each type the most or the least
/// advanced warp first. All combinations for up to four types (at most 384 schedules), one order of the types
/// for more than that. A good start for the best case above all. The instance must be well-formed
/// (check_instance).
std::vector<KernelSchedule> list_schedules(const KernelInstance& instance);

}  // namespace warpnet
