#pragma once

#include "analysis/studies/split/baselines.hpp"
#include "analysis/studies/split/pool_split.hpp"
#include "analysis/studies/split/split.hpp"
#include "analysis/studies/split/study.hpp"
#include "analysis/studies/split/wavefronts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::studies {

/// The questions about a graph.
struct SplitQuestions : SplitMethodOptions {
    bool pool = false;  ///< pooled units instead of static allotments
    std::uint64_t pool_evaluations = PoolSplitOptions{}.evaluations;
    bool all_units = false;  ///< also the best splits for 1, 2, … units
    bool tables = false;     ///< t(b, u) and n(b, u)
    bool baselines = false;  ///< the baseline choices
    bool net = false;        ///< steps of the net of the annotated graph
    /// Many wavefronts on `simds` SIMD units, each with `units` - 1 reserved ones; 0: not asked.
    std::int64_t wavefronts = 0;
    std::int64_t simds = 1;
};

/// The cost of the baseline choices, with as many splits as there are spare units.
struct SplitBaselines {
    std::int64_t none = 0;
    std::int64_t naive = 0;
    std::int64_t first = 0;
    RandomSplits random;
    BruteForceResult brute_force;
};

/// The answers; those that were not requested are absent or empty.
struct SplitReport {
    const netgen::StructuredCfg& cfg;
    SplitResult result;
    std::vector<SplitResult> by_units = {};  ///< for 1, 2, … units
    std::optional<std::int64_t> net_steps = {};
    std::optional<SplitBaselines> baselines = {};
    std::optional<PoolSplitResult> pool = {};  ///< `result` is of this, with pooled units
    std::int64_t allotted_wcet = 0;            ///< then: the least over static allotments
    std::optional<SplitTable> table = {};
    std::vector<UnitDivision> divisions = {};  ///< for `wavefronts` wavefronts
    std::int64_t wavefronts = 0, simds = 1;    ///< of the question
    WorkEnd end = WorkEnd::complete;           ///< time_limit and interrupted: something is missing
};

/// Answers all questions about a graph, which must outlive the report. Throws InputError as SplitTable does.
SplitReport split_report(const netgen::StructuredCfg& cfg, const SplitQuestions& questions);

/// The branches that the result splits, in program order.
std::vector<std::string> splits_of(const SplitReport& report, const SplitResult& result);

/// The object of `split --json`. `optimum_over` names the set over which `wcet` is the least:
/// "static_allotments", or "pooled_units" with `lower`, `exact`, `evaluations`, `static_wcet` and `hand_over`
/// [{"to","from","side"}] instead of `rule` and `allocation`. `table` lists {"units","wcet","splits"}. Other
/// fields: `rule`, `useful_units`, `brute_force` (evaluations, complete, splits), `random_draws`,
/// `wavefronts` {"count","simds","simd_units","units","time","divisions":[{"units","at_a_time","rounds",
/// "wcet","time"}]}, and of [Klashtorny24] section IV `t` {block: [t(b, 1), …]}, `n` {branch:
/// [{"split","true","false"}, …]}, `unit_sets` {block: [1, …]}.
nlohmann::ordered_json to_json(const SplitReport& report);

/// The methods that a study compares.
std::vector<SplitMethod> methods_of(const SplitStudyOptions& options);
/// The name of the graph, or the label of its shape.
std::string label_of(const SplitStudyRow& row);

/// {"units","rule","seed","rows":[{"graph","seed","blocks","branches","wcet":{method:…},"seconds":{method:…},
/// "brute_force_complete"}],"mean_reduction":{method:…}}, and "interrupted" or "time_limit" if rows are
/// missing.
nlohmann::ordered_json to_json(const SplitStudy& study, const SplitStudyOptions& options);

}  // namespace warpnet::studies
