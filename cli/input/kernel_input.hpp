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

/// What the flags say of a kernel.
struct KernelModel {
    KernelSpec spec;
    Machine machine;
    std::string covers;  ///< the runs that a bound is about, in words
    /// What such a kernel does on a GPU and its net does not: empty where flags alone say what the machine
    /// is.
    std::vector<std::string> leaves_out;
    /// The closed form of the template, if there is one: for its own 2 core and 1 load/store units.
    std::optional<std::int64_t> closed_form;
};

/// A kernel as flags: an instruction string, or a template.
struct KernelInput {
    KernelSpec spec;
    std::optional<FermiSpec> fermi;  ///< --template fermi: what the spec was made from
    bool pessimistic = false;
    std::string pipelined;  ///< letters whose units are free again once they have taken an instruction
    PtxInput ptx;
    DeviceInput device;           ///< --device: units, schedulers and latencies that no flag gives
    std::optional<Option> warps;  ///< --warps: instead of those of the template or of the launch of --ptx

    bool given() const { return !spec.string.empty() || fermi.has_value() || ptx.given(); }
    /// Reads the PTX, which may be the standard input, and the device. Throws InputError.
    KernelModel model() const;

  private:
    FermiSpec fermi_spec() const;
    /// Units, schedulers and latencies of the device where the kernel has none.
    void add_device(KernelSpec& kernel) const;
    Machine machine_of(const KernelSpec& made) const;
    std::vector<std::string> leaves_out(bool barriers) const;
    std::optional<std::int64_t> closed_form(const KernelSpec& made) const;
};

/// --string, --ptx with its flags, --warps, --sms, --device, --units, --schedulers, --latency, --pipelined,
/// --wait, --pessimistic;
/// --template fermi, --repeat, --fairness and the threads of the template under the name `threads_flag`.
void add_kernel_input(Command& command, KernelInput& input, const std::string& threads_flag);

}  // namespace warpnet::cli
