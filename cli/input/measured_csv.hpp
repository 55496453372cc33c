#pragma once

#include "analysis/compare/compare.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpnet::cli {

/// Which table a file is.
enum class MeasuredFormat { plain, nvprof, nsight };

/// Measured kernels of a file (analysis/README.md has the columns).
struct MeasuredTable {
    MeasuredFormat format = MeasuredFormat::plain;
    std::string unit = "us";  ///< of the measured values, "cycles" where the file has those
    std::vector<Measurement> measurements;
    std::vector<std::string> ignored;  ///< columns that mean nothing here (plain tables)
};

/// Reads a table and finds out which one it is by its columns. Rows of the same kernel, grid and block
/// (nvprof, Nsight Compute) become one measurement: the median of their times. `needs_time`: a row without a
/// time is an error; else its time is 0. Throws InputError (source:line: …).
MeasuredTable read_measured_csv(std::string_view text, const std::string& source, bool needs_time = true);

}  // namespace warpnet::cli
