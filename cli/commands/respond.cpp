// `respond`: turns flags into questions and answers into an exit code. With a deadline or --check, 1 means
// that a deadline is missed and 4 that the verdict is open. respond_answers() runs the same command line
// without output, for Python.
//
// The questions are collected first and answered by one call of the library (respond_report()), because they
// share the schedule. --choose runs before all other questions, since it decides where operations run.
// Deadlines are set after loading, and before the choice of variants, which counts missed deadlines. An exit
// code of 1 needs a missed deadline. An inconclusive answer is 4 even if no deadline is missed yet.

#include "analysis/pictures/plots/gantt_svg.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/output_file.hpp"
#include "cli/input/task_input.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/output/notes.hpp"
#include "cli/report/texts.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/process.hpp"
#include "engine/base/to_json.hpp"
#include "engine/base/with_threads.hpp"
#include "engine/net/error.hpp"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

struct RespondFlags {
    TaskInput input;
    std::optional<Deadline> deadline;  ///< of every kernel
    CommonOptions common;
    bool check = false;
    bool any_order = false;
    bool simulate = false;
    bool net = false;
    bool jobs = false;
    bool steps = false;
    bool scaling = false;
    std::int64_t launch_offset = 0;
    std::int64_t horizon = 0;  ///< 0: until the schedule repeats
    std::int64_t max_jobs = 1'000'000;
    std::int64_t evaluations = 100'000;
    std::vector<std::string> measured;
    std::string gantt;
    pictures::PictureStyle style;
};

studies::RespondQuestions questions_of(const RespondFlags& options, bool keeps_groups) {
    constexpr std::size_t most_kept_groups = 20'000;
    studies::RespondQuestions questions;
    questions.schedule.policy = options.input.policy;
    if (options.horizon > 0) questions.schedule.horizon = options.horizon;
    questions.schedule.max_jobs = options.max_jobs;
    questions.schedule.simulate = options.simulate;
    if (keeps_groups) questions.schedule.max_groups = most_kept_groups;
    if (options.any_order)
        questions.orders = {.policy = options.input.policy,
                            .evaluations = options.evaluations,
                            .seed = options.common.seed,
                            .max_jobs = options.max_jobs};
    if (options.input.sporadic) questions.sporadic = {.launch_offset = options.launch_offset};
    questions.steps = options.steps;
    questions.net = options.net;
    questions.scaling = options.scaling;
    return questions;
}

ExitCode answer(const RespondFlags& options, const studies::RespondReport& report) {
    const bool check = options.check || options.deadline;
    if (check && !report.all_met) return ExitCode::no;
    if (report.result.end == studies::HorizonEnd::job_limit ||
        (check && !(report.conclusive && report.any_deadline())))
        return ExitCode::limit;
    return ExitCode::done;
}

struct Answers {
    LoadedTasks loaded;
    studies::RespondReport report;
};

/// The answers to all questions; `keeps_groups`: with the groups of blocks.
Answers answers_to(const RespondFlags& options, bool keeps_groups) {
    LoadedTasks loaded = load_tasks(options.input);
    if (options.deadline) set_deadlines(*options.deadline, loaded.tasks);
    studies::RespondQuestions questions = questions_of(options, keeps_groups);
    if (options.input.choose) {
        loaded.variants = with_threads(options.common.threads, [&] {
            return studies::choose_variants(loaded.tasks, {.schedule = questions.schedule,
                                                           .sporadic = questions.sporadic,
                                                           .evaluations = options.evaluations,
                                                           .seed = options.common.seed});
        });
        loaded.tasks = loaded.variants->tasks;
    }
    if (!options.measured.empty()) {
        if (!loaded.examiner)
            throw InputError(fmt::format(
                "{}: expected a configuration of cuda_scheduling_examiner for the logs, found another file",
                input_name(options.input.file)));
        questions.examiner = &*loaded.examiner;
        for (const std::string& path : options.measured)
            questions.logs.push_back(netgen::read_examiner_log(read_text(path), input_name(path)));
    }
    studies::RespondReport report = with_threads(
        options.common.threads, [&] { return studies::respond_report(loaded.tasks, questions); });
    if (options.scaling && !report.scaling)
        throw InputError(
            fmt::format("{}: --scaling expects a deadline or a period, found none; --deadline sets one",
                        input_name(options.input.file)));
    return {std::move(loaded), std::move(report)};
}

ExitCode respond_command(const RespondFlags& options) {
    const bool picture_to_stdout = takes_standard_output({options.gantt}, options.common.json);
    const auto [loaded, report] = answers_to(options, options.jobs || !options.gantt.empty());
    if (!options.gantt.empty() && options.any_order)
        print_note("note: the chart and the makespan are those of the launch order in the file\n");
    if (!options.gantt.empty())
        write_text(options.gantt, pictures::gantt_svg(loaded.tasks, report.result, options.style));
    AnswerHead head{"respond", options.common.seed, {}};
    if (report.result.end == studies::HorizonEnd::job_limit ||
        (report.orders && report.orders->limit_reached))
        head.add_limit("job_limit");
    if (!picture_to_stdout && options.common.json)
        print_answer(json_answer(head, respond_json(loaded, report, options.jobs)));
    if (!picture_to_stdout && !options.common.json) print_verdict(respond_text(loaded, report));
    return answer(options, report);
}

/// `with_files`: with the flags for files that the command writes.
void add_flags(Command& command, const std::shared_ptr<RespondFlags>& options, bool with_files) {
    add_task_input(command, options->input);
    add_common(command, options->common);
    command.add_flag(
        "--check", options->check,
        "Exit code 1 if a deadline is missed, 4 if the answer is open or nothing has a deadline");
    add_deadline(
        command, options->deadline,
        "The deadline of every kernel, as a time such as 2ms or in units of the task set; implies --check");
    Option any_order =
        command.add_flag("--any-order", options->any_order, "Find the worst of all launch orders");
    Option choose =
        command.add_flag("--choose", options->input.choose,
                         "Choose the variants of operations with a choice, such as the GPU or a core, to "
                         "miss the fewest deadlines, then to minimise the largest ratio of response to "
                         "deadline; AMALTHEA: a GPU task whose runnables also have ticks for the core");
    choose.excludes(any_order);
    add_number(command, "--evaluations", options->evaluations, "Budget of --any-order and --choose",
               std::int64_t{1})
        .belongs_to({any_order, choose});
    command.get_option("--seed").belongs_to({any_order, choose});
    command
        .add_option("--measured", options->measured,
                    "Compare these result logs of the configuration with the prediction")
        .type_name("LOG");
    add_number(command, "--horizon", options->horizon,
               "Consider only the jobs released before this time; 0: until the schedule repeats",
               std::int64_t{0});
    add_number(command, "--max-jobs", options->max_jobs, "Stop after this many jobs", std::int64_t{1},
               std::int64_t{1'000'000'000});
    command.add_flag("--simulate", options->simulate, "Simulate even if a faster method applies");
    command.add_flag("--scaling", options->scaling,
                     "Print the factors by which execution times may grow (all together, and of each "
                     "operation alone) and deadlines may shrink while all deadlines are met");
    command.add_flag("--net", options->net, "Also execute the net of the set, and print its makespan");
    command.add_flag("--jobs", options->jobs, "With --json: every job and every group of blocks")
        .needs("--json");
    command.add_flag("--steps", options->steps,
                     "Print the table of Algorithm 2 (Paredes 2019), one row per allocation: time t_a, free "
                     "slots g_f, later slots h");
    Option sporadic = command.add_flag(
        "--sporadic", options->input.sporadic,
        "Bound the responses of sporadic jobs: a period is the minimum time between two releases, and first "
        "releases are unknown; --check then compares the bounds with the deadlines");
    sporadic.excludes("--any-order");
    add_number(command, "--launch-offset", options->launch_offset,
               "With --sporadic: the longest delay between the release of a job and its arrival at the GPU; "
               "see docs/reference/family-blocks.md",
               std::int64_t{0})
        .needs(sporadic);
    if (!with_files) return;
    add_svg(command, "--gantt", options->gantt, "Draw the blocks on the SMs over time");
    add_style(command, options->style, "--gantt");
}

}  // namespace

void add_respond(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<RespondFlags>();
    Command command = program.add_subcommand("respond", "Response times of concurrent kernels on a GPU");
    add_flags(command, options, true);
    command.footer(
        "Each line is the job with the longest response. Files: docs/reference/task-sets.md. Rules: "
        "docs/reference/family-blocks.md.\n"
        "\n"
        "Examples:\n"
        "  warpnet respond tasks.json --check\n"
        "  warpnet respond kernels_in_ptx.json --deadline 2ms\n"
        "  warpnet respond tasks.json --any-order --json\n"
        "  warpnet respond tasks.json --scaling\n"
        "  warpnet respond mobstr.amxmi --choose\n"
        "  warpnet respond tasks.json --sporadic --launch-offset 20 --check\n"
        "  warpnet respond rta_config.json --sm-policy free --measured k1.json k2.json\n"
        "  warpnet respond mobstr.amxmi --gantt waters.svg");
    command.callback([options, &exit_code] { exit_code = respond_command(*options); });
}

std::pair<nlohmann::ordered_json, std::string> respond_answers(const std::vector<std::string>& arguments) {
    const auto options = std::make_shared<RespondFlags>();
    run_command_line(
        [&](Command& program) {
            Command command = program.add_subcommand("respond", "");
            add_flags(command, options, false);
            command.callback([] {});
        },
        arguments);
    const auto [loaded, report] = answers_to(*options, true);
    return {respond_json(loaded, report, options->jobs),
            pictures::gantt_svg(loaded.tasks, report.result, options->style)};
}

}  // namespace warpnet::cli
