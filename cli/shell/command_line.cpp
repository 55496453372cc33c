#include "cli/shell/command_line.hpp"

#include "cli/shell/usage_message.hpp"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>

namespace warpnet::cli {

void run_command_line(const std::function<void(Command&)>& add, std::vector<std::string> arguments) {
    CLI::App program;
    program.require_subcommand(1);
    Command commands(program);
    add(commands);
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    try {
        program.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
        throw UsageError(usage_fault(program, error));
    }
}

}  // namespace warpnet::cli
