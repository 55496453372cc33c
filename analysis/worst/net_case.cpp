// The worst case of any net, by methods in the order of their cost: bounds from the structure, the exact
// search over multisets of equal parts, larger linear programs, and all maximal steps of small nets. If the
// value is still open, annealing searches it, from the best run known. A method that decides the value ends
// the search.
//
// Exploration is tried twice. Up to states_for_bounds it takes milliseconds and settles small nets. With more
// states it is tried again if the other proofs leave the value open. Large linear programs are left out if
// the first candidate of a search already reaches the bound. Each method that was not requested has a fixed
// effort, so that the answer does not depend on the clock. --exact lifts these efforts, and --time-limit adds
// a deadline.
//
// The search is over service orders and the choices of each part. Nets without modules have no service
// orders, and a policy fixes them, so that only the choices within a part are open. Both are searched over
// strings of transitions.

#include "analysis/ranks/collectives.hpp"
#include "analysis/states/explore/run_extremes.hpp"
#include "analysis/states/steps/only_run.hpp"
#include "analysis/states/structure/firing_bound.hpp"
#include "analysis/worst/bounds/run_bounds.hpp"
#include "analysis/worst/case_search.hpp"
#include "analysis/worst/exact/extremes.hpp"
#include "analysis/worst/search/order_search.hpp"
#include "analysis/worst/search/service_search.hpp"
#include "analysis/worst/search/service_starts.hpp"
#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "engine/plan.hpp"
#include "engine/run/served_parts.hpp"
#include "netgen/sm/sm.hpp"

#include <atomic>

#include <fmt/format.h>

namespace warpnet::worst {

namespace {

constexpr std::uint64_t unasked_exploration_effort = 100'000'000;    // some seconds of two cores
constexpr std::uint64_t exploration_effort_for_bounds = 20'000'000;  // a second
constexpr std::uint64_t unasked_firings = 1'000'000'000;             // looked at for a bound
constexpr std::uint64_t states_for_bounds = 20'000;                  // milliseconds
const std::uint64_t all_states = states::ExploreOptions().max_states;
constexpr int share_of_unasked_exploration = 3;  // of the time up to a deadline: a third of it
// Of the linear programs for bounds: for an answer at once, and in the time that a search takes anyway.
constexpr std::size_t few_pair_columns = 5'000;
constexpr std::size_t many_pair_columns = 60'000;
/// Units of work of an exact search that was not requested: a second or two, and less if only a bound is
/// requested.
constexpr std::uint64_t unasked_exact_effort = 2'000'000;
constexpr std::uint64_t unasked_exact_effort_for_bounds = 20'000;
constexpr std::uint64_t most_iterations = 20'000;  // of a chain
constexpr std::uint64_t sm_iterations =
    50;  // each a run of thousands of firings; seldom better than the start

/// The candidate whose run is this schedule.
std::optional<ServiceOrder> candidate_of(const ServiceInstance& instance, const Schedule& schedule,
                                         const WorkLimits&) {
    return order_from(instance, schedule);
}
std::optional<std::vector<std::uint32_t>> candidate_of(const OrderInstance& instance,
                                                       const Schedule& schedule, const WorkLimits& limits) {
    return order_of(instance, schedule, limits);
}

/// The run of a candidate; empty if `limits` of time cut it. Those of service orders take far less time than
/// the search for them.
Schedule run_of(const ServiceInstance& instance, const ServiceOrder& order, const WorkLimits&) {
    return schedule_of(instance, order);
}
Schedule run_of(const OrderInstance& instance, const std::vector<std::uint32_t>& order,
                const WorkLimits& limits) {
    return schedule_of(instance, order, limits);
}

class NetCase {
  public:
    NetCase(const WorstCaseOptions& options, const Net& net, const std::function<WorstCase()>& of_every_run)
        : options_(options),
          net_(net),
          of_every_run_(of_every_run),
          planned_(plan(compile(net), {}, {.borrowed_hubs = true})) {
        searches_strings() ? check_start<TransitionOrders>(options_) : check_start<ServiceOrders>(options_);
    }

    WorstCase answer() {
        if (options_.policy && options_.saved && is_exact_checkpoint(options_.saved->text))
            throw InputError(
                options_.saved->name +
                ": expected a saved search of this policy, found an exact search over all orders");
        read_saved_exact_search();
        if (options_.policy)
            on_first([&] {
                follow_policy();
                return true;
            });
        const bool wants_candidates = options_.order || options_.wants_order;
        if (worst_.exact && !wants_candidates) return std::move(worst_);
        const bool worth_searching = worst_.exact || prove();
        settle();
        worst_.bound_only = only_bound();
        if (only_bound() && !worst_.bound && !worst_.exact) worst_.limit_reached = true;
        if (only_bound() && worst_.bound && worst_.method.empty()) worst_.method = "certified bounds";
        const bool settled = worst_.exact && !(wants_candidates && worst_.found);
        if (only_bound() || settled || !(worth_searching || wants_candidates)) return std::move(worst_);
        search();
        settle();
        worst_.limit_reached = worst_.limit_reached && !worst_.exact;
        return std::move(worst_);
    }

  private:
    bool longest() const { return options_.objective == Objective::longest; }
    bool only_bound() const { return !options_.search; }
    /// The answer is exact if a run reaches the bound. An exact search that ended before is then of no
    /// interest.
    void settle() {
        worst_.exact |= worst_.found && worst_.found == worst_.bound;
        if (worst_.exact) std::erase(worst_.limits_hit, exact_unfinished_);
    }
    /// Whether a search is one over strings of transitions, and not over service orders.
    bool searches_strings() const { return planned_.modules() == nullptr || options_.policy.has_value(); }
    bool until_proved() const { return options_.exact; }

    /// Work that rank 0 does alone, and its answer. The other ranks receive the values that decide the next
    /// step.
    template <class Part>
    bool on_first(Part&& part) {
        struct Known {
            bool answer, exact, time_stands_still;
            EndlessRuns endless;
            std::optional<std::uint64_t> found, bound;
        };
        const Known known = ranks::value_of_first(options_.ranks, [&] {
            const bool answer = part();
            return Known{answer,         worst_.exact, worst_.time_stands_still,
                         worst_.endless, worst_.found, worst_.bound};
        });
        worst_.exact = known.exact;
        worst_.time_stands_still = known.time_stands_still;
        worst_.endless = known.endless;
        worst_.found = known.found;
        worst_.bound = known.bound;
        return known.answer;
    }

    const CompiledNet& compiled() const { return planned_.net(); }

    /// Records that there is no worst case, which settles the question.
    void set_endless(EndlessRuns which, std::string argument) {
        worst_.exact = true;
        worst_.endless = which;
        worst_.found.reset();
        worst_.bound.reset();
        worst_.bounds.clear();
        worst_.arguments = {std::move(argument)};
    }

    /// The reason for which a run does not end.
    std::string no_end(StopReason reason) const {
        switch (reason) {
            case StopReason::overflow:
                return fmt::format("a place would have held more than {} tokens", max_tokens);
            case StopReason::immediate_loop:
                return fmt::format("immediate transitions fired {} steps in a row", max_immediate_rounds);
            case StopReason::step_limit:
                return "a run did not end within " + plural(options_.max_steps, "step");
            default:
                return fmt::format("a run was left unfinished: {}", to_string(reason));
        }
    }

    /// Limits for an exploration: a fixed effort, and a part of the time up to a deadline, if it was not
    /// requested.
    WorkLimits exploration_limits() const {
        WorkLimits limits = options_.limits;
        if (until_proved()) return limits;
        const auto now = std::chrono::steady_clock::now();
        if (limits.deadline) limits.deadline = now + (*limits.deadline - now) / share_of_unasked_exploration;
        limits.effort = only_bound() ? exploration_effort_for_bounds : unasked_exploration_effort;
        return limits;
    }

    /// Adds proved bounds, each bound once, the best first.
    void add_proved(std::vector<StepBound> bounds) {
        for (StepBound& bound : bounds) {
            const bool known = std::ranges::any_of(worst_.bounds, [&](const StepBound& other) {
                return other.steps == bound.steps && other.argument == bound.argument;
            });
            if (!known) worst_.bounds.push_back(std::move(bound));
        }
        std::ranges::stable_sort(worst_.bounds, [&](const StepBound& a, const StepBound& b) {
            return better(options_.objective, b.steps, a.steps);
        });
        if (worst_.bounds.empty()) return;
        const StepBound& best = worst_.bounds.front();
        if (worst_.bound && !better(options_.objective, *worst_.bound, best.steps)) return;
        worst_.bound = best.steps;
        worst_.arguments = {best.argument};
    }

    /// Bounds on all runs hold for the runs of a policy.
    void add_bounds_of_every_run() {
        WorstCase all = of_every_run_();
        if (all.endless == EndlessRuns::every) {
            worst_.method = std::move(all.method);
            return set_endless(EndlessRuns::every, std::move(all.arguments.front()));
        }
        worst_.no_bound = all.no_bound.empty() ? no_worst_case(all) : std::move(all.no_bound);
        add_proved(std::move(all.bounds));
    }

    /// Shows a part of the work with the best bound so far.
    std::shared_ptr<void> show(const char* part) const { return show_part(options_, part, worst_.bound); }

    /// The bounds that need no runs. Linear programs give upper bounds only.
    void add_bounds(RunBoundOptions bound_options) {
        const auto part = show("bound");
        if (!longest()) bound_options.pair_columns = 0;
        RunBounds proved = run_bounds(net_, planned_, bound_options);
        std::vector<StepBound> bounds = longest() ? std::move(proved.upper) : std::move(proved.lower);
        worst_.no_bound = longest() ? proved.no_upper : proved.no_lower;
        if (proved.fires_forever) {
            worst_.method = "structure of the net";
            return set_endless(EndlessRuns::every,
                               fmt::format("when no part moves any more, '{}' can fire, and changes nothing",
                                           net_.transitions()[*proved.fires_forever].id));
        }
        if (bounds.empty() && worst_.bounds.empty() && longest()) {
            if (states::FiringBound bound = states::firing_bound(compiled(), bound_options.limits);
                bound.steps)
                bounds.push_back({*bound.steps, std::move(bound.argument)});
            else
                worst_.no_bound = fmt::format(
                    "the parts of the net prove none ({}), nor does its state equation ({})", worst_.no_bound,
                    bound.changes_nothing ? fmt::format("'{}' can fire without changing the marking",
                                                        net_.transitions()[*bound.changes_nothing].id)
                                          : bound.argument);
        }
        add_proved(std::move(bounds));
    }

    /// Everything, if time and memory suffice and there are not more states. The extremes over all service
    /// orders bound the runs of a policy. Returns whether another attempt may get further.
    bool explore(std::uint64_t most_states) {
        states::ExploreOptions explore_options;
        explore_options.semantics = Semantics::maximal;
        explore_options.limits = exploration_limits();
        explore_options.max_states = most_states;
        std::atomic<std::uint64_t> found = 0;
        explore_options.found = &found;
        const auto part =
            begin_part(options_.progress,
                       {"states", 0, &found, [text = bound_text(options_, worst_.bound)] { return text; }});
        states::RunExtremes extremes = states::run_extremes(compiled(), explore_options);
        const bool last = most_states != states_for_bounds || (only_bound() && !until_proved());
        if (extremes.stop == WorkEnd::state_limit && !last) return true;
        if (extremes.stop != WorkEnd::complete) {
            if (!only_bound() || extremes.stop == WorkEnd::time_limit)
                worst_.limits_hit.push_back("the graph of all steps was left unfinished: " +
                                            std::string(to_string(extremes.stop)));
            worst_.limit_reached |= until_proved();
            return false;
        }
        const std::string method =
            fmt::format("exploration of all maximal steps: {}, {}", plural(extremes.states, "marking"),
                        plural(extremes.edges, "step"));
        const auto& extreme = longest() ? extremes.longest : extremes.shortest;
        if (!extremes.shortest || (longest() && !extremes.longest && !options_.policy)) {
            worst_.method = method;
            set_endless(
                extremes.shortest ? EndlessRuns::some : EndlessRuns::every,
                extremes.shortest ? "every run of the net was explored" : "no dead marking can be reached");
            worst_.cycle_prefix = std::move(extremes.cycle_prefix);
            worst_.cycle = std::move(extremes.cycle);
            return false;
        }
        if (options_.policy) {
            if (!extreme) return false;
            worst_.bounds.insert(worst_.bounds.begin(),
                                 {*extreme, method + "; every run was explored, in every service order"});
            worst_.bound = *extreme;
            worst_.arguments = {worst_.bounds.front().argument};
            return false;
        }
        worst_.exact = true;
        worst_.method = method;
        worst_.found = worst_.bound = extreme;
        worst_.schedule =
            longest() ? std::move(extremes.longest_schedule) : std::move(extremes.shortest_schedule);
        worst_.arguments = {"every run of the net was explored"};
        return false;
    }

    /// Some runs, which may show that there is no worst case. Returns whether a search may find more.
    bool try_runs() {
        const auto part = show("first runs");
        RunOptions run_options;
        run_options.max_steps = options_.max_steps;
        run_options.policy = options_.policy.value_or(Policy::random);
        run_options.limits.deadline = options_.limits.deadline;
        run_options.limits.interrupt = options_.limits.interrupt;
        std::optional<ServedParts> served;
        if (options_.policy) run_options.served = &served.emplace(find_served_parts(compiled()));
        states::TriedRun tried = states::try_to_end(planned_, run_options);
        worst_.cycle_prefix = std::move(tried.prefix);
        worst_.cycle = std::move(tried.cycle);
        if (tried.endless) {
            if (worst_.endless == EndlessRuns::none_known) {
                worst_.method = options_.policy ? "a run under the policy" : "a single run";
                set_endless(EndlessRuns::one, "a marking of the run repeats, and with it all later steps");
            }
            return false;
        }
        if (tried.reason == StopReason::dead || worst_.endless != EndlessRuns::none_known) return true;
        worst_.time_stands_still = tried.reason == StopReason::immediate_loop;
        worst_.limits_hit.push_back(no_end(tried.reason));
        worst_.limit_reached = true;
        return false;
    }

    /// A run under the policy: first its steps, which takes far less time than its firings. These show
    /// whether the policy leaves other runs. If only a bound is requested, a run counts only if it is the
    /// only one.
    void follow_policy() {
        const auto part = show("run of the policy");
        worst_.policy = options_.policy;
        const ServedParts served = find_served_parts(compiled());
        RunOptions run_options;
        run_options.policy = *options_.policy;
        run_options.served = &served;
        run_options.max_steps = options_.max_steps;
        run_options.limits = limits_of_run(options_.max_steps);
        if (only_bound()) {
            run_options.max_steps = std::min<std::uint64_t>(
                run_options.max_steps, unasked_firings / (net_.transitions().size() + 1));
        } else {
            const RunResult steps = run(planned_, run_options);
            if (steps.reason != StopReason::dead) return;
            worst_.found = steps.steps;
            worst_.method = "a run under the policy";
            if (!makes_schedule(steps.steps)) return;
            run_options.limits = limits_of_run(steps.steps);
        }
        std::optional<states::CompleteRun> whole =
            states::run_of_policy(compiled(), run_options, !only_bound());
        if (!whole) return;
        worst_.found = whole->steps;
        worst_.schedule = std::move(whole->schedule);
        if (!whole->only) return;
        worst_.exact = true;
        worst_.method = "the only run of this policy";
        worst_.bound = worst_.found;
        worst_.arguments.emplace_back(
            "transitions of one part never compete, so the policy allows only one run");
    }

    ExactOptions exact_options() const {
        ExactOptions exact;
        exact.objective = options_.objective;
        exact.limits = {.memory = options_.limits.memory, .interrupt = options_.limits.interrupt};
        return exact;
    }

    /// Why an exact search ended before it was finished.
    std::string unfinished(const ExactResult& result) const {
        const std::string what =
            fmt::format("the exact search was not {}: ", result.states > 0 ? "finished" : "begun");
        if (until_proved() || result.stop != WorkEnd::effort_limit)
            return what + std::string(to_string(result.stop));
        return what + "it exceeds the default effort, which --exact lifts";
    }

    /// A saved exact search is read before bounds are computed, which may leave nothing to search.
    void read_saved_exact_search() {
        if (!until_proved() || !options_.saved || !is_exact_checkpoint(options_.saved->text)) return;
        saved_exact_ = read_saved_search(*options_.saved, [&](std::string_view text) {
            return read_exact_checkpoint(compiled(), net_, options_.objective, text);
        });
    }

    /// An exact search with the saved one and the hook that saves it.
    ExactResult exact_search() {
        ExactOptions exact = exact_options();
        exact.bound = worst_.bound;
        // Half of the time is for the search. A saved search takes all of it, since a search over orders
        // would overwrite it.
        exact.limits.deadline =
            (until_proved() && !options_.save && !only_bound() ? half_the_time(options_.limits)
                                                               : options_.limits)
                .deadline;
        if (until_proved())
            exact.ranks = options_.ranks;
        else
            exact.limits.effort = only_bound() ? unasked_exact_effort_for_bounds : unasked_exact_effort;
        // A saved search of another kind continued because no exact search applies, so it is kept.
        const bool saves = until_proved() && options_.save && (saved_exact_ || !options_.saved);
        exact.from = saved_exact_;
        ExactProgress reached = exact.from.value_or(ExactProgress{});
        const auto text = [&] { return write_checkpoint(compiled(), exact.objective, reached); };
        if (saves) {
            exact.checkpoint = [&](const ExactProgress& progress) {
                reached = progress;
                options_.save(text, false);
            };
        }
        const auto part = show("exact search");
        ExactResult result = exact_extremes(planned_, exact);
        if (saves && result.stop != WorkEnd::not_applicable) options_.save(text, true);
        return result;
    }

    /// By exact search over multisets of equal parts. False: the net does not have the shape for it.
    bool search_multisets() {
        ExactResult result = exact_search();
        if (result.stop == WorkEnd::endless) worst_.endless = EndlessRuns::one;
        if (result.stop == WorkEnd::not_applicable || result.stop == WorkEnd::endless) return false;
        const bool sharper = result.bound && result.bound != worst_.bound;
        if (result.found) {
            worst_.found = result.found;
            worst_.schedule = std::move(result.schedule);
        }
        if (result.bound) worst_.bound = result.bound;
        worst_.exact = result.exact;
        if (result.exact && !worst_.found) worst_.endless = EndlessRuns::every;
        if (result.states > 0 || result.exact) {
            worst_.method =
                "exact search over multisets of equal parts: " +
                (result.states > 0 ? plural(result.states, "state")
                                   : std::string("nothing is left to decide after the first step"));
        }
        if (!result.exact) {
            if (!only_bound()) worst_.limits_hit.push_back(exact_unfinished_ = unfinished(result));
            worst_.limit_reached |= until_proved();
        }
        if (!sharper && (worst_.found || !result.exact)) return true;  // the proof remains valid
        const std::string argument =
            longest() ? "pruned with the bound: the part that moves last waits only while other parts hold "
                        "the tokens that it needs"
                      : "pruned with the bound: the rest of a run takes at least the shortest rest of each "
                        "part, and at least the remaining demand for each hub divided by its tokens";
        worst_.arguments = {
            result.exact && !worst_.found
                ? "no dead marking can be reached"
                : fmt::format("every state from which a run could take {} than {} was explored, {}",
                              longest() ? "more" : "fewer", plural(worst_.bound.value_or(0), "step"),
                              argument)};
        if (sharper)
            worst_.bounds.insert(worst_.bounds.begin(), StepBound{*result.bound, worst_.arguments.front()});
        return true;
    }

    /// Whether the first candidate of a search reaches the bound: then no large program can make it sharper.
    bool start_reaches_bound() const {
        if (planned_.modules() == nullptr || !worst_.bound || only_bound() || options_.policy) return false;
        const auto part = show("first candidate");
        const auto instance = service_instance(planned_, options_.max_steps, options_.seed, options_.limits);
        ServiceSearchOptions search = search_options_of<ServiceOrders>(options_);
        search.chains = 1;
        search.start = SearchStart::starvation;
        const ServiceSearchState state = begin_search<ServiceOrders>(instance, search, options_.limits);
        return search_result(state, WorkEnd::complete).found >=
               static_cast<ServiceOrders::Value>(*worst_.bound);
    }

    /// Bounds, and a small exact search and exploration. Returns whether a search may find more.
    bool prove() {
        const bool open = on_first([&] { return prove_at_once(); });
        if (!open) return false;
        const auto search = [&] { return search_multisets(); };
        // With a fixed effort it ends before messages would have arrived.
        const bool by_multisets = !options_.policy && (until_proved() ? search() : on_first(search));
        return on_first([&] { return prove_rest(by_multisets); });
    }

    /// By the structure and small linear programs. Returns whether more may be proved.
    bool prove_at_once() {
        const WorkLimits& limits = options_.limits;
        if (of_every_run_)
            add_bounds_of_every_run();
        else
            add_bounds({.pair_columns = few_pair_columns,
                        .limits = {.deadline = limits.deadline, .interrupt = limits.interrupt}});
        if (worst_.exact) try_runs();
        return !worst_.exact;
    }

    bool prove_rest(bool by_multisets) {
        const WorkLimits& limits = options_.limits;
        const bool asked = longest() && !of_every_run_ && (!only_bound() || limits.deadline);
        if (!worst_.exact && asked && !limits.must_end() && !start_reaches_bound())
            add_bounds({.pair_columns = many_pair_columns,
                        .limits = {.deadline = (only_bound() ? limits : half_the_time(limits)).deadline,
                                   .interrupt = limits.interrupt}});
        const bool any_left = !worst_.exact && !by_multisets && explore(states_for_bounds);
        bool worth_searching = true;
        if (!worst_.exact && longest() && !worst_.bound) {
            worth_searching = try_runs();
            if (!worst_.exact && worst_.endless == EndlessRuns::one)
                set_endless(EndlessRuns::one,
                            "the exact search met a run that goes on when no part moves any more");
        }
        if (any_left && !worst_.exact && !worst_.time_stands_still) explore(all_states);
        if (!worst_.exact && !worst_.bound)
            worst_.limits_hit.push_back((longest() ? "no upper bound: " : "no lower bound: ") +
                                        worst_.no_bound);
        return worth_searching;
    }

    WorkLimits limits_of_run(std::uint64_t steps) const {
        return warpnet::worst::limits_of_run(net_, steps, options_.limits);
    }

    /// Whether the schedule of a run of this length is made: the steps alone must not exceed the memory.
    bool makes_schedule(std::uint64_t steps) const {
        return worth_following(net_, steps, options_.limits,
                               steps <= options_.limits.memory / sizeof(ScheduledStep));
    }

    /// By either search, with `iterations` candidates per chain.
    template <class Problem>
    void search_by(const typename Problem::Instance& instance, std::uint64_t iterations,
                   std::string_view candidates) {
        if (worst_.exact && !options_.order) {  // nothing to search for but the order
            const bool known = on_first([&] {
                const auto order =
                    candidate_of(*instance, worst_.schedule, limits_of_run(worst_.schedule.size()));
                if (order) worst_.order = write_order_csv(*instance, *order);
                return order.has_value();
            });
            if (known) return;
        }
        const auto begun = std::chrono::steady_clock::now();
        SearchOptionsOf<Problem> search = search_options_of<Problem>(options_);
        if (!options_.iterations) search.annealing.iterations = iterations;
        if (!options_.temperature) search.annealing.temperature = Problem::temperature;
        const bool tempering = options_.method == AnnealingMethod::tempering;
        // A chain that reaches the bound is done.
        if (worst_.bound && !tempering) search.target = static_cast<typename Problem::Value>(*worst_.bound);
        const EndedSearch<Problem> ended =
            run_search<Problem>(options_, instance, search, options_.limits, worst_.bound,
                                [&](std::string_view text) { return read_checkpoint(instance, text); });
        if (!ranks::leads(options_.ranks)) return;
        if (ended.state.chains.empty()) {
            worst_.limits_hit.emplace_back("the search was not started: its first run reached the limit");
            worst_.limit_reached = true;
            return;
        }
        const SearchResultOf<Problem> result = search_result(ended.state, ended.stop);
        WorstCase known = worst_;
        worst_.schedule.clear();
        worst_.method = fmt::format("{} over {}", tempering ? "parallel tempering" : "annealing", candidates);
        add_search<Problem>(result, worst_);
        worst_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
        if (ended.stop == WorkEnd::endless) {
            worst_.time_stands_still = result.ended == StopReason::immediate_loop;
            worst_.limits_hit.push_back(no_end(result.ended));
        }
        if (makes_schedule(*worst_.found)) {
            const auto part = show("schedule");
            worst_.schedule = run_of(*instance, result.best, limits_of_run(*worst_.found));
        }
        if (*worst_.found >= options_.max_steps && !worst_.has_schedule()) {  // perhaps an endless run
            worst_.found.reset();
            worst_.limit_reached = true;
        }
        const bool was_known = keep_better(std::move(known));
        if (!options_.wants_order || !worst_.found) return;
        const auto order = was_known ? candidate_of(*instance, worst_.schedule, limits_of_run(*worst_.found))
                                     : std::optional(result.best);
        if (order)
            worst_.order = write_order_csv(*instance, *order);
        else
            worst_.limits_hit.emplace_back("no known order leads to this schedule, and none is written");
    }

    /// Replaces the result of a search by the one known before, if that is better. Returns whether it is.
    bool keep_better(WorstCase known) {
        if (known.exact) {
            worst_.method = std::move(known.method);
            worst_.limit_reached = false;
        }
        if (!known.found || (worst_.found && !better(options_.objective, *known.found, *worst_.found)))
            return false;
        worst_.found = known.found;
        worst_.schedule = std::move(known.schedule);
        return true;
    }

    void search() {
        // A time limit may leave parts of the instance out, so rank 0 makes it and shares it.
        const WorkLimits limits = ranks::leads(options_.ranks) ? options_.limits : WorkLimits{};
        auto part = show("search");
        if (searches_strings()) {
            const std::uint64_t most =
                longest() ? worst_.bound.value_or(options_.max_steps) : options_.max_steps;
            const WorkLimits of_runs = ranks::leads(options_.ranks) ? limits_of_run(most) : limits;
            const auto instance = std::make_shared<const OrderInstance>(
                net_, planned_, options_.max_steps, options_.policy.value_or(Policy::replayed), of_runs);
            part.reset();
            return search_by<TransitionOrders>(instance,
                                               netgen::recognise_sm(net_) ? sm_iterations : most_iterations,
                                               "strings of transitions");
        }
        const auto instance = service_instance(planned_, options_.max_steps, options_.seed, limits);
        part.reset();
        search_by<ServiceOrders>(instance, iterations_of_chain(instance->starts.decisions(), most_iterations),
                                 "service orders and the choices of each part");
    }

    const WorstCaseOptions& options_;
    const Net& net_;
    const std::function<WorstCase()>& of_every_run_;
    const Plan planned_;
    std::optional<ExactProgress> saved_exact_ = {};
    WorstCase worst_;
    std::string exact_unfinished_;  ///< in limits_hit
};

}  // namespace

WorstCase net_case(const WorstCaseOptions& options, const Net& net,
                   const std::function<WorstCase()>& of_every_run) {
    if (options.method == AnnealingMethod::paper)
        throw UsageError(
            "--paper",
            fmt::format(
                "expected the net of a kernel whose instructions take one step each ('generate kernel', "
                "--string, --ptx or --template), found the net '{}'; leave out --paper, or give "
                "--pessimistic with --latency",
                net.id()));
    return NetCase(options, net, of_every_run).answer();
}

}  // namespace warpnet::worst
