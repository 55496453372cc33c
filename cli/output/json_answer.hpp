#pragma once

#include "engine/base/work_limits.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::cli {

/// The state of the work behind an answer, for the head of its JSON.
struct AnswerHead {
    std::string command;                ///< "worst"
    std::optional<std::uint64_t> seed;  ///< of commands that choose at random
    std::vector<std::string> limits;    ///< each limit that ended a part of the work: "time_limit"
    bool interrupted = false;

    /// Adds the end of a part of the work.
    void add(WorkEnd end);
    void add_limit(std::string_view name);
};

/// The object of --json: tool, version, command, schema, complete, limits, interrupted and seed, then the
/// remaining members, indented unless `indent` is -1. A member of the head overrides an equal name in
/// `members`.
std::string json_answer(const AnswerHead& head, const nlohmann::ordered_json& members, int indent = -1);

/// Prints the answer of a command, text or JSON, with the control characters of names made visible.
void print_answer(std::string_view text);

/// The answer for the case that a limit ends the program before it prints another one; empty: none. A signal
/// handler may call answer_at_limit(), which is null from the first print_answer() or answer_begins() on.
void keep_answer(std::string answer);
const std::string* answer_at_limit() noexcept;
void answer_begins();

/// The number of the schemas in cli/schema. Versions of one number differ only in added members.
constexpr int json_schema_number = 1;

/// The JSON Schemas of the answers, each with its command, in alphabetical order: the files of cli/schema.
const std::vector<std::pair<std::string_view, std::string_view>>& json_schemas();

/// The members of the answers of a command with their types and meanings, after the members of the head.
/// Empty if the command has no JSON.
std::string json_help(std::string_view command);

}  // namespace warpnet::cli
