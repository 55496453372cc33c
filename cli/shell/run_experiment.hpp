#pragma once

#include "engine/net/net.hpp"
#include "engine/run_many.hpp"

#include <string>

namespace warpnet::cli {

/// All that the results of runs depend on beside their numbers, as JSON: the net, by a hash of its PNML, and
/// options. `until` is the text of the condition. Saved runs with another one are not those runs.
std::string run_experiment(const Net& net, const ManyOptions& options, const std::string& until);

}  // namespace warpnet::cli
