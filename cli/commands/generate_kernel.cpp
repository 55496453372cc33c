#include "cli/commands/commands.hpp"
#include "cli/input/kernel_input.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "netgen/kernel/kernel.hpp"

#include <memory>

namespace warpnet::cli {

namespace {

struct GenerateKernelFlags {
    KernelInput input;
    NetOutput output;
};

ExitCode generate_kernel(const GenerateKernelFlags& options) {
    if (!options.input.given()) throw UsageError("--string, --ptx or --template is required");
    const netgen::MultiCycle multi_cycle =
        options.input.pessimistic ? netgen::MultiCycle::repeated : netgen::MultiCycle::non_preemptive;
    write_net(netgen::kernel_net(options.input.model().spec, multi_cycle), options.output);
    return ExitCode::done;
}

}  // namespace

void add_generate_kernel(Command& generate, ExitCode& exit_code, std::optional<Net>* kept) {
    const auto options = std::make_shared<GenerateKernelFlags>();
    options->output.kept = kept;
    Command command = generate.add_subcommand(
        "kernel", "Warps that run one instruction string on shared units (Berezovskyi et al.)");
    add_kernel_input(command, options->input, "--threads");
    add_net_output(command, options->output);
    command.footer(
        "A maximal step is a cycle; the steps to the dead marking are the makespan. An instruction of "
        "several\n"
        "cycles holds its unit and scheduler (exact), or is repeated (--pessimistic).\n"
        "\n"
        "Examples:\n"
        "  warpnet generate kernel --string LLCC --warps 4 --units C=1,L=1 -o kernel.pnml\n"
        "  warpnet generate kernel --string LDC --warps 8 --units C=4,L=1,D=1/2 --schedulers 2 -o "
        "double.pnml\n"
        "  warpnet generate kernel --template fermi --repeat 2 --threads 64 | warpnet worst -");
    command.callback([options, &exit_code] { exit_code = generate_kernel(*options); });
}

}  // namespace warpnet::cli
