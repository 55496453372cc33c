#pragma once

#include "analysis/files/read_measured.hpp"

#include <string>
#include <vector>

namespace warpnet::cli {

/// The tables of the files as one; what is missing or left out is said on stderr. Throws InputError.
MeasuredTable read_measured_files(const std::vector<std::string>& files, const MeasuredOptions& options);

}  // namespace warpnet::cli
