// Schedules for Python: steps, markings, files, pictures and replay. A schedule holds its net (NetSchedule),
// so that ids and pictures need no second argument and the net lives as long as the schedule.
//
// A schedule from a file is checked before it exists, because the net must be able to make each of its steps.
// The method markings() executes the steps and returns one row per marking, O(steps x places) memory, as an
// array. Rows and colours of chart() are those of the SVG, so that a plot in Python has the colours of the
// command.

#include "python/binding/schedule.hpp"

#include "analysis/pictures/picture_style.hpp"
#include "analysis/pictures/schedule/schedule_rows.hpp"
#include "analysis/pictures/schedule/schedule_svg.hpp"
#include "analysis/pictures/schedule/schedule_trace.hpp"
#include "analysis/pictures/schedule/tapaal_trace.hpp"
#include "analysis/states/steps/possible_steps.hpp"
#include "analysis/studies/files/schedule_csv.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/compile/compiled_net.hpp"
#include "python/binding/arrays.hpp"
#include "python/binding/background.hpp"
#include "python/binding/choices.hpp"
#include "python/binding/subjects.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <pybind11/stl.h>

namespace warpnet::python {

namespace py = pybind11;

namespace {

/// Step i as (immediate, ids).
std::pair<bool, std::vector<std::string>> step_of(const NetSchedule& schedule, std::size_t i) {
    if (i >= schedule.steps.size()) throw py::index_error("a schedule has no such step");
    const ScheduledStep& step = schedule.steps[i];
    std::vector<std::string> ids;
    ids.reserve(step.transitions.size());
    for (const std::uint32_t t : step.transitions) ids.push_back(schedule.net->transitions()[t].id);
    return {step.immediate, std::move(ids)};
}

/// One row per marking: the initial one, and the one after each step.
py::array_t<Tokens> markings_of(const NetSchedule& schedule) {
    const CompiledNet compiled = compile(*schedule.net);
    std::vector<Marking> markings = {schedule.net->initial_marking()};
    for (const ScheduledStep& step : schedule.steps) {
        Marking marking = markings.back();
        if (!states::fire_step(compiled, step, marking))
            throw InputError("a place would hold more than " + std::to_string(max_tokens) + " tokens");
        markings.push_back(std::move(marking));
    }
    return table_of<Tokens>(markings, compiled.place_count(),
                            [](const Marking& m) -> const Marking& { return m; });
}

std::string svg_of(const NetSchedule& schedule, const std::string& theme, double font_size) {
    const pictures::PictureStyle style = style_of(theme, font_size);
    return result_in_background([&](const std::atomic<bool>&) {
        return pictures::bounded_schedule_svg(*schedule.net, schedule.steps, style);
    });
}

/// (names of the rows, row and kind of each timed firing, colours by kind, waits as (row, first, last)).
py::tuple chart_of(const NetSchedule& schedule) {
    const pictures::ScheduleRows rows = pictures::schedule_rows(*schedule.net);
    std::vector<std::pair<std::uint32_t, std::string>> firings;
    std::vector<std::string> kinds;
    for (const ScheduledStep& step : schedule.steps) {
        for (const std::uint32_t t : step.transitions) {
            if (!step.immediate) firings.emplace_back(rows.row_of[t], rows.kind_of[t]);
            if (std::ranges::find(kinds, rows.kind_of[t]) == kinds.end()) kinds.push_back(rows.kind_of[t]);
        }
    }
    const std::vector<std::size_t> numbers = pictures::colours_of(rows, kinds);
    py::dict colours;
    for (std::size_t i = 0; i < kinds.size(); ++i)
        colours[py::str(kinds[i])] = pictures::PictureStyle{}.line_colour(numbers[i]);
    py::list waits;
    for (const pictures::ScheduleWait& wait : pictures::waits_of(*schedule.net, rows, schedule.steps))
        waits.append(py::make_tuple(wait.row, wait.first, wait.last));
    return py::make_tuple(rows.names, firings, colours, waits);
}

/// (steps, reason, last marking)
py::tuple replay_of(const NetSchedule& schedule, const std::string& semantics) {
    const Semantics rule = semantics_of(semantics);
    const RunResult result = result_in_background([&](const std::atomic<bool>&) {
        return replay(compile(*schedule.net), *schedule.net, schedule.steps, rule);
    });
    return py::make_tuple(result.steps, result.reason == StopReason::dead, array_of_marking(result.marking));
}

}  // namespace

void add_schedules(py::module_& core) {
    py::class_<NetSchedule>(core, "Schedule")
        .def(py::init([](const std::shared_ptr<Net>& net, const std::string& csv, const std::string& source) {
            NetSchedule schedule{net, studies::read_schedule_csv(csv, source, *net)};
            studies::check_schedule(*net, schedule.steps, source);
            return schedule;
        }))
        .def("__len__", [](const NetSchedule& schedule) { return schedule.steps.size(); })
        .def("step", step_of)
        .def("timed_steps", [](const NetSchedule& schedule) { return timed_steps(schedule.steps); })
        .def("csv",
             [](const NetSchedule& schedule) {
                 return studies::write_schedule_csv(*schedule.net, schedule.steps);
             })
        .def("trace",
             [](const NetSchedule& schedule) {
                 return pictures::schedule_trace(*schedule.net, schedule.steps);
             })
        .def(
            "tapaal",
            [](const NetSchedule& schedule) { return pictures::tapaal_trace(*schedule.net, schedule.steps); })
        .def("markings", markings_of)
        .def("svg", svg_of)
        .def("chart", chart_of)
        .def("replay", replay_of)
        .def(
            "__eq__",
            [](const NetSchedule& a, const NetSchedule& b) { return a.steps == b.steps && *a.net == *b.net; },
            py::is_operator());
}

}  // namespace warpnet::python
