#pragma once

#include "analysis/compare/compare.hpp"

#include <string>

namespace warpnet::cli {

/// What `compare` prints. `unit` is that of the measured values.
std::string compare_text(const Comparison& comparison, const std::string& unit);
/// One JSON object; the fields of the first family stand at its top (CLI.md).
std::string compare_json(const Comparison& comparison, const std::string& unit);

}  // namespace warpnet::cli
