#pragma once

#include "analysis/studies/split/baselines.hpp"
#include "analysis/studies/split/split.hpp"
#include "engine/base/progress_hook.hpp"
#include "engine/base/work_limits.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpnet::studies {

/// The methods for choosing split points that [Klashtorny24] section V compares, including both optima:
/// `allotted`, over static allotments of units, is theirs; `pool` is best_pool_split().
enum class SplitMethod : std::uint8_t { allotted, pool, naive, dynamic, brute_force, random, none };
inline constexpr std::array split_methods = {
    SplitMethod::allotted,    SplitMethod::pool,   SplitMethod::naive, SplitMethod::dynamic,
    SplitMethod::brute_force, SplitMethod::random, SplitMethod::none};
const char* to_string(SplitMethod method);  ///< `allotted`: "static"

template <class Value>
using PerSplitMethod = std::array<Value, split_methods.size()>;

template <class Value>
Value& at(PerSplitMethod<Value>& values, SplitMethod method) {
    return values[static_cast<std::size_t>(method)];
}
template <class Value>
const Value& at(const PerSplitMethod<Value>& values, SplitMethod method) {
    return values[static_cast<std::size_t>(method)];
}

/// The choices for one graph and for a study.
struct SplitMethodOptions {
    netgen::Units units = 3;                          ///< S + 1; [Klashtorny24] has S = 2
    UnitRule rule = UnitRule::reuse;                  ///< of static allotments and of brute force
    std::uint64_t random_draws = 1000;                ///< number of draws behind the mean, at least 1
    std::uint64_t brute_force_evaluations = 100'000;  ///< instead of the source's five minutes
    std::uint64_t seed = 1;
    WorkLimits limits = {};  ///< deadline and interrupt; the limits above replace memory and effort
};

struct SplitStudyOptions : SplitMethodOptions {
    std::vector<int> depths = {2, 3, 4, 5, 6};
    std::vector<int> branches_in_sequence = {2, 3, 4, 5, 6};  ///< the source's labels a to e
    int graphs = 1;                                           ///< of each depth and label
    std::optional<std::uint64_t> pool_evaluations = {};       ///< absent: without SplitMethod::pool
    int threads = 0;                                          ///< 0: all cores
    ProgressHook progress = {};                               ///< of the rows
};

/// A graph from a file.
struct NamedCfg {
    std::string name;
    netgen::StructuredCfg cfg;
};

/// One graph of the study: a group of bars in the source's Figure 5.
struct SplitStudyRow {
    std::string name;  ///< of a graph from a file; empty: generated with the next three
    int depth = 0;
    int branches_in_sequence = 0;
    std::uint64_t graph_seed = 0;  ///< of CfgShape, to generate the graph again
    std::size_t blocks = 0;
    std::size_t branches = 0;
    PerSplitMethod<double> wcet{};  ///< `random`: the mean; `brute_force`: the best it found
    bool brute_force_complete = false;
    bool pool_exact = false;
    bool operator==(const SplitStudyRow&) const = default;
};

struct SplitStudy {
    /// By depth, then branches in sequence, then graph; only rows that were finished within the limits.
    std::vector<SplitStudyRow> rows;
    WorkEnd end = WorkEnd::complete;  ///< or why rows are missing
    /// The reduction by the optimum over static allotments relative to each method: mean over the rows of 1 -
    /// allotted / method. Zero for `allotted`, negative if a pool is better.
    PerSplitMethod<double> mean_reduction{};
    /// Seconds of each method for each row (Figure 6); `random` for all its draws. The only field that
    /// depends on the machine.
    std::vector<PerSplitMethod<double>> seconds;
};

/// Runs every method on generated graphs (netgen/cfg/generator.hpp): the source's Figures 5 and 6. The rows
/// depend only on the options, not on `threads`; a deadline only determines which rows are present. Throws
/// InputError if an option is out of range.
SplitStudy split_study(const SplitStudyOptions& options = {});

/// The same on given graphs, without the options for depths, branches and the number of graphs: one row each,
/// in order.
SplitStudy split_study(std::span<const NamedCfg> graphs, const SplitStudyOptions& options = {});

}  // namespace warpnet::studies
