#pragma once

#include "analysis/studies/files/read_measurements.hpp"

#include <string>
#include <vector>

namespace warpnet::cli {

/// read_measurements() of files; stderr names what is missing, ignored or left out. Throws InputError.
MeasuredTable read_measured_files(const std::vector<std::string>& files, const MeasuredOptions& options,
                                  const MeasuredCode& code = {});

/// Names on stderr the GPUs of the table that are none like the device.
void warn_of_other_gpus(const MeasuredTable& table, const Device& device);

}  // namespace warpnet::cli
