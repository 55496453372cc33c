#pragma once

#include "analysis/ranks/task_farm.hpp"
#include "analysis/studies/files/order_csv.hpp"
#include "analysis/worst/search/annealing.hpp"
#include "cli/commands/worst.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/team.hpp"

#include <filesystem>

#include <tbb/task_arena.h>

namespace warpnet::cli {

/// What `worst` asks of any search.
template <class Problem>
SearchOptionsOf<Problem> search_options_of(const WorstOptions& options) {
    SearchOptionsOf<Problem> search;
    search.annealing.objective = options.best ? Objective::shortest : Objective::longest;
    search.annealing.seed = options.common.seed;
    search.annealing.method = options.method;
    if (options.iterations) search.annealing.iterations = *options.iterations;
    if (options.temperature) search.annealing.temperature = *options.temperature;
    if (options.chains) search.chains = *options.chains;
    for (const auto start : Problem::starts) {
        if (options.start == Problem::name_of(start)) search.start = start;
    }
    search.candidate_given = !options.order_file.empty();
    return search;
}

/// What an order file says about: some problems hold their instance by a pointer.
template <class Instance>
const Instance& instance_itself(const Instance& instance) {
    return instance;
}
template <class Instance>
const Instance& instance_itself(const std::shared_ptr<const Instance>& instance) {
    return *instance;
}

/// The search of --resume's file, or a new one.
template <class Problem, class Read>
SearchStateOf<Problem> first_state(const WorstOptions& options, const typename Problem::Instance& instance,
                                   const SearchOptionsOf<Problem>& search, const WorkLimits& limits,
                                   Read&& read) {
    if (options.resume_file.empty() || !std::filesystem::exists(options.resume_file) ||
        holds_exact_search(options.resume_file)) {
        if (options.order_file.empty()) return begin_search(instance, search, limits);
        return begin_search_at<Problem>(
            instance, search,
            read_order_csv(read_text(options.order_file), input_name(options.order_file),
                           instance_itself(instance)),
            limits);
    }
    SearchStateOf<Problem> state = read_saved_search(options.resume_file, read);
    state.options.target = search.target;  // a bound, which may have become sharper since
    // More iterations go on where the last cooling ended; the one cooling of the paper's method would rise.
    std::uint64_t& iterations = state.options.annealing.iterations;
    if (search.annealing.method != AnnealingMethod::paper)
        iterations = std::max(iterations, search.annealing.iterations);
    if (state.options != search)
        throw InputError(options.resume_file +
                         ": this search has other options (chains, seed, ...; --iterations may be raised, "
                         "but not with --paper)");
    return state;
}

/// Ranks other than the first: help with a search. False: the first one has left.
template <class Problem>
bool help_search(const typename Problem::Instance& instance, const SearchOptionsOf<Problem>& search,
                 const Interrupt& interrupt, Team& team) {
    std::atomic<std::uint64_t> iterations = 0;
    SearchLimitsOf<Problem> limits;
    limits.work.interrupt = &interrupt.flag();
    limits.iterations = &iterations;
    return follow_search(team, tbb::this_task_arena::max_concurrency(), instance, search, limits);
}

/// A search and why it ended. Other ranks help_search() with it, and are let go. `read` makes a state of the
/// text of a checkpoint, or throws InputError.
template <class Problem>
struct EndedSearch {
    SearchStateOf<Problem> state;
    WorkEnd stop;
};
template <class Problem, class Read>
EndedSearch<Problem> run_search(const WorstOptions& options, const typename Problem::Instance& instance,
                                const SearchOptionsOf<Problem>& search, Read&& read,
                                const Interrupt& interrupt, Team& team) {
    std::atomic<std::uint64_t> iterations = 0;
    SearchLimitsOf<Problem> limits;
    limits.work = limits_of(options, interrupt);
    limits.iterations = &iterations;
    SearchStateOf<Problem> state = first_state(options, instance, search, limits.work, read);
    for (const auto& chain : state.chains) iterations += chain.iteration;
    std::optional<Progress> progress;
    if (options.show_progress)
        progress.emplace("candidates", state.options.annealing.iterations * state.chains.size(), iterations,
                         progress_lines_of(team));
    auto saved = std::chrono::steady_clock::now();
    const bool saves = !options.resume_file.empty() && state.begun;
    if (saves) {
        limits.checkpoint = [&](const SearchStateOf<Problem>& reached) {
            if (std::chrono::steady_clock::now() - saved < save_interval_of(options)) return;
            write_text(options.resume_file, write_checkpoint(reached));
            saved = std::chrono::steady_clock::now();
        };
    }
    const WorkEnd stop = team.size() > 1
                             ? lead_search(team, tbb::this_task_arena::max_concurrency(), state, limits)
                             : continue_search(state, limits);
    dismiss(team);
    if (saves) write_text(options.resume_file, write_checkpoint(state));
    return EndedSearch<Problem>{std::move(state), stop};
}

/// What was found, but for the schedule, the order and the name of the method.
template <class Problem>
void add_search(WorstReport& report, const SearchResultOf<Problem>& result) {
    report.found = static_cast<std::uint64_t>(result.found);
    report.chains = result.chains;
    report.iterations = result.iterations;
    report.seconds = result.seconds;
    for (const auto& start : result.start_values) {
        report.start_values[std::string(Problem::name_of(start.start))] =
            static_cast<std::uint64_t>(start.value);
    }
    if (result.start_values.empty() && !result.log.empty())
        report.start_values["order"] = static_cast<std::uint64_t>(result.log.front().value);
    report.limit_reached |= result.stop == WorkEnd::time_limit || result.stop == WorkEnd::endless;
    for (const auto& entry : result.log)
        report.log.push_back(
            {entry.seconds, entry.chain, entry.iteration, static_cast<std::uint64_t>(entry.value)});
}

}  // namespace warpnet::cli
