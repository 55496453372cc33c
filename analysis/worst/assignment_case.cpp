// The worst case of warps that a run assigns to schedulers (Assignment::any). Schedulers share nothing, so a
// run is as long as that of one scheduler with its warps, and any set of warps that fills a scheduler can
// meet on one. Few distinct sets are searched one by one. Of many sets two are enough for a bound: L + P
// grows with both, so the worst set has as others the warps with the most scheduler steps, and as last either
// the next of these or the longest of all other warps. Each set is the net of one SM.

#include "analysis/worst/bounds/run_bounds.hpp"
#include "analysis/worst/case_search.hpp"
#include "engine/base/text.hpp"
#include "engine/run/run.hpp"
#include "netgen/warps/warps.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet {

namespace {

using WarpSet = std::vector<std::size_t>;  // indices into WarpsSpec::warps

/// Warps of equal counts are interchangeable: the numbers of each.
std::vector<WarpSet> equal_warps(const WarpsSpec& spec) {
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

/// All sets of so many warps that differ in their counts; nothing if there are more than `most`.
std::optional<std::vector<WarpSet>> all_sets(const WarpsSpec& spec, std::size_t size, std::size_t most) {
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

/// The two sets of which one has the largest bound.
std::vector<WarpSet> heaviest_sets(const WarpsSpec& spec, std::size_t size) {
    WarpSet order(spec.warps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t warp) {
        return scheduler_steps(spec.warps[warp], spec.shared_latency);
    });
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(size);
    std::vector<WarpSet> sets = {WarpSet(order.begin(), end)};
    if (end == order.end()) return sets;
    WarpSet& other = sets.emplace_back(order.begin(), end - 1);
    other.push_back(*std::max_element(end, order.end(), [&](std::size_t a, std::size_t b) {
        const auto alone = [&](std::size_t warp) {
            return lone_warp_steps(spec.warps[warp], spec.shared_latency, spec.global_latency);
        };
        return alone(a) < alone(b);
    }));
    return sets;
}

/// The net of a scheduler with a set of warps.
Net net_of_set(const WarpsSpec& spec, const WarpSet& set) {
    WarpsSpec one = one_block(spec);
    one.assignment = Assignment::shared;
    one.schedulers = std::exchange(one.dispatch_units, 1);
    one.warps.clear();
    for (const std::size_t warp : set) one.warps.push_back(spec.warps[warp]);
    return warps_net(one);
}

/// The set on scheduler 1 and all other warps on the others, in order.
std::vector<WarpSet> assignment_of(const WarpsSpec& spec, WarpSet first) {
    const auto sets = std::min(static_cast<std::size_t>(spec.schedulers), spec.warps.size());
    std::vector<WarpSet> result = {std::move(first)};
    result.resize(sets);
    std::size_t next = 1;
    for (std::size_t warp = 0; warp < spec.warps.size(); ++warp) {
        if (std::ranges::find(result[0], warp) != result[0].end()) continue;
        result[next].push_back(warp);
        next = next + 1 < sets ? next + 1 : 1;
    }
    return result;
}

/// A run of the whole net: the schedule for scheduler 1, any run for the others.
Schedule joined_with_others(const WarpsSpec& spec, const Net& net, const WarpSet& set, Schedule first) {
    const NodeIndex nodes(net);
    Schedule joined(1);
    joined.front().immediate = true;
    const auto number_of = [&](const std::string& id) {
        return static_cast<std::uint32_t>(index(nodes.transition(id).value()));
    };
    const std::vector<WarpSet> assignment = assignment_of(spec, set);
    for (std::size_t k = 0; k < assignment.size(); ++k) {
        const WarpSet& warps = assignment[k];
        const Net of_scheduler = net_of_set(spec, warps);
        Schedule schedule = std::move(first);
        first.clear();
        if (k > 0) {
            ScheduleRecorder recorder;
            RunOptions options;
            options.policy = Policy::first;
            run(compile(of_scheduler), options, &recorder);
            schedule = recorder.schedule();
        }
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

/// The sets of warps that are looked at, and whether they are all.
struct WarpSets {
    std::vector<WarpSet> sets;
    bool all;
};

WarpSets sets_of(const WarpsSpec& spec) {
    constexpr std::size_t most_sets = 16;  // each is searched
    const auto schedulers = std::min(static_cast<std::size_t>(spec.schedulers), spec.warps.size());
    const std::size_t size = (spec.warps.size() - 1) / schedulers + 1;
    if (auto all = all_sets(spec, size, most_sets)) return {*std::move(all), true};
    return {heaviest_sets(spec, size), false};
}

std::string of_any_assignment(const std::string& argument) {
    return "in any assignment of warps, a scheduler with its warps: " + argument;
}

/// A bound for each set that grows with the warps, and of these the largest: without linear programs.
std::optional<StepBound> bound_of(const WarpsSpec& spec, const std::vector<WarpSet>& sets) {
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

std::optional<StepBound> assignment_bound(const WarpsSpec& spec) {
    return bound_of(spec, sets_of(spec).sets);
}

WorstCase assignment_case(const WorstCaseOptions& options, const WarpsSpec& spec, const Net& net) {
    const WarpSets looked_at = sets_of(spec);
    std::vector<Net> nets;
    for (const WarpSet& set : looked_at.sets) nets.push_back(net_of_set(spec, set));
    auto cases = cases_of_kinds(options, nets);
    if (!cases) return net_case(options, net);
    if (!leads(options.ranks)) return {};
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
        worst.schedule = joined_with_others(spec, net, set, std::move(worst.schedule));
        worst.found = worst.schedule.size() - 1;  // the first step takes no time
    }
    worst.exact = worst.found && worst.found == worst.bound;
    worst.order.clear();
    take_limits(worst, *cases);
    return worst;
}

}  // namespace warpnet
