#pragma once

#include "netgen/sm/kernel_profile.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace warpnet::netgen {

/// The hardware counters of one kernel by their nvprof names (`inst_executed`,
/// `gld_transactions_per_request`, …), together with `grid`, `block`, `regs` and `static_smem`. Rates may end
/// in '%'. An empty value or '-' means that the counter was not measured.
using KernelMetrics = std::map<std::string, std::string, std::less<>>;

/// A number as the profilers print it: "12", "1,234.5". Commas separate thousands. Throws InputError
/// (`where`) for anything else.
double metric_number(std::string_view text, std::string_view where);

/// The same for a quantity that is whole in its unit, except for means. Rejects "25.000", because the point
/// may separate thousands.
double metric_count(std::string_view text, std::string_view where);

/// The same for a count, as opposed to a mean: rejects all fractions.
double metric_whole(std::string_view text, std::string_view where);

/// A number of a KernelProfile by the name of its field (profile_fields()). Blocks, threads, registers and
/// bytes are whole numbers. Throws InputError (`where`).
double profile_number(std::string_view field, std::string_view text, std::string_view where);

/// A clock in MHz. Throws InputError (`where`) unless it is above 0 and up to 100,000.
void check_clock(double mhz, std::string_view where);

/// A percentage, with or without its sign: "99.6%", "99.6". Throws InputError (`where`).
double metric_percent(std::string_view text, std::string_view where);

/// "40x20x1", "(40, 20, 1)" or "800": the product of up to three numbers. Throws InputError (`where`).
std::int64_t metric_extent(std::string_view text, std::string_view where);

/// The same as x, y and z. A missing number is 1.
std::array<std::int64_t, 3> metric_shape(std::string_view text, std::string_view where);

/// Whether a text is the value of a counter: it may be empty or '-', and Nsight Compute writes n/a, nan, inf
/// and "no data".
bool is_metric_value(std::string_view text);
/// Whether a counter is present and has a value.
bool metric_is_there(const KernelMetrics& metrics, std::string_view name);

/// The way a device counts.
struct CounterOptions {
    /// Transactions of global memory are lines of 128 bytes (compute capability 3.x), four sectors.
    bool line_transactions = false;
    /// Limits the sectors of these lines to those that L2 counted. Without the limit, the four sectors of a
    /// line represent slices of L2 that are not equally busy.
    bool l2_counters = false;
    /// Derives counters that were not collected from counters that were (Nsight Compute).
    bool other_counters = true;
};

/// A kernel as its counters describe it. Reads only the demands of the kernel and no result of the run
/// (times, ipc, occupancy, stalls). docs/reference/sm-model.md describes the omissions and errors of the
/// counters of this generation. A missing counter counts as 0; netgen/sm/nsight_metrics.hpp lists the
/// consequences.
/// Without `inst_executed` only the memory requests are known, and KernelProfile::unknowns reports it.
/// `where` names the row in errors. Throws InputError if the launch shape is absent or a value is no number.
KernelProfile profile_of_metrics(const KernelMetrics& metrics, const std::string& where,
                                 const CounterOptions& options = {});

}  // namespace warpnet::netgen
