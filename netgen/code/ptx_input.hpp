#pragma once

#include "netgen/code/ptx/kernel.hpp"
#include "netgen/sm/kernel_profile.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// A kernel in a PTX file, and what the file does not say of it.
struct PtxInput {
    std::string file;
    std::string kernel;  ///< empty: the only one
    PtxOptions options;
    bool linear_block = false;       ///< of the block of the launch only the number of threads is known
    bool linear_grid = false;        ///< of the grid only the number of blocks
    bool rolled = false;             ///< for strings: every block once
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
/// "256", "16,16", "8x8x4": the shape of the launch. Throws UsageError.
void parse_block(const std::string& text, PtxOptions& options);
void parse_grid(const std::string& text, PtxOptions& options);

/// Whether a text is PTX, SASS or GCN.
bool is_code(std::string_view text);
/// The module in a text of PTX, SASS or GCN. Throws InputError, also for a text with both.
PtxModule read_code(std::string_view text, const std::string& source);
/// The module in a file of PTX, SASS or GCN; "-" is the standard input. Throws InputError.
PtxModule read_code_file(const std::string& file);

/// Throws InputError for trips, parameters and shares of names that the module does not have.
void check_ptx_names(const PtxModule& module, const PtxOptions& options);

/// The kernel asked for, or the only one. Throws InputError, and UsageError if it excludes the block or the
/// grid of the launch.
std::string ptx_kernel_of(const PtxModule& module, const PtxInput& input);

/// "LABEL=N,…" for --trips: the loops of the kernel whose trips are missing; empty if it is complete.
std::string missing_trips(const PtxReport& report);
/// What each of these loops waits for, a line each, with a line break in front.
std::string needs_of_trips(const PtxReport& report);
/// Throws InputError with all of that.
void require_trips(const PtxReport& report, const PtxModule& module);

/// The kernel as a graph with the times of the input. `unmeasured`: blocks that the log does not time, which
/// take the times of their instructions. Throws InputError.
ControlFlowGraph ptx_graph_of(const PtxModule& module, const PtxInput& input,
                              std::vector<std::string>& unmeasured);

/// Instructions of a warp. Throws InputError if trips are missing, with the names of the loops.
PtxReport ptx_report_of(const PtxModule& module, const PtxInput& input);

/// The blocks of the grid, those of all clusters if the launch counts them; 0: not given. Throws UsageError
/// for more than 2^63 - 1.
std::int64_t blocks_of_launch(const PtxInput& input, const PtxReport& report);

/// The kernel with the launch shape of the options; nothing if the shape of a block is not given. Throws
/// UsageError for a grid of too many blocks.
std::optional<KernelProfile> launch_profile_of(const PtxInput& input, const PtxReport& report);

/// Throws InputError if a thread of the launch has more registers than .maxnreg allows, or a block less
/// shared memory than the code of its kernel declares: the bytes of a launch are the declared and the dynamic
/// ones together. `rounding`: bytes by which the launch may be too low.
void check_resources(const KernelProfile& launch, const PtxReport& report, double rounding = 0);

/// What the counts leave out: unknown opcodes, functions that are not in the file, addresses whose space is
/// unknown.
std::vector<std::string> warnings_of(const PtxReport& report);

/// Whether a GPU cannot run the code of a kernel, as a warning; empty if it can, or if one of them is
/// unknown. PTX runs on its compute capability and on newer ones, of "sm_90a" on its own and of "sm_100f" on
/// that of one major version; machine code runs on its own and on newer ones of one major version [CUDA
/// Programming Guide].
std::string warning_of_target(const PtxExecution& kernel, std::string_view compute_capability);

}  // namespace warpnet::netgen
