#pragma once

#include "analysis/files/measured_table.hpp"
#include "analysis/files/profiler_text.hpp"

namespace warpnet {

/// One kernel a row, its counters in columns named like nvprof's metrics, with kernel, grid, block and
/// dur_med_us (or time_us). Throws InputError (source:line: …).
MeasuredTable read_nvprof_rows(const std::vector<CsvRow>& rows, const std::string& source,
                               const MeasuredOptions& options);

/// A table of nvprof itself and the name of its file.
struct NvprofFile {
    ProfilerText table;
    std::string source;
};

/// The log of `--metrics` with the trace of the same program, joined by the names of the kernels: launch
/// shapes and times are in the trace alone, counters in the log alone. A kernel that was launched in several
/// shapes is left out with a warning, for its counters are means over all of them; so is one that only one of
/// the files has. Throws InputError (source:line: …) where one of the two is missing.
MeasuredTable join_nvprof(const std::vector<NvprofFile>& metrics, const std::vector<NvprofFile>& traces,
                          const MeasuredOptions& options);

}  // namespace warpnet
