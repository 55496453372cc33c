#include "analysis/search/order_checkpoint.hpp"
#include "analysis/search/order_search.hpp"
#include "analysis/search/order_team.hpp"
#include "analysis/steps/run_extremes.hpp"
#include "analysis/worst/run_bounds.hpp"
#include "cli/commands/worst.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/team.hpp"
#include "engine/net/error.hpp"

#include <filesystem>
#include <functional>

#include <oneapi/tbb/task_arena.h>

namespace warpnet::cli {

namespace {

constexpr std::uint64_t few_states = 100'000;  // explored before searching, even unasked
constexpr std::uint64_t many_states = 100'000'000;
constexpr std::uint64_t iterations_between_saves = 500;
// Of the linear programs for bounds: for an answer at once, and in the time that a search takes anyway.
constexpr std::size_t few_pair_columns = 5'000;
constexpr std::size_t many_pair_columns = 20'000;

OrderSearchOptions search_options(const WorstOptions& options) {
    OrderSearchOptions search;
    search.objective = options.best ? Objective::shortest : Objective::longest;
    search.seed = options.common.seed;
    search.temperature = options.temperature.value_or(0.3);
    search.max_steps = options.max_steps;
    if (options.chains) search.chains = *options.chains;
    if (options.iterations) search.iterations = *options.iterations;
    for (const OrderStart start : {OrderStart::round_robin, OrderStart::fixed_priority, OrderStart::random}) {
        if (options.start == to_string(start)) search.start = start;
    }
    return search;
}

/// What can be proved without looking at runs.
void add_bounds(const WorstOptions& options, const Net& net, const CompiledNet& compiled,
                std::size_t pair_columns, WorstReport& report) {
    RunBoundOptions bound_options;
    bound_options.pair_columns = pair_columns;
    bound_options.deadline = deadline_of(options);
    RunBounds bounds = run_bounds(net, compiled, bound_options);
    report.bounds = options.best ? std::move(bounds.lower) : std::move(bounds.upper);
    report.no_bound = options.best ? bounds.no_lower : bounds.no_upper;
    if (report.bounds.empty()) return;
    const StepBound& best = report.bounds.front();
    if (report.bound && (options.best ? best.steps <= *report.bound : best.steps >= *report.bound)) return;
    report.bound = best.steps;
    report.arguments = {best.argument};
}

/// Everything, if it is not too much; the states that were looked at.
void explore(const WorstOptions& options, const CompiledNet& compiled, const Interrupt& interrupt,
             WorstReport& report) {
    ExploreOptions explore_options;
    explore_options.semantics = Semantics::maximal;
    explore_options.max_states = options.exact ? many_states : few_states;
    explore_options.memory = options.memory;
    explore_options.deadline = deadline_of(options);
    explore_options.interrupt = &interrupt.flag();
    RunExtremes extremes = run_extremes(compiled, explore_options);
    if (extremes.stop != ExploreStop::complete) {
        report.limits_hit.push_back("the graph of all steps was left after " +
                                    std::to_string(extremes.states) +
                                    " markings: " + std::string(to_string(extremes.stop)));
        report.limit_reached = options.exact;
        return;
    }
    report.exact = true;
    report.arguments.clear();
    report.method = "exploration of all maximal steps: " + std::to_string(extremes.states) + " markings, " +
                    std::to_string(extremes.edges) + " steps";
    report.found = report.bound = options.best ? extremes.shortest : extremes.longest;
    report.schedule = options.best ? extremes.shortest_schedule : extremes.longest_schedule;
    report.arguments.emplace_back(report.found   ? "every run of the net was looked at"
                                  : options.best ? "no dead marking can be reached"
                                                 : "a run can go on for ever: there is no finite worst case");
    if (!options.best) {
        report.cycle_prefix = std::move(extremes.cycle_prefix);
        report.cycle = std::move(extremes.cycle);
    }
}

/// The search of --resume's file, or a new one.
OrderCheckpoint first_state(const WorstOptions& options, const Net& net, const CompiledNet& compiled) {
    OrderCheckpoint state;
    state.options = search_options(options);
    if (options.resume_file.empty() || !std::filesystem::exists(options.resume_file)) {
        state.chains = begin_order_search(compiled, state.options);
        return state;
    }
    OrderCheckpoint saved = read_saved_search(
        options.resume_file, [&](std::string_view text) { return read_order_checkpoint(net, text); });
    if (saved.options != state.options) {
        throw InputError(options.resume_file +
                         ": this search has other options (chains, iterations, seed, ...)");
    }
    return saved;
}

/// By one process. With a file in parts, each saved: a part ends when every chain has made so many iterations
/// more.
OrderSearchStop search_alone(const CompiledNet& compiled, OrderCheckpoint& state, OrderSearchLimits limits,
                             const std::function<void()>& save) {
    if (!save) return continue_order_search(compiled, state.options, state.chains, limits);
    const std::uint64_t all = state.options.iterations;
    for (std::uint64_t until = state.chains.front().iteration;;) {
        until = std::min(all, until + iterations_between_saves);
        limits.until = until;
        const OrderSearchStop stop = continue_order_search(compiled, state.options, state.chains, limits);
        save();
        if (stop != OrderSearchStop::complete || until == all) return stop;
    }
}

/// By several ranks. Saved once in a while, and at the end.
OrderSearchStop search_by_team(Team& team, const Net& net, const CompiledNet& compiled,
                               OrderCheckpoint& state, const OrderSearchLimits& limits,
                               std::chrono::milliseconds interval, const std::function<void()>& save) {
    auto saved = std::chrono::steady_clock::now();
    const auto save_now_and_then = [&] {
        if (!save || std::chrono::steady_clock::now() - saved < interval) return;
        save();
        saved = std::chrono::steady_clock::now();
    };
    const OrderSearchStop stop =
        lead_order_search(team, oneapi::tbb::this_task_arena::max_concurrency(), net, compiled, state.options,
                          state.chains, limits, save_now_and_then);
    if (save) save();
    return stop;
}

void search(const WorstOptions& options, const Net& net, const CompiledNet& compiled,
            const Interrupt& interrupt, Team& team, WorstReport& report) {
    const auto begun = std::chrono::steady_clock::now();
    OrderCheckpoint state = first_state(options, net, compiled);
    std::atomic<std::uint64_t> done = 0;
    for (const OrderChain& chain : state.chains) done += chain.iteration;
    const Progress progress("runs", state.options.iterations * state.options.chains, done,
                            progress_lines_of(team));
    const OrderSearchLimits limits{deadline_of(options), &interrupt.flag(), &done};
    std::function<void()> save;
    if (!options.resume_file.empty())
        save = [&] { write_text(options.resume_file, write_order_checkpoint(net, state)); };
    const OrderSearchStop stop =
        team.size() > 1 ? search_by_team(team, net, compiled, state, limits, save_interval_of(options), save)
                        : search_alone(compiled, state, limits, save);
    const OrderSearchResult result = order_search_result(compiled, state.options, state.chains);
    report.method = "annealing over strings of transitions";
    report.chains = state.options.chains;
    report.found = result.steps;
    report.schedule = result.schedule;
    for (const OrderChain& chain : state.chains) report.iterations += chain.iteration;
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    if (stop == OrderSearchStop::endless) {
        report.limits_hit.push_back("a run did not end within " + std::to_string(options.max_steps) +
                                    " steps");
    }
    if (result.dead) {
        report.limit_reached |= stop == OrderSearchStop::endless || stop == OrderSearchStop::time_limit;
    } else {
        report.found.reset();
        report.limit_reached = true;
    }
    for (std::size_t i = 0; i < state.chains.size(); ++i) {
        const std::string name(to_string(start_of(state.options, static_cast<std::uint32_t>(i))));
        const auto [at, added] = report.start_values.try_emplace(name, state.chains[i].start_steps);
        if (!added && (state.chains[i].start_steps > at->second) != options.best)
            at->second = state.chains[i].start_steps;
    }
    for (const OrderImprovement& entry : result.log)
        report.log.push_back({entry.seconds, entry.chain, entry.iteration, entry.steps});
}

}  // namespace

WorstReport worst_of_net(const WorstOptions& options, const Net& net, const Interrupt& interrupt,
                         Team& team) {
    if (options.paper)
        throw InputError("--paper is the annealing of kernels; this net is not the net of a kernel");
    if (options.method == AnnealingMethod::tempering)
        throw InputError("--method tempering searches kernels; this net is not the net of a kernel");
    const CompiledNet compiled = compile(net);
    WorstReport report;
    if (team.rank() > 0) {
        std::atomic<std::uint64_t> done = 0;
        follow_order_search(team, oneapi::tbb::this_task_arena::max_concurrency(), net, compiled,
                            search_options(options), {{}, &interrupt.flag(), &done});
        return report;
    }
    add_bounds(options, net, compiled, few_pair_columns, report);
    search_multisets(options, compiled, interrupt, report);
    if (!report.exact && (!options.bound || options.time_limit))
        add_bounds(options, net, compiled, many_pair_columns, report);
    if (!report.exact && report.method.empty()) explore(options, compiled, interrupt, report);
    if (!report.exact && report.bounds.empty())
        report.limits_hit.push_back("no bound is proved without looking at every run: " + report.no_bound);
    if (report.exact || options.bound) return report;
    const std::optional<std::uint64_t> found = report.found;
    Schedule schedule = std::move(report.schedule);
    search(options, net, compiled, interrupt, team, report);
    if (found && (!report.found || (*found > *report.found) != options.best)) {
        report.found = found;
        report.schedule = std::move(schedule);
    }
    return report;
}

}  // namespace warpnet::cli
