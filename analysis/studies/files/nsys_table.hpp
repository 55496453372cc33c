#pragma once

#include "analysis/studies/files/measured_table.hpp"
#include "analysis/studies/files/table.hpp"

namespace warpnet {

/// A trace of Nsight Systems (`nsys stats -r cuda_gpu_trace --format csv`): times and launch shapes, without
/// counters. Each kernel, shape and GPU is one measurement, with a PtxRow without a file. Throws InputError
/// for columns without a known unit; a bad row is a fault.
MeasuredTable read_nsys_trace(Table& rows, const MeasuredOptions& options);

/// Gives the measurements of `profiled` the times that a trace has for the same function, blocks and threads,
/// and takes those out of the trace: a profiler slows kernels down, a trace does not.
void take_nsys_times(MeasuredTable& profiled, MeasuredTable& trace);

}  // namespace warpnet
