#pragma once

#include "analysis/studies/files/measured_table.hpp"
#include "analysis/studies/files/table.hpp"

#include <span>

namespace warpnet::studies {

/// One kernel per row, its counters in columns named like nvprof's metrics, with kernel, grid, block and
/// dur_med_us (or time_us). Throws InputError (source:line: …).
MeasuredTable read_nvprof_rows(Table& rows, const MeasuredOptions& options);

/// The log of `--metrics` with the trace of the same program, joined by the names of the kernels. Only the
/// trace has launch shapes and times, and only the log has counters. A kernel that was launched in several
/// shapes is left out with a warning, because its counters are means over all of them. A kernel in only one
/// of the files is left out too. Throws InputError (source:line: …) if one of the two files is missing. A
/// kernel on several GPUs is a fault.
MeasuredTable join_nvprof(std::span<Table> metrics, std::span<Table> traces, const MeasuredOptions& options);

}  // namespace warpnet::studies
