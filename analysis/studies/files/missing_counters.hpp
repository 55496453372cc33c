#pragma once

#include "netgen/sm/nsight_metrics.hpp"

#include <span>
#include <string>
#include <vector>

namespace warpnet {

/// Adds one warning that names all counters without a value, each with what is assumed in its absence;
/// nothing where all are there. `tool`: as `compare --metrics-for` names it.
void warn_of_missing(std::span<const CounterNeed> needs, const KernelMetrics& metrics,
                     const std::string& source, const std::string& tool, std::vector<std::string>& warnings);

}  // namespace warpnet
