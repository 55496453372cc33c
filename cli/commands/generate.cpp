#include "cli/commands/commands.hpp"

namespace warpnet::cli {

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
    add_generate_blocks(generate, exit_code);
    add_generate_cfg(generate, exit_code);
    add_generate_kernel(generate, exit_code);
    add_generate_sm(generate, exit_code);
    add_generate_warps(generate, exit_code);
}

}  // namespace warpnet::cli
