#pragma once

#include "analysis/studies/files/read_measurements.hpp"

#include <string>
#include <vector>

namespace warpnet::cli {

/// The texts of the files. Throws InputError if two names refer to one file.
std::vector<studies::SourceText> read_measured_texts(const std::vector<std::string>& files);

/// read_measurements() of texts, with the kinds of integer instructions from the code. Missing, ignored and
/// omitted data is listed on stderr. Throws InputError.
studies::MeasuredTable table_of_texts(const std::vector<studies::SourceText>& texts,
                                      const studies::MeasuredOptions& options,
                                      const studies::MeasuredCode& code = {});
/// The same for files.
studies::MeasuredTable read_measured_files(const std::vector<std::string>& files,
                                           const studies::MeasuredOptions& options,
                                           const studies::MeasuredCode& code = {});

/// The preset that the table names, as "GeForce GTX 950 (0)", printed to stderr; empty if there is none.
std::string preset_of_table(const studies::MeasuredTable& table);
/// The same for device.csv in a folder of examples/kernels/collect.sh. Throws InputError if there is none.
std::string preset_of_folder(const std::string& folder);

/// take_out_failing(), with the omitted launches listed on stderr.
void leave_out_failing(studies::MeasuredTable& table, const netgen::SmDevice& device, bool shapes);

/// Lists on stderr the GPUs of the table that differ from the device.
void warn_of_other_gpus(const studies::MeasuredTable& table, const netgen::Device& device);

/// The facts of the file of --resources for a device, with warnings on stderr; nothing if there is no file.
studies::KernelFacts read_resources_file(const std::string& file, const netgen::DeviceInput& device);

}  // namespace warpnet::cli
