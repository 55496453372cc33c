#pragma once

#include "cli/shell/exit_code.hpp"

namespace CLI {
class App;
}

namespace warpnet::cli {

// Each function adds one command to the program (or one family to `generate`): its flags, its help with
// examples, and the function that runs when the command is chosen and stores its exit code. One file each,
// of the same name.

void add_compare(CLI::App& program, ExitCode& exit_code);
void add_devices(CLI::App& program, ExitCode& exit_code);
void add_convert(CLI::App& program, ExitCode& exit_code);
void add_draw(CLI::App& program, ExitCode& exit_code);
void add_explore(CLI::App& program, ExitCode& exit_code);
void add_generate(CLI::App& program, ExitCode& exit_code);
void add_generate_blocks(CLI::App& generate, ExitCode& exit_code);
void add_generate_cfg(CLI::App& generate, ExitCode& exit_code);
void add_generate_kernel(CLI::App& generate, ExitCode& exit_code);
void add_generate_sm(CLI::App& generate, ExitCode& exit_code);
void add_generate_warps(CLI::App& generate, ExitCode& exit_code);
void add_inspect(CLI::App& program, ExitCode& exit_code);
void add_report(CLI::App& program, ExitCode& exit_code);
void add_play(CLI::App& program, ExitCode& exit_code);
void add_ptx(CLI::App& program, ExitCode& exit_code);
void add_predict(CLI::App& program, ExitCode& exit_code);
void add_respond(CLI::App& program, ExitCode& exit_code);
void add_run(CLI::App& program, ExitCode& exit_code);
void add_split(CLI::App& program, ExitCode& exit_code);
void add_worst(CLI::App& program, ExitCode& exit_code);

}  // namespace warpnet::cli
