// Schedules as CSV: one row per firing, with the number of its step, counted from 1. The reader checks the
// form: steps without gaps, and one kind per step. check_schedule() follows the schedule on the net; the
// firings of a step share the tokens before it. So a schedule of another net is rejected with the first
// impossible firing. O(text).

#include "analysis/studies/files/schedule_csv.hpp"

#include "engine/base/text.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/input/csv.hpp"
#include "engine/net/error.hpp"

#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::studies {
namespace {

constexpr const char* header = "step,immediate,transition";

[[noreturn]] void fail(const std::string& source, const CsvRow& row, const std::string& expected,
                       const std::string& found) {
    throw InputError(fmt::format("{}:{}: expected {}, found '{}'", source, row.line, expected, found));
}

std::string joined(const std::vector<std::string>& fields) {
    return fmt::format("{}", fmt::join(fields, ","));
}

}  // namespace

std::string write_schedule_csv(const Net& net, const Schedule& schedule) {
    std::string csv = fmt::format("{}\n", header);
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        for (const std::uint32_t transition : schedule[i].transitions) {
            fmt::format_to(std::back_inserter(csv), "{},{},{}\n", i + 1, schedule[i].immediate ? 1 : 0,
                           csv_field(net[TransitionId(transition)].id));
        }
    }
    return csv;
}

Schedule read_schedule_csv(std::string_view text, const std::string& source, const Net& net) {
    const std::vector<CsvRow> rows = parse_csv(text, source);
    if (rows.empty()) throw InputError(source + ":1: expected the header '" + header + "', found nothing");
    if (joined(rows.front().fields) != header) {
        fail(source, rows.front(), fmt::format("the header '{}'", header), joined(rows.front().fields));
    }
    const WrittenIds nodes(net);
    Schedule schedule;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const CsvRow& row = rows[i];
        if (row.fields.size() != 3) fail(source, row, "three fields", joined(row.fields));
        const auto step = parse_number<std::int64_t>(row.fields[0]);
        const auto last = static_cast<std::int64_t>(schedule.size());
        if (!step || *step < 1 || *step < last || *step > last + 1) {
            fail(source, row, last == 0 ? "step 1" : fmt::format("step {} or {}", last, last + 1),
                 row.fields[0]);
        }
        if (row.fields[1] != "0" && row.fields[1] != "1") {
            fail(source, row, "0 or 1 in column 'immediate'", row.fields[1]);
        }
        const bool immediate = row.fields[1] == "1";
        if (*step > last) schedule.push_back({immediate, {}});
        if (schedule.back().immediate != immediate) {
            fail(source, row, "the same 'immediate' in all rows of a step", row.fields[1]);
        }
        const auto transition = nodes.transition(row.fields[2]);
        if (!transition) fail(source, row, "the id of a transition of net '" + net.id() + "'", row.fields[2]);
        schedule.back().transitions.push_back(static_cast<std::uint32_t>(index(*transition)));
    }
    return schedule;
}

void check_schedule(const Net& net, const Schedule& schedule, const std::string& source) {
    const CompiledNet compiled = compile(net);
    Marking marking = compiled.initial, left;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        left = marking;
        for (const std::uint32_t t : schedule[i].transitions) {
            if (!enabled(compiled, marking, t) || !fits(compiled, left, t)) {
                throw InputError(fmt::format(
                    "{}: expected a schedule of net '{}', found one in which '{}' cannot fire in step {}",
                    source, net.id(), net[TransitionId(t)].id, i + 1));
            }
            take(compiled, left, t);
        }
        marking.swap(left);
        for (const std::uint32_t t : schedule[i].transitions) {
            if (!give(compiled, marking, t))
                throw InputError(fmt::format("{}: step {} gives a place too many tokens", source, i + 1));
        }
    }
}

// Comparisons, predictions and logs of searches as CSV. Columns depend on the questions, so an optional
// column is absent instead of empty.

std::string to_csv(const Comparison& comparison) {
    std::string text = fmt::format("kernel,blocks,threads,launches,measured_{}", comparison.unit);
    for (const FamilyComparison& family : comparison.families)
        text += fmt::format(",{0}_{1},{0}_error_percent", to_string(family.family), comparison.unit);
    text += ",limited_by,outside\n";
    for (std::size_t i = 0; i < comparison.measurements.size(); ++i) {
        const Measurement& measurement = comparison.measurements[i];
        text += csv_field(measurement.kernel);
        text += measurement.profile
                    ? fmt::format(",{},{}", measurement.profile->blocks, measurement.profile->threads)
                    : ",,";
        text += fmt::format(",{},{:.6g}", measurement.launches, measurement.measured);
        std::string bound, outside;
        for (const FamilyComparison& family : comparison.families) {
            const ComparePoint& point = family.points[i];
            text += fmt::format(",{:.6g},{:.2f}", point.predicted, 100 * point.error);
            if (!point.prediction) continue;
            bound = to_string(point.prediction->closed.binding);
            outside = fmt::format("{}", fmt::join(point.prediction->outside, "; "));
        }
        text += fmt::format(",{},{}\n", bound, csv_field(outside));
    }
    return text;
}

std::string to_csv(const std::vector<PredictedLaunch>& launches) {
    const bool worst = has_worst_case(launches);
    const bool deadline = !launches.empty() && launches.front().deadline_us;
    std::string text = fmt::format(
        "kernel,blocks,threads,launches,predicted_us,low_us,high_us,{}{}total_us,closed_form_us,limited_by,"
        "outside\n",
        worst ? "worst_us," : "", deadline ? "deadline," : "");
    for (const PredictedLaunch& launch : launches) {
        const SmPrediction& p = launch.prediction;
        text += fmt::format(
            "{},{},{},{},{:.6g},{:.6g},{:.6g},{}{}{:.6g},{:.6g},{},{}\n", csv_field(launch.kernel.name),
            launch.kernel.blocks, launch.kernel.threads, launch.launches, p.us, p.low_us, p.high_us,
            !worst    ? ""
            : p.worst ? fmt::format("{:.6g},", p.worst->us)
                      : ",",
            deadline ? fmt::format("{},", to_string(launch.verdict())) : "",
            p.us * static_cast<double>(launch.launches), p.closed.us, to_string(p.closed.binding),
            csv_field(fmt::format("{}", fmt::join(p.outside, "; "))));
    }
    return text;
}

std::string to_csv(const std::vector<worst::WorstCaseImprovement>& improvements) {
    std::string text = "time,chain,iteration,value\n";
    for (const worst::WorstCaseImprovement& row : improvements)
        text += fmt::format("{:.6f},{},{},{}\n", row.seconds, row.chain, row.iteration, row.value);
    return text;
}

}  // namespace warpnet::studies
