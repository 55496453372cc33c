#pragma once

#include "analysis/studies/files/measured_table.hpp"
#include "analysis/studies/files/table.hpp"

#include <string>
#include <string_view>

namespace warpnet::studies {

// Benchmarks have only times, as a trace has (nsys_table.hpp), and may differ in name from their kernels.
// Their launch shape is in the axes blocks, threads, grid, block, NumBlocks, BlockSize (nvbench's examples),
// block_size_x, _y, _z (Kernel Tuner), grid_size_x, _y, _z, in any case and with or without '_'. All other
// axes distinguish rows. A warning names them, because the counts do not depend on them. Each row is one
// measurement with a PtxRow without a file.

/// The output of nvbench with --csv: the median of the GPU times if present, else their mean. A skipped
/// benchmark is a fault. Throws InputError for a column of times without a known unit.
MeasuredTable read_nvbench(Table& rows, const MeasuredOptions& options);

/// Results of an auto-tuner, T4 of version 1 (Kernel Tuner, FAIR benchmark hub): the median of `runtimes`,
/// else the measurement `time`. T4 does not name the kernel, so the file name is used. An invalid
/// configuration is a fault. Throws InputError for other JSON, unknown members and units. O(text).
MeasuredTable read_tuner_results(std::string_view text, const std::string& source,
                                 const MeasuredOptions& options);

}  // namespace warpnet::studies
