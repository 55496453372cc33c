#pragma once

#include "analysis/studies/compare/measurement.hpp"
#include "analysis/studies/files/kernel_facts.hpp"
#include "netgen/sm/kernel_metrics.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// One launch, or the median of several, of a kernel with one launch shape.
struct Launch {
    std::string key;    ///< name, grid and block
    std::string where;  ///< "source:line" of the first, for errors
    KernelMetrics metrics;
    std::vector<double> times;  ///< us
    std::vector<double>
        extremes;  ///< us: beside the times, the shortest and the longest where only those are known
    std::int64_t launches = 0;
};

/// The launches of a file by kernel, grid and block, in the order in which they were first seen.
class Launches {
  public:
    Launch& at(const std::string& kernel, const std::string& grid, const std::string& block,
               const std::string& where);
    std::vector<Launch>& list() { return list_; }

  private:
    std::map<std::string, std::size_t> index_;
    std::vector<Launch> list_;
};

/// A launch with its median time; 0 where it has none.
Measurement measurement_of(const Launch& launch);
/// The same with a profile. Facts stand over the profile.
Measurement measurement_of(const Launch& launch, const KernelProfile& profile, const KernelFacts& facts);

/// Throws InputError where a time is needed and there is none in `column`.
void need_time(const Launch& launch, bool needed, std::string_view column);

}  // namespace warpnet
