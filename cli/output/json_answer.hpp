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

/// How the work behind an answer ended, for the head of its JSON.
struct AnswerHead {
    std::string command;                ///< "worst"
    std::optional<std::uint64_t> seed;  ///< of commands that choose at random
    std::vector<std::string> limits;    ///< each that ended a part of the work: "time_limit"
    bool interrupted = false;

    /// Takes in how a part of the work ended.
    void add(WorkEnd end);
    void add_limit(std::string_view name);
};

/// The object of --json: tool, version, command, schema, complete, limits, interrupted and seed, then the
/// other members, indented unless `indent` is -1. Members that the head has are the head's.
std::string json_answer(const AnswerHead& head, const nlohmann::ordered_json& members, int indent = -1);

/// The number of the schemas in cli/schema. Within one number members are only added.
constexpr int json_schema_number = 1;

/// The JSON Schemas of the answers, each with its command, in alphabetical order: the files of cli/schema.
const std::vector<std::pair<std::string_view, std::string_view>>& json_schemas();

/// The members of the answers of a command with their types and meanings, behind those of the head. Empty: it
/// has no JSON.
std::string json_help(std::string_view command);

}  // namespace warpnet::cli
