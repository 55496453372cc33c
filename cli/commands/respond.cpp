#include "analysis/pictures/plots/gantt_svg.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/input/task_input.hpp"
#include "cli/report/respond_report.hpp"
#include "cli/shell/standard_output.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/error.hpp"
#include "engine/plan.hpp"
#include "netgen/blocks/blocks.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <tbb/global_control.h>

namespace warpnet::cli {

namespace {

struct RespondFlags {
    TaskInput input;
    CommonOptions common;
    bool check = false;
    bool any_order = false;
    bool simulate = false;
    bool net = false;
    bool jobs = false;
    bool steps = false;
    std::int64_t launch_offset = 0;
    std::int64_t horizon = 0;  ///< 0: until the schedule repeats
    std::int64_t max_jobs = 1'000'000;
    std::int64_t evaluations = 100'000;
    std::vector<std::string> measured;
    std::string gantt;
    PictureStyle style;
};

constexpr std::size_t most_kept_groups = 20'000;

RespondOptions respond_options(const RespondFlags& options) {
    RespondOptions result;
    result.policy = options.input.policy;
    if (options.horizon > 0) result.horizon = options.horizon;
    result.max_jobs = options.max_jobs;
    result.simulate = options.simulate;
    if (options.jobs || !options.gantt.empty()) result.max_groups = most_kept_groups;
    return result;
}

/// Puts the worst order of each operation in the place of the order of the file.
void judge_orders(const TaskSet& tasks, const RespondFlags& options, RespondReport& report) {
    LaunchOrderOptions order_options;
    order_options.policy = options.input.policy;
    order_options.evaluations = options.evaluations;
    order_options.seed = options.common.seed;
    order_options.max_jobs = options.max_jobs;
    report.orders = worst_launch_orders(tasks, order_options);
    RespondOptions replay_options = respond_options(options);
    replay_options.max_groups = 0;
    report.all_met = true;
    report.conclusive = !report.orders->limit_reached && report.result.end != HorizonEnd::hyperperiods;
    for (std::size_t i = 0; i < tasks.operations.size(); ++i) {
        const WorstResponse& worst = report.orders->operations[i];
        const RespondResult replayed = respond(reorder(tasks, worst.order), replay_options);
        const auto position = std::find(worst.order.begin(), worst.order.end(), i) - worst.order.begin();
        OperationResponse& response = report.result.operations[i];
        response = replayed.operations[static_cast<std::size_t>(position)];
        if (response.worst.response() != worst.response)
            throw std::logic_error("the witness of a launch order does not replay");
        report.all_met &= response.met();
        const bool proved = worst.upper && (!response.deadline || *worst.upper <= *response.deadline);
        if (response.deadline && !proved) report.conclusive = false;
    }
    if (!report.all_met) report.conclusive = true;
}

/// Bounds for whenever jobs come: with them a deadline is met for ever, or the answer is open.
void add_bounds(const TaskSet& tasks, const RespondFlags& options, RespondReport& report) {
    report.launch_offset = options.launch_offset;
    report.sporadic = sporadic_bounds(tasks, {.launch_offset = options.launch_offset});
    if (!report.all_met) return;
    report.conclusive = true;
    for (std::size_t i = 0; i < tasks.operations.size(); ++i) {
        const std::optional<Time> deadline = tasks.operations[i].deadline;
        const std::optional<Time> bound = report.sporadic->response[i];
        if (deadline && !(bound && *bound <= *deadline)) report.conclusive = false;
    }
}

Time run_net(const TaskSet& tasks, const RespondFlags& options, const RespondResult& result) {
    BlocksNetOptions net_options;
    net_options.policy = options.input.policy;
    net_options.step = common_time(tasks);
    if (result.end != HorizonEnd::launched_once) net_options.horizon = result.horizon;
    const BlocksNet blocks = blocks_net(tasks, net_options);
    RunOptions run_options;
    run_options.max_steps = std::numeric_limits<std::int64_t>::max();
    const RunResult run_result = run(compile(blocks.net), run_options);
    if (run_result.reason != StopReason::dead) throw std::logic_error("the net of the task set does not die");
    return static_cast<Time>(run_result.steps) * blocks.step;
}

ExitCode answer(const RespondFlags& options, const RespondReport& report) {
    if (options.check && !report.all_met) return ExitCode::no;
    if (report.result.end == HorizonEnd::job_limit ||
        (options.check && !(report.conclusive && report.any_deadline())))
        return ExitCode::limit;
    return ExitCode::done;
}

ExitCode respond_command(const RespondFlags& options) {
    const bool picture_to_stdout = takes_standard_output({options.gantt}, options.common.json);
    const tbb::global_control limit(
        tbb::global_control::max_allowed_parallelism,
        options.common.threads > 0
            ? static_cast<std::size_t>(options.common.threads)
            : static_cast<std::size_t>(std::max(1U, std::thread::hardware_concurrency())));
    const LoadedTasks loaded = load_tasks(options.input);
    RespondReport report;
    report.result = respond(loaded.tasks, respond_options(options));
    report.all_met = report.result.all_met();
    report.conclusive = report.result.conclusive();
    report.list_jobs = options.jobs;
    if (options.steps) report.steps = allocation_steps(loaded.tasks, report.result);
    if (options.net) report.net_makespan = run_net(loaded.tasks, options, report.result);
    if (!options.gantt.empty())
        write_text(options.gantt, gantt_svg(loaded.tasks, report.result, options.style));
    if (options.input.sporadic) add_bounds(loaded.tasks, options, report);
    if (options.any_order) judge_orders(loaded.tasks, options, report);
    if (!options.measured.empty()) {
        if (!loaded.examiner)
            throw InputError(
                fmt::format("{}: logs belong to a configuration of cuda_scheduling_examiner, this is none",
                            input_name(options.input.file)));
        std::vector<MeasuredLog> logs;
        for (const std::string& path : options.measured)
            logs.push_back(read_examiner_log(read_text(path), input_name(path)));
        MeasuredBlockOptions measured_options;
        measured_options.policy = options.input.policy;
        report.measured = compare_measured(*loaded.examiner, logs, measured_options);
    }
    if (!picture_to_stdout)
        print_answer(options.common.json ? respond_json(loaded.tasks, report)
                                         : respond_text(loaded.tasks, report));
    return answer(options, report);
}

}  // namespace

void add_respond(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<RespondFlags>();
    Command command = program.add_subcommand("respond", "Response times of concurrent kernels on a GPU");
    add_task_input(command, options->input);
    add_common(command, options->common);
    command.add_flag(
        "--check", options->check,
        "Exit code 1 if a deadline is missed, 4 if the answer is open or nothing has a deadline");
    command.add_flag("--any-order", options->any_order, "The worst over all orders of launch");
    add_number(command, "--evaluations", options->evaluations, "Budget of --any-order", std::int64_t{1});
    command
        .add_option("--measured", options->measured,
                    "Result logs of the configuration: sets them beside the prediction")
        .type_name("LOG");
    add_number(command, "--horizon", options->horizon,
               "Judge the jobs released before it; 0: until the schedule repeats", std::int64_t{0});
    add_number(command, "--max-jobs", options->max_jobs, "Stop after so many jobs", std::int64_t{1},
               std::int64_t{1'000'000'000});
    command.add_flag("--simulate", options->simulate, "Simulate also where a shorter method holds");
    command.add_flag("--net", options->net, "Execute the net of the set as well and print its makespan");
    command.add_flag("--jobs", options->jobs, "With --json: every job and every group of blocks");
    command.add_flag(
        "--steps", options->steps,
        "The table of Algorithm 2 (Paredes 2019), an allocation of blocks a row: the time t_a, the "
        "slots g_f that are free behind it, and h, how many become free when");
    Option sporadic = command.add_flag(
        "--sporadic", options->input.sporadic,
        "Bound the responses for jobs that come whenever they like: a period is the least time between two "
        "releases, first releases are unknown; --check then asks whether the bounds meet the deadlines");
    sporadic.excludes("--any-order");
    add_number(command, "--launch-offset", options->launch_offset,
               "With --sporadic: how much later than its release a job reaches the GPU, at most; where to "
               "take it from: netgen/blocks/README.md",
               std::int64_t{0})
        .needs(sporadic);
    add_svg(command, "--gantt", options->gantt, "A picture of the blocks on the SMs over time");
    add_style(command, options->style, "--gantt");
    command.footer(
        "Each line is the job with the longest response. Files and rules: netgen/blocks/README.md.\n"
        "\n"
        "Examples:\n"
        "  warpnet respond tasks.json --check\n"
        "  warpnet respond tasks.json --any-order --json\n"
        "  warpnet respond tasks.json --sporadic --launch-offset 20 --check\n"
        "  warpnet respond rta_config.json --sm-policy free --measured k1.json k2.json\n"
        "  warpnet respond mobstr.amxmi --gantt waters.svg");
    command.callback([options, &exit_code] { exit_code = respond_command(*options); });
}

}  // namespace warpnet::cli
