#pragma once

#include "analysis/files/read_measured.hpp"
#include "cli/input/device_input.hpp"

#include <string>
#include <vector>

namespace warpnet::cli {

/// The tables of the files as one; stderr names what is missing, ignored or left out. `code` are PTX or SASS
/// files for the kernels of a trace, which has no counts. Throws InputError.
MeasuredTable read_measured_files(const std::vector<std::string>& files, const MeasuredOptions& options,
                                  const std::vector<std::string>& code = {});

/// Fills in the measurements whose kernels stand in PTX files (MeasuredTable::ptx_rows), which are looked for
/// beside the table and in the current folder, or among `code`. Throws InputError (table:line: …).
void take_ptx_rows(MeasuredTable& table, const std::vector<std::string>& code = {});

/// How a device counts, and the facts in a file (empty: none). Throws InputError.
MeasuredOptions measured_options(const DeviceInput& device, const std::string& facts_file);

}  // namespace warpnet::cli
