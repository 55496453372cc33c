#pragma once

#include "analysis/states/properties/boundedness.hpp"
#include "analysis/states/properties/solve.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/formula/property.hpp"
#include "engine/net/net.hpp"

#include <string>
#include <vector>

namespace warpnet::cli {

/// Answers to the questions of `explore`.
struct PropertyReport {
    const Net& net;
    Semantics semantics;
    const std::vector<Property>& properties;
    const SolveSummary& summary;
};

/// `single`: one question of the command line, with its witness; else those of a file, one a line.
std::string property_text(const PropertyReport& report, bool single);
std::string property_json(const PropertyReport& report, bool single);

/// The answer to --bounded.
std::string bounded_text(const Net& net, Semantics semantics, const BoundednessAnswer& answer);
std::string bounded_json(const Net& net, Semantics semantics, const BoundednessAnswer& answer);

/// limit where an answer is missing, no where one is no, done otherwise.
ExitCode exit_code_of(const PropertyReport& report);

}  // namespace warpnet::cli
