#include "cli/run_report.hpp"

#include "engine/run_many.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t listed_results = 1000;

/// Whether steps and firings mean less than they seem to: nothing in the net ended the run.
bool cut_off(const RunResult& result) {
    return result.reason == StopReason::interrupted || result.reason == StopReason::time_limit;
}

RunStatistics statistics_of_complete_runs(const std::vector<RunResult>& results) {
    if (std::none_of(results.begin(), results.end(), cut_off)) return statistics(results);
    std::vector<RunResult> complete;
    std::remove_copy_if(results.begin(), results.end(), std::back_inserter(complete), cut_off);
    return statistics(complete.empty() ? results : complete);
}

std::map<StopReason, std::uint64_t> runs_by_reason(const std::vector<RunResult>& results) {
    std::map<StopReason, std::uint64_t> runs;
    for (const RunResult& result : results) ++runs[result.reason];
    return runs;
}

/// "step_limit"
std::string json_name(StopReason reason) {
    std::string name(to_string(reason));
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

template <class Node, class Number>
Json nonzero_json(std::span<const Node> nodes, const std::vector<Number>& values) {
    Json object = Json::object();
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] != 0) object[nodes[i].id] = values[i];
    }
    return object;
}

Json result_json(const RunReport& report, const RunResult& result) {
    Json json = {{"run", result.run},
                 {"steps", result.steps},
                 {"firings", result.firings},
                 {"dead", result.reason == StopReason::dead},
                 {"reason", json_name(result.reason)}};
    if (result.endless) json["endless"] = true;
    if (report.markings) json["marking"] = nonzero_json(report.net.places(), result.marking);
    if (report.counts) json["counts"] = nonzero_json(report.net.transitions(), result.counts);
    return json;
}

std::string plural(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

const char* sentence(StopReason reason) {
    switch (reason) {
        case StopReason::dead:
            return "ended in a dead marking";
        case StopReason::step_limit:
            return "stopped at the step limit";
        case StopReason::time_limit:
            return "stopped at the time limit";
        case StopReason::interrupted:
            return "interrupted";
        case StopReason::overflow:
            return "stopped: a place would have held more than 2^63-1 tokens";
        case StopReason::immediate_loop:
            return "stopped: immediate transitions fire for ever, time does not advance";
    }
    return "";
}

std::string number_table(const RunStatistics& statistics) {
    const auto row = [](std::string_view name, auto min, auto mean, auto max, auto stddev) {
        return fmt::format("  {:<8}{:>12}{:>14}{:>12}{:>10}\n", name, min, mean, max, stddev);
    };
    return row("", "min", "mean", "max", "stddev") +
           row("steps", statistics.min_steps, fmt::format("{:.2f}", statistics.mean_steps),
               statistics.max_steps, fmt::format("{:.2f}", statistics.stddev_steps)) +
           row("firings", "", fmt::format("{:.2f}", statistics.mean_firings), "", "");
}

/// Two columns, numbers right-aligned; nodes with a value of 0 are left out.
template <class Node, class Number>
std::string node_table(std::string_view title, std::span<const Node> nodes,
                       const std::vector<Number>& values) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] != 0) width = std::max(width, nodes[i].id.size());
    }
    std::string table = fmt::format("\n{}\n", title);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] != 0) table += fmt::format("  {:<{}}  {:>12}\n", nodes[i].id, width, values[i]);
    }
    return width == 0 ? table + "  (none)\n" : table;
}

std::string markings_text(const RunReport& report) {
    std::map<Marking, std::uint64_t> runs;
    for (const RunResult& result : report.results) ++runs[result.marking];
    const auto most = std::max_element(runs.begin(), runs.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::string title =
        report.results.size() == 1 ? "Last marking"
        : runs.size() == 1         ? "Last marking of every run"
                           : fmt::format("{} different last markings; of {}, the most frequent:", runs.size(),
                                         plural(most->second, "run"));
    return node_table(title, report.net.places(), most->first);
}

std::string counts_text(const RunReport& report) {
    std::vector<double> means(report.net.transitions().size());
    for (const RunResult& result : report.results) {
        for (std::size_t t = 0; t < means.size(); ++t) means[t] += static_cast<double>(result.counts[t]);
    }
    for (double& mean : means) mean /= static_cast<double>(report.results.size());
    return node_table(report.results.size() == 1 ? "Firings" : "Firings, mean over the runs",
                      report.net.transitions(), means);
}

bool endless(const RunReport& report) {
    return std::any_of(report.results.begin(), report.results.end(),
                       [](const RunResult& result) { return result.endless; });
}

}  // namespace

std::string run_json(const RunReport& report) {
    const RunStatistics all = statistics_of_complete_runs(report.results);
    const auto reasons = runs_by_reason(report.results);
    Json json = {{"net", report.net.id()},
                 {"semantics", to_string(report.semantics)},
                 {"policy", report.policy},
                 {"runs", report.results.size()},
                 {"seed", report.seed},
                 {"dead", reasons.contains(StopReason::dead) ? reasons.at(StopReason::dead) : 0}};
    if (report.interrupted) json["interrupted"] = true;
    if (report.results.size() < report.requested) json["requested"] = report.requested;
    if (report.results.empty()) {
        json["steps"] = nullptr;
        json["firings"] = nullptr;
    } else {
        json["steps"] = {{"min", all.min_steps},
                         {"max", all.max_steps},
                         {"mean", all.mean_steps},
                         {"stddev", all.stddev_steps}};
        json["firings"] = {{"mean", all.mean_firings}};
    }
    json["reasons"] = Json::object();
    for (const auto& [reason, runs] : reasons) json["reasons"][json_name(reason)] = runs;
    const std::size_t listed =
        report.all ? report.results.size() : std::min(report.results.size(), listed_results);
    if (listed < report.results.size()) json["results_left_out"] = report.results.size() - listed;
    json["results"] = Json::array();
    for (std::size_t i = 0; i < listed; ++i)
        json["results"].push_back(result_json(report, report.results[i]));
    return json.dump() + "\n";
}

std::string run_text(const RunReport& report) {
    std::string text = fmt::format("{}: {}, {} semantics, policy {}, seed {}\n\n", report.net.id(),
                                   plural(report.results.size(), "run"), to_string(report.semantics),
                                   report.policy, report.seed);
    if (report.results.size() == 1) {
        const RunResult& result = report.results.front();
        text += fmt::format("  steps   {:>12}\n  firings {:>12}\n", result.steps, result.firings);
    } else if (!report.results.empty()) {
        text += number_table(statistics_of_complete_runs(report.results));
    }
    text += '\n';
    for (const auto& [reason, runs] : runs_by_reason(report.results)) {
        text += fmt::format("  {} {}\n", plural(runs, "run"), sentence(reason));
    }
    if (report.results.size() < report.requested) {
        text += fmt::format("  {} never begun\n", plural(report.requested - report.results.size(), "run"));
    }
    if (endless(report)) {
        text += "  The marking at the step limit repeats for ever: no limit would have been enough.\n";
    }
    if (report.markings && !report.results.empty()) text += markings_text(report);
    if (report.counts && !report.results.empty()) text += counts_text(report);
    return text;
}

ExitCode exit_code_of(const RunReport& report) {
    if (report.interrupted) return ExitCode::interrupted;
    const bool all_dead =
        std::all_of(report.results.begin(), report.results.end(),
                    [](const RunResult& result) { return result.reason == StopReason::dead; });
    return all_dead && report.results.size() == report.requested ? ExitCode::done : ExitCode::limit;
}

}  // namespace warpnet::cli
