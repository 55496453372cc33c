#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/sm_input.hpp"
#include "netgen/sm/sm.hpp"

#include <memory>

namespace warpnet::cli {

namespace {

struct GenerateSmFlags {
    SmInput input;
    std::int64_t sm_blocks = 0;  ///< 0: those of the busiest SM
    NetOutput output;
};

ExitCode generate_sm(const GenerateSmFlags& options) {
    const netgen::SmDevice device = options.input.device.sm();
    const netgen::KernelProfile kernel = options.input.profile();
    const netgen::SmProgram program = netgen::sm_program(device, kernel, options.input.program);
    const std::int64_t blocks =
        options.sm_blocks > 0 ? options.sm_blocks : netgen::blocks_of_busiest_sm(device, kernel);
    write_net(netgen::sm_net(program, blocks, program.trips), options.output);
    return ExitCode::done;
}

}  // namespace

void add_generate_sm(Command& generate, ExitCode& exit_code, std::optional<Net>* kept) {
    const auto options = std::make_shared<GenerateSmFlags>();
    options->output.kept = kept;
    Command command =
        generate.add_subcommand("sm", "One SM of a real GPU that executes a kernel, block after block");
    add_sm_input(command, options->input);
    add_number(command, "--sm-blocks", options->sm_blocks, "Blocks of this SM; 0: those of the busiest one",
               std::int64_t{0}, std::int64_t{1'000'000'000});
    add_number(command, "--body", options->input.program.max_body,
               "Transitions of a warp, about: a longer program becomes a loop", std::int64_t{1},
               std::int64_t{100'000});
    add_net_output(command, options->output);
    command.footer(
        "A maximal step is --step-cycles cycles of the SM. 'warpnet predict' runs the same net and adds what "
        "lies\n"
        "outside it; netgen/sm/README.md describes both.\n"
        "\n"
        "Examples:\n"
        "  warpnet generate sm --device GTX950 --blocks 96 --block-threads 256 --counts "
        "fp32=40,integer=20,loads=2,stores=1 -o sm.pnml\n"
        "  warpnet generate sm --device GTX950 --metrics kernels.csv --row transposeNaive --sm-blocks 16");
    command.callback([options, &exit_code] { exit_code = generate_sm(*options); });
}

}  // namespace warpnet::cli
