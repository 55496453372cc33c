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

/// The kind of the table in a file.
enum class MeasuredFormat : std::uint8_t { plain, nvprof, nsight };

/// The texts, each preceded by `before`. If there are many, the first 20 and the number of remaining rows.
std::string first_faults(const std::vector<std::string>& faults, std::string_view before,
                         std::string_view behind = "");

/// Runs `read`, which reads one row. An error in the row becomes a fault, so that one bad row does not reject
/// the file.
template <class Read>
void read_row(std::vector<std::string>& faults, Read&& read) {
    try {
        read();
    } catch (const InputError& error) {
        faults.emplace_back(error.what());
    }
}

/// A measurement whose kernel is in a PTX file, which the reader of the table does not open.
struct PtxRow {
    std::size_t measurement = 0;  ///< index
    std::string file;  ///< PTX or SASS, as the table names it; empty if the table has no counts at all
    std::string trips, param;                            ///< values of the flags of these names; may be empty
    std::string source, where;                           ///< the table, and the table with the line
    std::vector<std::pair<std::string, double>> fields;  ///< further values of the row for the profile
    std::array<std::int64_t, 3> grid = {}, block = {};   ///< x, y, z; zeros if the row has no such columns
    double dynamic_shared = 0;   ///< bytes per block, in addition to those of the code
    double shared_rounding = 0;  ///< the most bytes by which the shared memory of the row can be too low
    bool benchmark = false;      ///< the name is that of a benchmark, which may differ from its kernel's
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

/// One warning for each GPU that differs from the device in compute capability or name.
std::vector<std::string> warn_of_gpus(const std::vector<MeasuredGpu>& gpus, const netgen::Device& device);

/// The measured kernels of a file (analysis/README.md lists the columns).
struct MeasuredTable {
    MeasuredFormat format = MeasuredFormat::plain;
    std::string unit = "us";  ///< of the measured values; "cycles" if the file has cycles
    std::string device;       ///< the name of the GPU in the file; empty if it has none
    std::vector<MeasuredGpu> gpus;
    std::vector<Measurement> measurements;
    std::vector<PtxRow> ptx_rows;       ///< rows whose measurements have neither counts nor a profile yet
    std::vector<std::string> ignored;   ///< unused columns and metrics
    std::vector<std::string> faults;    ///< omitted rows, with reasons
    std::vector<std::string> warnings;  ///< missing or omitted data, and its effect on the answer
    bool counts_of_code = false;        ///< some measurements have the counts of the code
    bool interrupted = false;           ///< the code of the last rows was not read, so these rows are missing
};

struct MeasuredOptions {
    bool needs_time = true;  ///< a row without a time is an error; else its time is 0
    /// Transactions of global memory are lines of 128 bytes (compute capability 3.x).
    bool line_transactions = false;
    /// … but the sectors of kernels whose common lines are known do not exceed the sectors that L2 counted.
    bool l2_counters = true;
    bool code = true;                              ///< MeasuredCode::launches is used
    bool other_counters = true;                    ///< counters imply counters that were not collected
    std::string compute_capability = {};           ///< of the device; empty: unknown
    KernelFacts facts = {};                        ///< override the counters (nvprof, Nsight Compute)
    const std::atomic<bool>* interrupt = nullptr;  ///< ends the reading of code
    ProgressHook progress;                         ///< of reading the rows with code
};

}  // namespace warpnet::studies
