#pragma once

#include "analysis/ranks/collectives.hpp"
#include "analysis/worst/bounds/run_bounds.hpp"
#include "analysis/worst/exact/extremes.hpp"
#include "analysis/worst/order_csv.hpp"
#include "analysis/worst/search/annealing.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/input/usage_error.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet::worst {

// The interface of worst_case() to its searches. All ranks make the same decisions. They divide the chains of
// a search, the exact search over multisets, and the proof of a kernel. Rank 0 does everything else, has the
// witness and the texts, and shares the numbers on which decisions depend.

/// The answer for a kernel; its witness is WorstCase::instructions.
WorstCase kernel_case(const WorstCaseOptions& options, const netgen::KernelInstance& instance);
/// The answer for any net, by exploration and search. `of_every_run`: known bounds on all runs of the net,
/// instead of bounds from its structure; called on rank 0 only.
WorstCase net_case(const WorstCaseOptions& options, const Net& net,
                   const std::function<WorstCase()>& of_every_run = {});

/// The answer for each of several nets. A run of the whole net takes as many steps as the longest of their
/// runs. Nothing if one of them has endless runs.
std::optional<std::vector<WorstCase>> cases_of_kinds(const WorstCaseOptions& options,
                                                     const std::vector<Net>& kinds);
/// The limits that kept `worst` from being exact: all that were met in the cases that it is made of.
void take_limits(WorstCase& worst, const std::vector<WorstCase>& cases);
/// The best upper bound from the structure of a net; nothing if it proves none.
std::optional<StepBound> structural_bound(const Net& net, bool borrowed_hubs,
                                          const RunBoundOptions& options = {});
/// The longest (shortest) run of warps_net() of an SM with Assignment::any.
WorstCase assignment_case(const WorstCaseOptions& options, const netgen::WarpsSpec& spec, const Net& net);
/// A bound on its runs that is known at once.
std::optional<StepBound> assignment_bound(const netgen::WarpsSpec& spec);

/// With half of the remaining time; the searches that follow have the other half.
inline WorkLimits half_the_time(WorkLimits limits) {
    if (!limits.deadline) return limits;
    const auto now = std::chrono::steady_clock::now();
    limits.deadline = now + (*limits.deadline - now) / 2;
    return limits;
}

/// The result of `read` for a saved search, with the name of its text in the message of an InputError.
template <class Read>
auto read_saved_search(const NamedText& saved, Read&& read) {
    try {
        return read(saved.text);
    } catch (const InputError& error) {
        throw InputError(saved.name + ": " + error.what());
    }
}

/// Throws UsageError for a start that this kind of search does not have.
template <class Problem>
void check_start(const WorstCaseOptions& options) {
    if (options.start == SearchStart::mixed || std::ranges::count(Problem::starts, options.start) > 0) return;
    std::string has;
    for (const SearchStart start : search_starts)
        if (std::ranges::count(Problem::starts, start) > 0) has += std::string(to_string(start)) + ", ";
    throw UsageError("--start", "expected " + has + "or mixed for " + Problem::subject + ", found '" +
                                    std::string(to_string(options.start)) + "'");
}

/// Candidates for each chain of a search that was given no number: `most` of short runs, fewer of long ones,
/// so that an answer takes seconds.
inline std::uint64_t iterations_of_chain(std::uint64_t steps_of_a_run, std::uint64_t most) {
    constexpr std::uint64_t steps_of_a_chain = 100'000'000, least = 2'000;
    return std::clamp(steps_of_a_chain / std::max<std::uint64_t>(1, steps_of_a_run), least, most);
}

/// Whether a run of this number of steps takes at most a few tenths of a second, and its replay too. Time
/// limits do not cut such a run, because its result would be lost.
inline bool is_short_run(const Net& net, std::uint64_t steps) {
    constexpr std::uint64_t nodes_of_a_step = 40;  // take as long as the rest of a step
    return steps <= 50'000'000 / (net.places().size() + net.transitions().size() + nodes_of_a_step);
}

/// The limits of time for one run of a search, its schedule or its replay. If the time is over, one that is
/// not certainly short gets some tenths of a second.
inline WorkLimits limits_of_run(const Net& net, std::uint64_t steps, const WorkLimits& limits) {
    if (is_short_run(net, steps)) return {};
    if (!limits.must_end()) return limits;
    return {.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(300)};
}

/// Whether the schedule of a run is made: of a short one always, of a long one if time is left and it `fits`
/// into the memory.
inline bool worth_following(const Net& net, std::uint64_t steps, const WorkLimits& limits, bool fits) {
    return is_short_run(net, steps) || (fits && !limits.must_end());
}

template <class Problem>
SearchOptionsOf<Problem> search_options_of(const WorstCaseOptions& options) {
    SearchOptionsOf<Problem> search;
    search.annealing.objective = options.objective;
    search.annealing.seed = options.seed;
    search.annealing.method = options.method;
    if (options.iterations) search.annealing.iterations = *options.iterations;
    if (options.temperature) search.annealing.temperature = *options.temperature;
    if (options.chains) search.chains = *options.chains;
    if (options.start != SearchStart::mixed) {
        check_start<Problem>(options);
        search.start = options.start;
    }
    search.candidate_given = options.order.has_value();
    return search;
}

/// The subject of the text of an order: some problems hold their instance by a pointer.
template <class Instance>
const Instance& instance_itself(const Instance& instance) {
    return instance;
}
template <class Instance>
const Instance& instance_itself(const std::shared_ptr<const Instance>& instance) {
    return *instance;
}

/// "at most 641" for the progress of a search; "" without a bound.
inline std::string bound_text(const WorstCaseOptions& options, std::optional<std::uint64_t> bound) {
    if (!bound) return "";
    return (options.objective == Objective::longest ? "at most " : "at least ") + std::to_string(*bound);
}

/// Begins a part of the work on rank 0, at which this bound is known.
inline std::shared_ptr<void> show_part(const WorstCaseOptions& options, std::string name,
                                       std::optional<std::uint64_t> bound = {}) {
    if (!ranks::leads(options.ranks)) return nullptr;
    return begin_part(options.progress, {.name = std::move(name),
                                         .known = [text = bound_text(options, bound)] { return text; }});
}

/// The saved search, or a new one.
template <class Problem, class Read>
SearchStateOf<Problem> first_state(const WorstCaseOptions& options,
                                   const typename Problem::Instance& instance,
                                   const SearchOptionsOf<Problem>& search, const WorkLimits& limits,
                                   Read&& read) {
    if (!options.saved || is_exact_checkpoint(options.saved->text)) {
        if (!options.order) return begin_search(instance, search, limits);
        return begin_search_at<Problem>(
            instance, search,
            read_order_csv(options.order->text, options.order->name, instance_itself(instance)), limits);
    }
    SearchStateOf<Problem> state = read_saved_search(*options.saved, read);
    state.options.target = search.target;  // a bound, which may have become sharper since
    // Further iterations continue from the end of the last cooling; the one cooling of the paper's method
    // would rise.
    std::uint64_t& iterations = state.options.annealing.iterations;
    if (search.annealing.method != AnnealingMethod::paper)
        iterations = std::max(iterations, search.annealing.iterations);
    if (state.options != search)
        throw InputError(options.saved->name +
                         ": this search has other options (chains, seed, ...; --iterations may be raised, "
                         "but not with --paper)");
    return state;
}

/// A search and why it ended.
template <class Problem>
struct EndedSearch {
    SearchStateOf<Problem> state;
    WorkEnd stop;
};

/// Continues a search, and shows its candidates, the best value and the certified bound meanwhile.
template <class Problem>
WorkEnd show_search(const WorstCaseOptions& options, SearchStateOf<Problem>& state,
                    SearchLimitsOf<Problem> limits, std::optional<std::uint64_t> bound) {
    std::atomic<std::uint64_t> iterations = 0;
    std::atomic<typename Problem::Value> best = 0;
    for (const auto& chain : state.chains) {
        iterations += chain.iteration;
        if (best == 0 || better(options.objective, chain.best_value, best.load())) best = chain.best_value;
    }
    limits.iterations = &iterations;
    limits.best = &best;
    const auto known = [&, bound_is = bound_text(options, bound)] {
        const auto value = best.load();
        if (value == 0) return bound_is;
        return "best " + std::to_string(value) + (bound_is.empty() ? "" : ", ") + bound_is;
    };
    const std::uint64_t total = state.options.annealing.iterations * state.chains.size();
    const auto part = ranks::leads(options.ranks)
                          ? begin_part(options.progress, {"candidates", total, &iterations, known})
                          : nullptr;
    return options.ranks == nullptr ? continue_search(state, limits)
                                    : continue_search(state, limits, *options.ranks);
}

/// Its chains divided among the ranks. `read` makes a state of the text of a saved search, or throws
/// InputError. No chains are left if a limit of time was met before the first had its value. `bound` is
/// certified, for the progress.
template <class Problem, class Read>
EndedSearch<Problem> run_search(const WorstCaseOptions& options, const typename Problem::Instance& instance,
                                const SearchOptionsOf<Problem>& search, const WorkLimits& work,
                                std::optional<std::uint64_t> bound, Read&& read) {
    SearchLimitsOf<Problem> limits;
    limits.work = work;
    auto starts = show_part(options, "search", bound);
    SearchStateOf<Problem> state = ranks::leads(options.ranks)
                                       ? first_state(options, instance, search, work, read)
                                       : SearchStateOf<Problem>{instance, search, {}, 0, 0};
    if (options.ranks != nullptr) share_search(state, *options.ranks);
    starts.reset();
    const auto save = [&](const SearchStateOf<Problem>& reached, bool last) {
        options.save([&] { return write_checkpoint(reached); }, last);
    };
    const bool saves = options.save && state.begun;
    if (saves) limits.checkpoint = [&](const SearchStateOf<Problem>& reached) { save(reached, false); };
    const WorkEnd stop = show_search(options, state, limits, bound);
    if (saves) save(state, true);
    return EndedSearch<Problem>{std::move(state), stop};
}

/// The results of a search, except for the schedule, the order and the name of the method.
template <class Problem>
void add_search(const SearchResultOf<Problem>& result, WorstCase& worst) {
    worst.found = static_cast<std::uint64_t>(result.found);
    worst.chains = result.chains;
    worst.iterations = result.iterations;
    worst.seconds = result.seconds;
    for (const auto& start : result.start_values) {
        worst.start_values[std::string(Problem::name_of(start.start))] =
            static_cast<std::uint64_t>(start.value);
    }
    if (result.start_values.empty() && !result.log.empty())
        worst.start_values["order"] = static_cast<std::uint64_t>(result.log.front().value);
    worst.limit_reached |= result.stop == WorkEnd::time_limit || result.stop == WorkEnd::endless;
    for (const auto& entry : result.log)
        worst.log.push_back(
            {entry.seconds, entry.chain, entry.iteration, static_cast<std::uint64_t>(entry.value)});
}

}  // namespace warpnet::worst
