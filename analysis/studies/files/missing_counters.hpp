#pragma once

#include "netgen/sm/nsight_metrics.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::studies {

/// The counters of the launches of a file. Counters without a value are named in warnings.
class MissingCounters {
  public:
    /// Adds a launch with its line; once per launch, or once per kernel if the file has means.
    void add(const netgen::KernelMetrics& metrics, std::size_t line);
    /// Adds a warning that names each counter that no launch has, with the assumption in its place. A second
    /// warning names the counters that only some launches have, also of `extras`, with the lines of the
    /// launches without them. `tool`: its name in `compare --metrics-for`.
    void warn(std::span<const netgen::CounterNeed> needs, std::span<const netgen::CounterNeed> extras,
              const std::string& source, const std::string& tool, std::vector<std::string>& warnings) const;

  private:
    netgen::KernelMetrics all_;  ///< a value of some launch
    std::vector<std::pair<netgen::KernelMetrics, std::size_t>> launches_;
};

}  // namespace warpnet::studies
