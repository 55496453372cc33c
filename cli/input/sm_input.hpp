#pragma once

#include "analysis/studies/files/read_measured.hpp"
#include "analysis/studies/predict/predict_json.hpp"
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

/// How warps use the schedulers of their SM, if flags give it.
struct AssignmentInput {
    std::optional<netgen::Assignment> assignment;
    std::optional<std::int64_t> dispatch_units;

    /// Sets the assignment of a kernel. Without --assignment, a GPU with several schedulers per SM has fixed
    /// warps. Throws UsageError for dispatch units of shared schedulers.
    void fill(const netgen::DeviceInput& device, netgen::Assignment& of_kernel,
              std::int64_t& dispatch_of_kernel) const;
};
/// --assignment, and --dispatch, which requires it.
std::pair<Option, Option> add_assignment(Command& command, AssignmentInput& input);

/// --set FACT=VALUE and --without MECHANISM, for the family `sm`.
void add_device_changes(Command& command, netgen::DeviceInput& input);
/// Only --set.
Option add_device_facts(Command& command, netgen::DeviceInput& input);

/// A kernel and a device as flags, shared by `generate sm` and `predict`.
struct SmInput {
    netgen::DeviceInput device;
    netgen::ProfileFields fields;             ///< of the profile, in the order of the flags
    std::vector<std::string> metrics;         ///< CSV files that contain the kernel
    std::vector<studies::SourceText> tables;  ///< the texts of these files, if their device was asked for
    std::string facts;  ///< a file of facts about these kernels that counters do not have
    std::string row;    ///< selects one kernel by a part of its name
    netgen::PtxInput ptx;
    std::string resources;  ///< a file with the output of ptxas or cuobjdump for the kernels
    std::optional<double> l1_share, dram_share;  ///< shares of the loads that caches and DRAM serve
    netgen::SmProgramOptions program;

    /// Without --device takes the preset that the files of --metrics name, and prints it to stderr. Throws
    /// UsageError if there is none.
    void require_device();

    /// The kernel: from --metrics or --ptx, or a streaming kernel; single fields override it. Throws
    /// InputError.
    netgen::KernelProfile profile() const;
    /// The same with the assumptions about its launch, which are listed on stderr.
    studies::KernelLaunch launch() const;
    /// The same, or all kernels of --metrics if no --row chooses one, in the order of the table.
    std::vector<studies::KernelLaunch> launches() const;
};

/// Prints once per command to stderr how the warps of a net follow from a launch: what a device would add. If
/// `given` warps (0: none) differ from the warps of the launch, it prints that the given ones are used.
void note_launch(const netgen::KernelProfile& kernel, const netgen::LaunchOnSm& launch,
                 const netgen::DeviceInput& device, std::int64_t given, bool has_waves);

/// --metrics, --row, --facts. Returns --metrics; `several`: the treatment of several kernels without --row.
Option add_metrics_input(Command& command, SmInput& input, const std::string& several);

/// --device, --devices, --set, --without; the launch, the counts and the caches of a kernel; --metrics,
/// --ptx,
/// --resources; --step-cycles.
void add_sm_input(Command& command, SmInput& input);

}  // namespace warpnet::cli
