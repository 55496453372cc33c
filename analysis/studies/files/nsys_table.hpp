#pragma once

#include "analysis/studies/files/measured_table.hpp"
#include "analysis/studies/files/table.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace warpnet::studies {

/// A trace of Nsight Systems (`nsys stats -r cuda_gpu_trace --format csv`): times and launch shapes, without
/// counters. Each kernel, shape and GPU is one measurement, with a PtxRow without a file. Throws InputError
/// for columns without a known unit; a bad row is a fault.
MeasuredTable read_nsys_trace(Table& rows, const MeasuredOptions& options);

/// A column "Duration (ns)" and its unit.
struct UnitColumn {
    std::string name;
    netgen::ProfilerUnit unit;
};

/// The column called `stem` with a unit after it; nothing if there is none. Throws InputError if the unit is
/// unknown or not of the kind of `wanted`.
std::optional<UnitColumn> find_unit_column(Table& table, std::string_view stem,
                                           const netgen::ProfilerUnit& wanted);

/// Replaces the times of the measurements of `profiled` by the times of `timed` (a trace or a benchmark) for
/// the same function, blocks and threads, and removes these from `timed`: a profiler slows kernels down. A
/// benchmark without blocks or threads matches any; its name matters only if `profiled` has several
/// functions. Faults of `timed`: a row that matches several launches, several rows that match one launch,
/// which keeps its own time, and a row with other registers or shared memory than the launch.
void take_times(MeasuredTable& profiled, std::span<MeasuredTable> timed);

}  // namespace warpnet::studies
