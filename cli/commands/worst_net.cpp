#include "analysis/states/explore/run_extremes.hpp"
#include "analysis/states/steps/endless_run.hpp"
#include "analysis/states/steps/only_run.hpp"
#include "analysis/states/structure/firing_bound.hpp"
#include "analysis/worst/bounds/run_bounds.hpp"
#include "analysis/worst/search/order_of_schedule.hpp"
#include "analysis/worst/search/order_search.hpp"
#include "analysis/worst/search/service_instance.hpp"
#include "analysis/worst/search/service_search.hpp"
#include "cli/commands/worst_search.hpp"
#include "engine/run/served_parts.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

constexpr std::chrono::seconds unasked_exploration_time{10};
constexpr std::uint64_t states_for_bounds = 20'000;  // milliseconds, and the same on every machine
const std::uint64_t all_states = ExploreOptions().max_states;
constexpr int share_of_unasked_exploration = 3;  // of --time-limit: a third of it
// Of the linear programs for bounds: for an answer at once, and in the time that a search takes anyway.
constexpr std::size_t few_pair_columns = 5'000;
constexpr std::size_t many_pair_columns = 60'000;

/// Of a run that does not end: why.
std::string no_end(const WorstOptions& options, StopReason reason) {
    switch (reason) {
        case StopReason::overflow:
            return fmt::format("a place would have held more than {} tokens", max_tokens);
        case StopReason::immediate_loop:
            return fmt::format("immediate transitions fired {} steps in a row", max_immediate_rounds);
        case StopReason::step_limit:
            return fmt::format("a run did not end within {} steps", options.max_steps);
        default:
            return fmt::format("a run was left unfinished: {}", to_string(reason));
    }
}

/// Adds what was proved, each bound once, the best first.
void add_proved(const WorstOptions& options, std::vector<StepBound> bounds, WorstReport& report) {
    for (StepBound& bound : bounds) {
        const bool known =
            std::any_of(report.bounds.begin(), report.bounds.end(), [&](const StepBound& other) {
                return other.steps == bound.steps && other.argument == bound.argument;
            });
        if (!known) report.bounds.push_back(std::move(bound));
    }
    std::stable_sort(report.bounds.begin(), report.bounds.end(), [&](const StepBound& a, const StepBound& b) {
        return options.best ? a.steps > b.steps : a.steps < b.steps;
    });
    if (report.bounds.empty()) return;
    const StepBound& best = report.bounds.front();
    if (report.bound && (options.best ? best.steps <= *report.bound : best.steps >= *report.bound)) return;
    report.bound = best.steps;
    report.arguments = {best.argument};
}

/// What can be proved without looking at runs. Linear programs bound runs from above only.
void add_bounds(const WorstOptions& options, const Net& net, const Plan& planned,
                RunBoundOptions bound_options, WorstReport& report) {
    if (options.best) bound_options.pair_columns = 0;
    RunBounds proved = run_bounds(net, planned, bound_options);
    std::vector<StepBound> bounds = options.best ? std::move(proved.lower) : std::move(proved.upper);
    report.no_bound = options.best ? proved.no_lower : proved.no_upper;
    if (proved.fires_forever) {
        report.method = "structure of the net";
        return report.set_endless(
            EndlessRuns::every, fmt::format("when no part moves any more, '{}' can fire, and changes nothing",
                                            net.transitions()[*proved.fires_forever].id));
    }
    if (bounds.empty() && report.bounds.empty() && !options.best) {
        if (FiringBound bound = firing_bound(planned.net(), bound_options.limits); bound.steps)
            bounds.push_back({*bound.steps, std::move(bound.argument)});
        else
            report.no_bound += "; " + bound.argument;
    }
    add_proved(options, std::move(bounds), report);
}

/// Until when large programs may take: half of what is left where a search comes after them.
std::optional<std::chrono::steady_clock::time_point> deadline_of_bounds(const WorstOptions& options) {
    const auto deadline = deadline_of(options);
    if (!deadline || options.bound) return deadline;
    const auto now = std::chrono::steady_clock::now();
    return now + (*deadline - now) / 2;
}

/// Until when everything is looked at: a part of the time where that was not asked for.
std::optional<std::chrono::steady_clock::time_point> exploration_deadline(const WorstOptions& options) {
    if (options.exact) return deadline_of(options);
    std::chrono::milliseconds time = unasked_exploration_time;
    if (options.time_limit) time = std::min(time, *options.time_limit / share_of_unasked_exploration);
    const auto end = std::chrono::steady_clock::now() + time;
    return std::min(end, deadline_of(options).value_or(end));
}

/// Everything, if time and memory suffice and there are not more states. All that is done whoever is served
/// bounds what a policy does. Says whether another try may get further.
bool explore(const WorstOptions& options, const CompiledNet& compiled, std::uint64_t most_states,
             const Interrupt& interrupt, WorstReport& report) {
    ExploreOptions explore_options;
    explore_options.semantics = Semantics::maximal;
    explore_options.limits = {
        .memory = options.memory, .deadline = exploration_deadline(options), .interrupt = &interrupt.flag()};
    explore_options.max_states = most_states;
    RunExtremes extremes = run_extremes(compiled, explore_options);
    const bool last = most_states != states_for_bounds || (options.bound && !options.exact);
    if (extremes.stop == WorkEnd::state_limit && !last) return true;
    if (extremes.stop != WorkEnd::complete) {
        if (!options.bound)
            report.limits_hit.push_back("the graph of all steps was left unfinished: " +
                                        std::string(to_string(extremes.stop)));
        report.limit_reached |= options.exact;
        return false;
    }
    const std::string method = "exploration of all maximal steps: " + std::to_string(extremes.states) +
                               " markings, " + std::to_string(extremes.edges) + " steps";
    const auto& extreme = options.best ? extremes.shortest : extremes.longest;
    if (!extremes.shortest || (!options.best && !extremes.longest && !serves_parts(options.policy))) {
        report.method = method;
        report.set_endless(
            extremes.shortest ? EndlessRuns::some : EndlessRuns::every,
            extremes.shortest ? "every run of the net was looked at" : "no dead marking can be reached");
        report.cycle_prefix = std::move(extremes.cycle_prefix);
        report.cycle = std::move(extremes.cycle);
        return false;
    }
    if (serves_parts(options.policy)) {
        if (extreme) {
            report.bounds.insert(report.bounds.begin(),
                                 {*extreme, method + "; every run was looked at, whoever is served"});
            report.bound = *extreme;
            report.arguments = {report.bounds.front().argument};
        }
        return false;
    }
    report.exact = true;
    report.arguments.clear();
    report.method = method;
    report.found = report.bound = extreme;
    report.schedule = options.best ? extremes.shortest_schedule : extremes.longest_schedule;
    report.arguments.emplace_back("every run of the net was looked at");
    return false;
}

/// Some runs, which may tell that there is no worst case. Says whether a search may tell more.
bool try_runs(const WorstOptions& options, const Plan& planned, const Interrupt& interrupt,
              WorstReport& report) {
    RunOptions run_options;
    run_options.max_steps = options.max_steps;
    run_options.policy = options.policy;
    const WorkLimits limits = limits_of(options, interrupt);
    run_options.limits.deadline = limits.deadline;
    run_options.limits.interrupt = limits.interrupt;
    std::optional<ServedParts> served;
    if (serves_parts(options.policy)) run_options.served = &served.emplace(find_served_parts(planned.net()));
    TriedRun tried = try_to_end(planned, run_options);
    report.cycle_prefix = std::move(tried.prefix);
    report.cycle = std::move(tried.cycle);
    if (tried.endless) {
        if (report.endless == EndlessRuns::none_known) {
            report.method = serves_parts(options.policy) ? "a run under the policy" : "a single run";
            report.set_endless(EndlessRuns::one,
                               "a marking of the run comes back, and with it all that follows");
        }
        return false;
    }
    if (tried.reason == StopReason::dead || report.endless != EndlessRuns::none_known) return true;
    report.time_stands_still = tried.reason == StopReason::immediate_loop;
    report.limits_hit.push_back(no_end(options, tried.reason));
    report.limit_reached = true;
    return false;
}

/// Where a policy leaves one run only: that run.
void follow_policy(const WorstOptions& options, const CompiledNet& compiled, const Interrupt& interrupt,
                   WorstReport& report) {
    report.policy = to_string(options.policy);
    const ServedParts served = find_served_parts(compiled);
    RunOptions run_options;
    run_options.policy = options.policy;
    run_options.served = &served;
    run_options.max_steps = options.max_steps;
    run_options.limits = {.deadline = exploration_deadline(options), .interrupt = &interrupt.flag()};
    std::optional<CompleteRun> run = only_run(compiled, run_options);
    if (!run) return;
    report.exact = true;
    report.method = "the only run of this policy";
    report.found = report.bound = run->steps;
    report.schedule = std::move(run->schedule);
    report.arguments.emplace_back("transitions of one part never compete: the policy leaves nothing open");
}

/// Whether the first candidate of a search reaches the bound: then no large program can make it sharper.
bool start_reaches_bound(const WorstOptions& options, const Plan& planned, const WorkLimits& limits,
                         const WorstReport& report) {
    if (planned.modules == nullptr || !report.bound || options.bound || serves_parts(options.policy))
        return false;
    const auto instance = service_instance(planned, options.max_steps, options.common.seed, limits);
    ServiceSearchOptions search = search_options_of<ServiceOrders>(options);
    search.chains = 1;
    search.start = ServiceStart::starvation;
    const ServiceSearchState state = begin_search<ServiceOrders>(instance, search, limits);
    return search_result(state, WorkEnd::complete).found >= static_cast<ServiceOrders::Value>(*report.bound);
}

/// Bounds, and what little exact search and exploration can do. Says whether a search may tell more.
bool prove(const WorstOptions& options, const Net& net, const Plan& planned, const Interrupt& interrupt,
           CommandSession* session, WorstReport& report) {
    const bool any_service = !serves_parts(options.policy);
    const WorkLimits limits = limits_of(options, interrupt);
    // Small programs are solved before others have heard of them.
    add_bounds(options, net, planned, {.pair_columns = few_pair_columns, .limits = limits}, report);
    if (report.exact) {
        try_runs(options, planned, interrupt, report);
        return false;
    }
    const bool by_multisets =
        any_service && search_multisets(options, net, planned, interrupt, session, report);
    const bool asked = !options.best && (!options.bound || options.time_limit);
    if (!report.exact && asked && !limits.must_end() &&
        !start_reaches_bound(options, planned, limits, report))
        add_bounds(options, net, planned,
                   {.pair_columns = many_pair_columns,
                    .limits = {.deadline = deadline_of_bounds(options), .interrupt = &interrupt.flag()},
                    .session = session},
                   report);
    const bool any_left = !report.exact && !by_multisets &&
                          explore(options, planned.net(), states_for_bounds, interrupt, report);
    bool worth_searching = true;
    if (!report.exact && !options.best && !report.bound) {
        worth_searching = try_runs(options, planned, interrupt, report);
        if (!report.exact && report.endless == EndlessRuns::one)
            report.set_endless(EndlessRuns::one,
                               "the exact search met a run that goes on when no part moves any more");
    }
    if (any_left && !report.exact && !report.time_stands_still)
        explore(options, planned.net(), all_states, interrupt, report);
    if (!report.exact && !report.bound)
        report.limits_hit.push_back((options.best ? "no lower bound: " : "no upper bound: ") +
                                    report.no_bound);
    return worth_searching;
}

/// A net with short runs gets 20000 candidates a chain, one with long runs fewer, so that an answer takes
/// seconds.
constexpr std::uint64_t most_iterations = 20'000;
constexpr std::uint64_t least_iterations = 2'000;
constexpr std::uint64_t steps_of_a_chain = 100'000'000;

/// The candidate whose run is this schedule.
std::optional<ServiceOrder> candidate_of(const ServiceInstance& instance, const Schedule& schedule) {
    return order_from(instance, schedule);
}
std::optional<std::vector<std::uint32_t>> candidate_of(const OrderInstance& instance,
                                                       const Schedule& schedule) {
    return order_of(instance, schedule);
}

/// What is known before a search.
struct Known {
    std::optional<std::uint64_t> found;
    Schedule schedule;
    std::string method;
    bool exact;
};

/// Puts what was known in the place of what a search found, where it is better. Says whether it is.
bool keep_better(Objective objective, Known known, WorstReport& report) {
    report.exact = known.exact;
    if (known.exact) {
        report.method = std::move(known.method);
        report.limit_reached = false;
    }
    if (!known.found || (report.found && !better(objective, *known.found, *report.found))) return false;
    report.found = known.found;
    report.schedule = std::move(known.schedule);
    return true;
}

/// Whether the schedule of a run of so many steps is made: short ones always, long ones where time is left
/// and the steps alone do not exceed --memory.
bool makes_schedule(const WorstOptions& options, const Net& net, std::uint64_t steps,
                    const Interrupt& interrupt) {
    constexpr std::uint64_t short_product = 500'000'000;  // steps x transitions: a second
    if (steps <= short_product / (net.transitions().size() + 1)) return true;
    const WorkLimits limits = limits_of(options, interrupt);
    return !limits.must_end() && steps <= options.memory / sizeof(ScheduledStep);
}

/// By any of the two searches.
template <class Problem>
void search_by(const WorstOptions& options, const Net& net, const typename Problem::Instance& instance,
               std::uint64_t iterations, std::string method, const Interrupt& interrupt, Team& team,
               WorstReport& report) {
    if (report.exact && options.order_file.empty()) {  // nothing to search for but the order
        if (const auto order = candidate_of(*instance, report.schedule)) {
            report.order_csv = write_order_csv(*instance, *order);
            return;
        }
    }
    const auto begun = std::chrono::steady_clock::now();
    SearchOptionsOf<Problem> search = search_options_of<Problem>(options);
    if (!options.iterations) search.annealing.iterations = iterations;
    if (!options.temperature) search.annealing.temperature = Problem::temperature;
    // Who finds as much as is possible is done.
    if (report.bound && options.method != AnnealingMethod::tempering)
        search.target = static_cast<typename Problem::Value>(*report.bound);
    const auto read = [&](std::string_view text) { return read_checkpoint(instance, text); };
    if (team.rank() > 0) {
        help_search<Problem>(instance, search, interrupt, team);
        return;
    }
    const EndedSearch<Problem> ended = run_search<Problem>(options, instance, search, read, interrupt, team);
    const SearchResultOf<Problem> result = search_result(ended.state, ended.stop);
    Known known{report.found, std::move(report.schedule), std::move(report.method), report.exact};
    report.method = std::move(method);
    add_search<Problem>(report, result);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    if (ended.stop == WorkEnd::endless) {
        report.time_stands_still = result.ended == StopReason::immediate_loop;
        report.limits_hit.push_back(no_end(options, result.ended));
    }
    const bool made = makes_schedule(options, net, *report.found, interrupt);
    if (made) report.schedule = schedule_of(*instance, result.best);
    const bool ends = made ? report.has_schedule() : *report.found < options.max_steps;
    if (!ends) {
        report.found.reset();
        report.limit_reached = true;
    }
    const bool was_known = keep_better(search.annealing.objective, std::move(known), report);
    if (options.write_order_file.empty() || !report.found) return;
    const auto order = was_known ? candidate_of(*instance, report.schedule) : std::optional(result.best);
    if (order)
        report.order_csv = write_order_csv(*instance, *order);
    else
        report.limits_hit.emplace_back("no order is known that leads to this schedule, and none is written");
}

/// Other ranks than the first help with it.
void search(const WorstOptions& options, const Net& net, const Plan& planned, const Interrupt& interrupt,
            Team& team, WorstReport& report) {
    const std::string method =
        options.method == AnnealingMethod::tempering ? "parallel tempering over " : "annealing over ";
    const bool any_service = !serves_parts(options.policy);
    // Other ranks go on until the first one ends.
    const WorkLimits limits = team.rank() > 0 ? WorkLimits{} : limits_of(options, interrupt);
    if (planned.modules == nullptr || !any_service) {
        const auto instance = std::make_shared<const OrderInstance>(
            net, planned, options.max_steps, any_service ? Policy::replayed : options.policy, limits);
        return search_by<TransitionOrders>(options, net, instance, most_iterations,
                                           method + "strings of transitions", interrupt, team, report);
    }
    const auto instance = service_instance(planned, options.max_steps, options.common.seed, limits);
    const std::uint64_t iterations =
        steps_of_a_chain / std::max<std::uint64_t>(1, instance->starts.decisions());
    search_by<ServiceOrders>(options, net, instance,
                             std::clamp(iterations, least_iterations, most_iterations),
                             method + "who is served and what each part chooses", interrupt, team, report);
}

}  // namespace

WorstReport worst_of_net(const WorstOptions& options, const Net& net, const Interrupt& interrupt, Team& team,
                         const CompiledNet* compiled) {
    if (options.paper)
        throw InputError("--paper is the annealing of kernels; this net is not the net of a kernel");
    const PlanOptions how{.borrowed_hubs = true};
    const Plan planned = compiled != nullptr ? plan(*compiled, {}, how) : plan(compile(net), {}, how);
    WorstReport report;
    if (team.rank() > 0) {  // rank 0 lets them go at its end, whether there is something to search or not
        const CommandHelper helpers[] = {multisets_helper(options, planned, interrupt),
                                         run_bounds_helper(net, planned, {.interrupt = &interrupt.flag()})};
        if (follow_commands(team, helpers)) search(options, net, planned, interrupt, team, report);
        return report;
    }
    std::optional<CommandSession> session;
    if (team.size() > 1) session.emplace(team);
    const bool any_service = !serves_parts(options.policy);
    if (!any_service) follow_policy(options, planned.net(), interrupt, report);
    if (report.exact && !wants_order(options)) return report;
    bool worth_searching = true;
    if (!report.exact)
        worth_searching = prove(options, net, planned, interrupt, session ? &*session : nullptr, report);
    if (session) session->end();
    report.bound_only = options.bound;
    if (options.bound && !report.bound && !report.exact) report.limit_reached = true;
    if (options.bound && report.bound && report.method.empty()) report.method = "certified bounds";
    const bool settled = report.exact && !(wants_order(options) && report.found);
    if (options.bound || settled || !(worth_searching || wants_order(options))) return report;
    search(options, net, planned, interrupt, team, report);
    report.exact |= report.found && report.found == report.bound;
    report.limit_reached = report.limit_reached && !report.exact;
    return report;
}

}  // namespace warpnet::cli
