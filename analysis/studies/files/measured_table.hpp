#pragma once

#include "analysis/studies/compare/compare.hpp"
#include "analysis/studies/files/kernel_facts.hpp"
#include "analysis/studies/files/table.hpp"
#include "engine/base/progress_hook.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/nsight_metrics.hpp"
#include "netgen/sm/presets.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

/// A table of Nsight Compute: one metric per row (`ncu --csv`, details page or --metrics) or one launch per
/// row (--page raw), in any units. A launch with a bad value is left out, with a fault. A summary
/// (--print-summary) has means over the launches of a kernel. Launches on several GPUs of one file stay
/// apart. If some GPUs have the compute capability of the options, launches on all other GPUs are left out.
MeasuredTable read_nsight_table(Table& table, const MeasuredOptions& options);

/// A trace of Nsight Systems (`nsys stats -r cuda_gpu_trace --format csv`): times and launch shapes, without
/// counters. Each kernel, shape and GPU is one measurement, with a PtxRow without a file. Throws InputError
/// for columns without a known unit; a bad row is a fault.
MeasuredTable read_nsys_trace(Table& rows, const MeasuredOptions& options);

/// A column "Duration (ns)" and its unit.
struct UnitColumn {
    std::string name;
    netgen::ProfilerUnit unit;
};

/// The column called `stem` with a unit after it; nothing if there is none. Throws InputError if the unit is
/// unknown or not of the kind of `wanted`.
std::optional<UnitColumn> find_unit_column(Table& table, std::string_view stem,
                                           const netgen::ProfilerUnit& wanted);

/// Replaces the times of the measurements of `profiled` by the times of `timed` (a trace or a benchmark) for
/// the same function, blocks and threads, and removes these from `timed`: a profiler slows kernels down. A
/// benchmark without blocks or threads matches any; its name matters only if `profiled` has several
/// functions. Faults of `timed`: a row that matches several launches, several rows that match one launch,
/// which keeps its own time, and a row with other registers or shared memory than the launch.
void take_times(MeasuredTable& profiled, std::span<MeasuredTable> timed);

/// One kernel per row, its counters in columns named like nvprof's metrics, with kernel, grid, block and
/// dur_med_us (or time_us). Throws InputError (source:line: …).
MeasuredTable read_nvprof_rows(Table& rows, const MeasuredOptions& options);

/// The log of `--metrics` with the trace of the same program, joined by the names of the kernels. Only the
/// trace has launch shapes and times, and only the log has counters. A kernel that was launched in several
/// shapes is left out with a warning, because its counters are means over all of them. A kernel in only one
/// of the files is left out too. Throws InputError (source:line: …) if one of the two files is missing. A
/// kernel on several GPUs is a fault.
MeasuredTable join_nvprof(std::span<Table> metrics, std::span<Table> traces, const MeasuredOptions& options);

/// A known column of a table of measurements.
struct MeasuredColumn {
    std::string name;
    std::string unit;  ///< "/warp": a mean over the warps of the kernel
    std::string meaning;
};

/// Columns of a table of counts.
std::vector<MeasuredColumn> plain_columns();
/// Columns of a table of nvprof's metrics, one kernel per row, and the effect of their
/// absence.
std::vector<MeasuredColumn> nvprof_columns();
/// Metrics and columns of Nsight Compute, and the effect of their absence.
std::vector<MeasuredColumn> nsight_columns();

/// Columns and members of tables that have only times.
std::vector<MeasuredColumn> timed_columns();

/// A table of counts: the columns kernel, time_us or cycles, and warps, arith, shared, global, or blocks,
/// threads and the names of profile_fields(). Throws InputError (source:line: …).
MeasuredTable read_plain_table(Table& rows, const MeasuredOptions& options);

// Benchmarks have only times, as a trace has, and may differ in name from their kernels.
// Their launch shape is in the axes blocks, threads, grid, block, NumBlocks, BlockSize (nvbench's examples),
// block_size_x, _y, _z (Kernel Tuner), grid_size_x, _y, _z, in any case and with or without '_'. All other
// axes distinguish rows. A warning names them, because the counts do not depend on them. Each row is one
// measurement with a PtxRow without a file.

/// The output of nvbench with --csv: the median of the GPU times if present, else their mean. A skipped
/// benchmark is a fault. Throws InputError for a column of times without a known unit.
MeasuredTable read_nvbench(Table& rows, const MeasuredOptions& options);

/// Results of an auto-tuner, T4 of version 1 (Kernel Tuner, FAIR benchmark hub): the median of `runtimes`,
/// else the measurement `time`. T4 does not name the kernel, so the file name is used. An invalid
/// configuration is a fault. Throws InputError for other JSON, unknown members and units. O(text).
MeasuredTable read_tuner_results(std::string_view text, const std::string& source,
                                 const MeasuredOptions& options);

}  // namespace warpnet::studies
