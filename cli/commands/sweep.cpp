// `sweep`: all nets are generated before the first run, so an error in the last value costs no work.

#include "cli/commands/commands.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/input/swept_range.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/report/table_text.hpp"
#include "cli/report/texts.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/process.hpp"
#include "cli/shell/progress.hpp"
#include "engine/base/to_json.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

struct SweepFlags {
    CommonOptions common;
    std::string family;
    studies::SweepQuestions questions;
    std::optional<std::chrono::milliseconds> time_limit;
    std::string csv_file;
    std::string plot_file;
    pictures::PictureStyle style;
    TableFormat format = TableFormat::text;
};

ExitCode sweep(SweepFlags& flags, std::vector<std::string> family_arguments) {
    studies::SweepQuestions& questions = flags.questions;
    family_arguments.insert(family_arguments.begin(), flags.family);
    if (questions.statistics && questions.runs.runs == 0)
        throw UsageError("--statistics", "applies to runs, and --runs 0 makes none");
    if (questions.iterations && !questions.worst) throw UsageError("--iterations", "requires --worst");
    const bool file_to_stdout = takes_standard_output({flags.csv_file, flags.plot_file}, flags.common.json);
    const SweptRange range = find_swept_range(family_arguments);
    studies::SweptFamily family{flags.family, range.name, range.multiplied, range.values, {}};
    // All nets first: an error in the last value is reported before any run.
    for (const std::int64_t value : range.values) family.nets.push_back(generated_net(range.with(value)));
    questions.runs.run.seed = flags.common.seed;
    questions.runs.threads = flags.common.threads;
    questions.progress = progress_of();
    const Interrupt interrupt;
    limit_time(questions.runs.run.limits, flags.time_limit, interrupt);
    const studies::SweepReport report = studies::sweep_study(std::move(family), questions);
    if (!flags.csv_file.empty()) write_text(flags.csv_file, sweep_csv(report));
    if (!flags.plot_file.empty())
        write_text(flags.plot_file,
                   sweep_svg(report, fmt::format("{}", fmt::join(range.arguments, " ")), flags.style));
    AnswerHead head{"sweep", flags.common.seed, {}, report.interrupted};
    const ExitCode exit_code = exit_code_of(report);
    if (exit_code == ExitCode::limit)
        head.add_limit(questions.runs.run.limits.must_end() ? "time_limit" : "step_limit");
    if (!file_to_stdout)
        print_answer(flags.common.json                   ? json_answer(head, to_json(report))
                     : flags.format != TableFormat::text ? formatted_table(sweep_csv(report), flags.format)
                                                         : sweep_text(report));
    flush_standard_output();
    return exit_code;
}

}  // namespace

void add_sweep(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<SweepFlags>();
    studies::SweepQuestions& questions = options->questions;
    ManyOptions& runs = questions.runs;
    runs.runs = 100;
    Command command = program.add_subcommand(
        "sweep", "Runs and worst cases of a family of nets over a range of one parameter");
    command.add_option("family", options->family, "A family of 'generate'", "FAMILY")
        .required()
        .one_of({"blocks", "cfg", "kernel", "sm", "warps"});
    add_number(command, "-n,--runs", runs.runs, "Runs for each value; 0: none");
    const Option policy = add_choice(
        command, "--policy", runs.run.policy, "Conflict-resolution policy, as in 'run'",
        {Policy::random, Policy::first, Policy::last, Policy::round_robin, Policy::gto, Policy::lrr});
    const Option max_steps =
        add_number(command, "--max-steps", runs.run.max_steps, "Stop a run after this many steps");
    command.add_flag("--statistics", questions.statistics,
                     "Show the utilisation of the places that parts share, such as the schedulers of an SM, "
                     "and the share of steps in which they are idle");
    Option bound =
        command.add_flag("--bound", questions.bound, "The certified upper bound of 'worst --bound'");
    command
        .add_flag(
            "--worst", questions.worst,
            "The longest run found and the certified upper bound, as in 'worst'; takes seconds per value")
        .excludes(bound);
    add_number(command, "--iterations", questions.iterations,
               "With --worst: candidates that each chain of the search tries");
    add_duration(command, "--time-limit", options->time_limit,
                 "Time of the whole command, e.g. 30s; values not started by then are left out");
    add_output(command, "--csv", options->csv_file, "csv",
               "Write the table as CSV; '-': instead of the report");
    add_svg(command, "--plot", options->plot_file,
            "Draw the table over the parameter; '-': instead of the report");
    add_style(command, options->style, "--plot");
    add_common(command, options->common);
    add_table_format(command, options->format);
    const Option seed = command.get_option("--seed");
    command.allow_others();
    command.footer(
        "All other arguments are those of 'warpnet generate FAMILY' (see its --help). One number among them "
        "is a range:\n"
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
        const studies::SweepQuestions& wanted = options->questions;
        const bool no_runs = wanted.runs.runs == 0;
        if (no_runs) refuse({max_steps}, "applies to runs, and --runs 0 makes none");
        if (no_runs && !serves_parts(wanted.runs.run.policy))
            refuse({policy}, "resolves the conflicts of runs, and --runs 0 makes none");
        if (no_runs && !wanted.worst) refuse({seed}, "applies to runs and searches, and there are none");
        exit_code = sweep(*options, command.others());
    });
}

}  // namespace warpnet::cli
