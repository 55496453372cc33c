#pragma once

#include "analysis/studies/compare/measurement.hpp"
#include "analysis/studies/files/kernel_facts.hpp"
#include "engine/net/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet {

/// Which table a file is.
enum class MeasuredFormat : std::uint8_t { plain, nvprof, nsight };

/// Texts, each behind `before`; of many the first 20 and, in place of the rest, how many more rows there are.
std::string first_faults(const std::vector<std::string>& faults, std::string_view before,
                         std::string_view behind = "");

/// Runs `read`, which reads one row. What is wrong with the row becomes a fault: one bad row is no bad file.
template <class Read>
void read_row(std::vector<std::string>& faults, Read&& read) {
    try {
        read();
    } catch (const InputError& error) {
        faults.emplace_back(error.what());
    }
}

/// A measurement whose kernel is in a PTX file, which reading the table does not open.
struct PtxRow {
    std::size_t measurement = 0;  ///< index
    std::string file;  ///< PTX or SASS, as the table names it; empty where the table has no counts at all
    std::string trips, param;                            ///< as for the flags of these names; may be empty
    std::string source, where;                           ///< the table, and the table with the line
    std::vector<std::pair<std::string, double>> fields;  ///< what the row says of the profile beside it
    std::array<std::int64_t, 3> grid = {}, block = {};   ///< x, y, z; zeros where the row has no such columns
    double dynamic_shared = 0;                           ///< bytes per block, beside those of the code
    bool benchmark = false;  ///< the measurement has the name of a benchmark, which may not be its kernel's
};

/// Measured kernels of a file (analysis/README.md has the columns).
struct MeasuredTable {
    MeasuredFormat format = MeasuredFormat::plain;
    std::string unit = "us";  ///< of the measured values, "cycles" where the file has those
    std::string device;       ///< the GPU by the name in the file; empty where it has none
    std::vector<Measurement> measurements;
    std::vector<PtxRow> ptx_rows;       ///< whose measurements have neither counts nor a profile yet
    std::vector<std::string> ignored;   ///< columns and metrics that nothing is made of
    std::vector<std::string> faults;    ///< rows that were left out, and why
    std::vector<std::string> warnings;  ///< what is missing or was left out, and what that does to the answer
};

struct MeasuredOptions {
    bool needs_time = true;  ///< a row without a time is an error; else its time is 0
    /// Transactions of global memory are lines of 128 bytes (compute capability 3.x).
    bool line_transactions = false;
    /// … of which no more are sectors than L2 counted, in kernels whose common lines are known.
    bool l2_counters = true;
    std::string compute_capability = {};  ///< of the device; empty: not known
    KernelFacts facts = {};               ///< over what the counters say (nvprof, Nsight Compute)
};

}  // namespace warpnet
