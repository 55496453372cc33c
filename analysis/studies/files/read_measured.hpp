#pragma once

#include "analysis/studies/files/measured_table.hpp"

#include <span>
#include <string>
#include <string_view>

namespace warpnet::studies {

/// A file: what it holds, and its name for errors.
struct SourceText {
    std::string text;
    std::string source;
};

/// Reads a table and finds out which one it is by its columns: counts, nvprof's metrics one kernel a row, a
/// metrics log of nvprof with the trace of the same program (two files, in any order), Nsight Compute, or a
/// trace of Nsight Systems. Byte order marks and what the profiled program printed are ignored. Rows of the
/// same kernel, grid, block and GPU become one measurement: the median of their times. A row with a bad value
/// is left out and named in `faults`, a column or metric that nothing is made of in `ignored`. Counters that
/// are missing are named in `warnings` with what that means. Throws InputError (source:line: …). O(text).
MeasuredTable read_measured(std::span<const SourceText> files, const MeasuredOptions& options = {});
MeasuredTable read_measured(std::string_view text, const std::string& source,
                            const MeasuredOptions& options = {});

}  // namespace warpnet::studies
