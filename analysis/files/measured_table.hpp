#pragma once

#include "analysis/compare/compare.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// Which table a file is.
enum class MeasuredFormat : std::uint8_t { plain, nvprof, nsight };

/// Measured kernels of a file (analysis/README.md has the columns).
struct MeasuredTable {
    MeasuredFormat format = MeasuredFormat::plain;
    std::string unit = "us";  ///< of the measured values, "cycles" where the file has those
    std::string device;       ///< the GPU by the name in the file; empty where it has none
    std::vector<Measurement> measurements;
    std::vector<std::string> ignored;   ///< columns that mean nothing here (plain tables)
    std::vector<std::string> warnings;  ///< what is missing or was left out, and what that does to the answer
};

struct MeasuredOptions {
    bool needs_time = true;  ///< a row without a time is an error; else its time is 0
    /// Transactions of global memory are lines of 128 bytes (compute capability 3.x).
    bool line_transactions = false;
};

/// A file: what it holds, and its name for errors.
struct SourceText {
    std::string text;
    std::string source;
};

/// Reads a table and finds out which one it is by its columns: counts, nvprof's metrics one kernel a row, a
/// metrics log of nvprof with the trace of the same program (two files, in any order), or Nsight Compute.
/// Byte order marks and what the profiled program printed are passed over. Rows of the same kernel, grid and
/// block become one measurement: the median of their times. Counters that are missing are named in `warnings`
/// with what that means. Throws InputError (source:line: …). O(text).
MeasuredTable read_measured(std::span<const SourceText> files, const MeasuredOptions& options = {});
MeasuredTable read_measured(std::string_view text, const std::string& source,
                            const MeasuredOptions& options = {});

}  // namespace warpnet
