// `play` reads commands from a terminal or a script. A script ends at the first error, because its later
// commands were meant for another marking.

#include "analysis/studies/files/schedule_csv.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/report/play_dialogue.hpp"
#include "engine/net/error.hpp"

#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

namespace warpnet::cli {

namespace {

struct PlayFlags {
    std::string net;
    std::string replay_file;
    Semantics semantics = Semantics::maximal;
    std::uint64_t seed = 1;
};

ExitCode play(const PlayFlags& options) {
    if (options.net == "-" || options.replay_file == "-")
        throw UsageError("NET", "expected files: the standard input is for the commands");
    const Net net = read_net(options.net);
    Schedule begin;
    if (!options.replay_file.empty())
        begin = studies::read_schedule_csv(read_text(options.replay_file), options.replay_file, net);
    const PlayDialogue dialogue = play_dialogue(net, options.semantics, options.seed, begin);
    print_answer(dialogue.welcome);
    const bool terminal = ::isatty(STDIN_FILENO) != 0;
    for (std::string line;;) {
        fmt::print("> ");
        std::fflush(stdout);
        if (!std::getline(std::cin, line)) break;
        if (!terminal) fmt::print("{}\n", line);  // so that a transcript of a script can be read
        try {
            const std::optional<std::string> answer = dialogue.answer(line);
            if (!answer) return ExitCode::done;
            print_answer(*answer);
        } catch (const InputError& error) {
            print_answer(error.what() + std::string("\n"));
            // The rest of a script was meant for another marking.
            if (!terminal) return ExitCode::bad_input;
        }
    }
    fmt::print("\n");
    return ExitCode::done;
}

}  // namespace

void add_play(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<PlayFlags>();
    Command command =
        program.add_subcommand("play", "Token game: choose and undo the steps of a net by hand");
    command.add_option("net", options->net, "A PNML file; FILE#ID: one of its nets", "NET").required();
    add_choice(command, "--semantics", options->semantics, "Semantics of a step",
               {Semantics::maximal, Semantics::multiset, Semantics::interleaving});
    command.add_option("--replay", options->replay_file,
                       "Begin with these steps (from 'save' or 'run --write-schedule')", "FILE.csv");
    add_number(command, "-s,--seed", options->seed, "Seed of the command 'random'");
    command.footer(fmt::format(
        "Commands of the game, one per line:\n"
        "{}\n"
        "Commands can come from a pipe; the first invalid command then ends the game with exit code 3.\n"
        "\n"
        "Examples:\n"
        "  warpnet play kernel.pnml\n"
        "  printf 'random 10\\nsave game.csv\\n' | warpnet play kernel.pnml --semantics interleaving\n"
        "  warpnet run kernel.pnml --replay game.csv --semantics interleaving",
        play_commands));
    command.callback([options, &exit_code] { exit_code = play(*options); });
}

}  // namespace warpnet::cli
