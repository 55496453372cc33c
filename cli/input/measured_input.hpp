#pragma once

#include "analysis/studies/files/read_measurements.hpp"

#include <string>
#include <vector>

namespace warpnet::cli {

/// read_measurements() of files, with the integer instructions by kinds that the code has; stderr names what
/// is missing, ignored or left out. Throws InputError.
studies::MeasuredTable read_measured_files(const std::vector<std::string>& files,
                                           const studies::MeasuredOptions& options,
                                           const studies::MeasuredCode& code = {});

/// The preset that the table names, as "GeForce GTX 950 (0)", which stderr names; empty if there is none.
std::string preset_of_table(const studies::MeasuredTable& table);
/// The same of device.csv in a folder of examples/kernels/collect.sh. Throws InputError if there is none.
std::string preset_of_folder(const std::string& folder);

/// take_out_failing(), named on stderr.
void leave_out_failing(studies::MeasuredTable& table, const netgen::SmDevice& device, bool shapes);

/// Names on stderr the GPUs of the table that are none like the device.
void warn_of_other_gpus(const studies::MeasuredTable& table, const netgen::Device& device);

/// What the file of --resources has for a device, with its warnings on stderr; nothing if there is no file.
studies::KernelFacts read_resources_file(const std::string& file, const netgen::DeviceInput& device);

}  // namespace warpnet::cli
