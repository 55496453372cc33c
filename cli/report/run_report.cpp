#include "cli/report/run_report.hpp"

#include "cli/report/distribution_report.hpp"
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

/// A schedule that is replayed ends where it ends, which is no limit.
bool ended_with_schedule(const RunReport& report, StopReason reason) {
    return report.policy == replay_policy && reason == StopReason::step_limit;
}

/// "step_limit"
std::string json_name(const RunReport& report, StopReason reason) {
    if (ended_with_schedule(report, reason)) return "schedule_end";
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
                 {"reason", json_name(report, result.reason)}};
    if (result.endless) json["endless"] = true;
    if (report.markings) json["marking"] = nonzero_json(report.net.places(), result.marking);
    if (report.counts) json["counts"] = nonzero_json(report.net.transitions(), result.counts);
    return json;
}

std::vector<RunResult> runs_that_met(const RunReport& report) {
    std::vector<RunResult> met;
    std::copy_if(report.results.begin(), report.results.end(), std::back_inserter(met),
                 [](const RunResult& result) { return result.reason == StopReason::condition; });
    return met;
}

Json steps_json(const RunStatistics& statistics) {
    return {{"min", statistics.min_steps},
            {"max", statistics.max_steps},
            {"mean", statistics.mean_steps},
            {"stddev", statistics.stddev_steps}};
}

Json until_json(const RunReport& report) {
    const std::vector<RunResult> met = runs_that_met(report);
    Json json = {{"condition", report.until}, {"met", met.size()}, {"steps", nullptr}};
    if (!met.empty()) json["steps"] = steps_json(statistics(met));
    return json;
}

Json statistics_json(const Net& net, const NodeTally& tally, const std::vector<std::uint32_t>& hubs) {
    Json places = Json::object();
    for (std::size_t p = 0; p < net.places().size(); ++p) {
        const PlaceStatistics place = tally.place(p);
        places[net.places()[p].id] = {{"mean", place.mean},
                                      {"max", place.max},
                                      {"marked", place.marked},
                                      {"idle", place.idle},
                                      {"taken", place.taken}};
    }
    Json transitions = Json::object();
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const TransitionStatistics transition = tally.transition(t);
        transitions[net.transitions()[t].id] = {{"min", transition.min},
                                                {"max", transition.max},
                                                {"mean", transition.mean},
                                                {"stddev", transition.stddev}};
    }
    Json shared = Json::object();
    for (const std::uint32_t hub : hubs) {
        const Tokens tokens = net.initial_marking()[hub];
        const PlaceStatistics place = tally.place(hub);
        shared[net.places()[hub].id] = {
            {"tokens", tokens}, {"in_use", place.in_use(tokens)}, {"idle", place.idle}};
    }
    Json json = {{"steps", tally.steps()}, {"places", places}, {"transitions", transitions}};
    if (!shared.empty()) json["hubs"] = shared;
    return json;
}

std::string plural(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

const char* sentence(const RunReport& report, StopReason reason) {
    if (ended_with_schedule(report, reason))
        return "followed the schedule to its end; transitions can still fire";
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
        case StopReason::condition:
            return "met the condition";
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

/// The steps of the runs that met the condition, where those are not all runs.
std::string until_text(const RunReport& report) {
    const std::vector<RunResult> met = runs_that_met(report);
    if (met.empty() || met.size() == report.results.size()) return "";
    const RunStatistics steps = statistics(met);
    return fmt::format("  Steps to the condition: min {}, mean {:.2f}, max {}, stddev {:.2f}\n",
                       steps.min_steps, steps.mean_steps, steps.max_steps, steps.stddev_steps);
}

/// Schedulers, units: how much of them was in use, and how often nothing of them.
std::string hubs_text(const Net& net, const NodeTally& tally, const std::vector<std::uint32_t>& hubs) {
    if (hubs.empty()) return "";
    std::size_t width = 0;
    for (const std::uint32_t hub : hubs) width = std::max(width, net.places()[hub].id.size());
    std::string text =
        fmt::format("\nShared by the parts, over {}\n  {:<{}}  {:>12}{:>12}{:>14}\n",
                    plural(tally.steps(), "step"), "", width, "tokens", "in use", "none in use");
    for (const std::uint32_t hub : hubs) {
        const Tokens tokens = net.initial_marking()[hub];
        const PlaceStatistics place = tally.place(hub);
        text += fmt::format("  {:<{}}  {:>12}{:>10.2f} %{:>12.2f} %\n", net.places()[hub].id, width, tokens,
                            100 * place.in_use(tokens), 100 * place.idle);
    }
    return text;
}

/// Nodes that never had a token or never fired are counted, not listed.
std::string statistics_text(const Net& net, const NodeTally& tally) {
    const auto width_of = [](const auto& nodes) {
        std::size_t width = 0;
        for (const auto& node : nodes) width = std::max(width, node.id.size());
        return width;
    };
    const auto left_out = [](std::size_t count, std::string_view noun, std::string_view never) {
        return count == 0 ? "" : fmt::format("  {} never {}\n", plural(count, noun), never);
    };
    std::size_t width = width_of(net.places()), unused = 0;
    std::string text = fmt::format("\nPlaces, over {}\n  {:<{}}  {:>12}{:>12}{:>10}\n",
                                   plural(tally.steps(), "step"), "", width, "mean", "max", "marked");
    for (std::size_t p = 0; p < net.places().size(); ++p) {
        const PlaceStatistics place = tally.place(p);
        if (place.max == 0) ++unused;
        if (place.max > 0)
            text += fmt::format("  {:<{}}  {:>12.4f}{:>12}{:>8.2f} %\n", net.places()[p].id, width,
                                place.mean, place.max, 100 * place.marked);
    }
    text += left_out(unused, "place", "marked");
    width = width_of(net.transitions());
    unused = 0;
    text += fmt::format("\nFirings of transitions, over {}\n  {:<{}}  {:>10}{:>14}{:>10}{:>10}\n",
                        plural(tally.runs(), "run"), "", width, "min", "mean", "max", "stddev");
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const TransitionStatistics transition = tally.transition(t);
        if (transition.max == 0) ++unused;
        if (transition.max > 0)
            text += fmt::format("  {:<{}}  {:>10}{:>14.2f}{:>10}{:>10.2f}\n", net.transitions()[t].id, width,
                                transition.min, transition.mean, transition.max, transition.stddev);
    }
    return text + left_out(unused, "transition", "fired");
}

bool endless(const RunReport& report) {
    return std::any_of(report.results.begin(), report.results.end(),
                       [](const RunResult& result) { return result.endless; });
}

}  // namespace

namespace {

Json report_json(const RunReport& report) {
    const RunStatistics all = statistics_of_complete_runs(report.results);
    const auto reasons = runs_by_reason(report.results);
    Json json = {{"net", report.net.id()},
                 {"semantics", to_string(report.semantics)},
                 {"policy", report.policy},
                 {"runs", report.results.size()},
                 {"seed", report.seed},
                 {"dead", reasons.contains(StopReason::dead) ? reasons.at(StopReason::dead) : 0}};
    json["executor"] = report.executor.name;
    if (!report.executor.reason.empty()) json["why_not_modules"] = report.executor.reason;
    if (report.interrupted) json["interrupted"] = true;
    if (report.results.size() < report.requested) json["requested"] = report.requested;
    if (report.results.empty()) {
        json["steps"] = nullptr;
        json["firings"] = nullptr;
    } else {
        json["steps"] = steps_json(all);
        json["firings"] = {{"mean", all.mean_firings}};
    }
    json["reasons"] = Json::object();
    for (const auto& [reason, runs] : reasons) json["reasons"][json_name(report, reason)] = runs;
    if (!report.until.empty()) json["until"] = until_json(report);
    if (report.statistics != nullptr)
        json["statistics"] = statistics_json(report.net, *report.statistics, report.hubs);
    if (report.tail) json["tail"] = tail_json(*report.tail, report.bound);
    const std::size_t listed =
        report.all ? report.results.size() : std::min(report.results.size(), listed_results);
    if (listed < report.results.size()) json["results_left_out"] = report.results.size() - listed;
    json["results"] = Json::array();
    for (std::size_t i = 0; i < listed; ++i)
        json["results"].push_back(result_json(report, report.results[i]));
    return json;
}

}  // namespace

std::string run_json(const RunReport& report) { return report_json(report).dump() + "\n"; }

std::string semantics_json(std::span<const RunReport> reports) {
    Json json = {{"net", reports.front().net.id()}, {"semantics", Json::object()}};
    for (const RunReport& report : reports)
        json["semantics"][std::string(to_string(report.semantics))] = report_json(report);
    return json.dump() + "\n";
}

std::string semantics_text(std::span<const RunReport> reports) {
    const RunReport& first = reports.front();
    std::string text =
        fmt::format("{}: {} under each semantics, policy {}, seed {}\n\n  {:<24}", first.net.id(),
                    plural(first.requested, "run"), first.policy, first.seed, "");
    for (const RunReport& report : reports) text += fmt::format("{:>14}", to_string(report.semantics));
    const auto row = [&](std::string_view name, const auto& cell) {
        text += fmt::format("\n  {:<24}", name);
        for (const RunReport& report : reports) {
            const std::string value = report.results.empty() ? "-" : cell(report);
            text += fmt::format("{:>14}", value);
        }
    };
    const auto of = [](const RunReport& report) { return statistics_of_complete_runs(report.results); };
    row("steps, least", [&](const RunReport& report) { return fmt::format("{}", of(report).min_steps); });
    row("steps, mean", [&](const RunReport& report) { return fmt::format("{:.2f}", of(report).mean_steps); });
    row("steps, most", [&](const RunReport& report) { return fmt::format("{}", of(report).max_steps); });
    row("steps, deviation",
        [&](const RunReport& report) { return fmt::format("{:.2f}", of(report).stddev_steps); });
    row("firings, mean",
        [&](const RunReport& report) { return fmt::format("{:.2f}", of(report).mean_firings); });
    text += '\n';
    for (const RunReport& report : reports) {
        text += fmt::format("\n  {}:", to_string(report.semantics));
        std::string separator = " ";
        for (const auto& [reason, runs] : runs_by_reason(report.results)) {
            text += fmt::format("{}{} {}", separator, plural(runs, "run"), sentence(report, reason));
            separator = ", ";
        }
        if (report.results.size() < report.requested)
            text += fmt::format("{}{} never begun", separator,
                                plural(report.requested - report.results.size(), "run"));
    }
    return text + '\n';
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
        text += fmt::format("  {} {}\n", plural(runs, "run"), sentence(report, reason));
    }
    if (report.results.size() < report.requested) {
        text += fmt::format("  {} never begun\n", plural(report.requested - report.results.size(), "run"));
    }
    if (endless(report)) {
        text += "  The marking at the step limit repeats for ever: no limit would have been enough.\n";
    }
    text += until_text(report);
    if (report.markings && !report.results.empty()) text += markings_text(report);
    if (report.counts && !report.results.empty()) text += counts_text(report);
    if (report.statistics != nullptr)
        text += statistics_text(report.net, *report.statistics) +
                hubs_text(report.net, *report.statistics, report.hubs);
    if (report.tail) text += tail_text(*report.tail, report.bound);
    return text;
}

ExitCode exit_code_of(const RunReport& report) {
    if (report.interrupted) return ExitCode::interrupted;
    const bool all_ended =
        std::all_of(report.results.begin(), report.results.end(), [&](const RunResult& result) {
            return result.reason == StopReason::dead || result.reason == StopReason::condition ||
                   ended_with_schedule(report, result.reason);
        });
    return all_ended && report.results.size() == report.requested ? ExitCode::done : ExitCode::limit;
}

}  // namespace warpnet::cli
