#pragma once

#include "analysis/studies/files/measured_table.hpp"
#include "analysis/studies/files/table.hpp"

#include <string>
#include <string_view>

namespace warpnet::studies {

// Benchmarks have times alone, as a trace has (nsys_table.hpp), and need not be named like their kernels.
// Their launch shape is in the axes blocks, threads, grid, block, NumBlocks, BlockSize (nvbench's examples),
// block_size_x, _y, _z (Kernel Tuner), grid_size_x, _y, _z, in any letters and with or without '_'. Other
// axes tell rows apart and are named in a warning, for the counts next to the table do not depend on them.
// Each row is one measurement with a PtxRow without a file.

/// What nvbench writes with --csv: the median of the GPU's times if it is there, else their mean. A benchmark
/// that was skipped is a fault. Throws InputError for a column of times without a known unit.
MeasuredTable read_nvbench(Table& rows, const MeasuredOptions& options);

/// Results of an auto-tuner, T4 of version 1 (Kernel Tuner, FAIR benchmark hub): the median of `runtimes`,
/// else the measurement `time`. The file's name stands for the kernel, which T4 does not name. A
/// configuration that is invalid is a fault. Throws InputError for other JSON, unknown members and units.
/// O(text).
MeasuredTable read_tuner_results(std::string_view text, const std::string& source,
                                 const MeasuredOptions& options);

}  // namespace warpnet::studies
