// The comparison of split methods of [Klashtorny24] section V, on generated graphs or on graphs from files.
// The seed of a graph is a hash of its shape and number, so a row does not depend on the other rows. Rows are
// computed in parallel, and only complete rows are reported. Times of methods are the only figures that
// depend on the machine.

#include "analysis/studies/split/study.hpp"

#include "analysis/studies/split/baselines.hpp"
#include "analysis/studies/split/pool_split.hpp"
#include "engine/base/random.hpp"
#include "engine/base/with_threads.hpp"
#include "engine/net/error.hpp"
#include "netgen/cfg/generator.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include <tbb/parallel_for.h>

namespace warpnet::studies {

namespace {

void check(const SplitStudyOptions& options) {
    const auto require_positive = [](const char* what, std::int64_t value) {
        if (value < 1)
            throw InputError(std::string(what) + " is " + std::to_string(value) + ", expected 1 or more");
    };
    require_positive("the number of units", options.units);
    require_positive("the number of graphs", options.graphs);
    require_positive("the number of random draws", static_cast<std::int64_t>(options.random_draws));
}

std::vector<SplitStudyRow> empty_rows(const SplitStudyOptions& options) {
    std::vector<SplitStudyRow> rows;
    for (const int depth : options.depths) {
        for (const int branches : options.branches_in_sequence) {
            for (int graph = 0; graph < options.graphs; ++graph) {
                std::uint64_t seed = options.seed;
                for (const int part : {depth, branches, graph})
                    seed = hash_bits(seed, static_cast<std::uint64_t>(part));
                SplitStudyRow row{};
                row.depth = depth;
                row.branches_in_sequence = branches;
                row.graph_seed = seed;
                rows.push_back(row);
            }
        }
    }
    return rows;
}

double pooled(const netgen::StructuredCfg& cfg, const SplitStudyOptions& options, SplitStudyRow& row) {
    if (!options.pool_evaluations) return 0;
    const PoolSplitResult found =
        best_pool_split(cfg, options.units, {*options.pool_evaluations, row.graph_seed, options.limits});
    row.pool_exact = found.exact();
    return static_cast<double>(found.wcet);
}

// The cost of one method's choice on the graph of a row.
double wcet_of(SplitMethod method, const netgen::StructuredCfg& cfg, const SplitStudyOptions& options,
               SplitStudyRow& row) {
    const auto spare = static_cast<std::size_t>(options.units - 1);
    const auto cost = [&](const netgen::SplitSet& splits) {
        return static_cast<double>(evaluate(cfg, splits).wcet);
    };
    switch (method) {
        case SplitMethod::allotted:
            return static_cast<double>(best_split(cfg, options.units, options.rule).wcet);
        case SplitMethod::naive:
            return cost(naive_split(cfg, spare));
        case SplitMethod::dynamic:
            return cost(first_split(cfg, spare));
        case SplitMethod::random:
            return random_splits(cfg, spare, row.graph_seed, options.random_draws, options.limits).mean_wcet;
        case SplitMethod::none:
            return cost(netgen::SplitSet(cfg.size(), false));
        case SplitMethod::pool:
            return pooled(cfg, options, row);
        case SplitMethod::brute_force:
            break;
    }
    WorkLimits limits = options.limits;
    limits.effort = options.brute_force_evaluations;
    const BruteForceResult found = brute_force_split(cfg, options.units, options.rule, limits);
    row.brute_force_complete = found.end == WorkEnd::complete;
    return static_cast<double>(found.wcet);
}

void fill(const netgen::StructuredCfg& cfg, SplitStudyRow& row, PerSplitMethod<double>& seconds,
          const SplitStudyOptions& options) {
    row.blocks = cfg.size();
    row.branches = cfg.branches().size();
    for (const SplitMethod method : split_methods) {
        const auto begin = std::chrono::steady_clock::now();
        at(row.wcet, method) = wcet_of(method, cfg, options, row);
        at(seconds, method) = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
}

/// The completed rows, computed on all cores; `graph` makes the graph of one.
SplitStudy study_of(std::vector<SplitStudyRow> rows, const SplitStudyOptions& options,
                    const std::function<netgen::StructuredCfg(std::size_t row)>& graph) {
    std::vector<PerSplitMethod<double>> seconds(rows.size());
    std::vector<std::uint8_t> finished(rows.size(), 0);
    std::atomic<std::uint64_t> count = 0;
    const auto progress = begin_part(options.progress, {"graphs", rows.size(), &count});
    const auto work = [&](std::size_t i) {
        if (options.limits.must_end()) return;
        fill(graph(i), rows[i], seconds[i], options);
        if (options.limits.must_end()) return;  // the row may be incomplete
        finished[i] = 1;
        count.fetch_add(1, std::memory_order_relaxed);
    };
    with_threads(options.threads, [&] { tbb::parallel_for(std::size_t{0}, rows.size(), work); });

    SplitStudy study;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (finished[i] == 0) continue;
        study.rows.push_back(rows[i]);
        study.seconds.push_back(seconds[i]);
    }
    if (study.rows.size() < rows.size()) study.end = options.limits.asked_to_end();
    for (const SplitMethod method : split_methods) {
        double sum = 0;
        if (method == SplitMethod::pool && !options.pool_evaluations) continue;
        for (const SplitStudyRow& row : study.rows)
            sum += 1 - at(row.wcet, SplitMethod::allotted) / at(row.wcet, method);
        at(study.mean_reduction, method) =
            study.rows.empty() ? 0 : sum / static_cast<double>(study.rows.size());
    }
    return study;
}

}  // namespace

const char* to_string(SplitMethod method) {
    switch (method) {
        case SplitMethod::allotted:
            return "static";
        case SplitMethod::pool:
            return "pool";
        case SplitMethod::naive:
            return "naive";
        case SplitMethod::dynamic:
            return "dynamic";
        case SplitMethod::brute_force:
            return "brute-force";
        case SplitMethod::random:
            return "random";
        case SplitMethod::none:
            return "none";
    }
    return "";
}

SplitStudy split_study(const SplitStudyOptions& options) {
    check(options);
    const std::vector<SplitStudyRow> rows = empty_rows(options);
    return study_of(rows, options, [&](std::size_t i) {
        return netgen::generate_cfg(
            {rows[i].depth, rows[i].branches_in_sequence, netgen::CfgShape{}.max_time, rows[i].graph_seed});
    });
}

SplitStudy split_study(std::span<const NamedCfg> graphs, const SplitStudyOptions& options) {
    check(options);
    std::vector<SplitStudyRow> rows(graphs.size());
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        rows[i].name = graphs[i].name;
        rows[i].graph_seed = hash_bits(options.seed, i);
    }
    return study_of(std::move(rows), options, [&](std::size_t i) { return graphs[i].cfg; });
}

}  // namespace warpnet::studies
