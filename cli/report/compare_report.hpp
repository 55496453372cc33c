#pragma once

#include "analysis/compare/compare.hpp"

#include <string>

namespace warpnet::cli {

/// What `compare` prints. `unit` is that of the measured values; `totals`: the sum over all launches too.
std::string compare_text(const Comparison& comparison, const std::string& unit, bool totals = false);
/// One JSON object; the fields of the first family stand at its top (CLI.md).
std::string compare_json(const Comparison& comparison, const std::string& unit, bool totals = false);
/// One row a kernel, under a row of names: what was measured and what each family predicts.
std::string compare_csv(const Comparison& comparison, const std::string& unit);

}  // namespace warpnet::cli
