#include "analysis/pictures/page/report.hpp"

#include "analysis/pictures/net/draw.hpp"
#include "analysis/studies/files/schedule_csv.hpp"
#include "analysis/worst/worst_case.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/progress.hpp"
#include "engine/net/error.hpp"
#include "engine/plan.hpp"

#include <iostream>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

constexpr std::size_t most_drawn_nodes = 1500;
constexpr std::chrono::seconds layout_time{30};

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

void add_picture(const Net& net, ReportContent& content) {
    const std::size_t nodes = net.places().size() + net.transitions().size();
    if (nodes > most_drawn_nodes) {
        content.note_on_picture =
            fmt::format("{} nodes are too many for a picture in a page; see 'warpnet draw'.", nodes);
        return;
    }
    try {
        content.net_svg = draw_picture(net, {}, PictureFormat::svg, layout_time).file;
    } catch (const RenderError& error) {
        content.note_on_picture = fmt::format("No picture: {}.", error.what());
    }
}

ReportedRuns run_net(const Net& net, const ReportFlags& options, const Interrupt& interrupt) {
    ManyOptions many;
    many.run = options.run;
    many.run.seed = options.common.seed;
    limit_time(many.run.limits, options.time_limit, interrupt);
    many.runs = options.runs;
    many.threads = options.common.threads;
    ReportedRuns runs{.semantics = std::string(to_string(many.run.semantics)),
                      .policy = std::string(to_string(many.run.policy)),
                      .seed = many.run.seed,
                      .steps = {}};
    for (const RunResult& result : run_many(compile(net), many)) {
        if (result.reason == StopReason::dead)
            runs.steps.push_back(result.steps);
        else
            ++runs.unfinished;
    }
    return runs;
}

void add_search(const Net& net, const ReportFlags& options, const Interrupt& interrupt,
                ReportContent& content) {
    WorstCaseOptions search;
    search.objective = options.best ? Objective::shortest : Objective::longest;
    search.seed = options.common.seed;
    search.threads = options.common.threads;
    auto time_limit = options.time_limit;
    if (time_limit) *time_limit = *time_limit / 3 * 2;
    limit_time(search.limits, time_limit, interrupt);
    search.progress = progress_of("candidates");
    WorstCase worst = worst_case(net, search);
    content.search = {.longest = !options.best,
                      .found = worst.found,
                      .bound = worst.bound,
                      .exact = worst.exact,
                      .no_worst_case = no_worst_case(worst),
                      .method = worst.method,
                      .arguments = worst.arguments,
                      .log = {},
                      .machine = to_text(worst.machine)};
    for (const WorstCaseImprovement& row : worst.log)
        content.search->log.push_back({row.seconds, row.chain, row.iteration, row.value});
    if (worst.has_schedule() && !content.schedule) content.schedule = std::move(worst.schedule);
}

ExitCode write_report(const ReportFlags& options) {
    if (options.net.empty() && options.comparison.empty())
        throw UsageError("report", "expected a net, --compare FILE.json, or both");
    if (options.net.empty() && !options.schedule.empty())
        throw UsageError("--schedule", "needs the net that it is a schedule of");
    std::optional<Net> net;
    ReportContent content;
    const Interrupt interrupt;
    if (!options.net.empty()) {
        net = read_net(options.net);
        content.net = &*net;
        content.title = net->name().empty() ? net->id() : net->name();
        content.subtitle = input_name(options.net);
        if (!options.schedule.empty()) {
            content.schedule =
                read_schedule_csv(read_text(options.schedule), input_name(options.schedule), *net);
            check_schedule(*net, *content.schedule, input_name(options.schedule));
        }
        if (!options.no_search) add_search(*net, options, interrupt, content);
        if (options.runs > 0 && !interrupt.requested()) content.runs = run_net(*net, options, interrupt);
        if (interrupt.requested()) {
            content.note_on_picture = "No picture: interrupted.";
        } else {
            add_picture(*net, content);
        }
    }
    if (!options.comparison.empty()) {
        content.comparison_json = read_text(options.comparison);
        content.subtitle += (content.subtitle.empty() ? "" : ", ") + input_name(options.comparison);
        if (content.title.empty()) content.title = "Model against measurement";
    }
    if (!options.title.empty()) content.title = options.title;
    std::string page;
    try {
        page = report_html(content);
    } catch (const InputError& error) {
        throw InputError(input_name(options.comparison) + ": " + error.what());
    }
    write_text(options.output, page);
    if (!interrupt.requested()) return ExitCode::done;
    std::cerr << "warpnet: interrupted: the page has what was known by then\n";
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
    command.add_option("--title", options->title, "Default: the name of the net").type_name("TEXT");
    Option runs =
        add_number(command, "--runs", options->runs, "Runs for the distribution of step counts; 0: none");
    Option semantics =
        add_choice(command, "--semantics", options->run.semantics, "What one step of these runs is",
                   {Semantics::maximal, Semantics::multiset, Semantics::interleaving});
    Option policy = add_choice(command, "--policy", options->run.policy, "Who wins a conflict in these runs",
                               {Policy::random, Policy::first, Policy::last, Policy::round_robin});
    Option max_steps =
        add_number(command, "--max-steps", options->run.max_steps, "Stop such a run after so many steps");
    Option no_search = command.add_flag("--no-search", options->no_search, "Do not search the longest run");
    Option best = command.add_flag("--best", options->best, "Search the shortest run instead of the longest")
                      .excludes(no_search);
    Option time_limit =
        add_duration(command, "--time-limit", options->time_limit,
                     "Of the search and its proof, which take two thirds of it, and the runs");
    command
        .add_option(
            "--schedule", options->schedule,
            "Show this schedule of the net (run --schedule, worst --schedule) instead of the longest run")
        .type_name("FILE.csv");
    command.add_option("--compare", options->comparison, "Show what 'compare --json' printed")
        .type_name("FILE.json");
    Option threads = add_number(command, "--threads", options->common.threads,
                                "Threads; 0: all cores. Results do not depend on it", 0, 4096);
    Option seed = add_number(command, "--seed", options->common.seed, "Same seed, same results");
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
        if (options->runs == 0)
            for (const auto& [flag, option] :
                 {std::pair("--semantics", semantics), std::pair("--policy", policy),
                  std::pair("--max-steps", max_steps)})
                if (option.count() > 0) throw UsageError(flag, "is about runs, and --runs 0 makes none");
        if (options->runs == 0 && options->no_search && seed.count() > 0)
            throw UsageError("--seed", "is about runs and searches, and there are none");
        exit_code = write_report(*options);
    });
}

}  // namespace warpnet::cli
