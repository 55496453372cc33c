#pragma once

#include "cli/input/command.hpp"
#include "cli/input/ptx_input.hpp"
#include "netgen/code/launch.hpp"
#include "netgen/sm/device_input.hpp"
#include "netgen/sm/kernel_profile.hpp"
#include "netgen/sm/presets.hpp"
#include "netgen/sm/program.hpp"
#include "netgen/warps/assignment.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpnet::cli {

/// --device NAME, --devices FILE. Returns --device.
Option add_device_input(Command& command, netgen::DeviceInput& input, const std::string& help);

/// How warps use the schedulers of their SM, as far as flags say it.
struct AssignmentInput {
    std::optional<netgen::Assignment> assignment;
    std::optional<std::int64_t> dispatch_units;

    /// Fills what a kernel has: without --assignment, GPUs of several schedulers per SM fix warps to them.
    /// Throws UsageError for dispatch units of shared schedulers.
    void fill(const netgen::DeviceInput& device, netgen::Assignment& of_kernel,
              std::int64_t& dispatch_of_kernel) const;
};
/// --assignment, and --dispatch, which goes with it.
std::pair<Option, Option> add_assignment(Command& command, AssignmentInput& input);

/// --set FACT=VALUE, --without MECHANISM: of the family `sm`.
void add_device_changes(Command& command, netgen::DeviceInput& input);
/// --set alone.
Option add_device_facts(Command& command, netgen::DeviceInput& input);

/// A kernel of a program.
struct SmLaunch {
    netgen::KernelProfile profile;
    std::int64_t launches = 1;
    std::vector<std::string> assumed = {};  ///< what nothing says of the launch: "blocks", "threads"
    /// The kernel if all its warps were the longest; absent if they are alike, or if nothing says.
    std::optional<netgen::KernelProfile> longest = {};
    std::optional<netgen::PtxPaths> paths = {};  ///< that count, if the kernel is one of code
    bool alike = false;                          ///< its warps are known to execute the same counts
    std::string trips = {};                      ///< of loops, as flags give them
    std::vector<std::string> uncounted = {};     ///< as KernelProfile::uncounted, of the code and its launch
};

/// A kernel and a device as flags: what `generate sm` and `predict` share.
struct SmInput {
    netgen::DeviceInput device;
    netgen::ProfileFields fields;      ///< of the profile, in the order of the flags
    std::vector<std::string> metrics;  ///< CSV files that hold the kernel
    std::string facts;                 ///< a file of what counters do not know of them
    std::string row;                   ///< which of them: a part of its name
    netgen::PtxInput ptx;
    std::string resources;                       ///< a file of what ptxas or cuobjdump say of its kernels
    std::optional<double> l1_share, dram_share;  ///< of the loads that caches and DRAM serve
    netgen::SmProgramOptions program;

    /// The kernel: that of --metrics or --ptx, or a streaming kernel, with the fields given one by one.
    /// Throws InputError.
    netgen::KernelProfile profile() const;
    /// The same with what is assumed of its launch, which stderr names.
    SmLaunch launch() const;
    /// The same, or all kernels of --metrics if no --row chooses one, in the order of the table.
    std::vector<SmLaunch> launches() const;
};

/// Says once per command, on stderr, how the warps of a net come from a launch: what a device would add, or,
/// if `given` warps (0: none) differ from those of the launch, that the given ones are taken.
void note_launch(const netgen::KernelProfile& kernel, const netgen::LaunchOnSm& launch,
                 const netgen::DeviceInput& device, std::int64_t given, bool has_waves);

/// --metrics, --row, --facts. Returns --metrics; `several`: what becomes of several kernels without --row.
Option add_metrics_input(Command& command, SmInput& input, const std::string& several);

/// --device, --devices, --set, --without; the launch, the counts and the caches of a kernel; --metrics,
/// --ptx,
/// --resources; --step-cycles.
void add_sm_input(Command& command, SmInput& input);

}  // namespace warpnet::cli
