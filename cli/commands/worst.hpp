#pragma once

#include "analysis/ranks/command_session.hpp"
#include "analysis/worst/kernel/annealing.hpp"
#include "cli/input/kernel_input.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/report/worst_report.hpp"
#include "cli/shell/interrupt.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/error.hpp"
#include "engine/run/run.hpp"
#include "netgen/warps/warps.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace warpnet::cli {

struct WorstOptions {
    CommonOptions common;
    std::string net;
    KernelInput kernel;
    std::optional<std::uint32_t> chains;
    std::optional<std::uint64_t> iterations;
    std::optional<double> temperature;
    std::string start = "mixed";
    Policy policy = Policy::random;  ///< gto or lrr: who is served is fixed; else anybody may be
    bool paper = false;
    AnnealingMethod method = AnnealingMethod::portfolio;
    bool exact = false;
    bool bound = false;
    bool best = false;
    std::uint64_t max_steps = 10'000'000;
    std::uint64_t memory = std::uint64_t{4} << 30;
    std::string scratch;
    std::optional<std::chrono::milliseconds> time_limit;  ///< of the whole command
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    std::string schedule_file;
    std::string order_file;        ///< where the search begins; empty: --start
    std::string write_order_file;  ///< the best candidate of the search
    std::string log_file;
    std::string resume_file;
    std::optional<std::chrono::milliseconds> save_every;
    bool show_progress = true;
};

/// Whether the search is wanted for its candidates, however much is proved without it.
inline bool wants_order(const WorstOptions& options) {
    return !options.order_file.empty() || !options.write_order_file.empty();
}

/// When the command must end, if there is a time limit.
std::optional<std::chrono::steady_clock::time_point> deadline_of(const WorstOptions& options);
/// That, and the interrupt of the user.
WorkLimits limits_of(const WorstOptions& options, const Interrupt& interrupt);

/// How often --resume saves.
std::chrono::milliseconds save_interval_of(const WorstOptions& options);

/// The saved search of --resume: read(text of the file), with the file in the message where it cannot be
/// read.
template <class Read>
auto read_saved_search(const std::string& file, Read&& read) {
    try {
        return read(read_text(file));
    } catch (const InputError& error) {
        throw InputError(file + ": " + error.what());
    }
}

/// What `worst` finds out about a net, its witness replayed. By the algorithms for kernels where it is one.
/// Rank 0 has the report; the other ranks help with its search until rank 0 leaves. `compiled` is the net,
/// where the caller has it.
WorstReport find_worst(const WorstOptions& options, const Net& net, const Interrupt& interrupt, Team& team,
                       const CompiledNet* compiled = nullptr);

/// By the algorithms for kernels.
WorstReport worst_of_kernel(const WorstOptions& options, const KernelNet& kernel, const Interrupt& interrupt,
                            Team& team);

/// By exact search over multisets of equal parts, a little of it even unasked. False: the net has not the
/// shape for it, and nothing happened. `session`: of the ranks that have the multisets_helper(), or null.
bool search_multisets(const WorstOptions& options, const Net& net, const Plan& planned,
                      const Interrupt& interrupt, CommandSession* session, WorstReport& report);
/// Whether a file of --resume is that of an exact search: the search that comes after one begins anew then.
bool holds_exact_search(const std::string& file);
/// What other ranks than the first do.
CommandHelper multisets_helper(const WorstOptions& options, const Plan& planned, const Interrupt& interrupt);

/// The spec of a warps net of several SMs or of blocks that wait; nothing for any other net.
std::optional<WarpsSpec> recognise_grid(const Net& net);

/// By what is known of one block, for a grid.
WorstReport worst_of_grid(const WorstOptions& options, const WarpsSpec& spec, const Net& net,
                          const Interrupt& interrupt, Team& team);

/// Follows a schedule step by step by the plain rules; throws std::logic_error unless it ends dead after so
/// many steps. False: the limits of time were met before its end. Schedules that take a tenth of a second or
/// so know no deadline, so that they are always checked.
bool replay_witness(const Net& net, const Schedule& schedule, std::uint64_t steps, WorkLimits limits,
                    const CompiledNet* compiled = nullptr);

/// By exploration and search, for any net.
WorstReport worst_of_net(const WorstOptions& options, const Net& net, const Interrupt& interrupt, Team& team,
                         const CompiledNet* compiled = nullptr);

}  // namespace warpnet::cli
