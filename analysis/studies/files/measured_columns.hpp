#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpnet::studies {

/// A known column of a table of measurements.
struct MeasuredColumn {
    std::string name;
    std::string unit;  ///< "/warp": a mean over the warps of the kernel
    std::string meaning;
};

/// Columns of a table of counts (plain_table.hpp).
std::vector<MeasuredColumn> plain_columns();
/// Columns of a table of nvprof's metrics, one kernel per row (nvprof_table.hpp), and the effect of their
/// absence.
std::vector<MeasuredColumn> nvprof_columns();
/// Metrics and columns of Nsight Compute (nsight_table.hpp), and the effect of their absence.
std::vector<MeasuredColumn> nsight_columns();

/// Columns and members of tables that have only times (nsys_table.hpp, benchmark_tables.hpp).
std::vector<MeasuredColumn> timed_columns();

}  // namespace warpnet::studies
