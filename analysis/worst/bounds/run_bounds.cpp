// Computes the bounds of run_bounds.hpp: the walks of module_graph.cpp give the work of each class,
// hub_use.cpp the role of each hub, and a binary search the longest possible wait of each class as last.
// Parts that share no hub which can be short are groups of their own. The sum of all work is the fallback if
// a hub is tied. pair_bound.cpp sharpens the result if all parts of a group want one token of one hub. The
// proof that hub_use.cpp adds makes it a bound on every run.

#include "analysis/worst/bounds/run_bounds.hpp"

#include "analysis/worst/bounds/hub_use.hpp"
#include "analysis/worst/bounds/module_graph.hpp"
#include "analysis/worst/bounds/pair_bound.hpp"
#include "analysis/worst/bounds/rate_bound.hpp"
#include "engine/base/disjoint_sets.hpp"
#include "engine/base/text.hpp"
#include "engine/executors/modules/net.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace warpnet::worst {

namespace {

/// The hubs that the modules of a class use.
struct ClassDemands {
    std::vector<Tokens> largest;      ///< per hub: that a module waits for at once
    std::vector<std::uint8_t> holds;  ///< per hub: whether a module ever has tokens of it
    bool touches(std::uint32_t hub) const { return largest[hub] > 0 || holds[hub] != 0; }
};

ClassDemands demands_of(const ModuleNet& parts, const ModuleGraph& graph, const ModuleClass& modules) {
    ClassDemands demands{std::vector<Tokens>(graph.hubs, 0), std::vector<std::uint8_t>(graph.hubs, 0)};
    const std::vector<std::uint8_t> seen = nodes_of(graph, modules);
    for (std::size_t number = 0; number < seen.size(); ++number) {
        if (seen[number] == 0) continue;
        for (std::size_t hub = 0; hub < graph.hubs; ++hub)
            if (graph.held_at(number, hub) != 0 || graph.most_held_at(number, hub) != 0)
                demands.holds[hub] = 1;
        const ModuleNode& node = parts.automaton.nodes[number];
        if (node.kind != ModuleNode::Kind::waiting) continue;
        for (const auto [hub, weight] : parts.automaton.demand_classes[node.demand_class])
            demands.largest[hub] = std::max<Tokens>(demands.largest[hub], weight);
    }
    return demands;
}

constexpr std::int64_t largest_multiple = 1 << 20;  // of the r of all hubs; above, the weaker bound is used

class ModuleBounds {
  public:
    ModuleBounds(const Net& net, const CompiledNet& compiled, const ModuleNet& parts,
                 const RunBoundOptions& options)
        : net_(net),
          compiled_(compiled),
          modules_(parts),
          options_(options),
          graph_(module_graph(parts)),
          classes_(module_classes(parts)),
          use_(hub_use(compiled, parts, graph_, classes_)) {
        for (const ModuleClass& modules : classes_) demands_.push_back(demands_of(parts, graph_, modules));
    }

    RunBounds bounds() {
        const PartsAtRest rest = parts_at_rest(compiled_, modules_, graph_, classes_, may_wait_forever());
        result_.fires_forever = rest.fires_forever;
        const bool measured = use_.starved.empty() && find_longest();
        if (!use_.starved.empty()) result_.no_upper = use_.starved;
        if (measured && rest.proof) {
            find_upper();
            for (LastMoveBound& bound : last_moves_)
                result_.upper.push_back(rest.proof->every_run(std::move(bound)));
        } else if (measured) {
            result_.no_upper = not_proved_to_end(rest);
        }
        find_lower(measured);
        return std::move(result_);
    }

  private:
    std::int64_t steps_of(std::size_t edge) const { return graph_.edges[edge].steps; }
    Tokens tokens_of(std::uint32_t hub) const { return compiled_.initial[modules_.hubs[hub]]; }
    const std::string& name_of(std::uint32_t hub) const { return net_[PlaceId(modules_.hubs[hub])].id; }
    const std::string& id_of(std::uint32_t transition) const { return net_[TransitionId(transition)].id; }

    std::string not_proved_to_end(const PartsAtRest& rest) const {
        if (rest.fires_forever)
            return fmt::format("when no part moves any more, '{}' goes on forever",
                               id_of(*rest.fires_forever));
        return fmt::format("it is not proved that every run ends: '{}' may go on when no part moves any more",
                           id_of(*rest.undecided));
    }

    /// Whether a part may wait after all other parts have stopped.
    bool may_wait_forever() const {
        return use_.any_tied || !use_.starved.empty() ||
               std::ranges::any_of(use_.shared,
                                   [&](std::uint32_t hub) { return largest_demand(hub) > tokens_of(hub); });
    }

    /// False if a part may move without end.
    bool find_longest() {
        work_.resize(classes_.size());
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            const auto longest =
                heaviest_walk(graph_, classes_[i], [&](std::size_t edge) { return steps_of(edge); });
            if (!longest) {
                result_.no_upper = "a part can go on forever by itself";
                return false;
            }
            work_[i] = *longest;
        }
        return true;
    }

    /// The bounds of the group with the largest best bound hold for all groups.
    void find_upper() {
        std::vector<std::vector<LastMoveBound>> of_groups;
        for (const Group& group : groups()) of_groups.push_back(GroupBounds(*this, group).upper());
        last_moves_ = *std::ranges::max_element(
            of_groups, {}, [](const std::vector<LastMoveBound>& bounds) { return bounds.front().steps; });
        if (of_groups.size() == 1) return;
        for (LastMoveBound& bound : last_moves_)
            bound.argument =
                fmt::format("the parts are {} groups that never wait for each other; of the longest: {}",
                            of_groups.size(), bound.argument);
    }

    /// Classes of parts that meet at hubs which can be short, directly or through further parts. No part ever
    /// waits for one of another group, so each group is bounded separately.
    struct Group {
        std::vector<std::size_t> classes;
        std::vector<std::uint32_t> shared;  ///< hubs
        bool any_tied = false;
    };

    /// All classes that need no such hub are one group. If it is unclear which tokens parts hold, all classes
    /// are one group.
    std::vector<Group> groups() const {
        DisjointSets sets(graph_.hubs + 1);
        const auto free = static_cast<std::uint32_t>(graph_.hubs);
        const auto can_be_short = [&](std::uint32_t hub) { return use_.kinds[hub] != HubUse::Kind::ample; };
        std::vector<std::uint32_t> some_hub(classes_.size(), free);
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            for (std::uint32_t hub = 0; hub < free; ++hub) {
                if (!can_be_short(hub) || (graph_.unclear.empty() && !demands_[i].touches(hub))) continue;
                if (some_hub[i] == free) some_hub[i] = hub;
                sets.join(some_hub[i], hub);
            }
        }
        std::map<std::uint32_t, Group> by_root;
        for (std::size_t i = 0; i < classes_.size(); ++i)
            by_root[sets.root(some_hub[i])].classes.push_back(i);
        for (std::uint32_t hub = 0; hub < free; ++hub) {
            const auto group = by_root.find(sets.root(hub));
            if (group == by_root.end() || !can_be_short(hub)) continue;
            if (use_.kinds[hub] == HubUse::Kind::tied) group->second.any_tied = true;
            if (use_.kinds[hub] == HubUse::Kind::shared) group->second.shared.push_back(hub);
        }
        std::vector<Group> result;
        result.reserve(by_root.size());
        for (auto& [root, group] : by_root) result.push_back(std::move(group));
        return result;
    }

    Tokens largest_demand(std::uint32_t hub) const {
        Tokens largest = 0;
        for (const ClassDemands& demands : demands_) largest = std::max(largest, demands.largest[hub]);
        return largest;
    }

    /// The upper bounds of a group.
    class GroupBounds {
      public:
        GroupBounds(const ModuleBounds& net, const Group& group) : net_(net), group_(group) {}

        /// The best bound first.
        std::vector<LastMoveBound> upper() {
            std::int64_t all = 0;
            std::uint64_t parts = 0;
            for (const std::size_t i : group_.classes) {
                all += steps_of(i) * modules_of(i);
                parts += net_.classes_[i].modules;
            }
            add(all,
                parts == 1
                    ? fmt::format("in every step the part makes a step of its own, at most {} of them", all)
                    : fmt::format("in every step some part makes a step of its own, and all {} of "
                                  "them together make at most {}",
                                  parts, all));
            if (group_.any_tied) return std::move(bounds_);
            if (group_.shared.empty()) {
                add_without_waiting();
            } else if (find_waits()) {
                add_starvation();
                if (group_.shared.size() == 1) add_pairs();
            }
            std::ranges::stable_sort(bounds_, {}, &LastMoveBound::steps);
            return std::move(bounds_);
        }

      private:
        /// The delay that parts of each class of the group can cause to a part that waits for certain hubs.
        struct Interference {
            /// The hubs, each with r, the tokens that other parts hold while it waits.
            std::vector<std::pair<std::uint32_t, std::int64_t>> needed;
            std::int64_t scale = 1;               ///< the least common multiple of all r
            std::vector<std::int64_t> hub_steps;  ///< token-steps of one of these hubs, times scale / r
            std::vector<std::int64_t> most_held;  ///< at once, weighted in the same way
        };

        /// The longest wait of a part of a class.
        struct Wait {
            std::size_t interference;  ///< its number
            std::int64_t steps;
        };

        std::int64_t steps_of(std::size_t i) const { return net_.work_[i]; }
        std::int64_t modules_of(std::size_t i) const {
            return static_cast<std::int64_t>(net_.classes_[i].modules);
        }

        void add(std::int64_t steps, std::string argument) {
            bounds_.push_back({static_cast<std::uint64_t>(steps), std::move(argument)});
        }

        void add_without_waiting() {
            std::int64_t most = 0;
            for (const std::size_t i : group_.classes) most = std::max(most, steps_of(i));
            add(most, fmt::format("no part ever waits for another, and the longest makes at most {}",
                                  plural(static_cast<std::uint64_t>(most), "step")));
        }

        /// False if a part is stuck or numbers grow too large.
        bool find_waits() {
            for (const std::size_t i : group_.classes) {
                Interference found;
                for (const std::uint32_t hub : group_.shared) {
                    const Tokens demand = net_.demands_[i].largest[hub];
                    if (demand == 0) continue;
                    const std::int64_t needed = net_.tokens_of(hub) + 1 - demand;
                    if (needed < 1) return false;  // it may wait forever for more tokens than there are
                    found.needed.emplace_back(hub, needed);
                    found.scale = std::lcm(found.scale, needed);
                    if (found.scale > largest_multiple) return false;
                }
                const auto known = static_cast<std::size_t>(
                    std::ranges::find(interferences_, found.needed, &Interference::needed) -
                    interferences_.begin());
                if (known == interferences_.size()) {
                    if (!found.needed.empty() && !weigh(found)) return false;
                    interferences_.push_back(std::move(found));
                }
                waits_.push_back({known, most_waiting(i, interferences_[known])});
            }
            return true;
        }

        bool weigh(Interference& found) const {
            // In a step of its wait a part waits for one of the hubs. So the most tokens that another part
            // holds of any hub count, and not their sum.
            const auto most_of = [&](auto&& tokens) {
                std::int64_t most = 0;
                for (const auto& [hub, needed] : found.needed)
                    most = std::max(most, tokens(hub) * (found.scale / needed));
                return most;
            };
            const auto weight = [&](std::size_t edge) {
                std::int64_t sum = 0;
                for (const auto& [hub, needed] : found.needed)
                    sum += net_.graph_.hub_steps_of(edge, hub) * (found.scale / needed);
                return std::min(sum, net_.graph_.holding[edge] * most_of([&](std::uint32_t hub) {
                                         return net_.graph_.hub_peak_of(edge, hub);
                                     }));
            };
            for (const std::size_t i : group_.classes) {
                const auto heaviest = heaviest_walk(net_.graph_, net_.classes_[i], weight, steps_of(i));
                if (!heaviest) return false;
                found.hub_steps.push_back(*heaviest);
                std::int64_t most = 0;
                for (std::size_t node = 0; node < net_.graph_.reached.size(); ++node)
                    most = std::max(most, most_of([&](std::uint32_t hub) {
                                        return net_.graph_.most_held_at(node, hub);
                                    }));
                found.most_held.push_back(most);
            }
            return true;
        }

        /// The maximal number of steps that a module of class `last` can wait: the largest a with sum over
        /// the other modules of min(hub_steps, most_held a) >= scale a.
        std::int64_t most_waiting(std::size_t last, const Interference& by) const {
            if (by.needed.empty()) return 0;
            const auto lasts = [&](std::int64_t waiting) {
                std::int64_t sum = 0;
                for (std::size_t i = 0; i < group_.classes.size(); ++i) {
                    const std::int64_t work = by.hub_steps[i];
                    const bool all = work / std::max<std::int64_t>(by.most_held[i], 1) < waiting;
                    sum += others(group_.classes[i], last) * (all ? work : by.most_held[i] * waiting);
                }
                return sum >= by.scale * waiting;
            };
            std::int64_t low = 0, high = 1;
            while (lasts(high)) {
                low = high;
                high *= 2;
            }
            while (high - low > 1) {
                const std::int64_t middle = low + (high - low) / 2;
                (lasts(middle) ? low : high) = middle;
            }
            return low;
        }

        /// The modules of a class besides one of class `last`.
        std::int64_t others(std::size_t i, std::size_t last) const {
            return modules_of(i) - (i == last ? 1 : 0);
        }

        std::int64_t last_step(std::size_t number) const {
            return steps_of(group_.classes[number]) + waits_[number].steps;
        }

        void add_starvation() {
            std::size_t last = 0;
            for (std::size_t number = 1; number < waits_.size(); ++number)
                if (last_step(number) > last_step(last)) last = number;
            add(last_step(last), starvation_text(last));
        }

        std::string starvation_text(std::size_t number) const {
            const std::size_t last = group_.classes[number];
            const auto [interference, waiting] = waits_[number];
            const Interference& by = interferences_[interference];
            const std::string own = fmt::format("the part that moves last makes at most {} of its own",
                                                plural(static_cast<std::uint64_t>(steps_of(last)), "step"));
            if (by.needed.empty()) return own + ", and never waits";
            if (by.needed.size() > 1) {
                return fmt::format(
                    "{}; in every other step it waits while other parts hold the tokens of a hub that it "
                    "wants, "
                    "{} at "
                    "most",
                    own, plural(static_cast<std::uint64_t>(waiting), "time"));
            }
            std::int64_t held = 0;
            for (std::size_t i = 0; i < group_.classes.size(); ++i)
                held += by.hub_steps[i] * others(group_.classes[i], last);
            const auto [hub, needed] = by.needed.front();
            return fmt::format(
                "{}; in every other step it waits while other parts hold {} of the {} of {}, {} in all: {} "
                "at "
                "most",
                own, needed, plural(static_cast<std::uint64_t>(net_.tokens_of(hub)), "token"),
                net_.name_of(hub), plural(static_cast<std::uint64_t>(held), "token-step"),
                plural(static_cast<std::uint64_t>(waiting), "time"));
        }

        /// The sharper bound for a hub from which all parts want one token at a time.
        void add_pairs() {
            if (net_.options_.pair_columns == 0) return;
            std::vector<ModuleClass> classes;
            std::vector<std::uint64_t> known;
            for (std::size_t number = 0; number < waits_.size(); ++number) {
                classes.push_back(net_.classes_[group_.classes[number]]);
                known.push_back(static_cast<std::uint64_t>(last_step(number)));
            }
            const auto bound =
                pair_bound({net_.compiled_, net_.modules_, net_.graph_, classes, group_.shared.front(),
                            std::move(known), net_.options_.pair_columns, net_.options_.limits});
            if (bound && bound->steps < bounds_.back().steps) bounds_.push_back(*bound);
        }

        const ModuleBounds& net_;
        const Group& group_;
        std::vector<Interference> interferences_;  // distinct
        std::vector<Wait> waits_;                  // per class of the group
        std::vector<LastMoveBound> bounds_;
    };

    /// `measured`: work_ has the longest walks.
    void find_lower(bool measured) {
        std::int64_t longest = 0;
        std::vector<std::int64_t> sums(graph_.hubs, 0);
        if (use_.any_tied) {
            result_.no_lower = "a part may wait forever and end the run early";
            return;
        }
        for (const std::uint32_t hub : use_.shared) {
            if (largest_demand(hub) > tokens_of(hub)) {
                result_.no_lower = "a part may wait for more than there is and end the run early";
                return;
            }
        }
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            const std::int64_t most = measured ? work_[i] : 1 << 20;
            const auto steps = lightest_walk(
                graph_, modules_, classes_[i], [&](std::size_t edge) { return steps_of(edge); }, most);
            if (!steps) {
                result_.no_lower = "a part has no end that was found";
                return;
            }
            longest = std::max(longest, *steps);
            for (const std::uint32_t hub : use_.shared) {
                const auto held = lightest_walk(
                    graph_, modules_, classes_[i],
                    [&](std::size_t edge) { return graph_.hub_steps_of(edge, hub); }, most);
                sums[hub] += held.value_or(0) * static_cast<std::int64_t>(classes_[i].modules);
            }
        }
        add_lower(longest, fmt::format("every run is as long as its longest part, which makes at least {}",
                                       plural(static_cast<std::uint64_t>(longest), "step")));
        for (const std::uint32_t hub : use_.shared) {
            const std::int64_t steps =
                (sums[hub] + tokens_of(hub) - 1) / std::max<std::int64_t>(tokens_of(hub), 1);
            add_lower(steps, fmt::format("the parts hold {} for at least {}, and it has {}", name_of(hub),
                                         plural(static_cast<std::uint64_t>(sums[hub]), "token-step"),
                                         plural(static_cast<std::uint64_t>(tokens_of(hub)), "token")));
        }
        std::stable_sort(result_.lower.begin(), result_.lower.end(),
                         [](const StepBound& a, const StepBound& b) { return a.steps > b.steps; });
    }

    void add_lower(std::int64_t steps, std::string argument) {
        result_.lower.push_back(
            {static_cast<std::uint64_t>(std::max<std::int64_t>(steps, 0)), std::move(argument)});
    }

    const Net& net_;
    const CompiledNet& compiled_;
    const ModuleNet& modules_;
    const RunBoundOptions& options_;
    ModuleGraph graph_;
    std::vector<ModuleClass> classes_;
    HubUse use_;
    std::vector<ClassDemands> demands_;      // per class
    std::vector<std::int64_t> work_;         // per class: the most steps of its own
    std::vector<LastMoveBound> last_moves_;  // the best first
    RunBounds result_;
};

}  // namespace

RunBounds run_bounds(const Net& net, const Plan& planned, const RunBoundOptions& options) {
    RunBounds bounds;
    if (planned.modules())
        bounds = ModuleBounds(net, planned.net(), *planned.modules(), options).bounds();
    else
        bounds.no_upper = bounds.no_lower = planned.not_modules();
    if (const std::optional<netgen::SmNet> sm = netgen::recognise_sm(net)) {
        if (std::optional<RateBounds> rates = rate_bounds(*sm)) {
            bounds.upper.push_back(std::move(rates->together));
            bounds.upper.push_back(std::move(rates->sum));
        }
        std::ranges::stable_sort(bounds.upper, {}, &StepBound::steps);
    }
    return bounds;
}

}  // namespace warpnet::worst
