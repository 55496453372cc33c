#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/sm_input.hpp"
#include "cli/output/notes.hpp"
#include "netgen/sm/sm.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace warpnet::cli {

namespace {

struct GenerateSmFlags {
    SmInput input;
    std::int64_t sm_blocks = 0;  ///< 0: those of the busiest SM
    NetOutput output;
    std::vector<Option> of_profile;  ///< flags of single fields, as in field_flags
};

/// A flag, the fields of the profile that it sets, and their value without it.
struct FieldFlag {
    const char* flag;
    std::vector<const char*> fields;
    double without;
};

const std::vector<FieldFlag>& field_flags() {
    static const std::vector<FieldFlag> flags = {
        {"--registers", {"registers"}, 0},
        {"--shared-memory", {"shared_bytes"}, 0},
        {"--footprint", {"load_footprint"}, 0},
        {"--conflicts", {"shared_load_transactions", "shared_store_transactions"}, 1},
    };
    return flags;
}

Net net_of(const GenerateSmFlags& options, const netgen::SmDevice& device,
           const netgen::KernelProfile& kernel) {
    const netgen::SmProgram program = netgen::sm_program(device, kernel, options.input.program);
    const std::int64_t blocks =
        options.sm_blocks > 0 ? options.sm_blocks : netgen::blocks_of_busiest_sm(device, kernel);
    return netgen::sm_net(program, blocks, program.trips);
}

/// Names the given flags without which the net would be the same, such as registers that limit nothing. Only
/// for kernels by --counts: tables and code have values of their own.
void note_flags_without_effect(const GenerateSmFlags& options, const netgen::SmDevice& device,
                               const netgen::KernelProfile& kernel, const Net& net) {
    if (!options.input.metrics.empty() || options.input.ptx.given()) return;
    for (std::size_t i = 0; i < options.of_profile.size(); ++i) {
        if (options.of_profile[i].count() == 0) continue;
        netgen::KernelProfile without = kernel;
        for (const char* field : field_flags()[i].fields)
            netgen::set_profile_field(without, field, field_flags()[i].without);
        if (net_of(options, device, without) == net)
            print_note("note: {} has no effect on this net\n", field_flags()[i].flag);
    }
}

ExitCode generate_sm(GenerateSmFlags& options) {
    options.input.require_device();
    const netgen::SmDevice device = options.input.device.sm();
    const netgen::KernelProfile kernel = options.input.profile();
    const Net net = net_of(options, device, kernel);
    note_flags_without_effect(options, device, kernel, net);
    write_net(net, options.output);
    return ExitCode::done;
}

}  // namespace

void add_generate_sm(Command& generate, ExitCode& exit_code, std::optional<Net>* kept) {
    const auto options = std::make_shared<GenerateSmFlags>();
    options->output.kept = kept;
    Command command =
        generate.add_subcommand("sm", "One SM of a real GPU that executes a kernel, block after block");
    add_sm_input(command, options->input);
    for (const FieldFlag& flag : field_flags()) options->of_profile.push_back(command.get_option(flag.flag));
    add_number(command, "--sm-blocks", options->sm_blocks, "Blocks of this SM; 0: those of the busiest one",
               std::int64_t{0}, std::int64_t{1'000'000'000});
    add_number(command, "--body", options->input.program.max_body,
               "Approximate number of transitions per warp; a longer program becomes a loop", std::int64_t{1},
               std::int64_t{100'000});
    add_net_output(command, options->output);
    command.footer(
        "A maximal step is --step-cycles cycles of the SM. 'warpnet predict' runs the same net and adds "
        "the\ncosts outside it; docs/reference/family-sm.md describes both.\n"
        "\n"
        "Examples:\n"
        "  warpnet generate sm --device GTX950 --blocks 96 --block-threads 256 --counts "
        "fp32=40,integer=20,loads=2,stores=1 -o sm.pnml\n"
        "  warpnet generate sm --device GTX950 --metrics kernels.csv --row transposeNaive --sm-blocks 16");
    command.callback([options, &exit_code] { exit_code = generate_sm(*options); });
}

}  // namespace warpnet::cli
