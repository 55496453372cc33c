// All answers about where to split a graph in one value, and its JSON. The execution time of a choice is
// checked by running the net of the graph: a different number of steps is a bug and throws. With a pool of
// units the net is run with fixed and with first-come sharing. Both runs must take the time of the
// simulation.

#include "analysis/studies/split/split_report.hpp"

#include "analysis/studies/split/baselines.hpp"
#include "engine/base/to_json.hpp"
#include "engine/plan.hpp"
#include "netgen/cfg/generator.hpp"
#include "netgen/cfg/net.hpp"

#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace warpnet::studies {

namespace {

using Json = nlohmann::ordered_json;

/// Nothing if the limits were reached.
std::optional<std::int64_t> steps_of_net(const netgen::StructuredCfg& cfg,
                                         const netgen::CfgAnnotation& annotation, std::int64_t wcet,
                                         const WorkLimits& limits) {
    if (limits.must_end()) return {};
    RunOptions options;
    options.limits.deadline = limits.deadline;
    options.limits.interrupt = limits.interrupt;
    options.max_steps = std::numeric_limits<std::uint64_t>::max();
    const RunResult result = run(compile(netgen::cfg_net(cfg, annotation)), options);
    if (result.reason == StopReason::time_limit || result.reason == StopReason::interrupted) return {};
    if (result.reason != StopReason::dead)
        throw std::logic_error("the net of a control-flow graph did not end");
    const auto steps = static_cast<std::int64_t>(result.steps);
    if (steps != wcet)
        throw std::logic_error(fmt::format("the net takes {} steps, the algorithm says {}", steps, wcet));
    return steps;
}

SplitBaselines find_baselines(const netgen::StructuredCfg& cfg, const SplitQuestions& questions,
                              WorkLimits limits) {
    const auto spare = static_cast<std::size_t>(questions.units - 1);
    limits.effort = questions.brute_force_evaluations;
    SplitBaselines found;
    found.none = evaluate(cfg, netgen::SplitSet(cfg.size(), false)).wcet;
    found.naive = evaluate(cfg, naive_split(cfg, spare)).wcet;
    found.first = evaluate(cfg, first_split(cfg, spare)).wcet;
    found.random = random_splits(cfg, spare, questions.seed, questions.random_draws, limits);
    found.brute_force = brute_force_split(cfg, questions.units, questions.rule, limits);
    return found;
}

SplitResult pooled_result(const netgen::StructuredCfg& cfg, netgen::Units units,
                          const PoolSplitResult& found) {
    return {UnitRule::reuse, found.wcet, found.unsplit,
            netgen::annotate_pooled(cfg, found.run.taken, units, netgen::UnitSharing::fixed_hand_over)};
}

bool stopped(WorkEnd end) { return end == WorkEnd::interrupted || end == WorkEnd::time_limit; }

template <class Value>
Json by_method(const PerSplitMethod<Value>& values, const SplitStudyOptions& options) {
    Json object;
    for (const SplitMethod method : methods_of(options))
        object[to_string(method)] = count_json(static_cast<double>(at(values, method)));
    return object;
}

void add_tables(Json& object, const SplitReport& report) {
    const SplitTable& table = *report.table;
    const netgen::StructuredCfg& cfg = report.cfg;
    Json t, n, sets;
    const std::vector<netgen::Units> first = netgen::first_units(cfg, report.result.annotation);
    for (const netgen::BlockId at : cfg.program_order()) {
        const std::string& id = cfg[at].id;
        Json times = Json::array(), choices = Json::array();
        for (netgen::Units u = 1; u <= table.useful_units(); ++u) {
            times.push_back(table.time(at, u));
            if (!cfg[at].is_branch()) continue;
            const UnitChoice choice = table.choice(at, u);
            choices.push_back(
                {{"split", choice.split}, {"true", choice.true_units}, {"false", choice.false_units}});
        }
        t[id] = std::move(times);
        if (cfg[at].is_branch()) n[id] = std::move(choices);
        sets[id] = {{"first", first[index(at)]}, {"count", report.result.annotation.blocks[index(at)].units}};
    }
    object["t"] = std::move(t);
    object["n"] = n.is_null() ? Json::object() : std::move(n);
    object["unit_sets"] = std::move(sets);
}

void add_pool(Json& object, const SplitReport& report) {
    const PoolSplitResult& pool = *report.pool;
    object["lower"] = pool.lower;
    object["exact"] = pool.exact();
    object["evaluations"] = pool.evaluations;
    object["static_wcet"] = report.allotted_wcet;
    object["hand_over"] = Json::array();
    for (const netgen::HandOver& hand_over : pool.run.hand_overs) {
        Json row = {{"to", report.cfg[hand_over.to].id}, {"from", nullptr}, {"side", nullptr}};
        if (hand_over.from) {
            row["from"] = report.cfg[hand_over.from->branch].id;
            row["side"] = hand_over.from->true_side ? "true" : "false";
        }
        object["hand_over"].push_back(row);
    }
}

void add_divisions(Json& object, const SplitReport& report) {
    const UnitDivision& best = best_division(report.divisions);
    Json rows = Json::array();
    for (const UnitDivision& one : report.divisions)
        rows.push_back({{"units", one.units},
                        {"at_a_time", one.at_a_time},
                        {"rounds", one.rounds},
                        {"wcet", one.wcet},
                        {"time", one.time}});
    object["wavefronts"] = {{"count", report.wavefronts},
                            {"simds", report.simds},
                            {"simd_units", report.simds * report.result.annotation.units},
                            {"units", best.units},
                            {"time", best.time},
                            {"divisions", std::move(rows)}};
}

}  // namespace

SplitReport split_report(const netgen::StructuredCfg& cfg, const SplitQuestions& questions) {
    const WorkLimits& limits = questions.limits;
    const SplitTable table(cfg, questions.units, questions.rule);
    SplitReport report{.cfg = cfg, .result = best_split(table)};
    const auto end_with = [&](WorkEnd end) {
        if (stopped(end)) report.end = end;
    };
    const auto pooled = [&](netgen::Units units) {
        return best_pool_split(cfg, units, {questions.pool_evaluations, questions.seed, limits});
    };
    if (questions.pool) {
        report.pool = pooled(questions.units);
        report.allotted_wcet = report.result.wcet;
        report.result = pooled_result(cfg, questions.units, *report.pool);
        end_with(report.pool->end);
    }
    if (questions.tables) report.table.emplace(table);
    if (questions.wavefronts > 0) {
        report.wavefronts = questions.wavefronts;
        report.simds = questions.simds;
        report.divisions =
            unit_divisions(cfg, questions.wavefronts, questions.simds, questions.units - 1, questions.rule);
    }
    for (netgen::Units units = 1; questions.all_units && units <= table.useful_units(); ++units) {
        if (limits.must_end()) {
            end_with(limits.asked_to_end());
            break;
        }
        report.by_units.push_back(questions.pool ? pooled_result(cfg, units, pooled(units))
                                                 : best_split(cfg, units, questions.rule));
    }
    if (questions.net) {
        netgen::CfgAnnotation annotation = report.result.annotation;
        report.net_steps = steps_of_net(cfg, annotation, report.result.wcet, limits);
        if (questions.pool && report.net_steps) {
            annotation.sharing = netgen::UnitSharing::first_come;
            report.net_steps = steps_of_net(cfg, annotation, report.result.wcet, limits);
        }
        if (!report.net_steps) end_with(limits.asked_to_end());
    }
    if (questions.baselines) {
        report.baselines = find_baselines(cfg, questions, limits);
        end_with(report.baselines->random.end);
        end_with(report.baselines->brute_force.end);
    }
    return report;
}

std::vector<std::string> splits_of(const SplitReport& report, const SplitResult& result) {
    return netgen::split_ids(report.cfg, result.annotation.splits());
}

nlohmann::ordered_json to_json(const SplitReport& report) {
    const SplitResult& result = report.result;
    Json object = {{"units", result.annotation.units}};
    if (!report.pool) object["rule"] = to_string(result.rule);
    object["optimum_over"] = report.pool ? "pooled_units" : "static_allotments";
    object["wcet"] = result.wcet;
    object["unsplit"] = result.unsplit;
    object["splits"] = splits_of(report, result);
    if (report.pool) {
        add_pool(object, report);
    } else {
        Json& allocation = object["allocation"] = Json::object();
        for (const netgen::BlockId block : report.cfg.program_order())
            allocation[report.cfg[block].id] = result.annotation.blocks[index(block)].units;
    }
    if (!report.by_units.empty()) {
        object["table"] = Json::array();
        for (const SplitResult& row : report.by_units) {
            object["table"].push_back(
                {{"units", row.annotation.units}, {"wcet", row.wcet}, {"splits", splits_of(report, row)}});
        }
    }
    if (report.table) add_tables(object, report);
    if (!report.divisions.empty()) add_divisions(object, report);
    if (report.net_steps) object["net_steps"] = *report.net_steps;
    if (report.baselines) {
        const SplitBaselines& rivals = *report.baselines;
        object["baselines"] = {{"none", rivals.none},
                               {"naive", rivals.naive},
                               {"first", rivals.first},
                               {"random", rivals.random.mean_wcet},
                               {"brute_force", rivals.brute_force.wcet}};
        object["random_draws"] = rivals.random.draws;
        object["brute_force"] = {{"evaluations", rivals.brute_force.evaluations},
                                 {"complete", rivals.brute_force.end == WorkEnd::complete},
                                 {"splits", netgen::split_ids(report.cfg, rivals.brute_force.splits)}};
    }
    return object;
}

std::vector<SplitMethod> methods_of(const SplitStudyOptions& options) {
    std::vector<SplitMethod> methods(split_methods.begin(), split_methods.end());
    if (!options.pool_evaluations) std::erase(methods, SplitMethod::pool);
    return methods;
}

std::string label_of(const SplitStudyRow& row) {
    return row.name.empty() ? netgen::shape_label(row.depth, row.branches_in_sequence) : row.name;
}

nlohmann::ordered_json to_json(const SplitStudy& study, const SplitStudyOptions& options) {
    Json object = {{"units", options.units},
                   {"rule", to_string(options.rule)},
                   {"seed", options.seed},
                   {"rows", Json::array()}};
    for (std::size_t i = 0; i < study.rows.size(); ++i) {
        const SplitStudyRow& row = study.rows[i];
        object["rows"].push_back({{"graph", label_of(row)},
                                  {"seed", row.graph_seed},
                                  {"blocks", row.blocks},
                                  {"branches", row.branches},
                                  {"wcet", by_method(row.wcet, options)},
                                  {"seconds", by_method(study.seconds[i], options)},
                                  {"brute_force_complete", row.brute_force_complete}});
        if (options.pool_evaluations) object["rows"].back()["pool_exact"] = row.pool_exact;
    }
    object["mean_reduction"] = by_method(study.mean_reduction, options);
    return object;
}

}  // namespace warpnet::studies
