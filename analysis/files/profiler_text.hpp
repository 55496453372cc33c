#pragma once

#include "analysis/files/csv.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// What wrote a table, told by the names of its columns.
enum class ProfilerTable {
    none,            ///< no profiler's
    nvprof_metrics,  ///< nvprof --csv --metrics: one metric of one kernel a row, over all its launches
    nvprof_trace,    ///< nvprof --csv --print-gpu-trace: one launch or copy a row
    nvprof_summary,  ///< nvprof --csv alone: totals, without launch shapes
    nsight_long,     ///< ncu --csv: one metric of one launch a row
    nsight_wide,     ///< ncu --csv --page raw: one launch a row
};

/// The table that a profiler wrote, taken out of what the profiled program and the profiler printed around
/// it.
struct ProfilerText {
    ProfilerTable kind = ProfilerTable::none;
    CsvRow header;
    std::vector<CsvRow> rows;  ///< as wide as the header, the row of units among them
    std::size_t skipped =
        0;  ///< lines behind the header that are neither rows nor the profiler's own messages
};

/// Finds the table of a profiler in a text (see plain_utf8()): the first line that is the head of one. Lines
/// that begin with == are the profiler's messages. Throws InputError (source:line: …) for a row with quotes
/// that is not as wide as the header or is malformed: a file that was cut. O(text).
ProfilerText find_profiler_table(std::string_view text, const std::string& source);

/// The position of a column; the number of columns where there is none of that name.
std::size_t column_of(const CsvRow& header, std::string_view name);
bool has_column(const CsvRow& header, std::string_view name);
/// "found kernel, time" or "found no columns", for errors.
std::string found_columns(const CsvRow& header);
/// "source:line", for errors.
std::string at_line(const std::string& source, const CsvRow& row);
/// Throws InputError where a row is not as wide as the header.
void check_width(const CsvRow& header, const CsvRow& row, const std::string& source);

}  // namespace warpnet
