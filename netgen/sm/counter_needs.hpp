#pragma once

#include "netgen/sm/kernel_metrics.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// A hardware counter that a prediction is made from.
struct CounterNeed {
    std::string_view name;
    std::string_view unit;
    std::string_view meaning;
    std::string_view consequence;  ///< what is assumed in its absence
    /// Counters of another name that say the same; empty where there is none.
    std::vector<std::string_view> instead = {};
};

/// What profile_of_metrics() reads, by nvprof's names.
std::span<const CounterNeed> nvprof_needs();
/// What profile_of_nsight() reads, by Nsight Compute's names.
std::span<const CounterNeed> nsight_needs();

/// Those of the needs that have no value here, neither under their own name nor under another.
std::vector<CounterNeed> missing_counters(std::span<const CounterNeed> needs, const KernelMetrics& metrics);

/// The command lines that collect all counters, one a line.
std::string nvprof_command();
std::string nsight_command();

}  // namespace warpnet
