// The texts of `respond`: one line per operation for its worst job, then the verdict, proofs, steps of the
// algorithm and measurements as requested.
//
// Only the worst job of an operation is shown, since a hyperperiod can have a million jobs. All of them are
// in JSON with --jobs. The text has the reason for each missing bound.

#include "cli/report/texts.hpp"
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

template <class Time>
std::string in_units(Time time, const netgen::TaskSet& tasks) {
    return tasks.unit == "step" ? amount(static_cast<std::uint64_t>(time), "step")
                                : fmt::format("{} {}", grouped(time), tasks.unit);
}

std::size_t longest_name(const netgen::TaskSet& tasks) {
    std::size_t width = 6;
    for (const netgen::Operation& operation : tasks.operations)
        width = std::max(width, operation.name.size());
    return width;
}

std::string measured_text(const netgen::TaskSet& tasks, const studies::MeasuredComparison& measured) {
    std::string text = fmt::format(
        "\nMeasured, and predicted for the order in which the logs launch the kernels (ns; the first block "
        "starts "
        "at {})\n",
        measured.offset);
    const std::size_t width = longest_name(tasks);
    text += fmt::format("{:{}} {:>14} {:>14} {:>9} {:>12}\n", "kernel", width, "predicted", "measured",
                        "error", "less offset");
    for (std::size_t i = 0; i < measured.operations.size(); ++i) {
        const studies::OperationComparison& operation = measured.operations[i];
        text += fmt::format("{:{}} {:14} {:14} {:8.3f}% {:11.4f}%\n", tasks.operations[i].name, width,
                            operation.predicted_completion, operation.measured_completion,
                            100 * operation.error, 100 * operation.error_less_offset);
    }
    for (const std::string& violation : measured.violations)
        text += fmt::format("violation: {}\n", violation);
    if (measured.violations.empty()) text += "no violation of the rules in the logs\n";
    for (const std::string& note : measured.notes) text += fmt::format("note: {}\n", note);
    return text;
}

/// "{(4,2),(10,1)}", the earliest first.
std::string multiset_text(const std::vector<std::pair<netgen::Time, std::int64_t>>& busy) {
    std::string text;
    for (auto entry = busy.rbegin(); entry != busy.rend(); ++entry)
        text += fmt::format("{}({},{})", text.empty() ? "" : ",", entry->first, entry->second);
    return "{" + text + "}";
}

std::string steps_text(const netgen::TaskSet& tasks, const studies::RespondReport& report) {
    if (report.steps->empty()) return "\nno steps of Algorithm 2: the answer comes from a simulation\n";
    const std::size_t width = longest_name(tasks);
    std::string text = fmt::format("\nSteps of Algorithm 2\n{:{}} {:>6} {:>14} {:>8} {:>8}  {}\n", "kernel",
                                   width, "job", "t_a", "blocks", "g_f", "h = {(time, slots)}");
    for (const studies::AllocationStep& step : *report.steps) {
        const studies::JobResponse& job = report.result.jobs[step.job];
        text += fmt::format("{:{}} {:6} {:14} {:8} {:8}  {}\n", tasks.operations[job.operation].name, width,
                            job.index, step.time, step.blocks, step.free, multiset_text(step.busy));
    }
    return text;
}

std::string sporadic_text(const netgen::TaskSet& tasks, const studies::RespondReport& report) {
    const std::size_t width = longest_name(tasks);
    std::string text = fmt::format("\nBounds for sporadic jobs\n{:{}} {:>14} {:>14} {:>14}\n", "kernel",
                                   width, "this schedule", "at most", "deadline");
    for (std::size_t i = 0; i < tasks.operations.size(); ++i) {
        const studies::OperationResponse& response = report.result.operations[i];
        const auto text_of = [](const std::optional<netgen::Time>& time) {
            return time ? grouped(*time) : std::string("-");
        };
        text += fmt::format("{:{}} {:>14} {:>14} {:>14}\n", tasks.operations[i].name, width,
                            grouped(response.worst.response()), text_of(report.sporadic->response[i]),
                            text_of(response.deadline));
    }
    for (std::size_t i = 0; i < tasks.operations.size(); ++i)
        if (const std::string& obstacle = report.sporadic->obstacle[i]; !obstacle.empty())
            text += fmt::format("  no bound of '{}': {}\n", tasks.operations[i].name, obstacle);
    text += fmt::format("  {}\n", report.sporadic->argument);
    if (report.launch_offset > 0)
        text +=
            fmt::format("  launches reach the GPU up to {} late\n", in_units(report.launch_offset, tasks));
    return text;
}

std::string scaling_text(const netgen::TaskSet& tasks, const studies::TaskScaling& scaling) {
    const auto factor = [&](const studies::TimeScale& scale) {
        if (!scale) return std::string("none: deadlines are not met with shorter times either");
        return fmt::format("{:.3f}{}", static_cast<double>(*scale) / 1000,
                           *scale == scaling.largest ? " or more" : "");
    };
    const std::size_t width = std::max(longest_name(tasks), std::string_view("all together").size());
    std::string text = fmt::format(
        "\nLargest factors of execution times with which all deadlines are met, in steps of 0.001\n"
        "{:{}} {}\n",
        "all together", width, factor(scaling.all));
    for (std::size_t i = 0; i < tasks.operations.size(); ++i)
        text += fmt::format("{:{}} {}\n", tasks.operations[i].name, width, factor(scaling.alone[i]));
    text += scaling.deadlines ? fmt::format("deadlines may be multiplied by {:.3f}\n",
                                            std::ceil(*scaling.deadlines * 1000) / 1000)
                              : "no factor of the deadlines is known: a response has no bound\n";
    return text;
}

/// Whether bounds for sporadic jobs are asked for, and the bound of an operation does not prove its deadline.
bool is_open(const studies::RespondReport& report, std::size_t operation) {
    const auto& deadline = report.result.operations[operation].deadline;
    if (!report.sporadic || !deadline) return false;
    const auto& most = report.sporadic->response[operation];
    return !most || *most > *deadline;
}

/// The operations whose deadline is met in this schedule, and open for jobs with other arrival times.
std::string unproved(const netgen::TaskSet& tasks, const studies::RespondReport& report) {
    std::string names;
    for (std::size_t i = 0; i < tasks.operations.size(); ++i) {
        if (!is_open(report, i)) continue;
        const auto& most = report.sporadic->response[i];
        names += fmt::format("{}'{}' ({})", names.empty() ? "" : ", ", tasks.operations[i].name,
                             most ? fmt::format("at most {}, deadline {}", grouped(*most),
                                                grouped(*report.result.operations[i].deadline))
                                  : "no bound");
    }
    return names;
}

std::string verdict(const netgen::TaskSet& tasks, const studies::RespondReport& report) {
    if (!report.all_met) return "a deadline is missed";
    if (!report.any_deadline()) return "no kernel has a deadline";
    if (const std::string names = unproved(tasks, report); !names.empty())
        return "not proved for sporadic jobs: " + names + "; no deadline is missed in this schedule";
    if (!report.conclusive) return "no deadline is missed within the horizon";
    return report.sporadic ? "no deadline is missed by sporadic jobs" : "no deadline is missed";
}

/// The sources and assumptions of certified block times, each once.
std::string certified_text(const LoadedTasks& loaded) {
    std::string text;
    std::vector<std::string> told;
    for (const CertifiedKernel& kernel : loaded.certified) {
        text +=
            fmt::format("certified: {} alone takes at most {:.3f} µs on {}, in {} of blocks of {:.3f} µs\n",
                        kernel.name, kernel.us, kernel.device,
                        amount(static_cast<std::uint64_t>(kernel.rounds), "round"), kernel.block_us());
        for (const studies::Assumption& assumption : kernel.assumptions) {
            std::string line = fmt::format("  assumes {}: {}\n", assumption.about, assumption.text);
            if (std::ranges::find(told, line) != told.end()) continue;
            text += line;
            told.push_back(std::move(line));
        }
    }
    return text;
}

/// The best choices, one per row.
std::string variants_text(const studies::VariantSearch& search) {
    std::string text = "\nVariants, the best first; the first row is the set above\n";
    std::vector<std::size_t> widths;
    for (const netgen::Choice& choice : search.choices) {
        std::size_t width = choice.name.size();
        for (const std::string& variant : choice.variants) width = std::max(width, variant.size());
        widths.push_back(width);
        text += fmt::format("{:{}}  ", choice.name, width);
    }
    text += fmt::format("{:>8} {:>18} {:>16}\n", "missed", "response/deadline", "makespan");
    for (const studies::JudgedVariants& judged : search.best) {
        for (std::size_t i = 0; i < search.choices.size(); ++i)
            text += fmt::format("{:{}}  ", search.choices[i].variants[judged.chosen[i]], widths[i]);
        text += fmt::format("{:>8} {:>18} {:>16}{}\n", judged.missed,
                            std::isfinite(judged.load) ? fmt::format("{:.3f}", judged.load) : "no bound",
                            grouped(judged.makespan), judged.open ? "  not simulated to its end" : "");
    }
    return text + fmt::format("{} of {}\n",
                              search.exact ? "all combinations were evaluated: the best" : "the best found",
                              amount(static_cast<std::uint64_t>(search.evaluations), "evaluation"));
}

}  // namespace

std::string respond_text(const LoadedTasks& loaded, const studies::RespondReport& report) {
    const netgen::TaskSet& tasks = loaded.tasks;
    const studies::RespondResult& result = report.result;
    const std::size_t width = longest_name(tasks);
    std::string text = verdict(tasks, report) + "\n";
    text += fmt::format("{:{}} {:>6} {:>14} {:>14} {:>14} {:>14} {:>14}  {}\n", "kernel", width, "jobs",
                        "release", "start", "completion", "response", "deadline", "met");
    for (std::size_t i = 0; i < result.operations.size(); ++i) {
        const studies::OperationResponse& response = result.operations[i];
        text +=
            fmt::format("{:{}} {:6} {:>14} {:>14} {:>14} {:>14} {:>14}  {}\n", tasks.operations[i].name,
                        width, response.jobs, grouped(response.worst.release), grouped(response.worst.start),
                        grouped(response.worst.completion), grouped(response.worst.response()),
                        response.deadline ? grouped(*response.deadline) : std::string("-"),
                        !response.deadline ? "no deadline"
                        : response.met()   ? (is_open(report, i) ? "here, not proved" : "yes")
                                           : fmt::format("no, {} of {}", response.missed, response.jobs));
    }
    text += fmt::format("makespan {}\n",
                        in_units(report.orders ? report.orders->makespan : result.makespan, tasks));
    if (report.orders) {
        text += fmt::format("worst launch orders: {}, {}, {}\n", report.orders->method,
                            report.orders->exact ? "exact" : "the worst found",
                            amount(static_cast<std::uint64_t>(report.orders->evaluations), "evaluation"));
        for (std::size_t i = 0; i < report.orders->operations.size(); ++i) {
            const studies::WorstResponse& worst = report.orders->operations[i];
            text += fmt::format("  {}:", tasks.operations[i].name);
            for (const std::uint32_t operation : worst.order)
                text += fmt::format(" {}", tasks.operations[operation].name);
            if (worst.upper && *worst.upper != worst.response)
                text += fmt::format(" (at most {})", *worst.upper);
            text += "\n";
        }
    } else {
        text += fmt::format("method: {}\n", to_string(result.method));
    }
    for (const std::string& assumption : result.assumptions) text += fmt::format("  {}\n", assumption);
    text += fmt::format("horizon: {}{}\n", studies::describe(result.end),
                        result.end == studies::HorizonEnd::launched_once
                            ? ""
                            : fmt::format(" (jobs released before {})", in_units(result.horizon, tasks)));
    if (result.utilisation > 0) text += fmt::format("utilisation of the GPU {:.3f}\n", result.utilisation);
    if (report.net_makespan)
        text += fmt::format("the net is dead after {}\n", in_units(*report.net_makespan, tasks));
    if (report.sporadic) text += sporadic_text(tasks, report);
    if (report.scaling) text += scaling_text(tasks, *report.scaling);
    if (report.steps) text += steps_text(tasks, report);
    if (report.measured) text += measured_text(tasks, *report.measured);
    if (loaded.variants) text += variants_text(*loaded.variants);
    return text + certified_text(loaded);
}

nlohmann::ordered_json respond_json(const LoadedTasks& loaded, const studies::RespondReport& report,
                                    bool jobs) {
    nlohmann::ordered_json json = to_json(loaded.tasks, report, jobs);
    if (loaded.variants) json["variants"] = studies::to_json(*loaded.variants);
    for (const CertifiedKernel& kernel : loaded.certified)
        json["certified"].push_back({{"name", kernel.name},
                                     {"device", kernel.device},
                                     {"us", kernel.us},
                                     {"rounds", kernel.rounds},
                                     {"block_us", kernel.block_us()},
                                     {"assumptions", studies::assumptions_json(kernel.assumptions)}});
    return json;
}

}  // namespace warpnet::cli
