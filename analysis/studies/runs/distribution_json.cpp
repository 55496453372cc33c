// The JSON of an exact distribution of steps, and of an estimate of its tail. Quantiles are given only if
// every run ends within the distribution.

#include "analysis/studies/runs/distribution_json.hpp"

#include "analysis/worst/worst_json.hpp"
#include "engine/base/to_json.hpp"

namespace warpnet::studies {

namespace {

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

}  // namespace warpnet::studies
