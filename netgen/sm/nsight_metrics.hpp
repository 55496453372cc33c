#pragma once

#include "netgen/sm/kernel_metrics.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// A hardware counter that a prediction is made from.
struct CounterNeed {
    std::string_view name;
    std::string_view unit;
    std::string_view meaning;
    std::string_view consequence;  ///< what is assumed in its absence
    /// Counters of another name that say the same; empty if there is none.
    std::vector<std::string_view> instead = {};
    bool sum = false;  ///< only all of those together say the same
    /// Counters from which it is estimated if it is missing; any of them.
    std::vector<std::string_view> implied_by = {};
};

/// What profile_of_metrics() reads, by nvprof's names.
std::span<const CounterNeed> nvprof_needs();
/// What profile_of_metrics() also makes use of if it is there. No table needs it; if one has it for some
/// kernels, it is missing for the others.
std::span<const CounterNeed> nvprof_extras();
/// What profile_of_nsight() reads, by Nsight Compute's names.
std::span<const CounterNeed> nsight_needs();

/// Those of the needs that have no value here, neither under their own name nor under another; of a sum of
/// which parts are there, the other parts. The consequence of one that others imply says so.
std::vector<CounterNeed> missing_counters(std::span<const CounterNeed> needs, const KernelMetrics& metrics);

/// The command lines that collect all counters, one a line.
std::string nvprof_command();
std::string nsight_command();

/// A kernel as the metrics of Nsight Compute describe it, by their names ("smsp__inst_executed.sum"), with
/// "Grid Size" and "Block Size" besides them. netgen/sm/README.md lists the metrics that are used; those that
/// were not collected count as absent (nothing is guessed but the number of sectors that DRAM serves, by the
/// hit rate of L2). Throws InputError (`where`) where a needed one is absent or no number, and for
/// metrics that contradict each other: two times, more requests than instructions, more hits than sectors.
KernelProfile profile_of_nsight(const KernelMetrics& metrics, const std::string& where,
                                const CounterOptions& options = {});

/// A unit as a profiler names it: what a value must be multiplied with to be in bytes, seconds, Hertz or a
/// plain count, and the powers of bytes and seconds in it.
struct ProfilerUnit {
    double scale = 1;
    int bytes = 0;
    int seconds = 0;
    bool operator==(const ProfilerUnit&) const = default;
};
inline constexpr ProfilerUnit seconds_unit = {1, 0, 1};

/// {1000, 1, 0} for "Kbyte/block", {1e9, 0, -1} for "cycle/nsecond" and "GHz". Prefixes of bytes are decimal,
/// but for Ki, Mi, Gi. Nothing for a unit that is not known.
std::optional<ProfilerUnit> profiler_unit(std::string_view text);

/// A value of one of nvprof's counters. Throws InputError (`where`) for a value that is no number or
/// negative, for per cent of a counter that is no rate, and for a count with a fraction unless it is a
/// `mean`.
double nvprof_value(std::string_view counter, std::string_view value, const std::string& where, bool mean);

/// A time in microseconds, rounded once.
double to_microseconds(double value, const ProfilerUnit& unit);

/// A value of a metric of Nsight Compute in bytes, microseconds, Hertz or a plain count, as
/// profile_of_nsight() needs it; without a unit in the first of these, but for times, which need one. Throws
/// InputError (`where`) for a value that is no number or negative, for a unit that is not known or not one of
/// the metric, and for a count with a fraction unless it is a `mean`.
double nsight_value(std::string_view metric, std::string_view value, std::string_view unit,
                    const std::string& where, bool mean);

/// The unit of a metric that is no plain count, for people: "bytes", "Hz", "us"; else empty.
std::string_view nsight_unit(std::string_view metric);

/// The metrics that have the time of a launch, and the clock of the run, best first.
std::span<const std::string_view> nsight_times();
std::span<const std::string_view> nsight_clocks();

/// Whether something is made of a metric.
bool is_nsight_metric(std::string_view name);

}  // namespace warpnet::netgen
