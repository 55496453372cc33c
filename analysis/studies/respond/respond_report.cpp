// All answers about a task set in one value, and its JSON. Launch orders replace the order of the file by the
// worst order of each operation, and each of these orders is replayed. Bounds for sporadic jobs make a
// verdict conclusive only if every deadline is met by its bound. The net of the set is run as a second,
// independent simulation of the makespan.

#include "analysis/studies/respond/respond_report.hpp"

#include "engine/base/to_json.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/plan.hpp"
#include "netgen/blocks/blocks.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace warpnet::studies {

namespace {

/// Puts the worst order of each operation in the place of the order of the file.
void judge_orders(const netgen::TaskSet& tasks, const RespondQuestions& questions, RespondReport& report) {
    report.orders = worst_launch_orders(tasks, *questions.orders);
    RespondOptions replay_options = questions.schedule;
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

/// A bound for sporadic jobs proves that a deadline is always met. Otherwise the answer is open.
void add_bounds(const netgen::TaskSet& tasks, const SporadicOptions& options, RespondReport& report) {
    report.launch_offset = options.launch_offset;
    report.sporadic = sporadic_bounds(tasks, options);
    if (!report.all_met) return;
    report.conclusive = true;
    for (std::size_t i = 0; i < tasks.operations.size(); ++i) {
        const std::optional<netgen::Time> deadline = tasks.operations[i].deadline;
        const std::optional<netgen::Time> bound = report.sporadic->response[i];
        if (deadline && !(bound && *bound <= *deadline)) report.conclusive = false;
    }
}

netgen::Time run_net(const netgen::TaskSet& tasks, netgen::SmPolicy policy, const RespondResult& result) {
    netgen::BlocksNetOptions net_options;
    net_options.policy = policy;
    net_options.step = netgen::common_time(tasks);
    if (result.end != HorizonEnd::launched_once) net_options.horizon = result.horizon;
    const netgen::BlocksNet blocks = netgen::blocks_net(tasks, net_options);
    RunOptions run_options;
    run_options.max_steps = std::numeric_limits<std::int64_t>::max();
    const RunResult run_result = run(compile(blocks.net), run_options);
    if (run_result.reason != StopReason::dead)
        throw std::logic_error("the net of the task set reaches no dead marking");
    return static_cast<netgen::Time>(run_result.steps) * blocks.step;
}

using Json = nlohmann::ordered_json;

Json names_in(const netgen::TaskSet& tasks, const LaunchOrder& order) {
    Json names = Json::array();
    for (const std::uint32_t operation : order) names.push_back(tasks.operations[operation].name);
    return names;
}

/// The number of an SM, or a core or the copy engine in words.
Json site_json(const netgen::TaskSet& tasks, const BlockGroup& group) {
    if (group.on_core())
        return fmt::format("core {}", netgen::cores_of(tasks)[group.sm - BlockGroup::first_core]);
    return group.sm == BlockGroup::copy_engine ? Json("copy engine") : Json(group.sm);
}

Json kernel_json(const netgen::TaskSet& tasks, const RespondReport& report, std::size_t number) {
    const OperationResponse& response = report.result.operations[number];
    Json entry = {{"name", tasks.operations[number].name},
                  {"release", response.worst.release},
                  {"start", response.worst.start},
                  {"completion", response.worst.completion},
                  {"response", response.worst.response()},
                  {"deadline", or_null(response.deadline)},
                  {"met", response.deadline ? Json(response.met()) : Json()},
                  {"jobs", response.jobs},
                  {"missed", response.missed}};
    if (response.utilisation) entry["utilisation"] = *response.utilisation;
    if (report.sporadic) {
        entry["upper"] = or_null(report.sporadic->response[number]);
        if (!report.sporadic->obstacle[number].empty()) entry["no_bound"] = report.sporadic->obstacle[number];
    }
    if (report.orders) {
        const WorstResponse& worst = report.orders->operations[number];
        entry["order"] = names_in(tasks, worst.order);
        entry["upper"] = or_null(worst.upper);
    }
    return entry;
}

Json measured_json(const netgen::TaskSet& tasks, const MeasuredComparison& measured) {
    Json report = {{"unit", "ns"},
                   {"order", names_in(tasks, measured.launch_order)},
                   {"offset", measured.offset},
                   {"max_error", measured.max_error},
                   {"max_error_less_offset", measured.max_error_less_offset},
                   {"violations", measured.violations},
                   {"notes", measured.notes},
                   {"kernels", Json::array()},
                   {"blocks", Json::array()}};
    for (std::size_t i = 0; i < measured.operations.size(); ++i) {
        const OperationComparison& operation = measured.operations[i];
        report["kernels"].push_back({{"name", tasks.operations[i].name},
                                     {"predicted", operation.predicted_completion},
                                     {"measured", operation.measured_completion},
                                     {"error", operation.error},
                                     {"error_less_offset", operation.error_less_offset}});
    }
    for (const BlockComparison& block : measured.blocks) {
        report["blocks"].push_back({{"name", tasks.operations[block.operation].name},
                                    {"predicted", {block.predicted_start, block.predicted_end}},
                                    {"measured", {block.measured_start, block.measured_end}},
                                    {"predicted_sm", block.predicted_sm},
                                    {"measured_sm", or_null(block.measured_sm)}});
    }
    return report;
}

Json steps_json(const netgen::TaskSet& tasks, const RespondReport& report) {
    Json steps = Json::array();
    for (const AllocationStep& step : *report.steps) {
        const JobResponse& job = report.result.jobs[step.job];
        Json busy = Json::array();
        for (auto entry = step.busy.rbegin(); entry != step.busy.rend(); ++entry)
            busy.push_back({entry->first, entry->second});
        steps.push_back({{"name", tasks.operations[job.operation].name},
                         {"index", job.index},
                         {"t_a", step.time},
                         {"blocks", step.blocks},
                         {"g_f", step.free},
                         {"h", std::move(busy)}});
    }
    return steps;
}

/// The longest known response of an operation: a bound where one is asked for.
std::optional<netgen::Time> longest_response(const RespondReport& report, std::size_t operation) {
    if (report.sporadic) return report.sporadic->response[operation];
    if (report.orders) return report.orders->operations[operation].upper;
    return report.result.operations[operation].worst.response();
}

std::optional<double> deadline_scale(const netgen::TaskSet& tasks, const RespondReport& report) {
    double scale = 0;
    if (!report.sporadic && !report.orders && !report.result.conclusive()) return {};
    for (std::size_t i = 0; i < tasks.operations.size(); ++i) {
        if (!tasks.operations[i].deadline) continue;
        const auto response = longest_response(report, i);
        if (!response || *tasks.operations[i].deadline == 0) return {};
        scale = std::max(scale,
                         static_cast<double>(*response) / static_cast<double>(*tasks.operations[i].deadline));
    }
    return scale;
}

TaskScaling scaling_of(const netgen::TaskSet& tasks, const RespondQuestions& questions,
                       const RespondReport& report) {
    RespondQuestions asked{
        .schedule = questions.schedule, .orders = questions.orders, .sporadic = questions.sporadic};
    asked.schedule.max_groups = 0;
    const auto met = [](const RespondReport& of) { return of.all_met && of.conclusive; };
    TaskScaling scaling = time_scaling(tasks, met(report), [&](const netgen::TaskSet& scaled) {
        return met(respond_report(scaled, asked));
    });
    scaling.deadlines = deadline_scale(tasks, report);
    return scaling;
}

}  // namespace

RespondReport respond_report(const netgen::TaskSet& tasks, const RespondQuestions& questions) {
    RespondReport report;
    RespondOptions schedule = questions.schedule;
    schedule.ignore_jitter = questions.sporadic.has_value();
    report.result = respond(tasks, schedule);
    report.all_met = report.result.all_met();
    report.conclusive = report.result.conclusive();
    if (questions.steps) report.steps = allocation_steps(tasks, report.result);
    if (questions.net) report.net_makespan = run_net(tasks, schedule.policy, report.result);
    if (questions.sporadic) add_bounds(tasks, *questions.sporadic, report);
    if (questions.orders) judge_orders(tasks, questions, report);
    if (questions.examiner != nullptr)
        report.measured = compare_measured(*questions.examiner, questions.logs, {.policy = schedule.policy});
    if (questions.scaling && report.any_deadline()) report.scaling = scaling_of(tasks, questions, report);
    return report;
}

nlohmann::ordered_json to_json(const netgen::TaskSet& tasks, const RespondReport& report, bool jobs) {
    const RespondResult& result = report.result;
    Json json = {{"kernels", Json::array()}};
    for (std::size_t i = 0; i < result.operations.size(); ++i)
        json["kernels"].push_back(kernel_json(tasks, report, i));
    json["makespan"] = report.orders ? report.orders->makespan : result.makespan;
    json["method"] = report.orders ? report.orders->method : to_string(result.method);
    json["assumptions"] = result.assumptions;
    json["unit"] = tasks.unit;
    json["met"] = report.any_deadline() || !report.all_met ? Json(report.all_met) : Json();
    json["conclusive"] = report.conclusive;
    json["judged"] = describe(result.end);
    json["horizon"] = result.horizon;
    json["utilisation"] = result.utilisation;
    if (!result.sm_occupancy.empty()) json["sm_occupancy"] = result.sm_occupancy;
    if (report.orders) {
        json["exact"] = report.orders->exact;
        json["evaluations"] = report.orders->evaluations;
        json["makespan_order"] = names_in(tasks, report.orders->makespan_order);
    }
    if (report.net_makespan) json["net_makespan"] = *report.net_makespan;
    if (jobs) {
        json["jobs"] = Json::array();
        for (const JobResponse& job : result.jobs)
            json["jobs"].push_back({{"name", tasks.operations[job.operation].name},
                                    {"index", job.index},
                                    {"release", job.release},
                                    {"enqueued", job.enqueued},
                                    {"start", job.start},
                                    {"dispatched", job.dispatched},
                                    {"completion", job.completion}});
        json["block_groups"] = result.group_count;  // "blocks" holds the first of them
        json["blocks"] = Json::array();
        for (const BlockGroup& group : result.groups)
            json["blocks"].push_back({{"job", group.job},
                                      {"sm", site_json(tasks, group)},
                                      {"blocks", group.blocks},
                                      {"start", group.start},
                                      {"end", group.end}});
    }
    if (report.sporadic)
        json["sporadic"] = {{"argument", report.sporadic->argument}, {"launch_offset", report.launch_offset}};
    if (report.scaling) json["scaling"] = to_json(tasks, *report.scaling);
    if (report.steps) json["steps"] = steps_json(tasks, report);
    if (report.measured) json["measured"] = measured_json(tasks, *report.measured);
    return json;
}

}  // namespace warpnet::studies
