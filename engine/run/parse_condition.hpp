#pragma once

#include "engine/net/error.hpp"
#include "engine/net/net.hpp"
#include "engine/run/stop_condition.hpp"

#include <string_view>

namespace warpnet {

/// A text is no condition on the nodes of a net. The message has three lines: what was expected and what
/// stood in which column (from 1), the text, and a caret below that column.
class ConditionError : public InputError {
  public:
    using InputError::InputError;
};

/// Reads a condition such as `p > 3 and (q + 2*r <= s or not "odd id" = 0)`.
///
///     condition  = conjunction { ("or" | "||") conjunction }
///     conjunction = negation { ("and" | "&&") negation }
///     negation   = ("not" | "!") negation | comparison
///     comparison = sum [ ("=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">=") sum ]
///     sum        = product { ("+" | "-") product }
///     product    = factor { "*" factor }              one factor at least is a number
///     factor     = "-" factor | number | id | "(" condition ")"
///
/// A place stands for its tokens, a transition for its firings since the start of the run. Ids of letters,
/// digits, `_` and `.` that begin with no digit stand as they are; others, and `and`, `or`, `not`, in single
/// or double quotes (the quote itself doubled). Numbers are whole; constants below 2^63, coefficients below
/// 2^31. Throws ConditionError. Nesting at most 200 deep.
StopCondition parse_condition(std::string_view text, const Net& net);

}  // namespace warpnet
