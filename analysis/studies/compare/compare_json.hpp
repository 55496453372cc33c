#pragma once

#include "analysis/studies/compare/compare.hpp"

#include <nlohmann/json_fwd.hpp>

namespace warpnet::studies {

/// The members of a comparison besides the kernels, the errors and the correlations.
struct CompareParts {
    bool totals = false;     ///< the sum over all launches
    bool functions = false;  ///< the correlations of each function
};

/// One object; the fields of the first family are at its top.
nlohmann::ordered_json to_json(const Comparison& comparison, const CompareParts& parts = {});

}  // namespace warpnet::studies
