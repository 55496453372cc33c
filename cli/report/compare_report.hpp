#pragma once

#include "analysis/studies/compare/compare.hpp"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::cli {

/// What `compare` prints beside the kernels, the errors and the correlations.
struct CompareParts {
    bool totals = false;     ///< the sum over all launches
    bool functions = false;  ///< the correlations of each function
};

/// What `compare` prints. `unit` is that of the measured values.
std::string compare_text(const Comparison& comparison, const std::string& unit,
                         const CompareParts& parts = {});
/// One JSON object; the fields of the first family stand at its top (CLI.md).
nlohmann::ordered_json compare_json(const Comparison& comparison, const std::string& unit,
                                    const CompareParts& parts = {});
/// One row a kernel, under a row of names: what was measured and what each family predicts.
std::string compare_csv(const Comparison& comparison, const std::string& unit);

}  // namespace warpnet::cli
