#pragma once

#include "analysis/studies/runs/run_study.hpp"
#include "engine/net/net.hpp"

#include <string>

namespace warpnet::cli {

/// All that the results of runs depend on beside their numbers, as JSON: the net, by a hash of its PNML, and
/// options. Saved runs with another one are not those runs.
std::string run_experiment(const Net& net, const RunStudyOptions& options);

}  // namespace warpnet::cli
