#pragma once

#include "analysis/files/read_measured.hpp"
#include "netgen/sm/sm_device.hpp"

#include <string>
#include <vector>

namespace warpnet::cli {

/// The tables of the files as one; stderr names what is missing or left out. Throws InputError.
MeasuredTable read_measured_files(const std::vector<std::string>& files, const MeasuredOptions& options);

/// Fills in the measurements whose kernels stand in PTX files (MeasuredTable::ptx_rows), which are looked for
/// beside the table and in the current folder. Throws InputError (table:line: …).
void take_ptx_rows(MeasuredTable& table);

/// How a device counts, and the facts in a file (empty: none). Throws InputError.
MeasuredOptions measured_options(const SmDevice& device, const std::string& facts_file);

}  // namespace warpnet::cli
