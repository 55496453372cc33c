// The JSON of runs. Only the first 1,000 results are listed unless all are requested, and the number of the
// remaining ones is stated.

#include "analysis/studies/runs/run_json.hpp"

#include "analysis/worst/worst_json.hpp"
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"

#include <algorithm>

namespace warpnet::studies {
namespace {

// The JSON of an exact distribution of steps, and of an estimate of its tail. Quantiles are given only if
// every run ends within the distribution.

using Json = nlohmann::ordered_json;

Json fit_json(const TailFit& fit) {
    return {{"location", fit.distribution.location},
            {"scale", fit.distribution.scale},
            {"shape", fit.distribution.shape},
            {"anderson_darling", fit.anderson_darling},
            {"p", fit.p}};
}

}  // namespace

nlohmann::ordered_json to_json(const Net& net, const worst::StepDistribution& distribution) {
    const bool complete = distribution.stop == WorkEnd::complete;
    Json json = {{"net", net.id()},
                 {"semantics", "maximal"},
                 {"policy", "random"},
                 {"exact", true},
                 {"complete", complete},
                 {"stop", to_string(distribution.stop)},
                 {"states", distribution.states}};
    json["state_kind"] = distribution.multisets ? "multisets" : "markings";
    if (!distribution.not_multisets.empty()) json["why_not_multisets"] = distribution.not_multisets;
    if (!complete) return json;
    const auto& steps = distribution.steps;
    json["steps"] = nullptr;
    if (!steps.empty()) {
        json["steps"] = {{"min", steps.front().steps},
                         {"max", steps.back().steps},
                         {"mean", worst::mean_steps(steps)},
                         {"stddev", worst::standard_deviation(steps)}};
    }
    json["endless"] = distribution.endless;
    json["longer"] = distribution.longer;
    json["distribution"] = Json::array();
    for (const auto [count, probability] : steps)
        json["distribution"].push_back({{"steps", count}, {"probability", probability}});
    json["quantiles"] = Json::array();
    if (!steps.empty() && distribution.endless + distribution.longer == 0) {
        for (const double probability : shown_quantiles)
            json["quantiles"].push_back(
                {{"probability", probability}, {"steps", quantile(steps, probability)}});
    }
    return json;
}

nlohmann::ordered_json to_json(const TailEstimate& tail, const std::optional<worst::QuickBound>& bound) {
    Json json = {{"runs", tail.runs}, {"bound", false}, {"upper", bound ? Json(bound->steps) : Json()}};
    if (bound) json["machine"] = to_json(bound->machine);
    json["quantiles"] = Json::array();
    for (const auto [probability, steps] : tail.quantiles)
        json["quantiles"].push_back({{"probability", probability}, {"steps", steps}});
    if (tail.block == 0) {
        json["why_no_fit"] = tail.why_no_fit;
        return json;
    }
    json["block"] = tail.block;
    json["blocks"] = tail.blocks;
    json["gumbel"] = fit_json(tail.gumbel);
    json["gev"] = fit_json(tail.extreme_value);
    json["levels"] = Json::array();
    for (const TailLevel& level : tail.levels) {
        json["levels"].push_back(
            {{"probability", level.probability}, {"gumbel", level.gumbel}, {"gev", level.extreme_value}});
    }
    return json;
}

using Json = nlohmann::ordered_json;

Json steps_json(const RunStatistics& statistics) {
    return {{"min", statistics.min_steps},
            {"max", statistics.max_steps},
            {"mean", statistics.mean_steps},
            {"stddev", statistics.stddev_steps}};
}

namespace {

constexpr std::size_t listed_results = 1000;

/// "step_limit"
std::string reason_name(const RunReport& report, StopReason reason) {
    return report.followed_schedule(reason) ? "schedule_end" : with_underscores(to_string(reason));
}

Json result_json(const RunReport& report, const RunResult& result) {
    Json json = {{"run", result.run},
                 {"steps", result.steps},
                 {"firings", result.firings},
                 {"dead", result.reason == StopReason::dead},
                 {"reason", reason_name(report, result.reason)}};
    if (result.endless) json["endless"] = true;
    if (report.markings) json["marking"] = nonzero_json(report.net.places(), result.marking);
    if (report.counts) json["counts"] = nonzero_json(report.net.transitions(), result.counts);
    return json;
}

Json until_json(const RunReport& report) {
    const std::vector<RunResult> met = report.met();
    Json json = {{"condition", report.until}, {"met", met.size()}, {"steps", nullptr}};
    if (!met.empty()) json["steps"] = studies::steps_json(statistics(met));
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

}  // namespace

nlohmann::ordered_json to_json(const RunReport& report, bool all) {
    const auto reasons = report.reasons();
    Json json = {{"net", report.net.id()},
                 {"semantics", to_string(report.semantics)},
                 {"policy", report.policy},
                 {"runs", report.results.size()},
                 {"seed", report.seed},
                 {"dead", reasons.contains(StopReason::dead) ? reasons.at(StopReason::dead) : 0}};
    if (!report.policy_decides) json["policy_decides"] = false;
    json["executor"] = report.executor.name;
    if (!report.executor.reason.empty()) json["why_not_modules"] = report.executor.reason;
    if (report.interrupted) json["interrupted"] = true;
    if (report.results.size() < report.requested) json["requested"] = report.requested;
    if (report.results.empty()) {
        json["steps"] = nullptr;
        json["firings"] = nullptr;
    } else {
        const RunStatistics complete = report.complete_runs();
        json["steps"] = studies::steps_json(complete);
        json["firings"] = {{"mean", complete.mean_firings}};
    }
    json["reasons"] = Json::object();
    for (const auto& [reason, runs] : reasons) json["reasons"][reason_name(report, reason)] = runs;
    if (!report.until.empty()) json["until"] = until_json(report);
    if (report.statistics) json["statistics"] = statistics_json(report.net, *report.statistics, report.hubs);
    if (report.tail) json["tail"] = to_json(*report.tail, report.bound);
    const std::size_t listed = all ? report.results.size() : std::min(report.results.size(), listed_results);
    if (listed < report.results.size()) json["results_left_out"] = report.results.size() - listed;
    json["results"] = Json::array();
    for (std::size_t i = 0; i < listed; ++i)
        json["results"].push_back(result_json(report, report.results[i]));
    return json;
}

nlohmann::ordered_json to_json(std::span<const RunReport> reports, bool all) {
    Json json = {{"net", reports.front().net.id()}, {"semantics", Json::object()}};
    for (const RunReport& report : reports)
        json["semantics"][std::string(to_string(report.semantics))] = to_json(report, all);
    return json;
}

}  // namespace warpnet::studies
