#pragma once

#include "analysis/states/properties/answers.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"
#include "engine/run/run.hpp"

#include <string>
#include <vector>

namespace warpnet::cli {

/// Answers to the questions of `explore`.
struct PropertyReport {
    const Net& net;
    Semantics semantics;
    const std::vector<Property>& properties;
    const Answers& answers;
};

/// `single`: one question of the command line, with its witness; else those of a file, one a line.
std::string property_text(const PropertyReport& report, bool single);

/// limit if an answer is missing, no if one is no, done otherwise.
ExitCode exit_code_of(const PropertyReport& report);

}  // namespace warpnet::cli
