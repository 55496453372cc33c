#pragma once

#include "analysis/worst/bounds/machine.hpp"
#include "cli/input/command.hpp"
#include "cli/input/ptx_input.hpp"
#include "cli/input/sm_input.hpp"
#include "netgen/kernel/kernel.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

/// The model of a kernel that the flags describe.
struct KernelModel {
    netgen::KernelSpec spec;
    worst::Machine machine;
    std::string covers;  ///< the runs that a bound is about, in words
    /// Effects of a GPU on such a kernel that its net does not have. Empty if flags alone describe the
    /// machine.
    std::vector<std::string> leaves_out;
    /// The closed form of the template, if there is one: for its 2 core and 1 load/store units.
    std::optional<std::int64_t> closed_form;
};

/// A kernel as flags: an instruction string, or a template.
struct KernelInput {
    netgen::KernelSpec spec;
    std::optional<netgen::FermiSpec> fermi;  ///< --template fermi: the source of the spec
    bool pessimistic = false;
    std::string pipelined;  ///< letters whose units are free again after they accept an instruction
    AssignmentInput assignment;
    std::optional<std::string> own_units;  ///< --own-units; absent: the own units of the device
    netgen::PtxInput ptx;
    netgen::DeviceInput device;   ///< --device: units, schedulers and latencies that no flag gives
    std::optional<Option> warps;  ///< --warps: overrides the warps of the template or of the launch of --ptx

    bool given() const { return !spec.string.empty() || fermi.has_value() || ptx.given(); }
    /// Reads the PTX, which may be the standard input, and the device. Throws InputError.
    KernelModel model() const;
    /// The whole launch for the family `sm`; nothing unless the flags give code, device, grid and block.
    std::optional<SmInput> launch_input() const;

  private:
    /// The threads of the template per SM: a flag gives them for one SM, --grid and --block for all SMs.
    std::vector<std::int64_t> fermi_threads() const;
    /// Adds the units, schedulers and latencies of the device that the kernel lacks, and the assignment of
    /// warps.
    void add_device(netgen::KernelSpec& kernel) const;
    void add_units(netgen::KernelSpec& kernel) const;
    worst::Machine machine_of(const netgen::KernelSpec& made) const;
    std::vector<std::string> leaves_out(const netgen::KernelSpec& made, bool barriers) const;
};

/// --string, --ptx with its flags, --warps, --sms, --device, --units, --own-units, --chip-units,
/// --schedulers, --assignment, --dispatch, --latency, --pipelined, --wait, --pessimistic;
/// --template fermi, --repeat, --fairness and the threads of the template under the name `threads_flag`.
void add_kernel_input(Command& command, KernelInput& input, const std::string& threads_flag);

}  // namespace warpnet::cli
