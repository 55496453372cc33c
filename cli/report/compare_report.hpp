#pragma once

#include "analysis/studies/compare/compare_json.hpp"

#include <string>

namespace warpnet::cli {

/// What `compare` prints.
std::string compare_text(const Comparison& comparison, const CompareParts& parts = {});
/// Prints the columns that tables may have, with units and meanings.
void print_columns();

}  // namespace warpnet::cli
