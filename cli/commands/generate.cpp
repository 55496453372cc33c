// `generate`: one subcommand per family. generated_net() runs the same command line without output, for
// `sweep` and Python.

#include "cli/commands/commands.hpp"
#include "cli/shell/command_line.hpp"

#include <utility>

namespace warpnet::cli {

namespace {

void add_families(Command& generate, ExitCode& exit_code, std::optional<Net>* kept = nullptr) {
    for (const auto& add_family :
         {add_generate_blocks, add_generate_cfg, add_generate_kernel, add_generate_sm, add_generate_warps})
        add_family(generate, exit_code, kept);
}

}  // namespace

void add_generate(Command& program, ExitCode& exit_code) {
    Command generate = program.add_subcommand("generate", "Write the net of a model as PNML");
    generate.require_subcommand();
    generate.footer(
        "Examples:\n"
        "  warpnet generate warps --warps 4 --arith 200 --shared 50 --global 20 -o kernel.pnml\n"
        "  warpnet generate kernel --string LLCC --warps 4 --units C=4,L=1 -o string.pnml\n"
        "  warpnet generate blocks tasks.json -o blocks.pnml\n"
        "  warpnet generate cfg kernel.json --optimal --units 3 -o split.pnml\n"
        "  warpnet generate sm --device GTX950 --blocks 96 --block-threads 256 --counts fp32=40,loads=2 -o "
        "sm.pnml\n"
        "\n"
        "'warpnet generate FAMILY --help' describes a family.");
    add_families(generate, exit_code);
}

Net generated_net(const std::vector<std::string>& arguments) {
    ExitCode ignored = ExitCode::done;
    std::optional<Net> net;
    run_command_line([&](Command& generate) { add_families(generate, ignored, &net); }, arguments);
    return std::move(net).value();
}

}  // namespace warpnet::cli
