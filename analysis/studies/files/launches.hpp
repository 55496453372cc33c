#pragma once

#include "analysis/studies/compare/measurement.hpp"
#include "analysis/studies/files/kernel_facts.hpp"
#include "netgen/sm/kernel_metrics.hpp"

#include <cstdint>
#include <map>
#include <optional>
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
    std::string resources = {};  ///< as for Launches::at()
};

/// The launches of a file by kernel, grid and block, in the order in which they were first seen.
class Launches {
  public:
    /// Launches of one shape with other `resources` than the first are apart, and their name has them.
    Launch& at(const std::string& kernel, const std::string& grid, const std::string& block,
               const std::string& where, const std::string& resources = "");
    std::vector<Launch>& list() { return list_; }

  private:
    std::map<std::string, std::size_t> index_;
    std::vector<Launch> list_;
};

/// "24 registers, 0 and 512 bytes of shared memory", as the table has them.
std::string resources_text(std::string_view registers, std::string_view static_bytes,
                           std::string_view dynamic_bytes);

/// A launch with its median time; 0 where it has none.
Measurement measurement_of(const Launch& launch);
/// The same with a profile. Facts stand over the profile.
Measurement measurement_of(const Launch& launch, const KernelProfile& profile, const KernelFacts& facts);

/// Throws InputError (`where`) if the time of a launch does not lie between the shortest and the longest.
void check_spread(std::optional<double> us, std::optional<double> least, std::optional<double> most,
                  std::string_view where);

/// Throws InputError (`where`) for a time that is not there or not above 0; `column` should have it.
void check_time(std::optional<double> us, std::string_view where, std::string_view column);

}  // namespace warpnet
