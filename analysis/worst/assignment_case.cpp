// The extremes of warps that a run assigns to schedulers (Assignment::any). Schedulers share nothing, so a
// run takes as long as that of the slowest scheduler with its warps. Each set of warps on a scheduler is the
// net of one SM. Few distinct sets (at most 16) are searched one by one.
//
// Longest. Any set of warps that fills a scheduler can meet on one, so the value is the maximum over the
// sets. If there are more sets, two of them suffice for an upper bound. The bound of a set is the longest
// walk of its last warp plus the time in which the other warps use the scheduler (run_bounds.hpp). It grows
// with both. So all but the last warp of the worst set are the warps with the most scheduler steps. The last
// warp is either the one with the next most, or the remaining warp with the longest walk.
//
// Shortest. The value is the minimum over all assignments of the maximum over its sets. Lower bounds of the
// sets give a lower bound of the net in the same way. A depth-first search tries all assignments, at most
// `most_assignments`, with schedulers of equal size in order. If there are more sets or assignments, the
// longest warp alone and the work of all warps bound every assignment from below. One balanced assignment is
// then searched.

#include "analysis/worst/bounds/run_bounds.hpp"
#include "analysis/worst/case_search.hpp"
#include "engine/base/text.hpp"
#include "engine/run/run.hpp"
#include "netgen/warps/warps.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::worst {

namespace {

using WarpSet = std::vector<std::size_t>;  // indices into WarpsSpec::warps

/// The numbers of the warps with equal counts, which are interchangeable.
std::vector<WarpSet> equal_warps(const netgen::WarpsSpec& spec) {
    std::vector<WarpSet> result;
    for (std::size_t warp = 0; warp < spec.warps.size(); ++warp) {
        const auto same = std::ranges::find_if(
            result, [&](const WarpSet& set) { return spec.warps[set.front()] == spec.warps[warp]; });
        if (same == result.end())
            result.push_back({warp});
        else
            same->push_back(warp);
    }
    return result;
}

/// Schedulers that have warps.
std::size_t used_schedulers(const netgen::WarpsSpec& spec) {
    return std::min(static_cast<std::size_t>(spec.schedulers), spec.warps.size());
}

/// The number of warps of each scheduler, as if they were fixed.
std::vector<std::size_t> sizes_of(const netgen::WarpsSpec& spec) {
    const std::size_t schedulers = used_schedulers(spec);
    std::vector<std::size_t> sizes(schedulers, spec.warps.size() / schedulers);
    for (std::size_t k = 0; k < spec.warps.size() % schedulers; ++k) ++sizes[k];
    return sizes;
}

/// All sets of `size` warps that differ in their counts; nothing if there are more than `most`.
std::optional<std::vector<WarpSet>> all_sets(const netgen::WarpsSpec& spec, std::size_t size,
                                             std::size_t most) {
    std::vector<WarpSet> sets = {{}};
    const std::vector<WarpSet> equal = equal_warps(spec);
    std::size_t left = spec.warps.size();  // warps that are not yet looked at
    for (const WarpSet& warps : equal) {
        left -= warps.size();
        std::vector<WarpSet> longer;
        for (const WarpSet& set : sets) {
            for (std::size_t take = 0; take <= std::min(warps.size(), size - set.size()); ++take) {
                if (set.size() + take + left < size) continue;
                if (longer.size() == most) return {};
                WarpSet& next = longer.emplace_back(set);
                next.insert(next.end(), warps.begin(), warps.begin() + static_cast<std::ptrdiff_t>(take));
            }
        }
        sets = std::move(longer);
    }
    return sets;
}

/// The two sets one of which has the largest bound.
std::vector<WarpSet> heaviest_sets(const netgen::WarpsSpec& spec, std::size_t size) {
    WarpSet order(spec.warps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t warp) {
        return netgen::scheduler_steps(spec.warps[warp], spec.shared_latency);
    });
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(size);
    std::vector<WarpSet> sets = {WarpSet(order.begin(), end)};
    if (end == order.end()) return sets;
    WarpSet& other = sets.emplace_back(order.begin(), end - 1);
    other.push_back(*std::max_element(end, order.end(), [&](std::size_t a, std::size_t b) {
        const auto alone = [&](std::size_t warp) {
            return netgen::lone_warp_steps(spec.warps[warp], spec.shared_latency, spec.global_latency);
        };
        return alone(a) < alone(b);
    }));
    return sets;
}

/// The net of a scheduler with a set of warps.
Net net_of_set(const netgen::WarpsSpec& spec, const WarpSet& set) {
    netgen::WarpsSpec one = netgen::one_block(spec);
    one.assignment = netgen::Assignment::shared;
    one.schedulers = std::exchange(one.dispatch_units, 1);
    one.warps.clear();
    for (const std::size_t warp : set) one.warps.push_back(spec.warps[warp]);
    return netgen::warps_net(one);
}

/// The warps of a scheduler and a run of them.
struct ScheduledSet {
    WarpSet warps;
    Schedule schedule;
};

/// Any run of a scheduler with these warps.
ScheduledSet any_run(const netgen::WarpsSpec& spec, WarpSet warps) {
    ScheduleRecorder recorder;
    RunOptions options;
    options.policy = Policy::first;
    run(compile(net_of_set(spec, warps)), options, &recorder);
    return {std::move(warps), recorder.schedule()};
}

/// A set on the first scheduler that it fits, and any run of the remaining warps on the remaining schedulers,
/// in order.
std::vector<ScheduledSet> with_others(const netgen::WarpsSpec& spec, ScheduledSet first) {
    std::vector<std::size_t> sizes = sizes_of(spec);
    const std::size_t own = sizes.front() == first.warps.size() ? 0 : sizes.size() - 1;
    std::vector<WarpSet> others(sizes.size());
    std::size_t k = 0;
    for (std::size_t warp = 0; warp < spec.warps.size(); ++warp) {
        if (std::ranges::find(first.warps, warp) != first.warps.end()) continue;
        while (k == own || others[k].size() == sizes[k]) ++k;
        others[k].push_back(warp);
    }
    std::vector<ScheduledSet> assignment;
    assignment.reserve(sizes.size());
    for (k = 0; k < sizes.size(); ++k)
        assignment.push_back(k == own ? ScheduledSet{} : any_run(spec, others[k]));
    assignment[own] = std::move(first);
    return assignment;
}

/// A run of the whole net: the runs of all schedulers in parallel.
Schedule joined(const netgen::WarpsSpec& spec, const Net& net, const std::vector<ScheduledSet>& assignment) {
    const NodeIndex nodes(net);
    Schedule joined(1);
    joined.front().immediate = true;
    const auto number_of = [&](const std::string& id) {
        return static_cast<std::uint32_t>(index(nodes.transition(id).value()));
    };
    for (std::size_t k = 0; k < assignment.size(); ++k) {
        const auto& [warps, schedule] = assignment[k];
        const Net of_scheduler = net_of_set(spec, warps);
        const std::string scheduler = std::to_string(k + 1);
        for (const std::size_t warp : warps)
            joined.front().transitions.push_back(
                number_of(fmt::format("w{}_assign_{}", warp + 1, scheduler)));
        std::vector<std::uint32_t> in_net;
        in_net.reserve(of_scheduler.transitions().size());
        for (const Transition& transition : of_scheduler.transitions()) {
            const std::string& id = transition.id;
            const std::size_t end = id.find('_');  // of w1, absent in `idle`
            in_net.push_back(number_of(end == std::string::npos
                                           ? fmt::format("{}_{}", id, scheduler)
                                           : fmt::format("s{}_w{}{}", scheduler,
                                                         warps[std::stoul(id.substr(1, end - 1)) - 1] + 1,
                                                         id.substr(end))));
        }
        if (joined.size() < schedule.size() + 1) joined.resize(schedule.size() + 1);
        for (std::size_t step = 0; step < schedule.size(); ++step)
            for (const std::uint32_t t : schedule[step].transitions)
                joined[step + 1].transitions.push_back(in_net[t]);
    }
    for (ScheduledStep& step : joined) std::ranges::sort(step.transitions);
    return joined;
}

/// The examined sets of warps, and whether these are all.
struct WarpSets {
    std::vector<WarpSet> sets;
    bool all;
};

constexpr std::size_t most_sets = 16;  // each is searched

/// Every set that a scheduler can have; nothing if there are more than `most_sets`.
std::optional<std::vector<WarpSet>> every_set(const netgen::WarpsSpec& spec) {
    const std::vector<std::size_t> sizes = sizes_of(spec);
    auto sets = all_sets(spec, sizes.front(), most_sets);
    if (!sets || sizes.back() == sizes.front()) return sets;
    const auto smaller = all_sets(spec, sizes.back(), most_sets);
    if (!smaller || sets->size() + smaller->size() > most_sets) return {};
    sets->insert(sets->end(), smaller->begin(), smaller->end());
    return sets;
}

WarpSets sets_of(const netgen::WarpsSpec& spec) {
    if (auto all = every_set(spec)) return {*std::move(all), true};
    return {heaviest_sets(spec, sizes_of(spec).front()), false};
}

std::string of_any_assignment(const std::string& argument) {
    return "in any assignment of warps, a scheduler with its warps: " + argument;
}

/// A bound for each set that grows with the warps, and of these the largest: without linear programs.
std::optional<StepBound> bound_of(const netgen::WarpsSpec& spec, const std::vector<WarpSet>& sets) {
    std::optional<StepBound> longest;
    for (const WarpSet& set : sets) {
        const auto bound = structural_bound(net_of_set(spec, set), true, {.pair_columns = 0});
        if (!bound) return {};
        if (!longest || bound->steps > longest->steps) longest = bound;
    }
    longest->argument = of_any_assignment(longest->argument);
    return longest;
}

}  // namespace

std::optional<StepBound> assignment_bound(const netgen::WarpsSpec& spec) {
    return bound_of(spec, sets_of(spec).sets);
}

namespace {

/// An assignment: for each scheduler, the number of its set.
using Assigned = std::vector<std::size_t>;

/// The assignments of these sets to schedulers. All sets of the spec are there, each once.
class Assignments {
  public:
    Assignments(const netgen::WarpsSpec& spec, const std::vector<WarpSet>& sets)
        : sizes_(sizes_of(spec)), sets_(sets), equal_(equal_warps(spec)) {
        for (const WarpSet& warps : equal_) left_.push_back(warps.size());
        for (const WarpSet& set : sets_) counts_.push_back(counts_of(set));
    }

    /// Calls `visit` with every assignment, equal ones once. False if there are more than `most_assignments`.
    template <class Visit>
    bool for_each(Visit&& visit) {
        if (assigned_.size() == sizes_.size()) {
            visit(assigned_);
            return true;
        }
        const std::size_t k = assigned_.size();
        const std::size_t first = k > 0 && sizes_[k - 1] == sizes_[k] ? assigned_.back() : 0;
        for (std::size_t set = first; set < sets_.size(); ++set) {
            if (sets_[set].size() != sizes_[k] || !fits(set)) continue;
            if (++tried_ > most_assignments) return false;
            change(set, true);
            const bool all = for_each(visit);
            change(set, false);
            if (!all) return false;
        }
        return true;
    }

    /// The numbers of the sets with these warps.
    Assigned numbers_of(const std::vector<WarpSet>& warps) const {
        Assigned numbers;
        for (const WarpSet& set : warps) {
            const std::vector<std::size_t> counts = counts_of(set);
            numbers.push_back(static_cast<std::size_t>(std::ranges::find(counts_, counts) - counts_.begin()));
        }
        return numbers;
    }

    /// The warps of each scheduler: of equal warps each has the next ones.
    std::vector<WarpSet> warps_of(const Assigned& assigned) const {
        std::vector<std::size_t> used(equal_.size());
        std::vector<WarpSet> result;
        for (const std::size_t set : assigned) {
            WarpSet& warps = result.emplace_back();
            for (std::size_t kind = 0; kind < equal_.size(); ++kind)
                for (std::size_t n = 0; n < counts_[set][kind]; ++n)
                    warps.push_back(equal_[kind][used[kind]++]);
        }
        return result;
    }

  private:
    static constexpr std::size_t most_assignments = 100'000;

    std::vector<std::size_t> counts_of(const WarpSet& set) const {
        std::vector<std::size_t> counts;
        for (const WarpSet& warps : equal_)
            counts.push_back(static_cast<std::size_t>(std::ranges::count_if(
                set, [&](std::size_t warp) { return std::ranges::count(warps, warp) > 0; })));
        return counts;
    }
    bool fits(std::size_t set) const {
        for (std::size_t kind = 0; kind < left_.size(); ++kind)
            if (counts_[set][kind] > left_[kind]) return false;
        return true;
    }
    void change(std::size_t set, bool add) {
        for (std::size_t kind = 0; kind < left_.size(); ++kind)
            left_[kind] = add ? left_[kind] - counts_[set][kind] : left_[kind] + counts_[set][kind];
        if (add)
            assigned_.push_back(set);
        else
            assigned_.pop_back();
    }

    std::vector<std::size_t> sizes_;
    const std::vector<WarpSet>& sets_;
    std::vector<WarpSet> equal_;
    std::vector<std::vector<std::size_t>> counts_;  // of each set, by equal_
    std::vector<std::size_t> left_;                 // by equal_
    Assigned assigned_;
    std::size_t tried_ = 0;
};

/// An assignment in which the schedulers have about the same work: the warps with the most scheduler steps
/// first, each to the scheduler with the least work that has a place for it.
std::vector<WarpSet> even_assignment(const netgen::WarpsSpec& spec) {
    const std::vector<std::size_t> sizes = sizes_of(spec);
    const auto steps = [&](std::size_t warp) {
        return netgen::scheduler_steps(spec.warps[warp], spec.shared_latency);
    };
    WarpSet order(spec.warps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), steps);
    std::vector<WarpSet> result(sizes.size());
    std::vector<Tokens> work(sizes.size());
    for (const std::size_t warp : order) {
        std::size_t least = sizes.size();
        for (std::size_t k = 0; k < sizes.size(); ++k)
            if (result[k].size() < sizes[k] && (least == sizes.size() || work[k] < work[least])) least = k;
        result[least].push_back(warp);
        work[least] += steps(warp);
    }
    return result;
}

/// An assignment whose sets were searched, and a bound on every assignment.
struct SearchedAssignment {
    std::vector<WarpSet> warps;  // of each scheduler
    Assigned case_of;            // of each scheduler: the number of its set
    StepBound bound;
    bool of_all = false;  // no assignment is known to be better
};

/// The bound if there are too many assignments to try.
StepBound bound_of_every_assignment(const netgen::WarpsSpec& spec) {
    return {static_cast<std::uint64_t>(netgen::warps_step_bounds(spec).lower),
            "in any assignment, a run takes at least as long as the longest warp alone, and at least the "
            "steps for which all warps hold schedulers divided by the number of dispatch units"};
}

/// The best of all assignments by the runs that were found, and the least bound of any.
SearchedAssignment best_of_all(const netgen::WarpsSpec& spec, const std::vector<WarpSet>& sets,
                               const std::vector<WorstCase>& cases) {
    Assignments assignments(spec, sets);
    SearchedAssignment best;
    std::optional<std::uint64_t> found, bound;
    const auto longest = [&](const Assigned& assigned, auto member) -> const WorstCase& {
        return cases[*std::ranges::max_element(assigned, {},
                                               [&](std::size_t set) { return cases[set].*member; })];
    };
    const bool all = assignments.for_each([&](const Assigned& assigned) {
        const WorstCase& bounding = longest(assigned, &WorstCase::bound);
        if (!bound || bounding.bound.value_or(0) < *bound) {
            bound = bounding.bound.value_or(0);
            best.bound = {*bound,
                          "each assignment of warps has a scheduler that takes as long; with the least: " +
                              (bounding.arguments.empty() ? "" : bounding.arguments.back())};
        }
        if (!std::ranges::all_of(assigned, [&](std::size_t set) { return cases[set].has_schedule(); }))
            return;
        const std::uint64_t steps = *longest(assigned, &WorstCase::found).found;
        if (!found || steps < *found) best.case_of = assigned, found = steps;
    });
    if (!all) best.bound = bound_of_every_assignment(spec);
    best.of_all = all && found;
    best.warps = found ? assignments.warps_of(best.case_of) : even_assignment(spec);
    if (!found) best.case_of = assignments.numbers_of(best.warps);
    return best;
}

/// The answer for the shortest run.
WorstCase shortest_case(const WorstCaseOptions& options, const netgen::WarpsSpec& spec, const Net& net) {
    const auto every = every_set(spec);
    const std::vector<WarpSet> sets = every ? *every : even_assignment(spec);
    std::vector<Net> nets;
    nets.reserve(sets.size());
    for (const WarpSet& set : sets) nets.push_back(net_of_set(spec, set));
    auto cases = nets.size() > most_sets ? std::nullopt : cases_of_kinds(options, nets);
    if (!cases) return net_case(options, net);
    if (!ranks::leads(options.ranks)) return {};
    SearchedAssignment best;
    if (every) {
        best = best_of_all(spec, sets, *cases);
    } else {
        best = {sets, Assigned(sets.size()), bound_of_every_assignment(spec)};
        std::iota(best.case_of.begin(), best.case_of.end(), std::size_t{0});
    }
    const auto has_run = [&](std::size_t number) { return (*cases)[number].has_schedule(); };
    WorstCase worst = (*cases)[*std::ranges::max_element(
        best.case_of, {}, [&](std::size_t number) { return (*cases)[number].found; })];
    worst.bound = best.bound.steps;
    worst.bounds = {best.bound};
    worst.arguments = {best.bound.argument};
    worst.no_bound.clear();
    worst.order.clear();
    worst.method += fmt::format(", of one scheduler in {}",
                                best.of_all ? "the best of all assignments" : "an even assignment");
    worst.schedule.clear();
    if (std::ranges::all_of(best.case_of, has_run)) {
        std::vector<ScheduledSet> assignment;
        for (std::size_t k = 0; k < best.warps.size(); ++k)
            assignment.push_back({best.warps[k], (*cases)[best.case_of[k]].schedule});
        worst.schedule = joined(spec, net, assignment);
    } else {
        worst.found.reset();
    }
    worst.exact = worst.found && worst.found == worst.bound;
    take_limits(worst, *cases);
    return worst;
}

WorstCase longest_case(const WorstCaseOptions& options, const netgen::WarpsSpec& spec, const Net& net) {
    const WarpSets looked_at = sets_of(spec);
    std::vector<Net> nets;
    for (const WarpSet& set : looked_at.sets) nets.push_back(net_of_set(spec, set));
    auto cases = cases_of_kinds(options, nets);
    if (!cases) return net_case(options, net);
    if (!ranks::leads(options.ranks)) return {};
    const auto best = std::ranges::max_element(*cases, {}, &WorstCase::found);
    const WarpSet& set = looked_at.sets[static_cast<std::size_t>(best - cases->begin())];
    WorstCase worst = *best;
    if (looked_at.all) {
        // The longest run of any set bounds them all, if each is bounded.
        auto bounding = std::ranges::find_if(*cases, [](const WorstCase& one) { return !one.bound; });
        if (bounding == cases->end()) bounding = std::ranges::max_element(*cases, {}, &WorstCase::bound);
        worst.bound = bounding->bound;
        worst.bounds = bounding->bounds;
        worst.no_bound = bounding->no_bound;
        worst.arguments = bounding->arguments;
        for (std::string& argument : worst.arguments) argument = of_any_assignment(argument);
    } else {
        const std::optional<StepBound> bound = bound_of(spec, looked_at.sets);
        worst.bound.reset();
        worst.bounds.clear();
        worst.arguments.clear();
        if (bound) {
            worst.bound = bound->steps;
            worst.bounds = {*bound};
            worst.arguments = {bound->argument};
        }
    }
    worst.method += fmt::format(", of {} on one scheduler", plural(set.size(), "warp"));
    if (worst.has_schedule()) {
        worst.schedule = joined(spec, net, with_others(spec, {set, std::move(worst.schedule)}));
        worst.found = worst.schedule.size() - 1;  // the first step is immediate
    }
    worst.exact = worst.found && worst.found == worst.bound;
    worst.order.clear();
    take_limits(worst, *cases);
    return worst;
}

}  // namespace

WorstCase assignment_case(const WorstCaseOptions& options, const netgen::WarpsSpec& spec, const Net& net) {
    return options.objective == Objective::longest ? longest_case(options, spec, net)
                                                   : shortest_case(options, spec, net);
}

}  // namespace warpnet::worst
