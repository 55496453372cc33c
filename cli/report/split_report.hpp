#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "analysis/studies/split/baselines.hpp"
#include "analysis/studies/split/brute_force.hpp"
#include "analysis/studies/split/pool_split.hpp"
#include "analysis/studies/split/split.hpp"
#include "analysis/studies/split/study.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

/// What the rival choices of splits cost, with as many splits as there are spare units.
struct SplitBaselines {
    std::int64_t none = 0;
    std::int64_t naive = 0;
    std::int64_t first = 0;
    RandomSplits random;
    BruteForceResult brute_force;
};

/// What `warpnet split` found, and what of it is to be printed.
struct SplitReport {
    const StructuredCfg& cfg;
    SplitResult result;
    std::vector<SplitResult> by_units;  ///< for 1, 2, … units; empty: not asked for
    std::optional<std::int64_t> net_steps;
    std::optional<SplitBaselines> baselines;
    std::optional<PoolSplitResult> pool;  ///< what `result` is of, with pooled units
    std::int64_t allotted_wcet = 0;       ///< then: the least over static allotments
    const SplitTable* table = nullptr;    ///< t(b, u) and n(b, u), where asked for
};

/// The JSON object of CLI.md. `optimum_over` says what `wcet` is the least of: "static_allotments", or
/// "pooled_units" with `lower`, `exact`, `evaluations`, `static_wcet` and `hand_over` [{"to","from","side"}]
/// in place of `rule` and `allocation`. `table` lists {"units","wcet","splits"}. Beside its fields: `rule`,
/// `useful_units`, `brute_force` (evaluations, complete, splits), `random_draws`, and of [Klashtorny24]
/// section IV `t` {block: [t(b, 1), …]}, `n` {branch: [{"split","true","false"}, …]}, `unit_sets` {block: [1,
/// …]}.
std::string split_json(const SplitReport& report);
std::string split_text(const SplitReport& report);

/// {"units","rule","seed","rows":[{"graph","seed","blocks","branches","wcet":{method:…},"seconds":{method:…},
/// "brute_force_complete"}],"mean_reduction":{method:…}}, and "interrupted" or "time_limit" where rows are
/// missing.
std::string study_json(const SplitStudy& study, const SplitStudyOptions& options);
std::string study_text(const SplitStudy& study, const SplitStudyOptions& options);
/// WCET and seconds of every method over the graphs, means where several have one label: [Klashtorny24]
/// Figures 5 and 6, both with powers of ten.
std::string study_svg(const SplitStudy& study, const SplitStudyOptions& options, const PictureStyle& style);

}  // namespace warpnet::cli
