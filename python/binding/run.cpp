// Runs for Python. Results of many runs become one NumPy array per column and the JSON of the command.

#include "engine/run/run.hpp"

#include "analysis/studies/runs/run_json.hpp"
#include "engine/base/to_json.hpp"
#include "engine/run/replay.hpp"
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

studies::RunStudyOptions study_of(const py::dict& given) {
    studies::RunStudyOptions study;
    ManyOptions& many = study.runs.many;
    many.run = run_options_of(given);
    many.run.limits.memory = given["memory"].cast<std::uint64_t>();
    many.run.count_firings = given["counts"].cast<bool>();
    many.runs = given["runs"].cast<std::uint64_t>();
    many.threads = given["threads"].cast<int>();
    many.markings = given["markings"].cast<bool>();
    study.until = given["until"].cast<std::string>();
    study.statistics = given["statistics"].cast<bool>();
    study.tail = given["tail"].cast<bool>();
    return study;
}

/// (JSON, arrays by name, signal or None)
std::tuple<std::string, py::dict, py::object> run_net(const Net& net, const py::dict& given) {
    studies::RunStudyOptions study = study_of(given);
    auto [made, signal] = part_in_background([&](const std::atomic<bool>& interrupt) {
        study.runs.many.run.limits.interrupt = &interrupt;
        studies::RunReport report = studies::run_study(net, study);
        std::string json = json_line(to_json(report));
        return std::pair(std::move(report.results), std::move(json));
    });
    const auto& [results, json] = made;
    py::dict arrays;
    arrays["run"] = array_of<std::int64_t>(results, [](const RunResult& r) { return r.run; });
    arrays["steps"] = array_of<std::int64_t>(results, [](const RunResult& r) { return r.steps; });
    arrays["firings"] = array_of<std::int64_t>(results, [](const RunResult& r) { return r.firings; });
    arrays["dead"] = array_of<bool>(results, [](const RunResult& r) { return r.reason == StopReason::dead; });
    arrays["ended"] = array_of<bool>(results, [](const RunResult& r) {
        return r.reason == StopReason::dead || r.reason == StopReason::condition;
    });
    if (study.runs.many.markings)
        arrays["markings"] = table_of<std::int64_t>(
            results, net.places().size(), [](const RunResult& r) -> const Marking& { return r.marking; });
    if (study.runs.many.run.count_firings)
        arrays["counts"] = table_of<std::int64_t>(
            results, net.transitions().size(), [](const RunResult& r) -> const auto& { return r.counts; });
    return {json, std::move(arrays), std::move(signal)};
}

/// The schedule of one run.
NetSchedule record(const std::shared_ptr<Net>& net, const py::dict& given) {
    studies::RunStudyOptions study;
    study.runs.many.run = run_options_of(given);
    study.until = given["until"].cast<std::string>();
    return result_in_background([&](const std::atomic<bool>& interrupt) {
        study.runs.many.run.limits.interrupt = &interrupt;
        ScheduleRecorder recorder;
        study.observer = &recorder;
        studies::run_study(*net, study);
        return NetSchedule{net, recorder.schedule()};
    });
}

/// (JSON, signal or None)
std::pair<std::string, py::object> distribution(const Net& net, std::uint64_t max_steps, std::uint64_t memory,
                                                std::optional<double> time_limit, int threads) {
    worst::DistributionOptions options;
    options.max_steps = max_steps;
    options.limits.memory = memory;
    options.limits.deadline = deadline_in(time_limit);
    auto [json, signal] = part_in_background([&](const std::atomic<bool>& interrupt) {
        options.limits.interrupt = &interrupt;
        return json_line(studies::to_json(net, studies::distribution_study(net, options, threads)));
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
