#include "engine/run/run.hpp"

#include "analysis/studies/predict/extreme_value.hpp"
#include "analysis/studies/runs/distribution_json.hpp"
#include "analysis/studies/runs/run_json.hpp"
#include "analysis/worst/exact/step_distribution.hpp"
#include "analysis/worst/worst_case.hpp"
#include "cli/report/distribution_report.hpp"
#include "cli/report/run_report.hpp"
#include "engine/base/to_json.hpp"
#include "engine/base/with_threads.hpp"
#include "engine/executors/modules/shared_places.hpp"
#include "engine/plan.hpp"
#include "engine/run/node_tally.hpp"
#include "engine/run/parse_condition.hpp"
#include "engine/run/replay.hpp"
#include "engine/run/served_parts.hpp"
#include "engine/run_many.hpp"
#include "python/binding/arrays.hpp"
#include "python/binding/background.hpp"
#include "python/binding/choices.hpp"
#include "python/binding/schedule.hpp"
#include "python/binding/subjects.hpp"

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <pybind11/stl.h>

namespace warpnet::python {

namespace py = pybind11;

namespace {

/// What a run needs of its net, and the options that refer to it.
struct Prepared {
    std::optional<CompiledNet> kept;  // where the plan is not handed the net
    std::optional<StopCondition> until;
    std::optional<ServedParts> served;
    RunOptions run;
    Plan planned;

    /// `observed`: the runs, or who asks for them, need Plan::net().
    Prepared(const Net& net, const RunOptions& options, const std::string& condition, bool observed)
        : run(options) {
        CompiledNet compiled = compile(net);
        if (!condition.empty()) until = parse_condition(condition, net);
        if (until) run.until = &*until;
        if (serves_parts(run.policy)) served = find_served_parts(compiled);
        if (served) run.served = &*served;
        planned = observed ? plan(kept.emplace(std::move(compiled)), run) : plan(std::move(compiled), run);
    }
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;
};

/// The options of net.run(), by name.
struct RunRequest {
    RunOptions run;
    std::uint64_t runs = 1;
    std::string until;
    int threads = 0;
    bool markings = false, counts = false, statistics = false, tail = false;
};

RunOptions run_options_of(const py::dict& given) {
    RunOptions run;
    run.seed = given["seed"].cast<std::uint64_t>();
    run.run = given["first_run"].cast<std::uint64_t>();
    run.semantics = semantics_of(given["semantics"].cast<std::string>());
    run.policy = policy_of(given["policy"].cast<std::string>());
    run.max_steps = given["max_steps"].cast<std::uint64_t>();
    run.limits.deadline = deadline_in(given["time_limit"].cast<std::optional<double>>());
    return run;
}

RunRequest request_of(const py::dict& given) {
    RunRequest request;
    request.run = run_options_of(given);
    request.run.limits.memory = given["memory"].cast<std::uint64_t>();
    request.runs = given["runs"].cast<std::uint64_t>();
    request.until = given["until"].cast<std::string>();
    request.threads = given["threads"].cast<int>();
    request.markings = given["markings"].cast<bool>();
    request.counts = given["counts"].cast<bool>();
    request.statistics = given["statistics"].cast<bool>();
    request.tail = given["tail"].cast<bool>();
    return request;
}

std::vector<std::uint64_t> steps_of_ended(const std::vector<RunResult>& results) {
    std::vector<std::uint64_t> steps;
    for (const RunResult& result : results) {
        if (result.reason == StopReason::dead || result.reason == StopReason::condition)
            steps.push_back(result.steps);
    }
    return steps;
}

/// The runs, and the JSON object of the command `run` about them.
std::pair<std::vector<RunResult>, std::string> make_runs(const Net& net, RunRequest request,
                                                         const std::atomic<bool>& interrupt) {
    request.run.limits.interrupt = &interrupt;
    request.run.count_firings = request.counts;
    const Prepared prepared(net, request.run, request.until, request.statistics);
    ManyOptions many;
    many.run = prepared.run;
    many.runs = request.runs;
    many.threads = request.threads;
    many.markings = request.markings;
    std::optional<NodeTally> tally;
    if (request.statistics) many.tally = &tally.emplace(prepared.planned.net());
    RunReport report{.net = net,
                     .policy = std::string(to_string(request.run.policy)),
                     .executor = {},
                     .results = {},
                     .until = request.until};
    report.results = run_many(prepared.planned, many);
    report.executor = executor_choice(prepared.planned, prepared.run);
    report.semantics = request.run.semantics;
    report.seed = request.run.seed;
    report.requested = request.runs;
    report.interrupted = interrupt.load();
    if (request.statistics) {
        report.statistics = &*tally;
        report.hubs = shared_places(prepared.planned.net());
    }
    if (request.tail) report.tail = estimate_tail(steps_of_ended(report.results), request.run.seed);
    if (request.tail && request.run.semantics == Semantics::maximal && request.until.empty())
        report.bound = quick_bound(net);
    std::string json = json_line(to_json(report));
    return {std::move(report.results), std::move(json)};
}

/// (JSON, arrays by name, signal or None)
std::tuple<std::string, py::dict, py::object> run_net(const Net& net, const py::dict& given) {
    const RunRequest request = request_of(given);
    auto [made, signal] = part_in_background(
        [&](const std::atomic<bool>& interrupt) { return make_runs(net, request, interrupt); });
    const auto& [results, json] = made;
    py::dict arrays;
    arrays["run"] = array_of<std::int64_t>(results, [](const RunResult& r) { return r.run; });
    arrays["steps"] = array_of<std::int64_t>(results, [](const RunResult& r) { return r.steps; });
    arrays["firings"] = array_of<std::int64_t>(results, [](const RunResult& r) { return r.firings; });
    arrays["dead"] = array_of<bool>(results, [](const RunResult& r) { return r.reason == StopReason::dead; });
    arrays["ended"] = array_of<bool>(results, [](const RunResult& r) {
        return r.reason == StopReason::dead || r.reason == StopReason::condition;
    });
    if (request.markings)
        arrays["markings"] = table_of<std::int64_t>(
            results, net.places().size(), [](const RunResult& r) -> const Marking& { return r.marking; });
    if (request.counts)
        arrays["counts"] = table_of<std::int64_t>(
            results, net.transitions().size(), [](const RunResult& r) -> const auto& { return r.counts; });
    return {json, std::move(arrays), std::move(signal)};
}

/// What one run does, step by step.
NetSchedule record(const std::shared_ptr<Net>& net, const py::dict& given) {
    RunOptions options = run_options_of(given);
    const std::string until = given["until"].cast<std::string>();
    return result_in_background([&](const std::atomic<bool>& interrupt) {
        options.limits.interrupt = &interrupt;
        const Prepared prepared(*net, options, until, true);
        ScheduleRecorder recorder;
        run(prepared.planned, prepared.run, &recorder);
        return NetSchedule{net, recorder.schedule()};
    });
}

/// (JSON, signal or None)
std::pair<std::string, py::object> distribution(const Net& net, std::uint64_t max_steps, std::uint64_t memory,
                                                std::optional<double> time_limit, int threads) {
    DistributionOptions options;
    options.max_steps = max_steps;
    options.limits.memory = memory;
    options.limits.deadline = deadline_in(time_limit);
    auto [json, signal] = part_in_background([&](const std::atomic<bool>& interrupt) {
        options.limits.interrupt = &interrupt;
        const Plan planned = plan(compile(net));
        return json_line(
            to_json(net, with_threads(threads, [&] { return step_distribution(planned, options); })));
    });
    return {std::move(json), std::move(signal)};
}

}  // namespace

void add_runs(py::module_& core) {
    core.def("run", run_net);
    core.def("record", record);
    core.def("distribution", distribution);
}

}  // namespace warpnet::python
