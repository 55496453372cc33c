// The program: declares commands, parses, runs one and turns exceptions into messages and exit codes. If the
// first argument names a command, only that command is declared, since declaring all takes longer than a
// small run.
//
// Exceptions that no command handles end here. Their class decides the exit code: usage, input, limit, or a
// bug for any class that is not expected. If a flag is unknown, all commands are declared after all, so that
// the message can name the command that has the flag. Limits of time and memory belong to every command that
// computes. A command with a result to show at a limit has its own flag. For all others the process ends at
// once, with the head of a JSON answer that was made beforehand.

#include "cli/program.hpp"

#include "cli/commands/commands.hpp"
#include "cli/input/command.hpp"
#include "cli/input/options.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/output/notes.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/help_format.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/process.hpp"
#include "cli/shell/team.hpp"
#include "engine/base/text.hpp"
#include "engine/base/version.hpp"
#include "engine/formula/parse_formula.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

ExitCode report(ExitCode exit_code, const std::string& message) {
    std::cerr << "warpnet: " << message_text(message) << '\n';
    return exit_code;
}

using TimeLimit = std::optional<std::chrono::milliseconds>;

/// Adds --quiet, and --time-limit and --memory to commands without such a flag of their own. When the limit
/// is reached, the program ends at once.
void add_limits(CLI::App& command, TimeLimit& time_limit) {
    const auto commands = command.get_subcommands([](const CLI::App*) { return true; });
    for (CLI::App* sub : commands) add_limits(*sub, time_limit);
    constexpr std::array at_once = {"completions", "devices", "doctor", "help"};
    if (!commands.empty() || std::find(at_once.begin(), at_once.end(), command.get_name()) != at_once.end())
        return;
    if (command.get_option_no_throw("--time-limit") == nullptr) {
        Command limited(command);
        add_duration(limited, "--time-limit", time_limit,
                     "Stop after this time, e.g. 500ms, 30s, 2m, with exit code 4");
    }
    Command(command).add_flag_callback("-q,--quiet", be_quiet,
                                       "Print no progress, no notes and no warnings; errors remain");
    if (command.get_option_no_throw("--memory") == nullptr) {
        Command(command)
            .add_option_function<std::uint64_t>(
                "--memory", [](const std::uint64_t& bytes) { limit_memory(bytes); },
                "Stop with exit code 4 if more memory is needed, e.g. 500M, 4G; 320M and 8M per core are "
                "always allowed")
            .as_size()
            .type_name("BYTES");
    }
}

/// The answer of a command that a limit ended before it had a result: with --json the head of an answer.
std::string head_at_limit(const CLI::App& program, std::string_view limit) {
    const CLI::App* command = &program;
    std::string name;
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().front();
        if (name.empty()) name = command->get_name();
    }
    const CLI::Option* json = command->get_option_no_throw("--json");
    return json != nullptr && json->count() > 0
               ? json_answer({name, {}, {std::string(limit)}}, nlohmann::ordered_json::object())
               : "";
}

constexpr const char* version_flag = "--version";

struct DeclaredCommand {
    std::string_view name;
    void (*add)(Command& program, ExitCode& exit_code);
};

/// All commands except those that need all declarations, in the order of the help.
constexpr std::array declared_commands = {
    DeclaredCommand{"generate", add_generate}, DeclaredCommand{"run", add_run},
    DeclaredCommand{"play", add_play},         DeclaredCommand{"worst", add_worst},
    DeclaredCommand{"sweep", add_sweep},       DeclaredCommand{"explore", add_explore},
    DeclaredCommand{"convert", add_convert},   DeclaredCommand{"inspect", add_inspect},
    DeclaredCommand{"respond", add_respond},   DeclaredCommand{"draw", add_draw},
    DeclaredCommand{"report", add_report},     DeclaredCommand{"split", add_split},
    DeclaredCommand{"ptx", add_ptx},           DeclaredCommand{"predict", add_predict},
    DeclaredCommand{"compare", add_compare},   DeclaredCommand{"devices", add_devices},
    DeclaredCommand{"doctor", add_doctor},
};

/// If the first argument names a command, declares only that command. Declaring all flags takes twice as long
/// as reading a small net and running it.
void declare_commands(const CLI::App& program, Command& commands, ExitCode& exit_code,
                      std::string_view first_argument) {
    if (first_argument == version_flag) return;
    const auto asked =
        std::find_if(declared_commands.begin(), declared_commands.end(),
                     [&](const DeclaredCommand& command) { return command.name == first_argument; });
    if (asked != declared_commands.end()) return asked->add(commands, exit_code);
    for (const DeclaredCommand& command : declared_commands) command.add(commands, exit_code);
    add_completions(commands, program);
    add_help(commands, program);
}

ExitCode report_parse_error(const CLI::App& program, const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
        std::ostringstream text;
        program.exit(error, text, text);
        std::cout << text.str() << (text.str().ends_with('\n') ? "" : "\n");
        return ExitCode::done;
    }
    // A flag may be one of a command that was not declared.
    ExitCode ignored = ExitCode::done;
    CLI::App all("", "warpnet");
    Command commands(all);
    declare_commands(all, commands, ignored, "");
    return report(ExitCode::usage, usage_message(program, error, all));
}

ExitCode execute(int argc, char** argv, std::string_view commit) {
    ExitCode exit_code = ExitCode::done;
    CLI::App program("Petri-net models of GPU kernels: how many steps does a kernel take?", "warpnet");
    const std::string built = commit.empty() ? "" : fmt::format(" (commit {})", commit);
    program.set_version_flag(version_flag, fmt::format("warpnet {}{}\n{}", version, built, mpi_support()));
    program.require_subcommand(1);
    program.formatter(help_formatter());
    program.footer(
        "Examples:\n"
        "  warpnet generate warps --warps 4 --arith 200 --shared 50 --global 20 -o kernel.pnml\n"
        "  warpnet run kernel.pnml --runs 1000\n"
        "  warpnet draw kernel.pnml -o kernel.svg\n"
        "\n"
        "'warpnet COMMAND --help' describes a command, and 'warpnet help TOPIC' describes topics of several "
        "commands. "
        "Exit codes: 0 done, 1 the answer is no, 2 wrong "
        "usage,\n"
        "3 bad input, 4 a limit was reached, 70 a bug in this program, 130 interrupted.");
    Command commands(program);
    declare_commands(program, commands, exit_code, argc > 1 ? argv[1] : "");
    TimeLimit time_limit;
    add_limits(program, time_limit);
    program.parse_complete_callback([&] {
        check_file_roles(program);
        if (time_limit) end_program_after(*time_limit, head_at_limit(program, "time_limit"));
    });
    program.set_help_all_flag("--help-all", "Print the help of every command");

    try {
        if (argc == 1) {
            std::cerr << short_help();
            return ExitCode::usage;
        }
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        exit_code = report_parse_error(program, error);
    } catch (const UsageError& error) {
        exit_code = report(ExitCode::usage, usage_message(program, error.what()));
    } catch (const ConditionError& error) {  // conditions and formulas are values of flags
        exit_code = report(ExitCode::usage, usage_message(program, error.what()));
    } catch (const InputError& error) {
        exit_code = report(ExitCode::bad_input, error.what());
    } catch (const std::bad_alloc&) {
        exit_code = report(ExitCode::limit, "out of memory");
        print_answer(head_at_limit(program, "memory_limit"));
    } catch (const OutputError& error) {
        return report(ExitCode::bad_input, error.what());
    } catch (const std::system_error& error) {
        // Output that is printed piece by piece throws if a piece is lost.
        if (std::ferror(stdout) != 0)
            return report(ExitCode::bad_input, OutputError(error.code().value()).what());
        exit_code = report(ExitCode::internal_error, std::string("internal error: ") + error.what());
    } catch (const std::exception& error) {
        exit_code = report(ExitCode::internal_error, std::string("internal error: ") + error.what());
    }
    try {
        flush_standard_output();
    } catch (const OutputError& error) {
        return report(ExitCode::bad_input, error.what());
    }
    return exit_code;
}

}  // namespace

int run_program(int argc, char** argv, std::string_view commit) {
    // Of the ranks of one computation, only the first prints errors and gives the exit code. The signal of an
    // mpirun that aborts may come at any time.
    constexpr std::array<std::string_view, 3> divided = {"run", "worst", "explore"};
    const bool follower =
        argc > 1 && std::find(divided.begin(), divided.end(), argv[1]) != divided.end() && is_follower();
    if (follower) end_silently();
    take_signals();
    occupy_standard_streams();
    limit_memory(default_memory_limit());
    if (follower) {
        std::cout.setstate(std::ios::failbit);
        std::cerr.setstate(std::ios::failbit);
        execute(argc, argv, commit);
        return 0;
    }
    return static_cast<int>(execute(argc, argv, commit));
}

}  // namespace warpnet::cli
