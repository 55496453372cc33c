#pragma once

#include "netgen/sm/nsight_metrics.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::studies {

/// The counters of the launches of one file, of which those without a value are to be named.
class MissingCounters {
  public:
    /// A launch with its line; once per launch, or once per kernel if the file has means.
    void add(const netgen::KernelMetrics& metrics, std::size_t line);
    /// Adds a warning that names the counters that no launch has, each with what is assumed in its absence,
    /// and one for those that only some launches have, with the lines of the others; also of `extras`.
    /// `tool`: as `compare --metrics-for` names it.
    void warn(std::span<const netgen::CounterNeed> needs, std::span<const netgen::CounterNeed> extras,
              const std::string& source, const std::string& tool, std::vector<std::string>& warnings) const;

  private:
    netgen::KernelMetrics all_;  ///< a value of some launch
    std::vector<std::pair<netgen::KernelMetrics, std::size_t>> launches_;
};

}  // namespace warpnet::studies
