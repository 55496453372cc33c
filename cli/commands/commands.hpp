#pragma once

#include "cli/input/command.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/net/net.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::cli {

// Each function adds one command to the program (or one family to `generate`): its flags, its help with
// examples, and the function that runs the command and stores its exit code. Each function has a file of the
// same name. A family whose net is kept in memory has no flags for files.

void add_compare(Command& program, ExitCode& exit_code);
void add_devices(Command& program, ExitCode& exit_code);
void add_convert(Command& program, ExitCode& exit_code);
void add_draw(Command& program, ExitCode& exit_code);
void add_doctor(Command& program, ExitCode& exit_code);
void add_explore(Command& program, ExitCode& exit_code);
void add_generate(Command& program, ExitCode& exit_code);
void add_generate_blocks(Command& generate, ExitCode& exit_code, std::optional<Net>* kept = nullptr);
void add_generate_cfg(Command& generate, ExitCode& exit_code, std::optional<Net>* kept = nullptr);
void add_generate_kernel(Command& generate, ExitCode& exit_code, std::optional<Net>* kept = nullptr);
void add_generate_sm(Command& generate, ExitCode& exit_code, std::optional<Net>* kept = nullptr);
void add_generate_warps(Command& generate, ExitCode& exit_code, std::optional<Net>* kept = nullptr);
void add_inspect(Command& program, ExitCode& exit_code);
void add_report(Command& program, ExitCode& exit_code);
void add_play(Command& program, ExitCode& exit_code);
void add_ptx(Command& program, ExitCode& exit_code);
void add_predict(Command& program, ExitCode& exit_code);
void add_respond(Command& program, ExitCode& exit_code);
void add_run(Command& program, ExitCode& exit_code);
void add_split(Command& program, ExitCode& exit_code);
void add_sweep(Command& program, ExitCode& exit_code);
void add_worst(Command& program, ExitCode& exit_code);

/// The net that 'generate' makes of a family and its flags. Throws UsageError, and the InputError of the
/// family.
Net generated_net(const std::vector<std::string>& arguments);

/// The answers of 'respond' to its arguments: the object of --json, and the picture of --gantt. Throws
/// UsageError and InputError.
std::pair<nlohmann::ordered_json, std::string> respond_answers(const std::vector<std::string>& arguments);

/// `help` and `completions`, which know all declared commands.
void add_help(Command& program, const CLI::App& parsed);
void add_completions(Command& program, const CLI::App& parsed);

}  // namespace warpnet::cli
