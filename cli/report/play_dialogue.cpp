// The dialogue of `play` as a function from a command to its answer, so that tests can call it. The token
// game itself is in analysis/states/steps.
//
// Transitions can be named without the whole step: `fire t` makes the one possible step with t, and an error
// shows two if there are several. The game looks for at most two steps then, because all steps can be
// exponentially many. Lists are limited for the same reason (`steps N`). The certified bound is computed only
// when a game ends, once.

#include "cli/report/play_dialogue.hpp"

#include "analysis/states/steps/token_game.hpp"
#include "analysis/worst/worst_case.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/output_file.hpp"
#include "cli/shell/interrupt.hpp"
#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "engine/net/node_names.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

constexpr std::string_view between = " \t\r,";

/// Reads "*3" at `at` and moves past it; 1 if `at` has no '*'.
std::int64_t multiplicity(std::string_view line, std::size_t& at) {
    if (at == line.size() || line[at] != '*') return 1;
    const std::size_t end = std::min(line.find_first_of(between, at), line.size());
    const std::string_view text = line.substr(at + 1, end - at - 1);
    const auto times = parse_number<std::int64_t>(text);
    if (!times || *times < 1 || *times > 1'000'000)
        throw InputError("expected a number from 1 to 1000000 after '*', found '" + std::string(text) + "'");
    at = end;
    return *times;
}

/// A word of a command: an id, a number or the command's name, with a multiplicity, as in `t*3`.
struct PlayWord {
    std::string text;
    std::int64_t times = 1;  ///< 1 to 1,000,000
    bool quoted = false;     ///< it was in quotes, so it is an id
};

/// Spaces or commas separate words. A word in single or double quotes may contain anything except that quote.
/// Throws InputError for an unclosed quote or an invalid multiplicity.
std::vector<PlayWord> split_play_words(std::string_view line) {
    std::vector<PlayWord> words;
    for (std::size_t at = line.find_first_not_of(between); at < line.size();
         at = line.find_first_not_of(between, at)) {
        PlayWord word;
        const char first = line[at];
        word.quoted = first == '"' || first == '\'';
        const std::size_t start = word.quoted ? at + 1 : at;
        std::size_t end = word.quoted ? line.find(first, start) : line.find_first_of(" \t\r,*", start);
        if (word.quoted && end == std::string_view::npos)
            throw InputError("expected a closing quote " + std::string(1, first));
        end = std::min(end, line.size());
        word.text = line.substr(start, end - start);
        at = word.quoted ? end + 1 : end;
        word.times = multiplicity(line, at);
        words.push_back(std::move(word));
    }
    return words;
}

/// An id as a word of a command: in quotes if it needs them.
std::string play_word(const std::string& id) {
    if (id.find_first_of(" \t\r,*'\"") == std::string::npos) return id;
    const char* quote = id.find('"') == std::string::npos ? "\"" : "'";
    return quote + id + quote;
}

/// `begin` and the words, in lines of about 100 characters; continuation lines are indented by `indent`
/// blanks.
std::string wrapped_words(std::string begin, const std::vector<std::string>& words, std::size_t indent) {
    constexpr std::size_t longest = 100;
    std::size_t width = begin.size();
    for (const std::string& word : words) {
        if (width > indent && width + 1 + word.size() > longest) {
            begin += "\n" + std::string(indent, ' ');
            width = indent;
        } else {
            begin += ' ';
            ++width;
        }
        begin += word;
        width += word.size();
    }
    return begin;
}

class Dialogue {
  public:
    Dialogue(const Net& net, Semantics semantics, std::uint64_t seed, const Schedule& begin)
        : net_(net), names_(net), game_(net, semantics, seed), semantics_(semantics) {
        for (const ScheduledStep& step : begin) game_.make(step);
    }

    std::string welcome() {
        return fmt::format("{}: {}, {}, {} semantics; 'help' lists the commands\n{}{}", net_.id(),
                           plural(net_.places().size(), "place"),
                           plural(net_.transitions().size(), "transition"), to_string(semantics_),
                           marking_text({}), state_text());
    }

    std::optional<std::string> answer(const std::string& line) {
        const std::vector<PlayWord> words = split_play_words(line);
        if (words.empty()) return state_text();
        const std::string command = words.front().quoted ? "" : words.front().text;
        const auto rest = std::span(words).subspan(1);
        if (command == "quit" || command == "exit") return std::nullopt;
        if (command == "help") return play_commands;
        if (command == "random") return random(count_of(rest, 1));
        if (command == "undo") return go_to(game_.position() - checked(count_of(rest, 1), game_.position()));
        if (command == "redo")
            return go_to(game_.position() + checked(count_of(rest, 1), game_.length() - game_.position()));
        if (command == "goto") return go_to(checked(count_of(rest, {}), game_.length()));
        if (command == "marking") return marking_text(rest);
        if (command == "steps") return steps_text(count_of(rest, default_listed));
        if (command == "history")
            return game_.position() == 0 ? "no step made yet\n" : numbered(game_.made());
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
        const states::PossibleSteps possible = game_.possible_steps(static_cast<std::size_t>(most));
        listed_ = possible.steps;
        if (listed_.empty() && possible.complete) return "dead: nothing can fire" + bound_text() + "\n";
        std::string text = fmt::format(
            "{} step{}:\n", listed_.empty() || !listed_.front().immediate ? "possible" : "possible immediate",
            listed_.size() == 1 && possible.complete ? "" : "s");
        return text + numbered(listed_) + (possible.complete ? "" : "      and more ('steps N')\n");
    }

    /// Compares the steps of a finished game with the certified bound on all runs.
    std::string bound_text() {
        if (semantics_ != Semantics::maximal) return "";
        if (!bound_) bound_ = worst::quick_bound(net_);
        const std::string note = worst::note_on_bound(game_.timed_steps(), *bound_);
        return note.empty() ? "" : "; " + note;
    }

    std::string state_text() {
        return "after " + plural(game_.position(), "step") +
               (game_.timed_steps() == game_.position()
                    ? std::string()
                    : fmt::format(", {} of them timed", game_.timed_steps())) +
               "\n" + steps_text(default_listed);
    }

    /// The changes of the marking since `before`.
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
        if (number < 1 || number > std::ssize(listed_))
            throw InputError(fmt::format("expected the number of a step in the list, found {}", number));
        return make(ScheduledStep(listed_[static_cast<std::size_t>(number - 1)]));  // make() changes listed_
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
        // If the given transitions are a possible step, no other step is considered.
        const states::PossibleSteps possible = game_.possible_steps(2, step.transitions);
        if (possible.complete && possible.steps.size() == 1) return make(possible.steps.front());
        if (possible.steps.size() > 1 && possible.steps.front() != step)
            throw InputError(fmt::format("several steps have these, for example\n {}\n {}",
                                         step_text(possible.steps[0]), step_text(possible.steps[1])));
        return make(step);
    }

    std::string random(std::uint64_t steps) {
        const Marking before = game_.marking();
        const Interrupt interrupt;
        std::uint64_t made = 0;
        while (made < steps && !interrupt.requested() && game_.make_random()) ++made;
        const std::string text = "made " + plural(made, "random step");
        return (made == 1 ? step_text(game_.made().back(), text + ":") : text) + "\n" + change_text(before) +
               state_text();
    }

    std::string go_to(std::uint64_t position) {
        const Marking before = game_.marking();
        game_.go_to(static_cast<std::size_t>(position));
        return change_text(before) + state_text();
    }

    std::string numbered(std::span<const ScheduledStep> steps) const {
        std::string text;
        for (std::size_t i = 0; i < steps.size(); ++i)
            text += step_text(steps[i], fmt::format("{:>4} ", i + 1), 6) + "\n";
        return text;
    }

    std::string save(std::span<const PlayWord> words) const {
        if (words.size() != 1 || words[0].text == "-") throw InputError("expected the name of a file");
        const auto made = game_.made();
        write_schedule(words[0].text, net_, Schedule(made.begin(), made.end()));
        return fmt::format("{}: {}\n", words[0].text, plural(made.size(), "step"));
    }

    const Net& net_;
    NodeNames names_;
    states::TokenGame game_;
    Semantics semantics_;
    std::vector<ScheduledStep> listed_;
    std::optional<std::optional<worst::QuickBound>> bound_;  // computed on the first request
};

}  // namespace

PlayDialogue play_dialogue(const Net& net, Semantics semantics, std::uint64_t seed, const Schedule& begin) {
    const auto dialogue = std::make_shared<Dialogue>(net, semantics, seed, begin);
    return {dialogue->welcome(), [dialogue](const std::string& line) { return dialogue->answer(line); }};
}

}  // namespace warpnet::cli
