// A search that expands the nearest markings first. If it runs out of markings, the goal cannot be reached.
//
// First by relaxed distances, which know how far a token has to go, and all enabled transitions. Such a
// distance takes O(arcs), so this search is short: it finds a goal in few markings or not at all. Then by
// missing tokens, and only with the enabled transitions of a stubborn set (Valmari 1991; Schmidt 1999), also
// O(arcs) per marking. Unsupported: other semantics and priorities, because a stubborn set could then leave
// out a transition that the goal needs.

#include "analysis/states/explore/marking_store.hpp"
#include "analysis/states/properties/conditions.hpp"
#include "analysis/states/properties/parts.hpp"
#include "analysis/states/properties/relaxed_distance.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/formula/formula.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace warpnet::states {

namespace {

/// Chooses transitions that suffice in a marking under interleaving: firing the remaining ones first changes
/// neither whether the chosen ones can fire nor their result.
class StubbornSets {
  public:
    /// The net must outlive it; REQUIRES is_timed().
    explicit StubbornSets(const CompiledNet& net);

    /// Enabled transitions such that every reachable dead marking can be reached through them; none only in a
    /// dead marking. `enabled` are all enabled ones. O(arcs) for each set that is tried.
    std::vector<std::uint32_t> for_deadlocks(std::span<const Tokens> marking,
                                             std::span<const std::uint32_t> enabled);

    /// Enabled transitions such that every reachable marking with the condition can be reached through them.
    /// REQUIRES: the condition is simplified(), without transitions, and does not hold here.
    std::vector<std::uint32_t> for_condition(std::span<const Tokens> marking, const Formula& condition);

  private:
    void start();
    void add(std::uint32_t transition);
    void add_all(std::span<const std::uint32_t> transitions);
    void close(std::span<const Tokens> marking);
    void close_enabled(std::uint32_t transition);
    void close_disabled(std::span<const Tokens> marking, std::uint32_t transition);
    /// Transitions, one of which must fire before a condition holds.
    void add_helpful(std::span<const Tokens> marking, const Formula& condition);
    void add_changing(const LinearSum& sum, bool upwards);

    const CompiledNet& net_;
    Rows<std::uint32_t> raise_, lower_, need_, inhibited_;  // per place: transitions
    std::vector<std::uint8_t> in_;                          // per transition
    std::vector<std::uint32_t> set_;
    std::vector<std::uint32_t> chosen_;  // the enabled ones of the set
};

constexpr std::size_t most_tries = 8;  // sets; the smallest is taken

bool holds(const Formula& condition, std::span<const Tokens> marking) {
    const auto part = [&](const Formula& operand) { return holds(operand, marking); };
    switch (condition.kind) {
        case Formula::Kind::constant:
            return condition.value;
        case Formula::Kind::conjunction:
            return std::all_of(condition.operands.begin(), condition.operands.end(), part);
        case Formula::Kind::disjunction:
            return std::any_of(condition.operands.begin(), condition.operands.end(), part);
        default:
            return compares(value_of(condition.sum, [&](std::uint32_t place) { return marking[place]; }),
                            condition.relation);
    }
}

}  // namespace

StubbornSets::StubbornSets(const CompiledNet& net) : net_(net), in_(net.transition_count(), 0) {
    const auto each = [&](const auto& visit) {
        for (std::uint32_t t = 0; t < net.transition_count(); ++t) visit(t);
    };
    const std::size_t places = net.place_count();
    raise_ = Rows<std::uint32_t>::sorted(places, [&](const auto& put) {
        each([&](std::uint32_t t) {
            for (const Effect& effect : net.effects[t])
                if (effect.delta > 0) put(effect.place, t);
        });
    });
    lower_ = Rows<std::uint32_t>::sorted(places, [&](const auto& put) {
        each([&](std::uint32_t t) {
            for (const Effect& effect : net.effects[t])
                if (effect.delta < 0) put(effect.place, t);
        });
    });
    need_ = Rows<std::uint32_t>::sorted(places, [&](const auto& put) {
        each([&](std::uint32_t t) {
            for (const PlaceWeight& arc : net.inputs[t]) put(arc.place, t);
            for (const PlaceWeight& arc : net.reads[t]) put(arc.place, t);
        });
    });
    inhibited_ = Rows<std::uint32_t>::sorted(places, [&](const auto& put) {
        each([&](std::uint32_t t) {
            for (const PlaceWeight& arc : net.inhibitors[t]) put(arc.place, t);
        });
    });
}

void StubbornSets::start() {
    for (const std::uint32_t transition : set_) in_[transition] = 0;
    set_.clear();
    chosen_.clear();
}

void StubbornSets::add(std::uint32_t transition) {
    if (in_[transition] != 0) return;
    in_[transition] = 1;
    set_.push_back(transition);
}

void StubbornSets::add_all(std::span<const std::uint32_t> transitions) {
    for (const std::uint32_t transition : transitions) add(transition);
}

void StubbornSets::close(std::span<const Tokens> marking) {
    for (std::size_t i = 0; i < set_.size(); ++i) {
        const std::uint32_t transition = set_[i];
        if (enabled(net_, marking, transition)) {
            chosen_.push_back(transition);
            close_enabled(transition);
        } else {
            close_disabled(marking, transition);
        }
    }
}

/// Adds the transitions that can disable it and those that it can disable.
void StubbornSets::close_enabled(std::uint32_t transition) {
    for (const Effect& effect : net_.effects[transition])
        add_all(effect.delta < 0 ? need_[effect.place] : inhibited_[effect.place]);
    for (const PlaceWeight& arc : net_.inputs[transition]) add_all(lower_[arc.place]);
    for (const PlaceWeight& arc : net_.reads[transition]) add_all(lower_[arc.place]);
    for (const PlaceWeight& arc : net_.inhibitors[transition]) add_all(raise_[arc.place]);
}

/// Adds transitions, one of which must fire before it can. They belong to one of the conditions that fail,
/// the one with the fewest new transitions.
void StubbornSets::close_disabled(std::span<const Tokens> marking, std::uint32_t transition) {
    std::span<const std::uint32_t> best;
    std::size_t fewest = SIZE_MAX;
    const auto offer = [&](std::span<const std::uint32_t> transitions) {
        const auto fresh = static_cast<std::size_t>(std::count_if(
            transitions.begin(), transitions.end(), [&](std::uint32_t t) { return in_[t] == 0; }));
        if (fresh >= fewest) return;
        fewest = fresh;
        best = transitions;
    };
    for (const PlaceWeight& arc : net_.inputs[transition])
        if (marking[arc.place] < arc.weight) offer(raise_[arc.place]);
    for (const PlaceWeight& arc : net_.reads[transition])
        if (marking[arc.place] < arc.weight) offer(raise_[arc.place]);
    for (const PlaceWeight& arc : net_.inhibitors[transition])
        if (marking[arc.place] >= arc.weight) offer(lower_[arc.place]);
    add_all(best);
}

std::vector<std::uint32_t> StubbornSets::for_deadlocks(std::span<const Tokens> marking,
                                                       std::span<const std::uint32_t> enabled) {
    std::vector<std::uint32_t> best;
    for (std::size_t i = 0; i < std::min(enabled.size(), most_tries); ++i) {
        start();
        add(enabled[i * enabled.size() / std::min(enabled.size(), most_tries)]);
        close(marking);
        if (best.empty() || chosen_.size() < best.size()) best = chosen_;
        if (best.size() == 1) break;
    }
    std::sort(best.begin(), best.end());
    return best;
}

std::vector<std::uint32_t> StubbornSets::for_condition(std::span<const Tokens> marking,
                                                       const Formula& condition) {
    start();
    add_helpful(marking, condition);
    close(marking);
    std::vector<std::uint32_t> chosen = chosen_;
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

void StubbornSets::add_helpful(std::span<const Tokens> marking, const Formula& condition) {
    switch (condition.kind) {
        case Formula::Kind::constant:
            return;
        case Formula::Kind::conjunction:  // one that does not hold must become true
            for (const Formula& operand : condition.operands)
                if (!holds(operand, marking)) return add_helpful(marking, operand);
            return;
        case Formula::Kind::disjunction:
            for (const Formula& operand : condition.operands) add_helpful(marking, operand);
            return;
        default:
            break;
    }
    const WideSum value = value_of(condition.sum, [&](std::uint32_t place) { return marking[place]; });
    switch (condition.relation) {
        case Relation::greater:
        case Relation::greater_equal:
            return add_changing(condition.sum, true);
        case Relation::less:
        case Relation::less_equal:
            return add_changing(condition.sum, false);
        case Relation::equal:
            return add_changing(condition.sum, value < 0);
        case Relation::not_equal:
            add_changing(condition.sum, true);
            return add_changing(condition.sum, false);
    }
}

void StubbornSets::add_changing(const LinearSum& sum, bool upwards) {
    for (const LinearSum::Term& term : sum.tokens)
        add_all((term.coefficient > 0) == upwards ? raise_[term.node] : lower_[term.node]);
}

namespace {

constexpr std::uint64_t least_states = 20'000;  // for one goal

/// The estimate of the firings to a condition; nothing if it cannot be reached.
using Distance = std::function<std::optional<WideSum>(const Formula& condition, const Marking& marking)>;

std::optional<WideSum> missing_tokens(const Formula& condition, const Marking& marking) {
    return distance(condition, [&](std::uint32_t place) { return marking[place]; });
}

class Search {
  public:
    Search(const CompiledNet& net, StubbornSets* stubborn, Distance distance,
           const GuidedSearchOptions& options, const Formula& condition, bool deadlock, const Marking& from,
           std::uint64_t max_states)
        : net_(net),
          stubborn_(stubborn),
          distance_(std::move(distance)),
          options_(options),
          condition_(condition),
          deadlock_(deadlock),
          max_states_(max_states),
          store_(from) {
        fired_.push_back(0);
        open(0, from);
    }

    void run(ReachGoal& goal) {
        while (!open_.empty()) {
            if (store_.size() >= max_states_ || store_.bytes() > options_.limits.memory ||
                options_.limits.must_end())
                return;
            const auto nearest = open_.begin();
            const std::uint32_t state = nearest->second.back();
            nearest->second.pop_back();
            const bool reached = nearest->first == 0;
            if (nearest->second.empty()) open_.erase(nearest);
            const Marking marking = store_[state];
            if (reached) return found(state, marking, goal);
            if (!expand(state, marking)) return;
        }
        goal.reachable = false;
    }

    std::uint64_t states() const { return store_.size(); }

  private:
    std::vector<std::uint32_t> chosen(const Marking& marking) const {
        if (stubborn_ != nullptr && !deadlock_) return stubborn_->for_condition(marking, condition_);
        std::vector<std::uint32_t> all;
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t)
            if (enabled(net_, marking, t)) all.push_back(t);
        return stubborn_ != nullptr ? stubborn_->for_deadlocks(marking, all) : all;
    }

    void open(std::uint32_t state, const Marking& marking) {
        if (const auto distance = distance_(condition_, marking)) open_[*distance].push_back(state);
    }

    /// False if a count leaves the range.
    bool expand(std::uint32_t state, const Marking& marking) {
        for (const std::uint32_t transition : chosen(marking)) {
            Marking after = marking;
            take(net_, after, transition);
            if (!give(net_, after, transition)) return false;
            const auto number = store_.insert(after, state);
            if (!number) continue;
            fired_.push_back(transition);
            open(*number, after);
        }
        return true;
    }

    void found(std::uint32_t state, const Marking& marking, ReachGoal& goal) const {
        goal.reachable = true;
        goal.marking = marking;
        if (!options_.schedules) return;
        Schedule schedule;
        for (; state != 0; state = store_.parent(state)) schedule.push_back({false, {fired_[state]}});
        std::reverse(schedule.begin(), schedule.end());
        goal.schedule = std::move(schedule);
    }

    const CompiledNet& net_;
    StubbornSets* stubborn_;
    Distance distance_;
    const GuidedSearchOptions& options_;
    const Formula& condition_;
    bool deadlock_;
    std::uint64_t max_states_;
    MarkingStore store_;
    std::vector<std::uint32_t> fired_;                    // per marking: the transition that led to it first
    std::map<WideSum, std::vector<std::uint32_t>> open_;  // by distance, last in first out
};

}  // namespace

void try_guided_search(const Net& net, const CompiledNet& compiled, const GuidedSearchOptions& options,
                       Goals& goals) {
    const auto open = static_cast<std::uint64_t>(
        std::count_if(goals.reach.begin(), goals.reach.end(),
                      [](const ReachGoal& goal) { return !goal.reachable.has_value(); }));
    if (open == 0) return;
    std::optional<StubbornSets> stubborn;
    if (options.stubborn_sets && options.max_states > 0) stubborn.emplace(compiled);
    std::optional<RelaxedDistance> relaxed;
    if (options.relaxed_effort > 0) relaxed.emplace(compiled);
    const std::uint64_t arcs = compiled.inputs.all().size() + compiled.outputs.all().size() + 1;
    for (ReachGoal& goal : goals.reach) {
        if (goal.reachable) continue;
        if (options.limits.must_end()) return;
        const Formula condition = simplified(without_transitions(goal.condition, net));
        const bool dead = goal.condition.kind == Formula::Kind::dead;
        const auto search = [&](StubbornSets* sets, Distance distance, std::uint64_t max_states) {
            Search(compiled, sets, std::move(distance), options, condition, dead, compiled.initial,
                   max_states)
                .run(goal);
        };
        if (relaxed && !dead) search(nullptr, std::ref(*relaxed), options.relaxed_effort / arcs / open);
        if (options.max_states > 0 && !goal.reachable)
            search(stubborn ? &*stubborn : nullptr, missing_tokens,
                   std::max(least_states, options.max_states / open));
    }
}

ReachFrom reach_search(const CompiledNet& net, const WorkLimits& limits) {
    return [&net, stubborn = std::make_shared<StubbornSets>(net),
            options = GuidedSearchOptions{.limits = limits, .schedules = false}](
               const Formula& condition, const Marking& from, std::uint64_t& states) {
        ReachGoal goal;
        Search search(net, stubborn.get(), missing_tokens, options, condition, false, from, states);
        search.run(goal);
        states = search.states();
        return goal.reachable;
    };
}

}  // namespace warpnet::states
