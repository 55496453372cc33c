#pragma once

#include "engine/formula/formula.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <string_view>

namespace warpnet {

/// The text is not a condition on the nodes of the net. The message has three lines: the expected and the
/// found text with the column (from 1), the condition, and a caret below that column.
class ConditionError : public InputError {
  public:
    using InputError::InputError;
};

/// The parts that a formula may contain besides the tokens of places.
enum class FormulaLanguage : std::uint8_t {
    of_runs,      ///< firings since the start of the run
    of_markings,  ///< nothing else
    temporal,     ///< temporal operators (CTL)
};

/// Parses a condition such as `p > 3 and (q + 2*r <= s or not enabled(t))`.
///
///     formula    = disjunction [ "->" formula ]
///     disjunction = conjunction { ("or" | "||") conjunction }
///     conjunction = negation { ("and" | "&&") negation }
///     negation   = ("not" | "!") negation | temporal | comparison
///     temporal   = ("EX"|"AX"|"EF"|"AF"|"EG"|"AG") negation | ("E"|"A") "(" formula "U" formula ")"
///     comparison = sum [ ("=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">=") sum ]
///     sum        = product { ("+" | "-") product }
///     product    = factor { "*" factor }              one factor at least is a number
///     factor     = "-" factor | number | id | "(" formula ")" | "enabled" "(" id { "," id } ")"
///                | "dead" | "true" | "false"
///
/// A place denotes its tokens, and a transition its firings since the start of the run (of_runs only).
/// `enabled(t, u)`: one of them is enabled. Ids of letters, digits, `_` and `.` that do not begin with a
/// digit are written without quotes. Other ids, and `and`, `or`, `not`, need single or double quotes (a quote
/// inside is doubled). A node named dead, true or false takes precedence over the word; in temporal formulas
/// the temporal words take precedence over nodes. Numbers are whole: constants below 2^63, coefficients below
/// 2^31. Throws ConditionError. The nesting depth is at most 200.
Formula parse_formula(std::string_view text, const Net& net, FormulaLanguage language);

/// Reads a sum such as `p + 2*q - 1`, which may contain only tokens.
LinearSum parse_sum(std::string_view text, const Net& net);

}  // namespace warpnet
