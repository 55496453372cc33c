#pragma once

#include "analysis/studies/files/measured_table.hpp"
#include "analysis/studies/files/table.hpp"

namespace warpnet::studies {

/// A table of Nsight Compute: one metric per row (`ncu --csv`, details page or --metrics) or one launch per
/// row (--page raw), in any units. A launch with a bad value is left out, with a fault. A summary
/// (--print-summary) has means over the launches of a kernel. Launches on several GPUs of one file stay
/// apart. If some GPUs have the compute capability of the options, launches on all other GPUs are left out.
MeasuredTable read_nsight_table(Table& table, const MeasuredOptions& options);

}  // namespace warpnet::studies
