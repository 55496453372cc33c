#pragma once

#include "analysis/studies/compare/compare.hpp"
#include "analysis/studies/files/kernel_facts.hpp"
#include "netgen/sm/kernel_metrics.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet::studies {

/// Launches of one shape that differ in these are different measurements.
struct LaunchTraits {
    std::string resources = {};            ///< registers and shared memory, for people
    double instructions = 0, sectors = 0;  ///< of the launch
    /// No count is more than a fifth above the other.
    bool same_work(const LaunchTraits& other) const;
    bool operator==(const LaunchTraits&) const = default;
};
/// With the instructions and the sectors of global memory of a profile.
LaunchTraits traits_of(const netgen::KernelProfile& profile, std::string resources);

/// One launch, or several of a kernel with one launch shape and the same traits.
struct Launch {
    std::string key;    ///< name, grid and block
    std::string where;  ///< "source:line" of the first, for errors
    LaunchTraits traits = {};
    netgen::KernelMetrics metrics = {};  ///< the means over the launches
    std::vector<double> times = {};      ///< us
    std::vector<double> extremes =
        {};  ///< us: also the shortest and the longest time if only those are known
    std::int64_t launches = 0;
    double total = 0;  ///< us, of all launches; meaningless if one of them has no time
    /// Counters, and whose launches had them: the source of `metrics`.
    std::vector<std::pair<netgen::KernelMetrics, std::int64_t>> counted = {};
    std::string id = {};              ///< Measurement::id
    std::vector<double> clocks = {};  ///< MHz, of launches with a counter of the clock

    /// Adds `count` launches of the mean or median time `us`.
    void add(std::int64_t count, std::optional<double> us);
    /// Adds what is known of the other launches.
    void add(const Launch& other);
};

/// The launches of a file by kernel, grid and block, in the order in which they were first seen.
class Launches {
  public:
    /// The launch of this shape with these traits, which is added if it is new.
    Launch& at(const std::string& kernel, const std::string& grid, const std::string& block,
               const std::string& where, const LaunchTraits& traits = {});
    /// Joins launches of one shape that do the same work, in whichever order they were added; the names of
    /// those that stay apart have what they differ in. Then sets the metrics of each to the means of its
    /// counters. Adds a warning that names the counters that differ by more than a tenth.
    void take_means(const std::string& source, std::vector<std::string>& warnings);
    std::vector<Launch>& list() { return list_; }

  private:
    void join_same_work();

    std::map<std::string, std::vector<std::size_t>> index_;  // by shape
    std::vector<Launch> list_;
};

/// "24 registers, 0 and 512 bytes of shared memory", as the table has them.
std::string resources_text(std::string_view registers, std::string_view static_bytes,
                           std::string_view dynamic_bytes);

/// A launch with its median time; 0 if it has none.
Measurement measurement_of(const Launch& launch);
/// The same with a profile. Facts override the profile, and counters that are missing are uncounted work of
/// it.
Measurement measurement_of(const Launch& launch, const netgen::KernelProfile& profile,
                           std::span<const netgen::CounterNeed> needs, const KernelFacts& facts);

/// Throws InputError (`where`) unless the least, the mean and the greatest value of a counter rise.
void check_rising(std::span<const double> values, std::string_view where);

/// Throws InputError (`where`) if the time of a launch does not lie between the shortest and the longest.
void check_spread(std::optional<double> us, std::optional<double> least, std::optional<double> most,
                  std::string_view where);

/// Throws InputError (`where`) for a time that is not there or not above 0; `column` should have it.
void check_time(std::optional<double> us, std::string_view where, std::string_view column);

}  // namespace warpnet::studies
