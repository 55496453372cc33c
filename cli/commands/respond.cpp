#include "analysis/pictures/plots/gantt_svg.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/input/task_input.hpp"
#include "cli/report/texts.hpp"
#include "cli/shell/process.hpp"
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"
#include "engine/base/with_threads.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
    std::int64_t launch_offset = 0;
    std::int64_t horizon = 0;  ///< 0: until the schedule repeats
    std::int64_t max_jobs = 1'000'000;
    std::int64_t evaluations = 100'000;
    std::vector<std::string> measured;
    std::string gantt;
    pictures::PictureStyle style;
};

constexpr std::size_t most_kept_groups = 20'000;

studies::RespondQuestions questions_of(const RespondFlags& options) {
    studies::RespondQuestions questions;
    questions.schedule.policy = options.input.policy;
    if (options.horizon > 0) questions.schedule.horizon = options.horizon;
    questions.schedule.max_jobs = options.max_jobs;
    questions.schedule.simulate = options.simulate;
    if (options.jobs || !options.gantt.empty()) questions.schedule.max_groups = most_kept_groups;
    if (options.any_order)
        questions.orders = {.policy = options.input.policy,
                            .evaluations = options.evaluations,
                            .seed = options.common.seed,
                            .max_jobs = options.max_jobs};
    if (options.input.sporadic) questions.sporadic = {.launch_offset = options.launch_offset};
    questions.steps = options.steps;
    questions.net = options.net;
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

/// Gives all kernels the deadline of the flag. A whole number counts units of the set.
void set_deadlines(const Deadline& deadline, netgen::TaskSet& tasks) {
    netgen::Time time = 0;
    if (deadline.us) {
        if (tasks.unit == "step")
            throw UsageError("--deadline",
                             fmt::format("expected a whole number, since the times of the set have no "
                                         "unit; found '{}'",
                                         deadline.text));
        time = netgen::time_of_us(*deadline.us, tasks);
        // A deadline between two units of time is met by the earlier one alone.
        if (*deadline.us < netgen::us_of_time(time, tasks)) --time;
    } else if (*deadline.steps <= static_cast<std::uint64_t>(std::numeric_limits<netgen::Time>::max())) {
        time = static_cast<netgen::Time>(*deadline.steps);
    } else {
        throw UsageError("--deadline", "expected a time below 2^63, found '" + deadline.text + "'");
    }
    for (netgen::Operation& operation : tasks.operations)
        if (operation.kind == netgen::OperationKind::kernel) operation.deadline = time;
}

nlohmann::ordered_json answer_json(const LoadedTasks& loaded, const studies::RespondReport& report,
                                   bool jobs) {
    nlohmann::ordered_json json = to_json(loaded.tasks, report, jobs);
    for (const CertifiedKernel& kernel : loaded.certified)
        json["certified"].push_back({{"name", kernel.name},
                                     {"device", kernel.device},
                                     {"us", kernel.us},
                                     {"rounds", kernel.rounds},
                                     {"block_us", kernel.block_us()},
                                     {"assumptions", studies::assumptions_json(kernel.assumptions)}});
    return json;
}

/// Where block times come from, and the assumptions behind them, each once.
std::string certified_text(const LoadedTasks& loaded) {
    std::string text;
    std::vector<std::string> told;
    for (const CertifiedKernel& kernel : loaded.certified) {
        text +=
            fmt::format("certified: {} alone takes at most {:.3f} us on {}, in {} of blocks of {:.3f} us\n",
                        kernel.name, kernel.us, kernel.device,
                        plural(static_cast<std::uint64_t>(kernel.rounds), "round"), kernel.block_us());
        for (const studies::Assumption& assumption : kernel.assumptions) {
            std::string line = fmt::format("  assumes {}: {}\n", assumption.about, assumption.text);
            if (std::ranges::find(told, line) != told.end()) continue;
            text += line;
            told.push_back(std::move(line));
        }
    }
    return text;
}

ExitCode respond_command(const RespondFlags& options) {
    const bool picture_to_stdout = takes_standard_output({options.gantt}, options.common.json);
    LoadedTasks loaded = load_tasks(options.input);
    if (options.deadline) set_deadlines(*options.deadline, loaded.tasks);
    studies::RespondQuestions questions = questions_of(options);
    if (!options.measured.empty()) {
        if (!loaded.examiner)
            throw InputError(
                fmt::format("{}: logs belong to a configuration of cuda_scheduling_examiner, this is none",
                            input_name(options.input.file)));
        questions.examiner = &*loaded.examiner;
        for (const std::string& path : options.measured)
            questions.logs.push_back(netgen::read_examiner_log(read_text(path), input_name(path)));
    }
    const studies::RespondReport report = with_threads(
        options.common.threads, [&] { return studies::respond_report(loaded.tasks, questions); });
    if (!options.gantt.empty())
        write_text(options.gantt, pictures::gantt_svg(loaded.tasks, report.result, options.style));
    if (!picture_to_stdout)
        print_answer(options.common.json ? json_line(answer_json(loaded, report, options.jobs))
                                         : respond_text(loaded.tasks, report) + certified_text(loaded));
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
    add_deadline(command, options->deadline,
                 "The deadline of every kernel, as a time such as 2ms or in units of the set, and --check");
    Option any_order =
        command.add_flag("--any-order", options->any_order, "The worst over all orders of launch");
    add_number(command, "--evaluations", options->evaluations, "Budget of --any-order", std::int64_t{1})
        .needs(any_order);
    command.get_option("--seed").needs(any_order);
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
    command.add_flag("--jobs", options->jobs, "With --json: every job and every group of blocks")
        .needs("--json");
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
        "  warpnet respond kernels_in_ptx.json --deadline 2ms\n"
        "  warpnet respond tasks.json --any-order --json\n"
        "  warpnet respond tasks.json --sporadic --launch-offset 20 --check\n"
        "  warpnet respond rta_config.json --sm-policy free --measured k1.json k2.json\n"
        "  warpnet respond mobstr.amxmi --gantt waters.svg");
    command.callback([options, &exit_code] { exit_code = respond_command(*options); });
}

}  // namespace warpnet::cli
