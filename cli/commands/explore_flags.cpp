// The flags of `explore`. They are checked before any work: a decision diagram has no single states, a
// question has no figures, and ranks support only work that exploration divides.

#include "cli/commands/explore_flags.hpp"

#include "cli/input/command.hpp"
#include "cli/input/output_file.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

bool wants_graph(const ExploreFlags& flags) { return flags.liveness || !flags.graph_file.empty(); }

void add_graph_output(Command& command, const std::string& flag, std::string& file, const std::string& help) {
    command
        .add_option_function<std::string>(
            flag,
            [flag, &file](const std::string& given) {
                if (!is_dot(given) && std::filesystem::path(given).extension() != ".aut")
                    throw UsageError(flag,
                                     "expected a file name that ends in .dot or .aut, found '" + given + "'");
                file = given;
            },
            help)
        .type_name("FILE.{aut,dot}");
}

/// Whether a flag needs single states, which a diagram does not have.
bool needs_single_markings(const ExploreFlags& flags) {
    return wants_graph(flags) || flags.dead_markings > 0 || flags.symmetric || flags.plain ||
           !flags.explore.scratch.empty();
}

bool needs_states(const ExploreFlags& flags) {
    return needs_single_markings(flags) || flags.explore.max_states != states::ExploreOptions().max_states;
}

/// The flags that a coverability graph has no use for.
void check_coverability(const ExploreFlags& flags) {
    if (flags.coverability_file.empty()) return;
    if (needs_single_markings(flags) || flags.bounds || !flags.schedule_file.empty() ||
        flags.questions.any() || flags.engine != states::ExploreEngine::automatic ||
        flags.explore.semantics != Semantics::interleaving)
        throw UsageError("--coverability",
                         "can be combined only with --max-states, --memory, --time-limit and --json");
}

void check_flags(const ExploreFlags& flags) {
    check_coverability(flags);
    if (flags.engine == states::ExploreEngine::diagrams) {
        if (flags.explore.semantics != Semantics::interleaving)
            throw UsageError("--engine", "dd supports only --semantics interleaving");
        if (needs_states(flags) || flags.questions.bounded)
            throw UsageError("--engine",
                             "dd does not support --max-states, --scratch, --symmetric, --plain, --liveness, "
                             "--deadlocks, --graph or --bounded");
    }
    if (flags.questions.any() &&
        (flags.liveness || flags.bounds || flags.dead_markings > 0 || !flags.graph_file.empty()))
        throw UsageError("explore",
                         "a question cannot be combined with --liveness, --bounds, --deadlocks or --graph");
    takes_standard_output({flags.schedule_file}, flags.common.json);  // before the work
}

void check_ranks(const ExploreFlags& flags, int ranks) {
    if (ranks == 1) return;
    const ExploreQuestions& asked = flags.questions;
    if (wants_graph(flags) || !flags.coverability_file.empty() || flags.dead_markings > 0 ||
        flags.engine == states::ExploreEngine::diagrams || asked.bounded || asked.reversible ||
        !(asked.home + asked.ctl + asked.live + asked.file).empty())
        throw UsageError("explore",
                         "--liveness, --deadlocks, --graph, --coverability, --engine dd, --bounded, --live, "
                         "--reversible, --home, --ctl and --properties are for one process, without mpirun");
    if (ranks > static_cast<int>(states::StateSpace::shard_count))
        throw UsageError("explore", fmt::format("the states can be divided among at most {} ranks, found {}",
                                                states::StateSpace::shard_count, ranks));
}

}  // namespace

bool is_dot(const std::string& file) { return std::filesystem::path(file).extension() == ".dot"; }

bool ExploreFlags::wants_symmetry() const {
    const bool limited = explore.max_states != states::ExploreOptions().max_states;
    return symmetric || (!plain && !limited && dead_markings == 0);
}

void check(const ExploreFlags& flags, int ranks) {
    check_flags(flags);
    check_ranks(flags, ranks);
}

void add_explore_flags(Command& command, ExploreFlags& flags) {
    command.add_option("net", flags.net, "A PNML file; FILE#ID: one of its nets; '-': standard input")
        .required()
        .type_name("NET");
    add_choice(command, "--semantics", flags.explore.semantics, "Semantics of a step",
               {Semantics::interleaving, Semantics::maximal, Semantics::multiset});
    add_choice(command, "--engine", flags.engine,
               "How states are visited. explicit: one by one; dd: all at once in a decision diagram, only "
               "under interleaving; auto: a diagram if it is quick and there are more than two million edges "
               "(more with equal parts)",
               {states::ExploreEngine::automatic, states::ExploreEngine::one_by_one,
                states::ExploreEngine::diagrams});
    add_number(command, "--max-states", flags.explore.max_states,
               "Store at most this many states, and each one separately unless --symmetric is given",
               std::uint64_t{1});
    command
        .add_option("--memory", flags.explore.limits.memory,
                    "Stop when this much memory is in use; default 4G")
        .as_size()
        .type_name("BYTES");
    command
        .add_option("--scratch", flags.explore.scratch,
                    "A folder for the states: --memory then limits only their index, 6 to 12 bytes per "
                    "state; no file is left there")
        .existing_directory()
        .type_name("DIR");
    add_duration(command, "--time-limit", flags.time_limit,
                 "Stop after this wall-clock time, e.g. 30s; the figures then depend on the machine");
    Option symmetric = command.add_flag("--symmetric", flags.symmetric,
                                        "Store one state for all that differ by a permutation of equal "
                                        "parts; always on unless --max-states is given");
    Option plain = command.add_flag("--plain", flags.plain, "Store every state separately");
    symmetric.excludes(plain);
    plain.excludes(symmetric);
    command.add_flag("--liveness", flags.liveness,
                     "Compute live transitions, home states, and the longest and shortest run for any number "
                     "of states (without it, for up to 2 million edges)");
    add_number(command, "--deadlocks", flags.dead_markings,
               "List this many dead markings, nearest first, each with a shortest path", std::size_t{1},
               std::size_t{100'000})
        .excludes(symmetric);
    command.add_flag("--bounds", flags.bounds, "Show the bound of each place (--json always does)");
    add_schedule_output(
        command, flags.schedule_file,
        "Write a shortest path to a deadlock, or the witness of an answer, for 'run --replay'");
    add_graph_output(command, "--graph", flags.graph_file,
                     "Write the state graph: Aldebaran, or Graphviz text");
    add_graph_output(command, "--coverability", flags.coverability_file,
                     "Write the coverability graph; ω marks places that can hold any number of tokens");
    add_questions(command, flags.questions);
    command.get_option("--write-schedule").excludes("--stable").excludes("--properties");
    add_common(command, flags.common);
    command.footer(
        "Examples:\n"
        "  warpnet explore kernel.pnml --semantics maximal\n"
        "  warpnet explore mutex.pnml --graph mutex.dot && dot -Tsvg mutex.dot -o mutex.svg\n"
        "  warpnet explore phil.pnml --write-schedule path.csv\n"
        "  warpnet run phil.pnml --semantics interleaving --replay path.csv\n"
        "  warpnet explore mutex.pnml --always 'critical1 + critical2 <= 1'\n"
        "  warpnet explore model.pnml --properties ReachabilityCardinality.xml\n"
        "\n"
        "Conditions are those of 'run --until' on places, with enabled(t), dead, and, or, not, ->; CTL adds "
        "EX AX "
        "EF AF\n"
        "EG AG, E(p U q), A(p U q).\n"
        "Interleaving figures are those of the Model Checking Contest's StateSpace examination. Exit code 4: "
        "a\n"
        "limit was reached; the figures are those of the visited part.\n"
        "Under 'mpirun -n N' the states are divided among N processes, and --memory applies to each "
        "process;\n"
        "--liveness, --deadlocks, --graph, --coverability, --engine dd, --bounded, --live, --reversible,\n"
        "--home, --ctl and --properties are rejected there.");
}

}  // namespace warpnet::cli
