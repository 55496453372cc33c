#pragma once

#include "netgen/code/ptx/kernel.hpp"
#include "netgen/sm/kernel_profile.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// A kernel in a PTX file, and the facts that the file lacks.
struct PtxInput {
    std::string file;
    std::string kernel;  ///< empty: the only one
    PtxOptions options;
    bool linear_block = false;       ///< of the block of the launch, only the number of threads is known
    bool linear_grid = false;        ///< of the grid, only the number of blocks is known
    bool rolled = false;             ///< for strings: each block once
    PtxTimes times = one_step_each;  ///< for graphs
    std::string times_file;          ///< for graphs: a log of gem5; empty: `times` decide
    std::string until;               ///< for strings: the loop whose first iteration ends it

    bool given() const { return !file.empty(); }
};

/// "$L__BB0_2=64,#3=8": adds to the trips. Throws UsageError.
void parse_trips(const std::string& text, PtxOptions& options);
/// "n=1024,2=64": adds to the parameters. Throws UsageError.
void parse_params(const std::string& text, PtxOptions& options);
/// "$L__BB0_3=0.3,BB0_5@41=0": adds to the shares of branches. Throws UsageError.
void parse_shares(const std::string& text, PtxOptions& options);
/// "global_load=300,special=16,default=4": adds to the times. Names are those of classes in 'ptx --json'.
/// Throws UsageError.
void parse_latencies(const std::string& text, PtxTimes& times);

using LaunchShape = std::array<std::int64_t, 3>;

/// "256", "16,16", "8x8x4": the sizes in x, y, z, each at most the largest. Throws UsageError of the flag.
LaunchShape parse_shape(const std::string& flag, const std::string& text, const LaunchShape& largest);
/// The shape of the launch. Throws UsageError.
void parse_block(const std::string& text, PtxOptions& options);
void parse_grid(const std::string& text, PtxOptions& options);

/// Whether a text is PTX, SASS or GCN.
bool is_code(std::string_view text);
/// The module in a text of PTX, SASS or GCN. Throws InputError, also for a text with both.
PtxModule read_code(std::string_view text, const std::string& source);
/// The module in a file of PTX, SASS or GCN; "-" is the standard input. Throws InputError.
PtxModule read_code_file(const std::string& file);

/// Throws InputError for trips, parameters and shares whose names the module lacks.
void check_ptx_names(const PtxModule& module, const PtxOptions& options);

/// The requested kernel, or the only one. Throws InputError, and UsageError if the kernel excludes the block
/// or the grid of the launch.
std::string ptx_kernel_of(const PtxModule& module, const PtxInput& input);

/// What an incomplete kernel lacks: "give --trips 'LABEL=N,…'", and a line for each loop with what its trips
/// depend on.
std::string missing_trips(const PtxReport& report);
/// Throws InputError with that.
void require_trips(const PtxReport& report, const PtxModule& module);

/// The kernel as a graph with the times of the input. `unmeasured`: blocks that the log does not time; they
/// take the times of their instructions. Throws InputError.
ControlFlowGraph ptx_graph_of(const PtxModule& module, const PtxInput& input,
                              std::vector<std::string>& unmeasured);

/// Instructions of a warp. Throws InputError if trips are missing, with the names of the loops.
PtxReport ptx_report_of(const PtxModule& module, const PtxInput& input);

/// The blocks of the grid. If the launch counts clusters, the blocks of all clusters. 0: not given. Throws
/// UsageError for more than 2^63 - 1.
std::int64_t blocks_of_launch(const PtxInput& input, const PtxReport& report);

/// The kernel with the launch shape of the options; nothing if the shape of a block is not given. Throws
/// UsageError for a grid of too many blocks.
std::optional<KernelProfile> launch_profile_of(const PtxInput& input, const PtxReport& report);

/// Throws InputError if a thread of the launch has more registers than .maxnreg allows, or a block less
/// shared memory than the code of its kernel declares: the bytes of a launch are the declared and the dynamic
/// ones together. `rounding`: bytes by which the launch may be too low.
void check_resources(const KernelProfile& launch, const PtxReport& report, double rounding = 0);

/// The parts that the counts omit: unknown opcodes, functions that are not in the file, addresses with an
/// unknown space.
std::vector<std::string> warnings_of(const PtxReport& report);

/// A warning if a GPU cannot run the code of a kernel; empty if it can, or if a compute capability is
/// unknown. PTX runs on its compute capability and on newer ones. PTX of "sm_90a" runs only on its own, and
/// PTX of "sm_100f" on those of the same major version. Machine code runs on its own and on newer ones of the
/// same major version [CUDA Programming Guide].
std::string warning_of_target(const PtxExecution& kernel, std::string_view compute_capability);

}  // namespace warpnet::netgen
