#pragma once

#include "netgen/sm/kernel_metrics.hpp"

#include <optional>
#include <string>

namespace warpnet {

/// A kernel as the metrics of Nsight Compute describe it, by their names ("smsp__inst_executed.sum"), with
/// "Grid Size" and "Block Size" beside them. netgen/sm/README.md lists the metrics that are used; those that
/// were not collected count as absent (nothing is guessed but the number of sectors that DRAM serves, by the
/// hit rate of L2). Throws InputError (`where`) where a needed one is absent or no number.
KernelProfile profile_of_nsight(const KernelMetrics& metrics, const std::string& where);

/// Metrics that --metrics of Nsight Compute must name for profile_of_nsight() to know all it can, with
/// commas.
std::string nsight_metric_list();

/// A time with its unit as Nsight Compute names it (nsecond, usecond, ms, …), in microseconds; nothing for
/// another unit.
std::optional<double> nsight_microseconds(double value, std::string_view unit);

}  // namespace warpnet
