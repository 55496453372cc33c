// The flags of `run`, and the rules for their combinations. A trace, a schedule or a replay is about one run,
// and an exact distribution about no run.

#include "analysis/studies/files/trace.hpp"
#include "analysis/studies/runs/run_study.hpp"
#include "cli/commands/run.hpp"
#include "cli/input/output_file.hpp"

#include <initializer_list>
#include <utility>
#include <vector>

namespace warpnet::cli {

namespace {

void refuse(std::initializer_list<std::pair<const char*, bool>> given, const char* why) {
    for (const auto& [flag, is_given] : given)
        if (is_given) throw UsageError(flag, why);
}

}  // namespace

void check(const RunFlags& flags) {
    const bool trace = !flags.trace_file.empty(), schedule = !flags.schedule_file.empty(),
               replay = !flags.replay_file.empty(), resume = !flags.resume_file.empty();
    if (flags.exact && !flags.all_semantics) {
        constexpr const char* why = "--exact covers all runs under the random policy, and makes none";
        refuse({{"--runs", flags.runs != 1},
                {"--policy", flags.run.policy != Policy::random},
                {"--semantics", flags.run.semantics != Semantics::maximal},
                {"--until", !flags.until.empty()},
                {"--plain", flags.plain}},
               why);
        return refuse(flags.details, why);
    }
    if (flags.runs != 1)
        refuse({{"--trace", trace}, {"--write-schedule", schedule}, {"--replay", replay}},
               "applies to a single run; leave out --runs");
    if (trace && !studies::trace_format(flags.trace_file))
        throw UsageError("--trace", "expected a file name that ends in .csv, .json, .jsonl or .vcd, found '" +
                                        flags.trace_file + "'");
    if (replay) refuse({{"--until", !flags.until.empty()}}, "a replay ends at the last step of its schedule");
    if (trace || schedule || replay)
        refuse({{"--resume", resume}}, "saves the results of runs, not the steps of one run");
    if (flags.statistics && flags.runs == 1)
        refuse({{"--resume", resume}}, "does not save the --statistics of a single run");
    if (flags.net == "-" && flags.replay_file == "-")
        throw UsageError("--replay", "the standard input is already the net");
    if (!flags.all_semantics) return;
    constexpr const char* why = "requires a single semantics, found --semantics all";
    refuse({{"--exact", flags.exact}}, why);
    refuse(flags.details, why);
}

void add_run_flags(Command& command, RunFlags& flags) {
    command.add_option("net", flags.net, "A PNML file; FILE#ID: one of its nets; '-': standard input", "NET")
        .required();
    add_number(command, "-n,--runs", flags.runs, "Number of runs", std::uint64_t{1});
    add_number(command, "--first-run", flags.run.run,
               "Number of the first run: run R of a seed is the same run in every experiment");
    std::vector<std::string> names(studies::each_semantics.size());
    std::transform(studies::each_semantics.begin(), studies::each_semantics.end(), names.begin(),
                   [](Semantics semantics) { return std::string(to_string(semantics)); });
    names.emplace_back("all");
    add_named_choice(command, "--semantics", "Semantics of a step; all: the three side by side",
                     std::string(to_string(flags.run.semantics)), names, [&flags](std::size_t chosen) {
                         flags.all_semantics = chosen == studies::each_semantics.size();
                         if (!flags.all_semantics) flags.run.semantics = studies::each_semantics[chosen];
                     });
    add_choice(
        command, "--policy", flags.run.policy,
        "Conflict-resolution policy; gto: greedy then oldest; lrr: loose round-robin over the ready warps",
        {Policy::random, Policy::first, Policy::last, Policy::round_robin, Policy::gto, Policy::lrr});
    add_number(command, "--max-steps", flags.run.max_steps, "Stop a run after this many steps");
    add_duration(command, "--time-limit", flags.time_limit, "Stop after this time, e.g. 500ms, 30s, 2m");
    command
        .add_option_function<std::string>(
            "--until",
            [&flags](const std::string& text) {
                if (text.find_first_not_of(" \t\n") == std::string::npos)
                    throw UsageError("--until", "expected a condition, found none");
                flags.until = text;
            },
            "Stop a run in the first marking where this holds, e.g. 'p > 3 and (q = 0 or t >= 2)': "
            "the id of a place is its number of tokens, the id of a transition its firings so far")
        .type_name("CONDITION");
    Option exact = command.add_flag(
        "--exact", flags.exact,
        "Instead of runs: the exact distribution of the step count under the random policy, for "
        "small nets");
    command
        .add_option_function<std::string>(
            "--write-chain",
            [&flags](const std::string& file) {
                if (!file.ends_with(".tra")) expect_ending("--write-chain", file, "drn or .tra");
                flags.chain_file = file;
            },
            "Write the Markov chain of the steps, from which Storm (.drn) or PRISM (.tra, with .lab, .sta "
            "and .srew next to it; use its explicit engine, -ex) computes the distribution")
        .type_name("FILE.{drn,tra}")
        .needs(exact);
    command
        .add_option(
            "--memory", flags.memory,
            "Limit for --exact and for the results of runs: beyond it, no further run starts; default 4G")
        .as_size()
        .type_name("BYTES");
    command.add_flag("--tail", flags.tail,
                     "Quantiles of many runs, and a fit to the longest of them (extreme-value "
                     "distributions): probabilistic, not a bound");
    command.add_flag("--statistics", flags.statistics,
                     "Show the tokens of each place (mean and maximum), the share of steps in which it has "
                     "any, and the firings of each transition in a run; for places that parts share, such as "
                     "schedulers, also their utilisation and the share of steps in which none is in use");
    command.add_flag("--marking", flags.marking, "Show the last marking");
    command.add_flag("--counts", flags.counts, "Show the firings of each transition");
    Option all =
        command.add_flag("--all", flags.all, "With --json: list all results, not only the first 1000");
    command.add_option("--trace", flags.trace_file,
                       "Write each step of a single run: what fired, and the marking after it; .vcd opens in "
                       "waveform viewers such as GTKWave",
                       "FILE.{csv,json,jsonl,vcd}");
    add_schedule_output(command, flags.schedule_file,
                        "Write what fired in each step of a single run, for --replay");
    Option replay = command.add_option(
        "--replay", flags.replay_file,
        "Follow a schedule (columns step,immediate,transition) and check each of its steps", "FILE.csv");
    command.add_option("--resume", flags.resume_file,
                       "Continue the runs in this file if it exists, and save them there", "FILE");
    add_duration(command, "--save-every", flags.save_every, "How often --resume saves; default 10s")
        .needs("--resume");
    command.add_flag("--plain", flags.plain, "Use the reference executor: slow, and easy to check");
    command.add_flag("--keyed", flags.run.keyed,
                     "Make random choices by hash, so that --plain makes identical runs");
    add_common(command, flags.common);
    for (const char* of_random_runs : {"--first-run", "--seed", "--keyed"}) {
        exact.excludes(of_random_runs);
        replay.excludes(of_random_runs);
    }
    for (const char* detail : {"--trace", "--write-schedule", "--replay", "--resume", "--tail",
                               "--statistics", "--marking", "--counts"})
        flags.details.push_back(command.get_option(detail));
    exact.excludes(all);
    all.needs("--json");
    for (const char* of_runs : {"--policy", "--max-steps", "--plain", "--tail"}) replay.excludes(of_runs);
    command.footer(
        "Examples:\n"
        "  warpnet run kernel.pnml\n"
        "  warpnet run kernel.pnml --runs 1000 --seed 7 --json\n"
        "  warpnet run kernel.pnml --write-schedule witness.csv && warpnet run kernel.pnml --replay "
        "witness.csv\n"
        "  warpnet run small.pnml --exact\n"
        "  warpnet run kernel.pnml --runs 10000 --tail\n"
        "  warpnet run kernel.pnml --runs 1000 --until 'w1_active = 0 or w2_active = 0'\n"
        "  warpnet run kernel.pnml --trace kernel.vcd && gtkwave kernel.vcd\n"
        "  mpirun -n 4 warpnet run kernel.pnml --runs 1000000 --resume kernel.runs\n"
        "  warpnet run mutex.pnml --semantics interleaving --max-steps 100000 --counts\n"
        "\n"
        "Exit code 4: a run stopped at a limit before the net was dead, the condition held or the schedule "
        "ended.");
}

}  // namespace warpnet::cli
