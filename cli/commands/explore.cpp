#include "analysis/states/explore/explore.hpp"

#include "analysis/ranks/collectives.hpp"
#include "analysis/states/explore/dead_markings.hpp"
#include "analysis/states/explore/path_to.hpp"
#include "analysis/states/explore/state_graph_text.hpp"
#include "analysis/states/explore/step_graph.hpp"
#include "analysis/states/symmetry/net_symmetry.hpp"
#include "analysis/studies/files/schedule_csv.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/explore_by_diagram.hpp"
#include "cli/commands/explore_questions.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/report/explore_report.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/standard_output.hpp"
#include "cli/shell/team.hpp"
#include "engine/net/error.hpp"
#include "pnml/read_pnml.hpp"
#include "pnml/write_pnml.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace warpnet::cli {

namespace {

constexpr std::uint64_t few_edges = 2'000'000;  // up to here liveness is looked at unasked
constexpr std::uint64_t states_of_a_picture = 10'000;

constexpr std::uint64_t first_orbits = 20'000;  // explored one by one before a diagram is tried

struct ExploreFlags {
    CommonOptions common;
    std::string net;
    ExploreOptions explore;
    std::optional<std::chrono::milliseconds> time_limit;
    ExploreEngine engine = ExploreEngine::automatic;
    bool symmetric = false;
    bool plain = false;
    std::size_t dead_markings = 0;
    bool liveness = false;
    bool bounds = false;
    std::string graph_file;
    std::string schedule_file;
    ExploreQuestions questions;
};

bool is_divided(const ExploreFlags& options) { return options.explore.ranks != nullptr; }
bool leads(const ExploreFlags& options) { return !is_divided(options) || options.explore.ranks->rank() == 0; }

bool wants_dot(const ExploreFlags& options) {
    return std::filesystem::path(options.graph_file).extension() == ".dot";
}

bool wants_graph(const ExploreFlags& options) { return options.liveness || !options.graph_file.empty(); }

/// --max-states counts markings: of classes of them, some would be more than that.
bool wants_symmetry(const ExploreFlags& options) {
    const bool limited = options.explore.max_states != ExploreOptions().max_states;
    return options.symmetric || (!options.plain && !limited && options.dead_markings == 0);
}

/// Whether something is wanted that a diagram does not have.
bool needs_states(const ExploreFlags& options) {
    return wants_graph(options) || options.dead_markings > 0 || options.symmetric || options.plain ||
           !options.explore.scratch.empty() || options.explore.max_states != ExploreOptions().max_states;
}

void check(const ExploreFlags& options) {
    if (options.engine == ExploreEngine::diagrams) {
        if (options.explore.semantics != Semantics::interleaving)
            throw UsageError("--engine", "dd knows --semantics interleaving alone");
        if (needs_states(options) || options.questions.bounded || !options.questions.ctl.empty() ||
            !options.questions.live.empty())
            throw UsageError("--engine",
                             "dd leaves out --max-states, --scratch, --symmetric, --plain, --liveness, "
                             "--deadlocks, --graph, --bounded, --live and --ctl");
    }
    if (options.questions.any() &&
        (options.liveness || options.bounds || options.dead_markings > 0 || !options.graph_file.empty()))
        throw UsageError("explore", "a question leaves out --liveness, --bounds, --deadlocks and --graph");
    takes_standard_output({options.schedule_file}, options.common.json);  // before the work
    if (options.graph_file.empty() || wants_dot(options)) return;
    if (std::filesystem::path(options.graph_file).extension() == ".aut") return;
    throw UsageError("--graph",
                     "expected a file name that ends in .dot or .aut, found '" + options.graph_file + "'");
}

void check_ranks(const ExploreFlags& options, const Team& team) {
    if (team.size() == 1) return;
    const ExploreQuestions& asked = options.questions;
    if (wants_graph(options) || options.dead_markings > 0 || options.engine == ExploreEngine::diagrams ||
        asked.bounded || !(asked.ctl + asked.live + asked.file).empty())
        throw UsageError("explore",
                         "--liveness, --deadlocks, --graph, --engine dd, --bounded, --live, --ctl and "
                         "--properties are for "
                         "one process, without mpirun");
    if (team.size() > static_cast<int>(StateSpace::shard_count))
        throw UsageError("explore", fmt::format("the states can be divided among at most {} ranks, found {}",
                                                StateSpace::shard_count, team.size()));
}

void find_deadlock(const Net& net, const CompiledNet& compiled, const Exploration& explored,
                   const NetSymmetry* symmetry, ExploreReport& report, Collectives* ranks = nullptr) {
    if (!explored.deadlock) return;
    const StateId dead = *explored.deadlock;
    report.to_deadlock = path_to(compiled, report.semantics, explored.space, dead, symmetry, ranks);
    const Marking found = marking_of(explored.space, dead, ranks);
    if (ranks != nullptr && ranks->rank() > 0) return;
    const RunResult run = replay(compiled, net, *report.to_deadlock, report.semantics);
    report.dead_marking = run.marking;
    Marking kept = run.marking;
    if (symmetry != nullptr) symmetry->make_canonical(kept);
    if (run.reason != StopReason::dead || kept != found)
        throw std::logic_error("the path to a deadlock is not a run of the net");
}

std::string graph_text(const ExploreFlags& options, const Net& net, const CompiledNet& compiled,
                       const Exploration& explored, const StepGraph& graph) {
    if (!wants_dot(options))
        return state_graph_aut(net, compiled, options.explore.semantics, explored, graph);
    if (explored.space.size() > states_of_a_picture) {
        throw InputError(
            fmt::format("{}: a picture of {} states would show nothing; expected at most {} "
                        "(or a file that ends in .aut)",
                        options.graph_file, explored.space.size(), states_of_a_picture));
    }
    return state_graph_dot(net, compiled, options.explore.semantics, explored, graph);
}

/// Of the text of a graph, about: an edge has two numbers and the name of a transition or more.
std::uint64_t text_bytes(const ExploreFlags& options, const Net& net, const Exploration& explored) {
    if (wants_dot(options)) return 0;  // of few states
    std::uint64_t longest = 0;
    for (const Transition& transition : net.transitions())
        longest = std::max<std::uint64_t>(longest, transition.id.size());
    constexpr std::uint64_t numbers = 24;
    return explored.edges * (numbers + longest);
}

void study_graph(const ExploreFlags& options, const Net& net, const CompiledNet& compiled,
                 const Exploration& explored, ExploreReport& report) {
    const bool asked = wants_graph(options);
    if (!explored.complete() || (!asked && explored.edges > few_edges)) return;
    const auto give_up = [&](WorkEnd why) {
        if (asked) report.graph_stop = why;
    };
    if (explored.space.bytes() + StepGraph::bytes(explored) > options.explore.limits.memory)
        return give_up(WorkEnd::memory_limit);
    const std::optional<StepGraph> graph = step_graph(compiled, options.explore, explored);
    if (!graph) {
        return give_up(options.explore.limits.interrupted() ? WorkEnd::interrupted : WorkEnd::time_limit);
    }
    report.liveness = liveness(compiled, report.semantics, explored, *graph);
    report.lengths = run_lengths(*graph);
    if (options.graph_file.empty()) return;
    if (explored.space.bytes() + StepGraph::bytes(explored) + text_bytes(options, net, explored) >
        options.explore.limits.memory)
        return give_up(WorkEnd::memory_limit);
    write_text(options.graph_file, graph_text(options, net, compiled, explored, *graph));
}

/// What is known of all markings, one explored for all that are equivalent. The graph of all steps is built
/// on every marking by itself: which of them can reach which is not the same for all of a class.
Exploration explore_by_symmetry(const ExploreFlags& options, const Net& net, const CompiledNet& compiled,
                                const NetSymmetry& symmetry, ExploreReport& report) {
    ExploreOptions with = options.explore;
    with.symmetry = &symmetry;
    Exploration some = explore(compiled, with);
    report.orbits = {some.space_markings, symmetry.order(), symmetry.description()};
    if (some.complete() && (wants_graph(options) || some.edges <= few_edges)) {
        ExploreFlags rest = options;  // some is still there
        rest.explore.limits.memory -= std::min(rest.explore.limits.memory, some.space.bytes());
        Exploration all = explore(compiled, rest.explore);
        if (all.complete()) {
            study_graph(rest, net, compiled, all, report);
            find_deadlock(net, compiled, all, nullptr, report);
            return all;
        }
        if (wants_graph(options)) report.graph_stop = all.stop;
    }
    find_deadlock(net, compiled, some, &symmetry, report);
    return some;
}

StateFigures explore_divided(const ExploreFlags& options, const Net& net, const CompiledNet& compiled,
                             const NetSymmetry& symmetry, ExploreReport& report);

StateFigures explore_one_by_one(const ExploreFlags& options, const Net& net, const CompiledNet& compiled,
                                const NetSymmetry& symmetry, ExploreReport& report) {
    if (is_divided(options)) return explore_divided(options, net, compiled, symmetry, report);
    if (!symmetry.trivial()) return figures_of(explore_by_symmetry(options, net, compiled, symmetry, report));
    ExploreOptions with = options.explore;
    DeadMarkings dead(compiled, options.dead_markings);
    if (options.dead_markings > 0) with.watch = &dead;
    const Exploration result = explore(compiled, with);
    for (Marking& marking : dead.nearest()) {
        const std::optional<StateId> state = find_state(result.space, marking, nullptr);
        if (!state) continue;  // the first one beyond a limit
        Schedule way = path_to(compiled, report.semantics, result.space, *state);
        if (replay(compiled, net, way, report.semantics).marking != marking)
            throw std::logic_error("the path to a deadlock is not a run of the net");
        report.dead_markings.push_back({std::move(way), std::move(marking)});
    }
    study_graph(options, net, compiled, result, report);
    find_deadlock(net, compiled, result, nullptr, report);
    return figures_of(result);
}

/// The states divided among ranks. What needs the graph of all steps is looked at by rank 0 alone, which has
/// room for all states where that is done unasked.
StateFigures explore_divided(const ExploreFlags& options, const Net& net, const CompiledNet& compiled,
                             const NetSymmetry& symmetry, ExploreReport& report) {
    ExploreOptions with = options.explore;
    const NetSymmetry* const kept_by = symmetry.trivial() ? nullptr : &symmetry;
    with.symmetry = kept_by;
    const Exploration some = explore(compiled, with);
    if (some.complete() && some.edges <= few_edges) {
        ExploreFlags alone = options;
        alone.explore.ranks = nullptr;
        return leads(options) ? explore_one_by_one(alone, net, compiled, symmetry, report) : figures_of(some);
    }
    if (kept_by != nullptr) report.orbits = {some.space_markings, symmetry.order(), symmetry.description()};
    find_deadlock(net, compiled, some, kept_by, report, options.explore.ranks);
    return figures_of(some);
}

/// What rank 0 says, on all ranks.
bool on_rank_0(const ExploreFlags& options, bool answer) {
    if (!is_divided(options)) return answer;
    return !options.explore.ranks->broadcast(0, answer ? "yes" : "").empty();
}

/// The net on all ranks, which need not have its file.
Net read_net_of_rank_0(const std::string& path, Collectives& ranks) {
    if (ranks.size() == 1) return read_net(path);
    if (ranks.rank() > 0) return read_pnml(ranks.broadcast(0, ""), "the net of rank 0");
    Net net = read_net(path);
    ranks.broadcast(0, write_pnml(net));
    return net;
}

StateFigures explore_all(const ExploreFlags& options, const Net& net, const CompiledNet& compiled,
                         ExploreReport& report) {
    if (options.engine == ExploreEngine::diagrams)
        return explore_by_diagram(options.explore.limits, net, compiled, report);
    const NetSymmetry symmetry = wants_symmetry(options) ? find_symmetry(net) : NetSymmetry();
    if (options.engine == ExploreEngine::automatic && options.explore.semantics == Semantics::interleaving &&
        has_diagram(compiled) && !needs_states(options)) {
        ExploreFlags first = options;
        first.explore.max_states = symmetry.trivial() ? states_before_diagram : first_orbits;
        ExploreReport first_report = report;
        StateFigures few = explore_one_by_one(first, net, compiled, symmetry, first_report);
        if (few.stop != WorkEnd::state_limit) {
            report = first_report;
            return few;
        }
        StateFigures all;
        if (leads(options)) all = explore_by_quick_diagram(options.explore.limits, net, compiled, report);
        if (on_rank_0(options, all.complete())) return all;
        if (on_rank_0(options, stays_with(few, options.explore.limits))) {
            report = first_report;
            return few;
        }
    }
    return explore_one_by_one(options, net, compiled, symmetry, report);
}

ExitCode explore_command(ExploreFlags options) {
    check(options);
    const auto team = open_team();
    check_ranks(options, *team);
    Collectives ranks(*team);
    if (ranks.size() > 1) options.explore.ranks = &ranks;
    const Net net = read_net_of_rank_0(options.net, ranks);
    const CompiledNet compiled = compile(net);
    if (options.engine == ExploreEngine::diagrams && !has_diagram(compiled))
        throw InputError(
            fmt::format("{}: expected a net without immediate transitions and priorities, of at "
                        "most 10,000 places, for --engine dd",
                        options.net));
    const Interrupt interrupt;
    std::atomic<std::uint64_t> found = 0;
    options.explore.found = &found;
    limit_time(options.explore.limits, options.time_limit, interrupt);
    const int asked = threads_of(options.common, *team);
    const int threads = asked > 0 ? asked : tbb::this_task_arena::max_concurrency();
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    if (options.questions.any()) {
        return arena.execute([&] {
            const Progress progress("states", 0, found, progress_lines_of(*team));
            return ask(net, compiled, options.questions,
                       {options.explore, options.engine, options.common.json, options.common.seed,
                        options.schedule_file, wants_symmetry(options)});
        });
    }
    ExploreReport report{.semantics = options.explore.semantics, .all_bounds = options.bounds};
    const StateFigures figures = arena.execute([&] {
        const Progress progress("states", 0, found, progress_lines_of(*team));
        return explore_all(options, net, compiled, report);
    });
    if (team->rank() > 0) return ExitCode::done;
    if (!options.schedule_file.empty() && report.to_deadlock)
        write_text(options.schedule_file, write_schedule_csv(net, *report.to_deadlock));
    if (!takes_standard_output({options.schedule_file}, options.common.json))
        print_answer(options.common.json ? explore_json(net, figures, report)
                                         : explore_text(net, figures, report));
    return exit_code_of(figures, report);
}

}  // namespace

void add_explore(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<ExploreFlags>();
    Command command = program.add_subcommand(
        "explore", "Every reachable marking: states, edges, deadlocks, bounds, liveness");
    command.add_option("net", options->net, "A PNML file; FILE#ID: one of its nets; '-': standard input")
        .required()
        .type_name("NET");
    add_choice(command, "--semantics", options->explore.semantics, "What one step is",
               {Semantics::interleaving, Semantics::maximal, Semantics::multiset});
    add_choice(command, "--engine", options->engine,
               "Who looks at the states: explicit, one by one; dd, all at once by a decision diagram, of "
               "interleaving; auto, a diagram where there are more than ten million of them and it is quick",
               {ExploreEngine::automatic, ExploreEngine::one_by_one, ExploreEngine::diagrams});
    add_number(command, "--max-states", options->explore.max_states,
               "Keep no more states than this; each by itself without --symmetric", std::uint64_t{1});
    command.add_option("--memory", options->explore.limits.memory, "Stop at so much memory; default 4G")
        .as_size()
        .type_name("BYTES");
    command
        .add_option("--scratch", options->explore.scratch,
                    "A folder for the states: --memory then limits only what finds them, 6 to 12 bytes a "
                    "state; nothing is left there")
        .existing_directory()
        .type_name("DIR");
    add_duration(command, "--time-limit", options->time_limit,
                 "Stop after so much time, e.g. 30s; the figures then depend on the machine");
    Option symmetric = command.add_flag("--symmetric", options->symmetric,
                                        "Keep one state for all that differ by a permutation of equal parts; "
                                        "so unless --max-states is given");
    Option plain = command.add_flag("--plain", options->plain, "Keep every state by itself");
    symmetric.excludes(plain);
    plain.excludes(symmetric);
    command.add_flag("--liveness", options->liveness,
                     "Live transitions, home states, longest and shortest run, however many states there are "
                     "(up to 2 million edges they are found unasked)");
    add_number(command, "--deadlocks", options->dead_markings,
               "List so many dead markings, nearest first, each with a shortest path", std::size_t{1},
               std::size_t{100'000})
        .excludes(symmetric);
    command.add_flag("--bounds", options->bounds, "Show the bound of each place (--json always does)");
    add_output(command, "--schedule", options->schedule_file, "csv",
               "Write a shortest path to a deadlock, or what shows an answer, for 'run --replay'");
    command.add_option("--graph", options->graph_file, "Write the state graph: Aldebaran, or Graphviz text")
        .type_name("FILE.{aut,dot}");
    add_questions(command, options->questions);
    command.get_option("--schedule").excludes("--stable").excludes("--properties");
    add_common(command, options->common);
    command.footer(
        "Examples:\n"
        "  warpnet explore kernel.pnml --semantics maximal\n"
        "  warpnet explore mutex.pnml --graph mutex.dot && dot -Tsvg mutex.dot -o mutex.svg\n"
        "  warpnet explore phil.pnml --schedule path.csv && \\\n"
        "    warpnet run phil.pnml --semantics interleaving --replay path.csv\n"
        "  warpnet explore mutex.pnml --always 'critical1 + critical2 <= 1'\n"
        "  warpnet explore model.pnml --properties ReachabilityCardinality.xml\n"
        "\n"
        "Conditions are those of 'run --until' on places, with enabled(t), dead, and, or, not, ->; CTL adds "
        "EX AX "
        "EF AF\n"
        "EG AG, E(p U q), A(p U q).\n"
        "Interleaving figures are those of the Model Checking Contest's StateSpace examination. Exit code 4: "
        "a\n"
        "limit was reached; the figures are those of the part that was seen.\n"
        "Under 'mpirun -n N' the states are divided among N processes, --memory being that of each; not so\n"
        "--liveness, --deadlocks, --graph, --engine dd, --bounded, --live, --ctl and --properties.");
    command.callback([options, &exit_code] { exit_code = explore_command(*options); });
}

}  // namespace warpnet::cli
