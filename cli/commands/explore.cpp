// `explore`: figures of all reachable markings, or answers to questions. A graph is written only if its text
// fits into the memory limit together with the states.

#include "analysis/states/explore/coverability_graph.hpp"
#include "analysis/states/explore/state_graph_text.hpp"
#include "analysis/states/properties/ask.hpp"
#include "analysis/states/properties/figures.hpp"
#include "analysis/states/properties/to_json.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/explore_flags.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/output_file.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/output/notes.hpp"
#include "cli/report/texts.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/process.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/team.hpp"
#include "engine/base/to_json.hpp"
#include "engine/base/with_threads.hpp"
#include "engine/net/error.hpp"

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

constexpr std::uint64_t states_of_a_picture = 10'000;

void expect_picture(const std::string& file, std::uint64_t states) {
    if (states > states_of_a_picture)
        throw InputError(fmt::format(
            "{}: {} states are too many for a picture; expected at most {} (or a file that ends in .aut)",
            file, states, states_of_a_picture));
}

void note_no_graph(const std::string& file) {
    print_note("note: {} is not written: the graph is incomplete\n", file);
}

WorkEnd write_graph(const ExploreFlags& flags, const Net& net, const states::Exploration& states,
                    const states::StepGraph& graph, std::uint64_t memory) {
    const bool dot = is_dot(flags.graph_file);
    const std::uint64_t text = dot ? 0 : states::state_graph_aut_bytes(net, states);
    if (states.space.bytes() + states::StepGraph::bytes(states) + text > memory) return WorkEnd::memory_limit;
    if (dot) expect_picture(flags.graph_file, states.space.size());
    const auto graph_text = dot ? states::state_graph_dot : states::state_graph_aut;
    write_text(flags.graph_file, graph_text(net, compile(net), flags.explore.semantics, states, graph));
    return WorkEnd::complete;
}

/// Writes the schedule if there is one, and the answer as JSON or text. `without` is the reason for none.
void print(const ExploreFlags& flags, const Net& net, const std::optional<Schedule>& schedule,
           std::string_view without, std::optional<WorkEnd> stop, const nlohmann::ordered_json& json,
           const std::string& text) {
    if (!flags.schedule_file.empty() && schedule) write_schedule(flags.schedule_file, net, *schedule);
    if (!flags.schedule_file.empty() && !schedule)
        print_note("note: {} is not written: {}\n", flags.schedule_file, without);
    if (takes_standard_output({flags.schedule_file}, flags.common.json)) return;
    AnswerHead head{"explore", flags.common.seed, {}};
    if (stop) head.add(*stop);
    if (flags.common.json) return print_answer(json_answer(head, json));
    print_verdict(text, "  answer");
}

/// `run` calls a function on the threads of the command, with a progress line.
template <class Run>
ExitCode print_answers(const ExploreFlags& flags, const Net& net, const Run& run) {
    const std::vector<Property> properties = properties_of(flags.questions, net);
    const bool single = flags.questions.file.empty();
    states::AskOptions options;
    options.explore = flags.explore;
    options.engine = flags.engine;
    options.witnesses = single;
    options.seed = flags.common.seed;
    options.symmetry = flags.wants_symmetry();
    leave_out(flags.questions.without, options);
    const states::Answers answers = run([&] { return states::ask(net, properties, options); });
    if (!ranks::leads(flags.explore.ranks)) return ExitCode::done;
    const Semantics semantics = flags.explore.semantics;
    const PropertyReport report{net, semantics, properties, answers};
    print(flags, net, single ? states::witness_of(properties.front(), answers.of.front()) : std::nullopt,
          single && !answers.of.front().known() ? "the answer is not known" : "no path proves the answer",
          answers.stop, to_json(net, semantics, properties, answers, single), property_text(report, single));
    return exit_code_of(report);
}

template <class Run>
ExitCode print_figures(const ExploreFlags& flags, const Net& net, const Run& run) {
    states::FigureOptions options;
    options.explore = flags.explore;
    options.engine = flags.symmetric || flags.plain ? states::ExploreEngine::one_by_one : flags.engine;
    options.symmetric = flags.wants_symmetry();
    options.liveness = flags.liveness;
    options.dead_markings = flags.dead_markings;
    if (!flags.graph_file.empty())
        options.use_graph = [&](const states::Exploration& states, const states::StepGraph& graph,
                                std::uint64_t memory) {
            return write_graph(flags, net, states, graph, memory);
        };
    const states::StateFigures figures = run([&] { return states::explore(net, options); });
    if (!ranks::leads(flags.explore.ranks)) return ExitCode::done;
    const WorkEnd stop = figures.complete() ? figures.graph_stop.value_or(figures.stop) : figures.stop;
    if (!flags.graph_file.empty() && stop != WorkEnd::complete) note_no_graph(flags.graph_file);
    print(flags, net, figures.to_deadlock,
          figures.complete() ? "there is no deadlock" : "no deadlock was found", stop, to_json(net, figures),
          explore_text(net, figures, flags.bounds));
    return exit_code_of(figures);
}

/// A graph that a limit has cut off is not written.
template <class Run>
ExitCode print_coverability(const ExploreFlags& flags, const Net& net, const Run& run) {
    const CompiledNet compiled = compile(net);
    const states::CoverabilityGraph graph = run(
        [&] { return states::coverability_graph(compiled, flags.explore.max_states, flags.explore.limits); });
    if (graph.complete()) {
        const bool dot = is_dot(flags.coverability_file);
        if (dot) expect_picture(flags.coverability_file, graph.nodes.size());
        write_text(flags.coverability_file, dot ? states::coverability_graph_dot(net, graph)
                                                : states::coverability_graph_aut(net, graph));
    } else {
        note_no_graph(flags.coverability_file);
    }
    print(flags, net, std::nullopt, "", graph.stop, to_json(net, graph), coverability_text(net, graph));
    return exit_code_of(graph);
}

ExitCode explore_command(ExploreFlags flags) {
    const auto team = open_team();
    check(flags, team->size());
    ranks::Collectives ranks(*team);
    if (ranks.size() > 1) flags.explore.ranks = &ranks;
    const Net net = read_shared_net(ranks, flags.net);
    if (flags.engine == states::ExploreEngine::diagrams && !states::has_diagram(compile(net)))
        throw InputError(
            fmt::format("{}: expected a net without immediate transitions and priorities, of at "
                        "most 10,000 places, for --engine dd",
                        flags.net));
    const Interrupt interrupt;
    std::atomic<std::uint64_t> found = 0;
    flags.explore.found = &found;
    limit_time(flags.explore.limits, flags.time_limit, interrupt);
    const auto run = [&](const auto& call) {
        return with_threads(threads_of(flags.common, ranks), [&] {
            const Progress progress({"states", 0, &found}, progress_lines_of(ranks));
            return call();
        });
    };
    if (!flags.coverability_file.empty()) return print_coverability(flags, net, run);
    return flags.questions.any() ? print_answers(flags, net, run) : print_figures(flags, net, run);
}

}  // namespace

void add_explore(Command& program, ExitCode& exit_code) {
    const auto flags = std::make_shared<ExploreFlags>();
    Command command = program.add_subcommand(
        "explore", "Every reachable marking: states, edges, deadlocks, bounds, liveness");
    add_explore_flags(command, *flags);
    command.callback([flags, &exit_code] { exit_code = explore_command(*flags); });
}

}  // namespace warpnet::cli
