// `report`: a page with picture, runs, search and comparison. The search gets two thirds of a time limit, so
// that runs and the picture have the rest.

#include "analysis/pictures/page/report.hpp"

#include "analysis/studies/files/schedule_csv.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/progress.hpp"
#include "engine/net/error.hpp"

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

struct ReportFlags {
    CommonOptions common;
    std::optional<std::chrono::milliseconds> time_limit;
    std::string net;
    std::string output;
    std::string title;
    std::string schedule;
    std::string comparison;
    RunOptions run;
    std::uint64_t runs = 1000;
    bool no_search = false;
    bool best = false;
};

pictures::ReportQuestions questions_of(const ReportFlags& options, const Net& net,
                                       const Interrupt& interrupt) {
    pictures::ReportQuestions questions;
    ManyOptions& many = questions.runs;
    many.run = options.run;
    many.run.seed = options.common.seed;
    limit_time(many.run.limits, options.time_limit, interrupt);
    many.runs = options.runs;
    many.threads = options.common.threads;
    if (!options.schedule.empty()) {
        questions.schedule =
            studies::read_schedule_csv(read_text(options.schedule), input_name(options.schedule), net);
        studies::check_schedule(net, *questions.schedule, input_name(options.schedule));
    }
    questions.progress = progress_of();
    if (options.no_search) return questions;
    worst::WorstCaseOptions& search = questions.search.emplace();
    search.objective = options.best ? worst::Objective::shortest : worst::Objective::longest;
    search.seed = options.common.seed;
    search.threads = options.common.threads;
    auto time_limit = options.time_limit;
    if (time_limit) *time_limit = *time_limit / 3 * 2;
    limit_time(search.limits, time_limit, interrupt);
    search.progress = questions.progress;
    return questions;
}

ExitCode write_report(const ReportFlags& options) {
    if (options.net.empty() && options.comparison.empty())
        throw UsageError("report", "expected a net, --compare FILE.json, or both");
    if (options.net.empty() && !options.schedule.empty())
        throw UsageError("--schedule", "needs the net that it is a schedule of");
    std::optional<Net> net;
    pictures::ReportContent content;
    const Interrupt interrupt;
    if (!options.net.empty()) {
        net = read_net(options.net);
        content = pictures::report_study(*net, questions_of(options, *net, interrupt));
        // All nets of a family have the same name, so the file name distinguishes them.
        content.subtitle = fmt::format("{}: {}", input_name(options.net), content.title);
        if (options.net != "-") content.title = std::filesystem::path(options.net).stem().string();
    }
    if (!options.comparison.empty()) {
        content.comparison_json = read_text(options.comparison);
        content.subtitle += (content.subtitle.empty() ? "" : ", ") + input_name(options.comparison);
        if (content.title.empty()) content.title = "Model against measurement";
    }
    if (!options.title.empty()) content.title = options.title;
    std::string page;
    try {
        const Progress progress({"page"});
        page = pictures::report_html(content);
    } catch (const InputError& error) {
        throw InputError(input_name(options.comparison) + ": " + error.what());
    }
    write_text(options.output, page);
    if (!interrupt.requested()) return ExitCode::done;
    std::cerr << "warpnet: interrupted: the page shows the results so far\n";
    return ExitCode::interrupted;
}

}  // namespace

void add_report(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<ReportFlags>();
    Command command = program.add_subcommand(
        "report", "One self-contained HTML page: net, schedule, step counts, search, comparison");
    Option net =
        command.add_option("net", options->net, "A PNML file; FILE#ID: one of its nets; '-': standard input")
            .type_name("NET");
    add_output(command, "-o,--output", options->output, "html", "The page; '-': standard output").required();
    command.add_option("--title", options->title, "Title of the page; default: the name of the file")
        .type_name("TEXT");
    Option runs =
        add_number(command, "-n,--runs", options->runs, "Runs for the distribution of step counts; 0: none");
    Option semantics =
        add_choice(command, "--semantics", options->run.semantics, "Semantics of a step of these runs",
                   {Semantics::maximal, Semantics::multiset, Semantics::interleaving});
    Option policy =
        add_choice(command, "--policy", options->run.policy, "Conflict-resolution policy of these runs",
                   {Policy::random, Policy::first, Policy::last, Policy::round_robin});
    Option max_steps =
        add_number(command, "--max-steps", options->run.max_steps, "Stop such a run after this many steps");
    Option no_search =
        command.add_flag("--no-search", options->no_search, "Do not search for the longest run");
    Option best =
        command.add_flag("--best", options->best, "Search for the shortest run instead of the longest")
            .excludes(no_search);
    Option time_limit =
        add_duration(command, "--time-limit", options->time_limit,
                     "Time of the search and its proof, which take two thirds of it, and of the runs");
    command
        .add_option(
            "--schedule", options->schedule,
            "Show this schedule of the net (--write-schedule of run, worst) instead of the longest run")
        .type_name("FILE.csv");
    command.add_option("--compare", options->comparison, "Show the output of 'compare --json'")
        .type_name("FILE.json");
    Option threads = add_number(command, "-j,--threads", options->common.threads,
                                "Threads; 0: all cores. Results do not depend on it", 0, 4096);
    Option seed = add_number(command, "-s,--seed", options->common.seed, "Same seed, same results");
    for (Option of_net : {runs, semantics, policy, max_steps, no_search, best, time_limit, threads, seed})
        of_net.belongs_to({net});
    command.footer(
        "The page opens from disk, without network. Click a place or a transition to see its arcs; step\n"
        "through the schedule and watch the tokens.\n"
        "\n"
        "Examples:\n"
        "  warpnet report kernel.pnml -o kernel.html\n"
        "  warpnet report kernel.pnml --schedule witness.csv --no-search --runs 0 -o witness.html\n"
        "  warpnet report --compare fit.json -o fit.html");
    command.callback([=, &exit_code] {
        if (options->runs == 0) {
            refuse({semantics, policy, max_steps}, "applies to runs, and --runs 0 makes none");
            if (options->no_search) refuse({seed}, "applies to runs and searches, and there are none");
        }
        exit_code = write_report(*options);
    });
}

}  // namespace warpnet::cli
