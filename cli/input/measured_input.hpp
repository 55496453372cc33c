#pragma once

#include "analysis/studies/files/read_measured.hpp"
#include "cli/input/device_input.hpp"

#include <string>
#include <vector>

namespace warpnet::cli {

/// What the code of the kernels says beside a table.
struct MeasuredCode {
    std::vector<std::string> files;  ///< PTX or SASS, for the kernels of a trace, which has no counts
    KernelFacts resources = {};      ///< read_ptxas_resources(), of kernels in PTX files
};

/// The tables of the files as one; stderr names what is missing, ignored or left out. Throws InputError.
MeasuredTable read_measured_files(const std::vector<std::string>& files, const MeasuredOptions& options,
                                  const MeasuredCode& code = {});

/// Fills in the measurements whose kernels stand in PTX files (MeasuredTable::ptx_rows), which are looked for
/// beside the table and in the current folder, or among `code`. A kernel that cannot be counted becomes a
/// fault (table:line: …). Throws InputError if no measurement is left.
void take_ptx_rows(MeasuredTable& table, const KernelFacts& facts, const MeasuredCode& code = {});

/// How a device counts, and the facts in a file (empty: none). Throws InputError.
MeasuredOptions measured_options(const DeviceInput& device, const std::string& facts_file);

}  // namespace warpnet::cli
