#include "analysis/states/properties/guided_search.hpp"

#include "analysis/states/properties/marking_store.hpp"
#include "analysis/states/properties/simplify.hpp"
#include "analysis/states/properties/stubborn_sets.hpp"
#include "engine/compile/firing_rule.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace warpnet {

namespace {

constexpr std::uint64_t least_states = 20'000;  // of one goal

/// How far a marking is from a condition: what is missing in comparisons, added up over those that all must
/// hold, the least of those one of which must.
WideSum distance(const Formula& condition, const Marking& marking) {
    switch (condition.kind) {
        case Formula::Kind::constant:
            return condition.value ? 0 : 1;
        case Formula::Kind::conjunction: {
            WideSum sum = 0;
            for (const Formula& operand : condition.operands) sum += distance(operand, marking);
            return sum;
        }
        case Formula::Kind::disjunction: {
            WideSum least = distance(condition.operands.front(), marking);
            for (const Formula& operand : condition.operands)
                if (least > 0) least = std::min(least, distance(operand, marking));
            return least;
        }
        default:
            break;
    }
    const WideSum value = value_of(condition.sum, [&](std::uint32_t place) { return marking[place]; });
    if (compares(value, condition.relation)) return 0;
    switch (condition.relation) {
        case Relation::equal:
            return value < 0 ? -value : value;
        case Relation::not_equal:
            return 1;
        case Relation::less:
        case Relation::less_equal:
            return value + (condition.relation == Relation::less ? 1 : 0);
        case Relation::greater:
        case Relation::greater_equal:
            return -value + (condition.relation == Relation::greater ? 1 : 0);
    }
    return 0;
}

class Search {
  public:
    Search(const CompiledNet& net, StubbornSets* stubborn, const GuidedSearchOptions& options,
           const Formula& condition, bool deadlock, std::uint64_t max_states)
        : net_(net),
          stubborn_(stubborn),
          options_(options),
          condition_(condition),
          deadlock_(deadlock),
          max_states_(max_states),
          store_(net.initial) {
        fired_.push_back(0);
        open_[distance(condition, net.initial)].push_back(0);
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

  private:
    std::vector<std::uint32_t> chosen(const Marking& marking) const {
        if (stubborn_ != nullptr && !deadlock_) return stubborn_->for_condition(marking, condition_);
        std::vector<std::uint32_t> all;
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t)
            if (enabled(net_, marking, t)) all.push_back(t);
        return stubborn_ != nullptr ? stubborn_->for_deadlocks(marking, all) : all;
    }

    /// False where a count leaves the range.
    bool expand(std::uint32_t state, const Marking& marking) {
        for (const std::uint32_t transition : chosen(marking)) {
            Marking after = marking;
            take(net_, after, transition);
            if (!give(net_, after, transition)) return false;
            const auto number = store_.insert(after, state);
            if (!number) continue;
            fired_.push_back(transition);
            open_[distance(condition_, after)].push_back(*number);
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
    const GuidedSearchOptions& options_;
    const Formula& condition_;
    bool deadlock_;
    std::uint64_t max_states_;
    MarkingStore store_;
    std::vector<std::uint32_t> fired_;                    // per marking: what led to it first
    std::map<WideSum, std::vector<std::uint32_t>> open_;  // by distance, the last one first
};

}  // namespace

void try_guided_search(const Net& net, const CompiledNet& compiled, const GuidedSearchOptions& options,
                       Goals& goals) {
    const auto open = static_cast<std::uint64_t>(
        std::count_if(goals.reach.begin(), goals.reach.end(),
                      [](const ReachGoal& goal) { return !goal.reachable.has_value(); }));
    if (open == 0) return;
    std::optional<StubbornSets> stubborn;
    if (options.stubborn_sets) stubborn.emplace(compiled);
    for (ReachGoal& goal : goals.reach) {
        if (goal.reachable) continue;
        if (options.limits.must_end()) return;
        const Formula condition = simplified(without_transitions(goal.condition, net));
        Search search(compiled, stubborn ? &*stubborn : nullptr, options, condition,
                      goal.condition.kind == Formula::Kind::dead,
                      std::max(least_states, options.max_states / open));
        search.run(goal);
    }
}

}  // namespace warpnet
