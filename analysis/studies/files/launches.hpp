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

/// Launches of one shape with different traits are different measurements.
struct LaunchTraits {
    std::string resources = {};            ///< registers and shared memory, for people
    double instructions = 0, sectors = 0;  ///< per launch
    /// Whether neither count is more than a fifth above its counterpart.
    bool same_work(const LaunchTraits& other) const;
    bool operator==(const LaunchTraits&) const = default;
};
/// The traits with the instructions and the sectors of global memory of a profile.
LaunchTraits traits_of(const netgen::KernelProfile& profile, std::string resources);

/// One launch, or several of a kernel with one launch shape and the same traits.
struct Launch {
    std::string key;    ///< name, grid and block
    std::string where;  ///< "source:line" of the first launch, for errors
    LaunchTraits traits = {};
    netgen::KernelMetrics metrics = {};  ///< the means over the launches
    std::vector<double> times = {};      ///< us
    std::vector<double> extremes =
        {};  ///< us: also the shortest and the longest time if only those are known
    std::int64_t launches = 0;
    double total = 0;  ///< us, of all launches; meaningless if one of them has no time
    /// The counters of launches, and the number of launches with these values: the source of `metrics`.
    std::vector<std::pair<netgen::KernelMetrics, std::int64_t>> counted = {};
    std::string id = {};              ///< Measurement::id
    std::vector<double> clocks = {};  ///< MHz, of launches with a clock counter

    /// Adds `count` launches with the mean or median time `us`.
    void add(std::int64_t count, std::optional<double> us);
    /// Adds the data of further launches.
    void add(const Launch& other);
};

/// The launches of a file by kernel, grid and block, in the order in which they were first seen.
class Launches {
  public:
    /// The launch of this shape with these traits, which is added if it is new.
    Launch& at(const std::string& kernel, const std::string& grid, const std::string& block,
               const std::string& where, const LaunchTraits& traits = {});
    /// Joins launches of one shape that do the same work, regardless of their order. Launches that stay apart
    /// get their differences in their names. Then sets the metrics of each launch to the means of its
    /// counters. Adds a warning that names the counters that differ by more than a tenth.
    void take_means(const std::string& source, std::vector<std::string>& warnings);
    std::vector<Launch>& list() { return list_; }

  private:
    void join_same_work();

    std::map<std::string, std::vector<std::size_t>> index_;  // by shape
    std::vector<Launch> list_;
};

/// "24 registers, 0 and 512 bytes of shared memory", from the cells of the table.
std::string resources_text(std::string_view registers, std::string_view static_bytes,
                           std::string_view dynamic_bytes);

/// A launch with its median time; 0 if it has none.
Measurement measurement_of(const Launch& launch);
/// The same with a profile. Facts override the profile. Missing counters are listed in it as uncounted work.
Measurement measurement_of(const Launch& launch, const netgen::KernelProfile& profile,
                           std::span<const netgen::CounterNeed> needs, const KernelFacts& facts);

/// Throws InputError (`where`) unless the minimum, the mean and the maximum of a counter ascend.
void check_rising(std::span<const double> values, std::string_view where);

/// Throws InputError (`where`) if the time of a launch is not between the shortest and the longest time.
void check_spread(std::optional<double> us, std::optional<double> least, std::optional<double> most,
                  std::string_view where);

/// Throws InputError (`where`) for a missing time, or a time that is not above 0; `column` should contain it.
void check_time(std::optional<double> us, std::string_view where, std::string_view column);

}  // namespace warpnet::studies
