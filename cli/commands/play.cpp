#include "analysis/states/steps/token_game.hpp"
#include "analysis/studies/files/schedule_csv.hpp"
#include "analysis/worst/worst_case.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/play_words.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/standard_output.hpp"
#include "engine/base/parse_number.hpp"
#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "engine/net/node_names.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
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

constexpr const char* help_text =
    "  N                 make step N of the list\n"
    "  ID [ID*K] ...     make the step in which these fire; if only one step has them, that one\n"
    "  fire ID ...       the same, for ids that are commands or numbers\n"
    "  random [N]        make N random steps (default 1)\n"
    "  undo [N]          take N steps back (default 1)\n"
    "  redo [N]          make N steps again that were taken back\n"
    "  goto N            go to step N, 0 being the beginning\n"
    "  marking [ID ...]  show the tokens of all marked places, or of these\n"
    "  steps [N]         list up to N possible steps (default 20)\n"
    "  history           show the steps made\n"
    "  save FILE.csv     write the steps made, for 'run --replay' and 'play --replay'\n"
    "  help              show this\n"
    "  quit              leave (so does the end of the input)\n"
    "Where a node has a name that no other node has, it is shown by it; ID is an id or such a name. Those "
    "with\n"
    "spaces or signs stand in quotes.\n";

/// A dialogue about one game: a line in, some lines out.
class Dialogue {
  public:
    Dialogue(const Net& net, const PlayFlags& options)
        : net_(net),
          names_(net),
          game_(net, options.semantics, options.seed),
          semantics_(options.semantics) {}

    void follow(const Schedule& schedule) {
        for (const ScheduledStep& step : schedule) game_.make(step);
    }

    std::string welcome() {
        return fmt::format("{}: {}, {}, {} semantics; 'help' lists the commands\n{}{}", net_.id(),
                           plural(net_.places().size(), "place"),
                           plural(net_.transitions().size(), "transition"), to_string(semantics_),
                           marking_text({}), state_text());
    }

    /// The answer to a line; nothing for 'quit'. Throws InputError.
    std::optional<std::string> answer(const std::string& line) {
        const std::vector<PlayWord> words = split_play_words(line);
        if (words.empty()) return state_text();
        const std::string command = words.front().quoted ? "" : words.front().text;
        const auto rest = std::span(words).subspan(1);
        if (command == "quit" || command == "exit") return std::nullopt;
        if (command == "help") return help_text;
        if (command == "random") return random(count_of(rest, 1));
        if (command == "undo") return go_to(game_.position() - checked(count_of(rest, 1), game_.position()));
        if (command == "redo")
            return go_to(game_.position() + checked(count_of(rest, 1), game_.length() - game_.position()));
        if (command == "goto") return go_to(checked(count_of(rest, {}), game_.length()));
        if (command == "marking") return marking_text(rest);
        if (command == "steps") return steps_text(count_of(rest, default_listed));
        if (command == "history") return history_text();
        if (command == "save") return save(rest);
        if (command == "fire") return fire(rest);
        if (const auto number = parse_number<std::int64_t>(command); number && words.size() == 1)
            return choose(*number);
        return fire(words);
    }

  private:
    static constexpr std::uint64_t default_listed = 20;

    static std::uint64_t checked(std::uint64_t number, std::uint64_t most) {
        if (number > most) throw InputError(fmt::format("expected at most {}, found {}", most, number));
        return number;
    }

    static std::uint64_t count_of(std::span<const PlayWord> words, std::optional<std::uint64_t> otherwise) {
        if (words.empty() && otherwise) return *otherwise;
        const auto number = words.size() == 1 ? parse_number<std::int64_t>(words[0].text) : std::nullopt;
        if (!number || *number < 0) throw InputError("expected one whole number");
        return static_cast<std::uint64_t>(*number);
    }

    std::string step_text(const ScheduledStep& step, std::string begin = "", std::size_t indent = 2) const {
        std::vector<std::string> words;
        for (auto at = step.transitions.begin(); at != step.transitions.end();) {
            const auto next = std::upper_bound(at, step.transitions.end(), *at);
            words.push_back(play_word(names_.transition(*at)));
            if (next - at > 1) words.back() += fmt::format("*{}", next - at);
            at = next;
        }
        return wrapped_words(std::move(begin), words, indent);
    }

    std::string marking_text(std::span<const PlayWord> ids) const {
        std::vector<std::string> tokens;
        const auto add = [&](std::size_t place) {
            tokens.push_back(fmt::format("{}={}", play_word(names_.place(place)), game_.marking()[place]));
        };
        for (const PlayWord& word : ids) {
            const auto place = names_.find_place(word.text);
            if (!place) throw InputError(fmt::format("expected a place, found '{}'", word.text));
            add(*place);
        }
        for (std::size_t p = 0; ids.empty() && p < game_.marking().size(); ++p) {
            if (game_.marking()[p] != 0) add(p);
        }
        return wrapped_words("marking:", tokens, 2) + (tokens.empty() ? " no place is marked\n" : "\n");
    }

    std::string steps_text(std::uint64_t most) {
        const PossibleSteps possible = game_.possible_steps(static_cast<std::size_t>(most));
        listed_ = possible.steps;
        if (listed_.empty() && possible.complete) return "dead: nothing can fire" + bound_text() + "\n";
        std::string text = fmt::format(
            "{} step{}:\n", listed_.empty() || !listed_.front().immediate ? "possible" : "possible immediate",
            listed_.size() == 1 && possible.complete ? "" : "s");
        for (std::size_t i = 0; i < listed_.size(); ++i)
            text += step_text(listed_[i], fmt::format("{:>4} ", i + 1), 6) + "\n";
        return text + (possible.complete ? "" : "      and more ('steps N')\n");
    }

    /// Of a game that is over: how it stands to what is certified of all runs.
    std::string bound_text() {
        if (semantics_ != Semantics::maximal) return "";
        if (!bound_) bound_ = quick_bound(net_);
        const std::string note = note_on_bound(game_.timed_steps(), *bound_);
        return note.empty() ? "" : "; " + note;
    }

    std::string state_text() {
        return "after " + plural(game_.position(), "step") +
               (game_.timed_steps() == game_.position()
                    ? std::string()
                    : fmt::format(", {} of them timed", game_.timed_steps())) +
               "\n" + steps_text(default_listed);
    }

    /// What a change of position did to the marking.
    std::string change_text(const Marking& before) const {
        std::vector<std::string> changes;
        for (std::size_t p = 0; p < before.size(); ++p) {
            if (before[p] != game_.marking()[p])
                changes.push_back(
                    fmt::format("{} {}->{}", play_word(names_.place(p)), before[p], game_.marking()[p]));
        }
        return wrapped_words("changed:", changes, 2) + (changes.empty() ? " nothing\n" : "\n");
    }

    std::string make(const ScheduledStep& step) {
        const Marking before = game_.marking();
        game_.make(step);
        return step_text(step, "fired:") + "\n" + change_text(before) + state_text();
    }

    std::string choose(std::int64_t number) {
        if (number < 1 || number > std::ssize(listed_)) {
            throw InputError(fmt::format("expected the number of a step in the list, found {}", number));
        }
        const ScheduledStep step =
            listed_[static_cast<std::size_t>(number - 1)];  // the list is about to change
        return make(step);
    }

    std::string fire(std::span<const PlayWord> words) {
        if (words.empty()) throw InputError("expected the id of a transition");
        ScheduledStep step;
        for (const PlayWord& word : words) {
            const auto transition = names_.find_transition(word.text);
            if (!transition)
                throw InputError(fmt::format("expected a command or a transition, found '{}'", word.text));
            step.transitions.insert(step.transitions.end(), static_cast<std::size_t>(word.times),
                                    static_cast<std::uint32_t>(*transition));
        }
        std::sort(step.transitions.begin(), step.transitions.end());
        step.immediate = net_.transitions()[step.transitions.front()].immediate;
        // A step that is possible as it stands is meant as it stands.
        const PossibleSteps possible = game_.possible_steps(2, step.transitions);
        if (possible.complete && possible.steps.size() == 1) return make(possible.steps.front());
        if (possible.steps.size() > 1 && possible.steps.front() != step) {
            throw InputError(fmt::format("several steps have these, for example\n {}\n {}",
                                         step_text(possible.steps[0]), step_text(possible.steps[1])));
        }
        return make(step);
    }

    std::string random(std::uint64_t steps) {
        const Marking before = game_.marking();
        const Interrupt interrupt;
        std::uint64_t made = 0;
        while (made < steps && !interrupt.requested() && game_.make_random()) ++made;
        std::string text = "made " + plural(made, "random step");
        if (made == 1) text = step_text(game_.made().back(), text + ":");
        return text + "\n" + change_text(before) + state_text();
    }

    std::string go_to(std::uint64_t position) {
        const Marking before = game_.marking();
        game_.go_to(static_cast<std::size_t>(position));
        return change_text(before) + state_text();
    }

    std::string history_text() const {
        std::string text;
        for (std::size_t i = 0; i < game_.made().size(); ++i)
            text += step_text(game_.made()[i], fmt::format("{:>4} ", i + 1), 6) + "\n";
        return text.empty() ? "no step made yet\n" : text;
    }

    std::string save(std::span<const PlayWord> words) const {
        if (words.size() != 1 || words[0].text == "-") throw InputError("expected the name of a file");
        const auto made = game_.made();
        write_text(words[0].text, write_schedule_csv(net_, Schedule(made.begin(), made.end())));
        return fmt::format("{}: {}\n", words[0].text, plural(made.size(), "step"));
    }

    const Net& net_;
    NodeNames names_;
    TokenGame game_;
    Semantics semantics_;
    std::vector<ScheduledStep> listed_;
    std::optional<std::optional<QuickBound>> bound_;  // once it was asked for
};

ExitCode play(const PlayFlags& options) {
    if (options.net == "-" || options.replay_file == "-") {
        throw UsageError("NET", "expected files: the standard input is for the commands");
    }
    const Net net = read_net(options.net);
    Dialogue dialogue(net, options);
    if (!options.replay_file.empty()) {
        dialogue.follow(read_schedule_csv(read_text(options.replay_file), options.replay_file, net));
    }
    print_answer(dialogue.welcome());
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
            // What follows in a script was meant for another marking.
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
        program.add_subcommand("play", "Token game: choose the steps of a net by hand, take them back");
    command.add_option("net", options->net, "A PNML file; FILE#ID: one of its nets")
        .required()
        .type_name("NET");
    add_choice(command, "--semantics", options->semantics, "What one step is",
               {Semantics::maximal, Semantics::multiset, Semantics::interleaving});
    command
        .add_option("--replay", options->replay_file,
                    "Begin with these steps (from 'save' or 'run --schedule')")
        .type_name("FILE.csv");
    add_number(command, "--seed", options->seed, "Of the command 'random'");
    command.footer(fmt::format(
        "Commands of the game, one a line:\n"
        "{}\n"
        "Commands can come from a pipe; then the first one that is wrong ends the game with exit code 3.\n"
        "\n"
        "Examples:\n"
        "  warpnet play kernel.pnml\n"
        "  printf 'random 10\\nsave game.csv\\n' | warpnet play kernel.pnml --semantics interleaving\n"
        "  warpnet run kernel.pnml --replay game.csv --semantics interleaving",
        help_text));
    command.callback([options, &exit_code] { exit_code = play(*options); });
}

}  // namespace warpnet::cli
