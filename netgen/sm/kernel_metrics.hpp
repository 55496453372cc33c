#pragma once

#include "netgen/sm/kernel_profile.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace warpnet::netgen {

/// The hardware counters of one kernel by the names that nvprof gives them (`inst_executed`,
/// `gld_transactions_per_request`, …), together with `grid`, `block`, `regs` and `static_smem`. Rates may
/// end in '%'; an empty value or '-' is one that was not measured.
using KernelMetrics = std::map<std::string, std::string, std::less<>>;

/// A number as the profilers print it: "12", "1,234.5". Commas separate thousands. Throws InputError
/// (`where`) for anything else.
double metric_number(std::string_view text, std::string_view where);

/// The same for a quantity that is whole in its unit, but for means. Rejects "25.000", in which the point may
/// separate thousands.
double metric_count(std::string_view text, std::string_view where);

/// The same for a count, which is no mean: rejects every fraction.
double metric_whole(std::string_view text, std::string_view where);

/// A number of a KernelProfile by the name of its field (profile_fields()); blocks, threads, registers and
/// bytes are whole. Throws InputError (`where`).
double profile_number(std::string_view field, std::string_view text, std::string_view where);

/// A clock in MHz. Throws InputError (`where`) unless it is above 0 and up to 100,000.
void check_clock(double mhz, std::string_view where);

/// A number of per cent, with its sign or without: "99.6%", "99.6". Throws InputError (`where`).
double metric_percent(std::string_view text, std::string_view where);

/// "40x20x1", "(40, 20, 1)" or "800": the product of up to three numbers. Throws InputError (`where`).
std::int64_t metric_extent(std::string_view text, std::string_view where);

/// The same as x, y and z, 1 for what is not there.
std::array<std::int64_t, 3> metric_shape(std::string_view text, std::string_view where);

/// Whether a text is the value of a counter: it may be empty or '-', and Nsight Compute writes n/a, nan, inf
/// and "no data".
bool is_metric_value(std::string_view text);
/// Whether a counter is there and has a value.
bool metric_is_there(const KernelMetrics& metrics, std::string_view name);

/// How a device counts.
struct CounterOptions {
    /// Transactions of global memory are lines of 128 bytes (compute capability 3.x), four sectors.
    bool line_transactions = false;
    /// … of which no more are read and written than L2 counted. Without it the four sectors of a line
    /// represent slices of L2 that are not equally busy.
    bool l2_counters = false;
    /// Counters that were collected imply others that were not (Nsight Compute).
    bool other_counters = true;
};

/// A kernel as its counters describe it. Only what the kernel asks for is read, no outcome of the run (times,
/// ipc, occupancy, stalls). What the counters of this generation do not say, and how they mislead, is in
/// netgen/sm/README.md. What is absent counts as
/// 0, and netgen/sm/nsight_metrics.hpp says what that means; without `inst_executed` only the memory requests
/// are known, and KernelProfile::unknowns says so. `where` names the row in errors: throws InputError if
/// the launch shape is absent or a value is no number.
KernelProfile profile_of_metrics(const KernelMetrics& metrics, const std::string& where,
                                 const CounterOptions& options = {});

}  // namespace warpnet::netgen
