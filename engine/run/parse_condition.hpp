#pragma once

#include "engine/formula/parse_formula.hpp"
#include "engine/run/stop_condition.hpp"

#include <string_view>

namespace warpnet {

/// Parses a stop condition in the language of parse_formula(). Throws ConditionError.
StopCondition parse_condition(std::string_view text, const Net& net);

}  // namespace warpnet
