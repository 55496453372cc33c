#include "analysis/studies/runs/run_study.hpp"
#include "analysis/worst/worst_case.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/input/swept_range.hpp"
#include "cli/report/sweep_report.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/standard_output.hpp"
#include "engine/executors/modules/shared_places.hpp"
#include "engine/net/net.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

struct SweepFlags {
    CommonOptions common;
    std::string family;
    RunOptions run;
    std::uint64_t runs = 100;
    bool statistics = false;
    bool worst = false;
    bool bound = false;
    std::optional<std::uint64_t> iterations;
    std::optional<std::chrono::milliseconds> time_limit;
    std::string csv_file;
    std::string plot_file;
    PictureStyle style;
};

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// What `generate` makes of such a command line.
Net generated_net(const std::vector<std::string>& arguments) {
    ExitCode ignored = ExitCode::done;
    std::optional<Net> net;
    run_command_line(
        [&](Command& generate) {
            add_generate_blocks(generate, ignored, &net);
            add_generate_cfg(generate, ignored, &net);
            add_generate_kernel(generate, ignored, &net);
            add_generate_sm(generate, ignored, &net);
            add_generate_warps(generate, ignored, &net);
        },
        arguments);
    return std::move(net).value();
}

/// The places that parts share in any of the nets: one warp shares no scheduler, two do.
std::vector<std::string> shared_by_parts(const std::vector<Net>& nets) {
    std::vector<std::string> ids;
    for (const Net& net : nets) {
        for (const std::uint32_t hub : shared_places(compile(net))) {
            const std::string& id = net.places()[hub].id;
            if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
        }
    }
    return ids;
}

/// Runs of one net, and what they use of these places.
void add_runs(const SweepFlags& options, const Net& net, const std::vector<std::string>& hubs,
              const Deadline& deadline, const Interrupt& interrupt, SweepRow& row) {
    std::atomic<std::uint64_t> finished = 0;
    RunStudyOptions study{.statistics = options.statistics};
    ManyOptions& many = study.runs.many;
    many.run = options.run;
    many.run.seed = options.common.seed;
    many.run.limits.deadline = deadline;
    many.run.limits.interrupt = &interrupt.flag();
    many.runs = options.runs;
    many.threads = options.common.threads;
    many.finished = &finished;
    const Progress progress("runs", options.runs, finished);
    const RunReport report = run_study(net, study);
    std::vector<RunResult> results = report.results;
    row.runs = results.size();
    std::erase_if(results, [](const RunResult& result) { return result.reason != StopReason::dead; });
    row.ended = results.size();
    if (!results.empty()) row.steps = statistics(results);
    if (!options.statistics) return;
    for (std::size_t p = 0; p < net.places().size(); ++p) {
        const std::string& id = net.places()[p].id;
        if (std::find(hubs.begin(), hubs.end(), id) == hubs.end()) continue;
        const PlaceStatistics place = report.statistics->place(p);
        const Tokens tokens = net.initial_marking()[p];
        row.hubs.push_back({id, static_cast<std::uint64_t>(tokens), place.in_use(tokens), place.idle});
    }
}

/// The bracket of the longest run, of any service order unless the policy fixes it.
void add_worst_case(const SweepFlags& options, const Net& net, const Deadline& deadline,
                    const Interrupt& interrupt, SweepRow& row) {
    WorstCaseOptions search;
    search.search = options.worst;
    search.iterations = options.iterations;
    search.max_steps = std::max(search.max_steps, options.run.max_steps);
    if (serves_parts(options.run.policy)) search.policy = options.run.policy;
    search.seed = options.common.seed;
    search.threads = options.common.threads;
    search.limits.deadline = deadline;
    search.limits.interrupt = &interrupt.flag();
    search.progress = progress_of("candidates");
    const WorstCase worst = worst_case(net, search);
    row.found = worst.found;
    row.upper = worst.bound;
    row.exact = worst.exact;
    row.machine = worst.machine;
    row.limit_reached = worst.limit_reached;
}

SweepRow row_of(const SweepFlags& options, std::int64_t value, const Net& net,
                const std::vector<std::string>& hubs, const Deadline& deadline, const Interrupt& interrupt) {
    SweepRow row;
    row.value = value;
    if (options.runs > 0) add_runs(options, net, hubs, deadline, interrupt, row);
    if ((options.worst || options.bound) && !interrupt.requested())
        add_worst_case(options, net, deadline, interrupt, row);
    return row;
}

ExitCode sweep(const SweepFlags& options, std::vector<std::string> family_arguments) {
    family_arguments.insert(family_arguments.begin(), options.family);
    if (options.statistics && options.runs == 0)
        throw UsageError("--statistics", "is about runs, and --runs 0 makes none");
    if (options.iterations && !options.worst) throw UsageError("--iterations", "belongs to --worst");
    const bool file_to_stdout =
        takes_standard_output({options.csv_file, options.plot_file}, options.common.json);
    Deadline deadline;
    if (options.time_limit) deadline = end_of(*options.time_limit);
    const SweptRange range = find_swept_range(family_arguments);
    // All nets first: what is wrong with the last value is said before work is done for the first.
    std::vector<Net> nets;
    for (const std::int64_t value : range.values) nets.push_back(generated_net(range.with(value)));
    const std::vector<std::string> hubs =
        options.statistics ? shared_by_parts(nets) : std::vector<std::string>();
    SweepReport report;
    report.family = options.family;
    report.parameter = range.name;
    report.multiplied = range.multiplied;
    report.policy = to_string(options.run.policy);
    report.seed = options.common.seed;
    report.runs = options.runs;
    report.values = range.values.size();
    report.statistics = options.statistics;
    report.found = options.worst;
    report.upper = options.worst || options.bound;
    const Interrupt interrupt;
    for (std::size_t i = 0; i < nets.size() && !interrupt.requested(); ++i) {
        if (deadline && std::chrono::steady_clock::now() >= *deadline) break;
        const Net net = std::move(nets[i]);  // nothing more is asked of it afterwards
        report.rows.push_back(row_of(options, range.values[i], net, hubs, deadline, interrupt));
    }
    report.interrupted = interrupt.requested();
    if (!options.csv_file.empty()) write_text(options.csv_file, sweep_csv(report));
    if (!options.plot_file.empty()) write_text(options.plot_file, sweep_svg(report, options.style));
    if (!file_to_stdout) print_answer(options.common.json ? sweep_json(report) : sweep_text(report));
    flush_standard_output();
    return exit_code_of(report);
}

}  // namespace

void add_sweep(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<SweepFlags>();
    Command command = program.add_subcommand(
        "sweep", "Runs and worst cases of a family of nets over a range of one parameter");
    command.add_option("family", options->family, "A family of 'generate'")
        .required()
        .one_of({"blocks", "cfg", "kernel", "sm", "warps"})
        .type_name("FAMILY");
    add_number(command, "--runs", options->runs, "Runs for each value; 0: none");
    const Option policy = add_choice(
        command, "--policy", options->run.policy, "Who wins a conflict, as in 'run'",
        {Policy::random, Policy::first, Policy::last, Policy::round_robin, Policy::gto, Policy::lrr});
    const Option max_steps =
        add_number(command, "--max-steps", options->run.max_steps, "Stop a run after so many steps");
    command.add_flag(
        "--statistics", options->statistics,
        "How much of the places where parts meet, such as the schedulers of an SM, is in use, and "
        "the share of the steps in which nothing of them is: idle");
    Option bound =
        command.add_flag("--bound", options->bound, "What no run exceeds, as 'worst --bound' certifies it");
    command
        .add_flag("--worst", options->worst,
                  "The longest run found and what no run exceeds, as 'worst' answers: seconds for each value")
        .excludes(bound);
    add_number(command, "--iterations", options->iterations,
               "With --worst: candidates that each chain of the search tries");
    add_duration(command, "--time-limit", options->time_limit,
                 "Of the whole command, e.g. 30s; values that were not begun by then are left out");
    add_output(command, "--csv", options->csv_file, "csv",
               "Write the table as CSV; '-': instead of the report");
    add_svg(command, "--plot", options->plot_file, "Draw it over the parameter; '-': instead of the report");
    add_style(command, options->style, "--plot");
    add_common(command, options->common);
    const Option seed = command.get_option("--seed");
    command.allow_others();
    command.footer(
        "All other arguments are those of 'warpnet generate FAMILY' (see its --help). One number among them "
        "is "
        "a range:\n"
        "  A..B          every whole number from A to B\n"
        "  A..B..STEP    every STEP-th\n"
        "  A..B..xF      A, A·F, A·F·F, … up to B\n"
        "\n"
        "Examples:\n"
        "  warpnet sweep warps --warps 1..16 --arith 20 --shared 5 --global 2 --statistics --plot "
        "hiding.svg\n"
        "  warpnet sweep warps --warps 4 --arith 20 --global 2 --global-latency 10..160..x2 --bound --csv -\n"
        "  warpnet sweep kernel --string LLCC --warps 1..8 --units C=1,L=1 --runs 0 --worst\n"
        "  warpnet sweep kernel --string LLCC --warps 8 --units C=1..4,L=1\n"
        "  warpnet sweep cfg kernel.json --optimal --units 1..6 --runs 1\n"
        "\n"
        "Exit code 4: a limit of time or steps was reached.");
    command.callback([=, &exit_code] {
        if (options->runs == 0 && max_steps.count() > 0)
            throw UsageError("--max-steps", "is about runs, and --runs 0 makes none");
        if (options->runs == 0 && policy.count() > 0 && !serves_parts(options->run.policy))
            throw UsageError("--policy", "decides the conflicts of runs, and --runs 0 makes none");
        if (options->runs == 0 && !options->worst && seed.count() > 0)
            throw UsageError("--seed", "is about runs and searches, and there are none");
        exit_code = sweep(*options, command.others());
    });
}

}  // namespace warpnet::cli
