#pragma once

#include "analysis/studies/files/table.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet::studies {

/// The report that a table contains, recognised by the names of its columns.
enum class ProfilerTable {
    none,            ///< not a profiler's
    nvprof_metrics,  ///< nvprof --csv --metrics or --events: one counter of one kernel per row, over all its
                     ///< launches
    nvprof_trace,    ///< nvprof --csv --print-gpu-trace: one launch or copy per row
    nvprof_summary,  ///< nvprof --csv alone: totals, without launch shapes
    nvprof_calls,    ///< nvprof --csv --print-api-trace: calls of the API
    nsight_long,     ///< ncu --csv: one metric of one launch per row
    nsight_wide,     ///< ncu --csv --page raw: one launch per row
    nsight_summary,  ///< ncu --csv --print-summary per-gpu: metrics without kernels
    nsys_trace,      ///< nsys stats -r cuda_gpu_trace --format csv: one launch or copy per row
    nsys_summary,    ///< nsys stats -r cuda_gpu_kern_sum --format csv: totals, without launch shapes
    nsys_launches,   ///< nsys stats -r cuda_kern_exec_trace: launches with the calls that made them
    nsys_other,      ///< other reports of nsys: calls of the API, ranges, copies
    rocprof,         ///< kernels of AMD's GPUs, of any version of rocprof
    nvbench,         ///< nvbench --csv: one benchmark and set of axis values per row
};

/// The tables of a profiler, extracted from the output of the profiled program and the profiler.
struct ProfilerText {
    /// Rows are as wide as the header, including the row of units. Empty if the text is no profiler's.
    std::vector<std::pair<ProfilerTable, Table>> tables;
    /// The profiler's warnings and errors, and the number of lines after the first header that are no rows.
    std::vector<std::string> messages;
};

/// Finds the tables of a profiler in a text (see plain_utf8()). Each begins with a line that is the head of a
/// known report. Lines that begin with == are the profiler's messages. Throws InputError (source:line: …) for
/// a row with quotes that is malformed or not as wide as the header, because this shows a truncated file.
/// O(text).
ProfilerText find_profiler_tables(std::string_view text, const std::string& source);

}  // namespace warpnet::studies
