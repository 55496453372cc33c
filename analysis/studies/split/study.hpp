#pragma once

#include "analysis/studies/split/brute_force.hpp"
#include "analysis/studies/split/split.hpp"
#include "engine/base/work_limits.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpnet {

/// The ways to choose split points that [Klashtorny24] section V compares.
/// Both optima are among them: `allotted`, over static allotments of units, is theirs; `pool` is
/// best_pool_split().
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

struct SplitStudyOptions {
    std::vector<int> depths = {2, 3, 4, 5, 6};
    std::vector<int> branches_in_sequence = {2, 3, 4, 5, 6};  ///< the source's labels a to e
    int graphs = 1;                                           ///< of each depth and label
    Units units = 3;                                          ///< S + 1; the source has S = 2
    UnitRule rule = UnitRule::reuse;                          ///< of `allotted` and of brute force
    std::uint64_t random_draws = 100;                         ///< of which the mean is taken, at least 1
    std::uint64_t brute_force_evaluations = 100'000;          ///< in place of the source's five minutes
    std::optional<std::uint64_t> pool_evaluations = {};       ///< absent: without SplitMethod::pool
    std::uint64_t seed = 1;
    int threads = 0;         ///< 0: all cores
    WorkLimits limits = {};  ///< deadline and interrupt; in place of memory and effort stands what is above
    std::atomic<std::uint64_t>* finished =
        nullptr;  ///< counts up with every finished row, for a progress line
};

/// A graph that was not generated.
struct NamedCfg {
    std::string name;
    StructuredCfg cfg;
};

/// One graph of the study: a group of bars in the source's Figure 5.
struct SplitStudyRow {
    std::string name;  ///< of a graph that was given; empty: it was generated as the next three say
    int depth = 0;
    int branches_in_sequence = 0;
    std::uint64_t graph_seed = 0;  ///< of CfgShape: the graph can be made again
    std::size_t blocks = 0;
    std::size_t branches = 0;
    PerSplitMethod<double> wcet{};  ///< `random`: the mean; `brute_force`: the best it found
    bool brute_force_complete = false;
    bool pool_exact = false;
    bool operator==(const SplitStudyRow&) const = default;
};

struct SplitStudy {
    /// By depth, then branches in sequence, then graph; those that were finished within the limits.
    std::vector<SplitStudyRow> rows;
    WorkEnd end = WorkEnd::complete;  ///< or why rows are missing
    /// By how much the optimum over static allotments is below each method: mean over the rows of 1 -
    /// allotted / method. Zero for `allotted`, negative where a pool is better.
    PerSplitMethod<double> mean_reduction{};
    /// Seconds each method took for each row (Figure 6); `random` for all its draws. The only part that
    /// depends on the machine.
    std::vector<PerSplitMethod<double>> seconds;
};

/// Runs every method on generated graphs (netgen/cfg/generator.hpp): the source's Figures 5 and 6. The
/// rows depend on the options alone, not on `threads`; only which are there may depend on a deadline. Throws
/// InputError where an option is out of range.
SplitStudy split_study(const SplitStudyOptions& options = {});

/// The same on graphs that are given, whatever the options say of depths, branches and the number of graphs:
/// a row each, in their order.
SplitStudy split_study(std::span<const NamedCfg> graphs, const SplitStudyOptions& options = {});

}  // namespace warpnet
