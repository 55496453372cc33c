// Runs and worst cases over a range of one parameter of a family, one row per value. A place that is a hub in
// any net of the sweep is reported for every net that has it, so rows are comparable. Each net is freed after
// its row. A limit or an interrupt leaves out the last rows.
//
// All nets exist at the beginning, because the hubs of any of them are columns of each row. Rows come one
// after another, since each of them uses all threads. A limit then leaves whole rows instead of parts of all.

#include "analysis/studies/runs/sweep.hpp"

#include "analysis/studies/runs/run_json.hpp"
#include "analysis/worst/worst_json.hpp"
#include "engine/base/to_json.hpp"
#include "engine/executors/modules/net.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace warpnet::studies {

namespace {

/// The places in which modules of any of the nets meet: one warp shares no scheduler, two do.
std::vector<std::string> hubs_of_any(const std::vector<Net>& nets) {
    std::vector<std::string> ids;
    for (const Net& net : nets) {
        for (const std::uint32_t hub : shared_places(compile(net))) {
            const std::string& id = net.places()[hub].id;
            if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
        }
    }
    return ids;
}

void add_runs(const SweepQuestions& options, const Net& net, const std::vector<std::string>& hubs,
              SweepRow& row) {
    const RunReport report = run_study(
        net,
        {.runs = {.many = options.runs}, .statistics = options.statistics, .progress = options.progress});
    row.policy_decides = report.policy_decides;
    std::vector<RunResult> results = report.results;
    row.runs = results.size();
    std::erase_if(results, [](const RunResult& result) { return result.reason != StopReason::dead; });
    row.ended = results.size();
    if (!results.empty()) row.steps = statistics(results);
    if (!options.statistics) return;
    for (std::size_t p = 0; p < net.places().size(); ++p) {
        const std::string& id = net.places()[p].id;
        if (std::find(hubs.begin(), hubs.end(), id) == hubs.end()) continue;
        const PlaceStatistics place = report.statistics->place(p);
        const Tokens tokens = net.initial_marking()[p];
        row.hubs.push_back({id, static_cast<std::uint64_t>(tokens), place.in_use(tokens), place.idle});
    }
}

void add_worst_case(const SweepQuestions& options, const Net& net, SweepRow& row) {
    const RunOptions& run = options.runs.run;
    worst::WorstCaseOptions search;
    search.search = options.worst;
    search.iterations = options.iterations;
    search.max_steps = std::max(search.max_steps, run.max_steps);
    if (serves_parts(run.policy)) search.policy = run.policy;
    search.seed = run.seed;
    search.threads = options.runs.threads;
    search.limits.deadline = run.limits.deadline;
    search.limits.interrupt = run.limits.interrupt;
    search.progress = options.progress;
    const worst::WorstCase worst = worst::worst_case(net, search);
    row.policy_decides = worst.policy_decides;
    row.found = worst.found;
    row.upper = worst.bound;
    row.exact = worst.exact;
    row.machine = worst.machine;
    row.limit_reached = worst.limit_reached;
}

using Json = nlohmann::ordered_json;

Json row_json(const SweepReport& report, const SweepRow& row) {
    Json json = {{"value", row.value},
                 {"runs", row.runs},
                 {"dead", row.ended},
                 {"steps", row.steps ? studies::steps_json(*row.steps) : Json(nullptr)}};
    if (!row.policy_decides) json["policy_decides"] = false;
    if (report.statistics) {
        json["hubs"] = Json::object();
        for (const SweptHub& hub : row.hubs)
            json["hubs"][hub.place] = {{"tokens", hub.tokens}, {"in_use", hub.in_use}, {"idle", hub.idle}};
    }
    if (report.found) json["found"] = or_null(row.found);
    if (report.upper) json["upper"] = or_null(row.upper);
    if (report.found) json["exact"] = row.exact;
    if (report.upper) json["machine"] = to_json(row.machine);
    return json;
}

}  // namespace

SweepReport sweep_study(SweptFamily family, const SweepQuestions& options) {
    const RunOptions& run = options.runs.run;
    SweepReport report{.family = std::move(family.name),
                       .parameter = std::move(family.parameter),
                       .policy = std::string(to_string(run.policy)),
                       .seed = run.seed,
                       .runs = options.runs.runs,
                       .values = family.values.size(),
                       .statistics = options.statistics,
                       .found = options.worst,
                       .upper = options.worst || options.bound,
                       .multiplied = family.multiplied};
    std::vector<std::string> hubs;
    if (options.statistics) hubs = hubs_of_any(family.nets);
    std::atomic<std::uint64_t> finished = 0;
    const auto progress = begin_part(options.progress, {"values", report.values, &finished});
    for (std::size_t i = 0; i < family.nets.size() && !run.limits.must_end(); ++i) {
        const Net net = std::move(family.nets[i]);  // freed after its row
        SweepRow row{.value = family.values[i]};
        row.machine = worst::machine_of(net);
        if (report.runs > 0) add_runs(options, net, hubs, row);
        if (report.upper && !run.limits.interrupted()) add_worst_case(options, net, row);
        report.rows.push_back(std::move(row));
        ++finished;
    }
    report.interrupted = run.limits.interrupted();
    return report;
}

Json to_json(const SweepReport& report) {
    Json json = {{"family", report.family}, {"parameter", report.parameter}, {"policy", report.policy},
                 {"runs", report.runs},     {"seed", report.seed},           {"rows", Json::array()}};
    for (const SweepRow& row : report.rows) json["rows"].push_back(row_json(report, row));
    if (report.rows.size() < report.values) json["values_left_out"] = report.values - report.rows.size();
    if (report.interrupted) json["interrupted"] = true;
    return json;
}

}  // namespace warpnet::studies
