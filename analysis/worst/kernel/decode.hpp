#pragma once

#include "analysis/worst/kernel/precedence_string.hpp"
#include "analysis/worst/kernel/schedule.hpp"

#include <span>

namespace warpnet {

/// The schedule of a string, the witness behind its makespan; the warps of a cycle ascend. Throws InputError
/// as the two checks do, and for the serial reading of an instance with waits. The serial reading ignores
/// levels.
KernelSchedule decode(const KernelInstance& instance, std::span<const Warp> string, StringReading reading);

}  // namespace warpnet
