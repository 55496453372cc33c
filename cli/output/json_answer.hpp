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

/// The number of the schemas in cli/schema. Versions of one number differ only in added members.
constexpr int json_schema_number = 1;

/// The JSON Schemas of the answers, each with its command, in alphabetical order: the files of cli/schema.
const std::vector<std::pair<std::string_view, std::string_view>>& json_schemas();

/// The members of the answers of a command with their types and meanings, after the members of the head.
/// Empty if the command has no JSON.
std::string json_help(std::string_view command);

}  // namespace warpnet::cli
