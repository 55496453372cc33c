#include "analysis/explore/explore.hpp"
#include "analysis/explore/state_graph_text.hpp"
#include "analysis/explore/step_graph.hpp"
#include "analysis/structure/place_bounds.hpp"
#include "analysis/structure/timed_net.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_format.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/net_size.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/input/plain_net.hpp"
#include "cli/shell/interrupt.hpp"
#include "engine/base/parse_number.hpp"
#include "engine/net/error.hpp"
#include "pnml/rewrite.hpp"
#include "pnml/text/lola.hpp"
#include "pnml/text/tina.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

struct ConvertFlags {
    std::string net;
    std::string output = "-";
    std::optional<NetFormat> from, to;
    PnmlFlavour flavour = PnmlFlavour::compat;
    bool plain = false;
    bool loops = false;
    bool ordinary = false;
    bool timed_only = false;
    std::optional<Tokens> bound;
    ExploreOptions explore;
    bool json = false;
};

/// What became of the net.
struct Conversion {
    std::string text;
    Net net;
    std::vector<std::string> notes;
    bool keeps_maximal_steps = true;
    bool keeps_unstable = true;  ///< markings in which immediate transitions are enabled
};

Net read(const ConvertFlags& options) {
    if (!options.from || *options.from == NetFormat::pnml) return read_net(options.net);
    return parse_net(*options.from, read_text(options.net), input_name(options.net));
}

/// The state graph is not known whole.
class ExplorationLeft : public std::runtime_error {
  public:
    ExplorationLeft(WorkEnd why, std::uint64_t states)
        : std::runtime_error(
              fmt::format("the state graph cannot be written: the exploration was left after {} "
                          "states ({}){}",
                          states, to_string(why), why == WorkEnd::state_limit ? "; see --max-states" : "")),
          why_(why) {}
    ExitCode exit_code() const noexcept {
        if (why_ == WorkEnd::interrupted) return ExitCode::interrupted;
        return why_ == WorkEnd::overflow ? ExitCode::bad_input : ExitCode::limit;
    }

  private:
    WorkEnd why_;
};

std::string state_graph(const ConvertFlags& options, const Net& net) {
    const CompiledNet compiled = compile(net);
    const Exploration explored = explore(compiled, options.explore);
    const auto graph = explored.complete() ? step_graph(compiled, options.explore, explored) : std::nullopt;
    if (!graph) {
        const WorkEnd asked = options.explore.limits.asked_to_end();
        throw ExplorationLeft(explored.complete() ? asked : explored.stop, explored.space.size());
    }
    return state_graph_aut(net, compiled, options.explore.semantics, explored, *graph);
}

/// The net without its immediate transitions.
void make_timed(const ExploreOptions& options, Conversion& done) {
    const auto transitions = done.net.transitions();
    if (std::none_of(transitions.begin(), transitions.end(),
                     [](const Transition& transition) { return transition.immediate; }))
        return;
    FoundTimedNet timed = timed_net(done.net, options);
    done.net = std::move(timed.net);
    done.notes.push_back(fmt::format(
        "{} immediate transition{} replaced by {} more timed ones; interleaving reaches the same stable "
        "markings, maximal steps differ",
        timed.replaced, timed.replaced == 1 ? "" : "s", timed.copies));
    if (timed.by_reachable)
        done.notes.emplace_back(
            "so from this initial marking alone: the reachable markings told the ways apart");
    done.keeps_maximal_steps = false;
    done.keeps_unstable = false;
}

Conversion convert_net(const ConvertFlags& options, Net net) {
    Conversion done{.text = {}, .net = std::move(net), .notes = {}};
    const NetFormat to = options.to.value_or(format_of(options.output));
    if (options.timed_only) make_timed(options.explore, done);
    const bool inhibitors_lost =
        to == NetFormat::lola || (to == NetFormat::pnml && options.flavour == PnmlFlavour::strict);
    if (options.plain || inhibitors_lost) {
        PlainNet plain = plain_net(done.net, options.explore, options.bound);
        done.net = std::move(plain.net);
        done.notes.insert(done.notes.end(), plain.notes.begin(), plain.notes.end());
        done.keeps_maximal_steps = done.keeps_maximal_steps && plain.keeps_maximal_steps;
    }
    if (options.loops || to == NetFormat::lola) {
        RewrittenNet rewritten = without_reads(done.net);
        done.net = std::move(rewritten.net);
        if (rewritten.replaced_arcs > 0) {
            done.notes.push_back(fmt::format(
                "{} read arcs replaced by loops; interleaving stays the same, maximal steps {}",
                rewritten.replaced_arcs,
                rewritten.contested.empty() ? "too"
                                            : fmt::format("do not: several transitions now take from {}",
                                                          rewritten.contested.front())));
            done.keeps_maximal_steps = done.keeps_maximal_steps && rewritten.contested.empty();
        }
    }
    if (options.ordinary) {
        PlaceBounds bounds = bounds_of_weights(done.net, options.explore);
        RewrittenNet rewritten = without_weights(done.net, bounds.of);
        done.net = std::move(rewritten.net);
        if (rewritten.added_places > 0) {
            const bool same_steps = rewritten.contested.empty() && bounds.structural;
            done.notes.push_back(fmt::format(
                "places with arc weights above 1 unfolded into {} places, one for each number of tokens; "
                "interleaving stays the same, maximal steps {}",
                rewritten.added_places, same_steps ? "too" : "do not"));
            done.keeps_maximal_steps = done.keeps_maximal_steps && same_steps;
        }
    }
    switch (to) {
        case NetFormat::pnml:
            done.text = write_pnml(done.net, options.flavour);
            if (auto note = note_of_immediates(done.net)) done.notes.push_back(std::move(*note));
            break;
        case NetFormat::lola:
            done.text = write_lola(done.net);
            break;
        case NetFormat::tina:
            done.text = write_tina(done.net);
            break;
        case NetFormat::aut:
            done.text = state_graph(options, done.net);
            done.notes.emplace_back("the state graph under interleaving");
            break;
    }
    return done;
}

ExitCode convert(ConvertFlags options) {
    if (format_of(options.output) == NetFormat::pnml) expect_ending("--output", options.output, "pnml");
    if (options.json && options.output == "-")
        throw UsageError("--json", "needs -o FILE: the net itself goes to the standard output");
    const Net net = read(options);
    const Interrupt interrupt;
    options.explore.limits.interrupt = &interrupt.flag();
    std::optional<Conversion> converted;
    try {
        converted = convert_net(options, net);
    } catch (const ExplorationLeft& left) {
        fmt::print(stderr, "warpnet: {}\n", left.what());
        return left.exit_code();
    }
    const Conversion& done = *converted;
    write_text(options.output, done.text);
    for (const std::string& note : done.notes) {
        if (!options.json) fmt::print(stderr, "note: {}\n", note);
    }
    if (options.output == "-") return ExitCode::done;
    const NetSize size = size_of(done.net);
    if (options.json) {
        nlohmann::ordered_json report = {{"file", options.output}, {"net", done.net.id()}};
        report.update(to_json(size));
        report["keeps"] = {{"interleaving", done.keeps_unstable}, {"maximal", done.keeps_maximal_steps}};
        if (!done.keeps_unstable) report["keeps"]["stable_markings"] = true;
        report["notes"] = done.notes;
        fmt::print("{}\n", report.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    } else {
        fmt::print("{}: {}\n", options.output, to_text(size));
    }
    return ExitCode::done;
}

void add_format(Command& command, const std::string& flag, std::optional<NetFormat>& target,
                const std::string& help) {
    command
        .add_option_function<std::string>(
            flag,
            [&target, flag](const std::string& text) {
                for (const NetFormat format :
                     {NetFormat::pnml, NetFormat::lola, NetFormat::tina, NetFormat::aut}) {
                    if (text == to_string(format)) target = format;
                }
                if (!target) throw UsageError(flag, "expected pnml|lola|tina|aut, found '" + text + "'");
            },
            help)
        .type_name("pnml|lola|tina|aut");
}

}  // namespace

void add_convert(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<ConvertFlags>();
    options->explore.max_states = 10'000'000;
    Command command = program.add_subcommand(
        "convert", "Rewrite a net: PNML, LoLA, Tina, Aldebaran; without inhibitor or read arcs");
    command
        .add_option(
            "net", options->net,
            "A file; FILE.lola, FILE.net (Tina) and FILE.aut are told by their names; '-': standard input")
        .required()
        .type_name("NET");
    command.add_option("-o,--output", options->output, "The file to write; '-': standard output")
        .type_name("FILE.{pnml,lola,net,aut}")
        .capture_default_str();
    add_format(command, "--from", options->from, "The format of the input, whatever its name");
    add_format(command, "--to", options->to, "The format to write, whatever the name");
    add_choice(command, "--pnml", options->flavour,
               "compat: most tools read it; strict: plain ISO 15909-2, inhibitor arcs replaced; pipe: PIPE's "
               "dialect",
               {PnmlFlavour::compat, PnmlFlavour::strict, PnmlFlavour::pipe});
    command.add_flag("--plain", options->plain,
                     "Replace inhibitor arcs by complement places (strict PNML and LoLA imply it)");
    command.add_flag("--loops", options->loops, "Replace read arcs by loops (LoLA implies it)");
    command.add_flag("--timed-only", options->timed_only,
                     "Replace immediate transitions: timed ones go at once where those led; the same stable "
                     "markings under interleaving");
    command.add_flag("--ordinary", options->ordinary,
                     "Unfold places with arc weights above 1, one place for each number of tokens");
    command
        .add_option_function<std::string>(
            "--bound",
            [options](const std::string& text) {
                const auto value = parse_number<std::int64_t>(text);
                check_range("--bound", text, value, 1, max_tokens);
                options->bound = *value;
            },
            "The most tokens of each inhibiting place, not checked; default: from P-invariants or an "
            "exploration")
        .type_name("N");
    add_number(command, "--max-states", options->explore.max_states, "Of explorations for bounds and .aut",
               std::uint64_t{1});
    add_json(command, options->json);
    command.footer(
        "Examples:\n"
        "  warpnet convert kernel.pnml --pnml strict -o plain.pnml\n"
        "  warpnet convert phil.pnml -o phil.lola\n"
        "  warpnet convert model.net -o model.pnml\n"
        "  warpnet convert phil.pnml -o states.aut && warpnet convert states.aut -o machine.pnml\n"
        "\n"
        "--timed-only asks up to 200,000 reachable markings where the arcs alone do not tell. It refuses\n"
        "immediate transitions that go on for ever, lead from the initial marking to several stable ones,\n"
        "or go more than 100,000 ways.\n"
        "Pages and references are unfolded, ids become letters, digits and '_'. High-level nets are "
        "refused.");
    command.callback([options, &exit_code] { exit_code = convert(*options); });
}

}  // namespace warpnet::cli
