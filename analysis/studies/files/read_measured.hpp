#pragma once

#include "analysis/studies/files/measured_table.hpp"

#include <span>
#include <string>
#include <string_view>

namespace warpnet::studies {

/// The content of a file, and its name for errors.
struct SourceText {
    std::string text;
    std::string source;
};

/// Reads a table and recognises its kind by its columns: counts, nvprof's metrics with one kernel per row, a
/// metrics log of nvprof with the trace of the same program (two files, in any order), Nsight Compute, or a
/// trace of Nsight Systems. Byte order marks and the output of the profiled program are ignored. Rows of the
/// same kernel, grid, block and GPU become one measurement with the median of their times. A row with a bad
/// value is left out and named in `faults`; unused columns and metrics are named in `ignored`. Missing
/// counters are named in `warnings` with the consequences. Throws InputError (source:line: …). O(text).
MeasuredTable read_measured(std::span<const SourceText> files, const MeasuredOptions& options = {});
MeasuredTable read_measured(std::string_view text, const std::string& source,
                            const MeasuredOptions& options = {});

}  // namespace warpnet::studies
