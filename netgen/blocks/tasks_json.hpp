#pragma once

#include "netgen/blocks/task_set.hpp"

#include <string>
#include <string_view>

namespace warpnet {

/// Reads TASKS.json (fields, units and defaults: netgen/blocks/README.md). `source` names the text in errors.
/// Throws InputError with line and column where the JSON is malformed, with the path to the value where its
/// content is wrong; the result has passed validate().
TaskSet read_tasks_json(std::string_view text, const std::string& source);

/// The same set as TASKS.json, every field spelled out; read_tasks_json() gives it back.
std::string write_tasks_json(const TaskSet& tasks);

}  // namespace warpnet
