#pragma once

#include "analysis/studies/compare/compare.hpp"
#include "analysis/studies/files/kernel_facts.hpp"
#include "engine/base/progress_hook.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/presets.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet::studies {

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
    std::string file;  ///< PTX or SASS, as the table names it; empty if the table has no counts at all
    std::string trips, param;                            ///< as for the flags of these names; may be empty
    std::string source, where;                           ///< the table, and the table with the line
    std::vector<std::pair<std::string, double>> fields;  ///< what the row says of the profile besides it
    std::array<std::int64_t, 3> grid = {}, block = {};   ///< x, y, z; zeros where the row has no such columns
    double dynamic_shared = 0;                           ///< bytes per block, besides those of the code
    double shared_rounding = 0;  ///< bytes by which the shared memory of the row is too low at most
    bool benchmark = false;  ///< the measurement has the name of a benchmark, which may not be its kernel's
};

/// A GPU that a table names.
struct MeasuredGpu {
    std::string name;                ///< may be empty
    std::string compute_capability;  ///< may be empty
    std::string where;               ///< "source:line" of its first launch
    std::size_t launches = 0;

    bool operator==(const MeasuredGpu& other) const {
        return name == other.name && compute_capability == other.compute_capability;
    }
};

/// Counts a launch of a GPU that has a name or a compute capability.
void add_gpu(std::vector<MeasuredGpu>& gpus, const MeasuredGpu& gpu);

/// One warning for each GPU that is none like the device, by its compute capability and by its name.
std::vector<std::string> warn_of_gpus(const std::vector<MeasuredGpu>& gpus, const netgen::Device& device);

/// Measured kernels of a file (analysis/README.md has the columns).
struct MeasuredTable {
    MeasuredFormat format = MeasuredFormat::plain;
    std::string unit = "us";  ///< of the measured values, "cycles" where the file has those
    std::string device;       ///< the GPU by the name in the file; empty if it has none
    std::vector<MeasuredGpu> gpus;
    std::vector<Measurement> measurements;
    std::vector<PtxRow> ptx_rows;       ///< whose measurements have neither counts nor a profile yet
    std::vector<std::string> ignored;   ///< columns and metrics that nothing is made of
    std::vector<std::string> faults;    ///< rows that were left out, and why
    std::vector<std::string> warnings;  ///< what is missing or was left out, and what that does to the answer
    bool counts_of_code = false;        ///< some measurements have the counts of the code
    bool interrupted = false;           ///< the code of the last rows was not read: they are missing
};

struct MeasuredOptions {
    bool needs_time = true;  ///< a row without a time is an error; else its time is 0
    /// Transactions of global memory are lines of 128 bytes (compute capability 3.x).
    bool line_transactions = false;
    /// … of which no more are sectors than L2 counted, in kernels whose common lines are known.
    bool l2_counters = true;
    bool code = true;                              ///< MeasuredCode::launches is used
    bool other_counters = true;                    ///< counters imply others that were not collected
    std::string compute_capability = {};           ///< of the device; empty: not known
    KernelFacts facts = {};                        ///< over what the counters say (nvprof, Nsight Compute)
    const std::atomic<bool>* interrupt = nullptr;  ///< ends the reading of code
    ProgressHook progress;                         ///< of the rows with code
};

}  // namespace warpnet::studies
