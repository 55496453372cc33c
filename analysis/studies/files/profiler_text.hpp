#pragma once

#include "analysis/studies/files/table.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet::studies {

/// What wrote a table, told by the names of its columns.
enum class ProfilerTable {
    none,            ///< no profiler's
    nvprof_metrics,  ///< nvprof --csv --metrics or --events: one of one kernel a row, over all its launches
    nvprof_trace,    ///< nvprof --csv --print-gpu-trace: one launch or copy a row
    nvprof_summary,  ///< nvprof --csv alone: totals, without launch shapes
    nvprof_calls,    ///< nvprof --csv --print-api-trace: calls of the API
    nsight_long,     ///< ncu --csv: one metric of one launch a row
    nsight_wide,     ///< ncu --csv --page raw: one launch a row
    nsight_summary,  ///< ncu --csv --print-summary per-gpu: metrics without kernels
    nsys_trace,      ///< nsys stats -r cuda_gpu_trace --format csv: one launch or copy a row
    nsys_summary,    ///< nsys stats -r cuda_gpu_kern_sum --format csv: totals, without launch shapes
    nsys_launches,   ///< nsys stats -r cuda_kern_exec_trace: launches with the calls that made them
    nsys_other,      ///< other reports of nsys: calls of the API, ranges, copies
    rocprof,         ///< kernels of AMD's GPUs, of any version of rocprof
    nvbench,         ///< nvbench --csv: one benchmark and set of axis values a row
};

/// The tables that a profiler wrote, taken out of what the profiled program and the profiler printed around
/// them.
struct ProfilerText {
    /// Rows are as wide as the header, the row of units among them. None: no profiler's text.
    std::vector<std::pair<ProfilerTable, Table>> tables;
    /// The profiler's warnings and errors, and how many lines behind the first header are no rows.
    std::vector<std::string> messages;
};

/// Finds the tables of a profiler in a text (see plain_utf8()): each begins with a line that is the head of
/// one. Lines that begin with == are the profiler's messages. Throws InputError (source:line: …) for a row
/// with quotes that is not as wide as the header or is malformed: a file that was cut. O(text).
ProfilerText find_profiler_tables(std::string_view text, const std::string& source);

}  // namespace warpnet::studies
