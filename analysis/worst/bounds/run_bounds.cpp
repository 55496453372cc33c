#include "analysis/worst/bounds/run_bounds.hpp"

#include "analysis/worst/bounds/hub_use.hpp"
#include "analysis/worst/bounds/module_graph.hpp"
#include "analysis/worst/bounds/pair_bound.hpp"
#include "analysis/worst/bounds/parts_at_rest.hpp"
#include "engine/base/text.hpp"
#include "engine/executors/modules/net.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

// Computes the bounds of run_bounds.hpp: the walks of module_graph.cpp give the work of each class,
// hub_use.cpp the role of each hub, and a binary search the longest possible wait of each class as last. The
// sum of all work is the fallback if a hub is tied. pair_bound.cpp sharpens the result if all parts want one
// token of one hub. A net that falls apart is bounded by its parts. The proof that parts_at_rest.cpp adds
// makes it a bound on every run.

namespace warpnet {

namespace {

/// The most (or least) work of the modules of a class.
struct ClassWork {
    std::int64_t steps = 0;      ///< of its own
    std::int64_t hub_steps = 0;  ///< token-steps of shared hubs, weighted
    std::int64_t most_held = 0;  ///< of the one shared hub, at once
    std::int64_t needed = 1;     ///< r: tokens that others hold while it waits, of the only shared hub
};

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
          use_(hub_use(compiled, parts, graph_, classes_)) {}

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

    /// Whether a part may wait after all others have stopped.
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
            work_[i].steps = *longest;
        }
        return true;
    }

    void find_upper() {
        std::int64_t all = 0;
        for (std::size_t i = 0; i < classes_.size(); ++i)
            all += work_[i].steps * static_cast<std::int64_t>(classes_[i].modules);
        add_upper(all,
                  fmt::format(
                      "in every step some part makes a step of its own, and all {} of them together make at "
                      "most {}",
                      modules_.size(), all));
        if (use_.any_tied) return;
        if (use_.shared.empty()) {
            add_without_waiting();
        } else if (weigh_hub_steps()) {
            add_starvation();
        }
        if (use_.shared.size() == 1) add_pairs();
        std::ranges::stable_sort(last_moves_, {}, &LastMoveBound::steps);
    }

    void add_upper(std::int64_t steps, std::string argument) {
        last_moves_.push_back({static_cast<std::uint64_t>(steps), std::move(argument)});
    }

    void add_without_waiting() {
        std::int64_t most = 0;
        for (const ClassWork& work : work_) most = std::max(most, work.steps);
        add_upper(most, fmt::format("no part ever waits for another, and the longest makes at most {}",
                                    plural(static_cast<std::uint64_t>(most), "step")));
    }

    /// Computes ClassWork::needed, hub_steps and most_held; false if a part is stuck or numbers grow too
    /// large.
    bool weigh_hub_steps() {
        std::vector<std::int64_t> needed(graph_.hubs, 0);
        for (const std::uint32_t hub : use_.shared) needed[hub] = tokens_of(hub) + 1 - largest_demand(hub);
        scale_ = 1;
        for (const std::uint32_t hub : use_.shared) {
            if (needed[hub] < 1) return false;  // a part may wait forever for more tokens than there are
            scale_ = std::lcm(scale_, needed[hub]);
            if (scale_ > largest_multiple) return false;
        }
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            const auto weight = [&](std::size_t edge) {
                std::int64_t sum = 0;
                for (const std::uint32_t hub : use_.shared)
                    sum += graph_.hub_steps_of(edge, hub) * (scale_ / needed[hub]);
                return sum;
            };
            const auto heaviest = heaviest_walk(graph_, classes_[i], weight, work_[i].steps);
            if (!heaviest) return false;
            work_[i].hub_steps = *heaviest;
            work_[i].most_held = use_.shared.size() == 1 ? most_held(use_.shared.front()) : *heaviest;
        }
        needed_ = needed[use_.shared.front()];
        return true;
    }

    std::int64_t largest_demand(std::uint32_t hub) const {
        std::int64_t largest = 0;
        for (std::size_t number = 0; number < graph_.reached.size(); ++number) {
            const ModuleNode& node = modules_.automaton.nodes[number];
            if (graph_.reached[number] == 0 || node.kind != ModuleNode::Kind::waiting) continue;
            for (const auto [wanted, weight] : modules_.automaton.demand_classes[node.demand_class]) {
                if (wanted == hub) largest = std::max<std::int64_t>(largest, weight);
            }
        }
        return largest;
    }

    std::int64_t most_held(std::uint32_t hub) const {
        std::int64_t most = 0;
        for (std::size_t node = 0; node < graph_.reached.size(); ++node)
            most = std::max(most, graph_.most_held_at(node, hub));
        return most;
    }

    /// The maximal number of steps that a module of class `last` can wait: the largest a with sum over the
    /// others of min(hub_steps, most_held a) >= r a.
    std::int64_t most_waiting(std::size_t last) const {
        const bool one_hub = use_.shared.size() == 1;
        const auto lasts = [&](std::int64_t waiting) {
            std::int64_t sum = 0;
            for (std::size_t i = 0; i < classes_.size(); ++i) {
                const auto others = static_cast<std::int64_t>(classes_[i].modules) - (i == last ? 1 : 0);
                const std::int64_t work = work_[i].hub_steps;
                const bool all = !one_hub || work / std::max<std::int64_t>(work_[i].most_held, 1) < waiting;
                sum += others * (all ? work : work_[i].most_held * waiting);
            }
            return sum >= (one_hub ? needed_ : scale_) * waiting;
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

    void add_starvation() {
        std::int64_t best = -1, waits = 0;
        std::size_t last = 0;
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            const std::int64_t waiting = most_waiting(i);
            if (work_[i].steps + waiting <= best) continue;
            best = work_[i].steps + waiting;
            waits = waiting;
            last = i;
        }
        add_upper(best, starvation_text(last, waits));
        last_ = last;
    }

    std::string starvation_text(std::size_t last, std::int64_t waiting) const {
        std::int64_t others = 0;
        for (std::size_t i = 0; i < classes_.size(); ++i)
            others +=
                work_[i].hub_steps * (static_cast<std::int64_t>(classes_[i].modules) - (i == last ? 1 : 0));
        const std::string own = fmt::format("the part that moves last makes at most {} of its own",
                                            plural(static_cast<std::uint64_t>(work_[last].steps), "step"));
        if (use_.shared.size() > 1) {
            return fmt::format(
                "{}; in every other step it waits while others hold the tokens of a hub that it wants, {} at "
                "most",
                own, plural(static_cast<std::uint64_t>(waiting), "time"));
        }
        return fmt::format(
            "{}; in every other step it waits while others hold {} of the {} of {}, {} in all: {} at most",
            own, needed_, plural(static_cast<std::uint64_t>(tokens_of(use_.shared.front())), "token"),
            name_of(use_.shared.front()), plural(static_cast<std::uint64_t>(others), "token-step"),
            plural(static_cast<std::uint64_t>(waiting), "time"));
    }

    /// The sharper bound for a hub from which all parts want one token at a time.
    void add_pairs() {
        if (options_.pair_columns == 0 || last_moves_.size() < 2) return;
        const auto bound = pairs();
        if (bound && bound->steps < last_moves_.back().steps) last_moves_.push_back(*bound);
    }

    std::optional<LastMoveBound> pairs() {
        PairBoundInput input{
            compiled_,      modules_, graph_, classes_, use_.shared.front(), {}, options_.pair_columns,
            options_.limits};
        for (std::size_t i = 0; i < classes_.size(); ++i)
            input.known.push_back(static_cast<std::uint64_t>(work_[i].steps + most_waiting(i)));
        return pair_bound(input);
    }

    /// `measured`: work_ has the longest walks.
    void find_lower(bool measured) {
        std::int64_t longest = 0;
        std::vector<std::int64_t> sums(graph_.hubs, 0);
        if (use_.any_tied) {
            result_.no_lower = "a part may wait for ever and end the run early";
            return;
        }
        for (const std::uint32_t hub : use_.shared) {
            if (largest_demand(hub) > tokens_of(hub)) {
                result_.no_lower = "a part may wait for more than there is and end the run early";
                return;
            }
        }
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            const std::int64_t most = measured ? work_[i].steps : 1 << 20;
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
    std::vector<ClassWork> work_;
    std::int64_t scale_ = 1, needed_ = 1;
    std::size_t last_ = 0;
    std::vector<LastMoveBound> last_moves_;  // finally sorted, the best first
    RunBounds result_;
};

}  // namespace

RunBounds run_bounds(const Net& net, const Plan& planned, const RunBoundOptions& options) {
    if (planned.modules()) return ModuleBounds(net, planned.net(), *planned.modules(), options).bounds();
    RunBounds none;
    none.no_upper = none.no_lower = planned.not_modules();
    return none;
}

}  // namespace warpnet
