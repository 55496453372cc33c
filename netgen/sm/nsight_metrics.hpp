#pragma once

#include "netgen/sm/kernel_metrics.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// A hardware counter that predictions use.
struct CounterNeed {
    std::string_view name;
    std::string_view unit;
    std::string_view meaning;
    std::string_view consequence;  ///< the assumption in its absence
    /// Alternative counters with the same meaning; empty if there is none.
    std::vector<std::string_view> instead = {};
    bool sum = false;  ///< only the sum of them has this meaning
    /// Counters from which a missing one is estimated; any of them suffices.
    std::vector<std::string_view> implied_by = {};
    bool safe = false;  ///< the kernel takes no less time in its absence
};

/// The counters that profile_of_metrics() reads, by their nvprof names.
std::span<const CounterNeed> nvprof_needs();
/// Optional counters that profile_of_metrics() uses. If a table has one for some kernels, it is missing for
/// the remaining kernels of the table.
std::span<const CounterNeed> nvprof_extras();
/// The metrics that profile_of_nsight() reads, by their Nsight Compute names.
std::span<const CounterNeed> nsight_needs();

/// The needs without a value here, under their own name and under their alternatives. For a sum with some of
/// its parts present, the missing parts. The consequence of a counter that is implied by the present ones
/// says so.
std::vector<CounterNeed> missing_counters(std::span<const CounterNeed> needs, const KernelMetrics& metrics);

/// Names the missing counters without which a bound may leave out work; empty if there are none.
std::string unseen_work(std::span<const CounterNeed> needs, const KernelMetrics& metrics);

/// The command lines that collect all counters, one per line.
std::string nvprof_command();
std::string nsight_command();

/// A kernel as the metrics of Nsight Compute describe it, by their names ("smsp__inst_executed.sum"), with
/// "Grid Size" and "Block Size". docs/reference/sm-model.md lists the metrics that are used. Metrics that
/// were not collected count as absent. Only the number of sectors that DRAM serves is estimated, by the hit
/// rate of L2. Throws InputError (`where`) if a required metric is absent or no number, and if metrics
/// contradict each other: two times, more requests than instructions, more hits than sectors.
KernelProfile profile_of_nsight(const KernelMetrics& metrics, const std::string& where,
                                const CounterOptions& options = {});

/// A unit as a profiler names it: the factor that converts a value to bytes, seconds, Hertz or a plain count,
/// and the powers of bytes and seconds.
struct ProfilerUnit {
    double scale = 1;
    int bytes = 0;
    int seconds = 0;
    bool operator==(const ProfilerUnit&) const = default;
};
inline constexpr ProfilerUnit seconds_unit = {1, 0, 1};

/// {1000, 1, 0} for "Kbyte/block", {1e9, 0, -1} for "cycle/nsecond" and "GHz". Prefixes of bytes are decimal,
/// except Ki, Mi, Gi. Nothing for an unknown unit.
std::optional<ProfilerUnit> profiler_unit(std::string_view text);

/// A value of one of nvprof's counters. Throws InputError (`where`) if it is no number or negative, for a
/// percentage of a counter that is no rate, and for a count with a fraction unless it is a `mean`.
double nvprof_value(std::string_view counter, std::string_view value, const std::string& where, bool mean);

/// A time in microseconds, rounded once.
double to_microseconds(double value, const ProfilerUnit& unit);

/// A value of a metric of Nsight Compute in bytes, microseconds, Hertz or a plain count, as
/// profile_of_nsight() needs it. A value without a unit is in the first of these; times need a unit. Throws
/// InputError (`where`) if it is no number or negative, if the unit is unknown or does not fit the metric,
/// and for a count with a fraction unless it is a `mean`.
double nsight_value(std::string_view metric, std::string_view value, std::string_view unit,
                    const std::string& where, bool mean);

/// The unit of a metric that is no plain count, for people: "bytes", "Hz", "us"; else empty.
std::string_view nsight_unit(std::string_view metric);

/// The metrics for the time of a launch and for the clock of the run, best first.
std::span<const std::string_view> nsight_times();
std::span<const std::string_view> nsight_clocks();

/// Whether a prediction uses the metric.
bool is_nsight_metric(std::string_view name);

}  // namespace warpnet::netgen
