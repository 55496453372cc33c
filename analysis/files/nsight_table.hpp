#pragma once

#include "analysis/files/measured_table.hpp"
#include "analysis/files/profiler_text.hpp"

namespace warpnet {

/// A table of Nsight Compute: one metric a row (`ncu --csv`, details page or --metrics) or one launch a row
/// (--page raw), in whatever units. Throws InputError (source:line: …).
MeasuredTable read_nsight_table(const ProfilerText& table, const std::string& source,
                                const MeasuredOptions& options);

}  // namespace warpnet
