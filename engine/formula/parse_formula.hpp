#pragma once

#include "engine/formula/formula.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <string_view>

namespace warpnet {

/// A text is no condition on the nodes of a net. The message has three lines: what was expected and what
/// stood in which column (from 1), the text, and a caret below that column.
class ConditionError : public InputError {
  public:
    using InputError::InputError;
};

/// What a formula may speak of beside the tokens of places.
enum class FormulaLanguage : std::uint8_t {
    of_runs,      ///< firings since the start of the run
    of_markings,  ///< nothing
    temporal,     ///< what happens afterwards (CTL)
};

/// Reads a condition such as `p > 3 and (q + 2*r <= s or not enabled(t))`.
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
/// A place stands for its tokens, a transition for its firings since the start of the run (of_runs alone).
/// `enabled(t, u)`: one of them is. Ids of letters, digits, `_` and `.` that begin with no digit stand as
/// they are; others, and `and`, `or`, `not`, in single or double quotes (the quote itself doubled). A node
/// called dead, true or false goes before the word; in temporal formulas their words go before a node.
/// Numbers are whole; constants below 2^63, coefficients below 2^31. Throws ConditionError. Nesting at most
/// 200 deep.
Formula parse_formula(std::string_view text, const Net& net, FormulaLanguage language);

/// Reads a sum such as `p + 2*q - 1` of tokens alone.
LinearSum parse_sum(std::string_view text, const Net& net);

}  // namespace warpnet
