#include "analysis/states/properties/stubborn_sets.hpp"

#include "analysis/states/properties/marking_condition.hpp"
#include "engine/compile/firing_rule.hpp"

#include <algorithm>

namespace warpnet {

namespace {

constexpr std::size_t most_tries = 8;  // sets of which the smallest is taken

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

/// Adds who can disable it and whom it can disable.
void StubbornSets::close_enabled(std::uint32_t transition) {
    for (const Effect& effect : net_.effects[transition])
        add_all(effect.delta < 0 ? need_[effect.place] : inhibited_[effect.place]);
    for (const PlaceWeight& arc : net_.inputs[transition]) add_all(lower_[arc.place]);
    for (const PlaceWeight& arc : net_.reads[transition]) add_all(lower_[arc.place]);
    for (const PlaceWeight& arc : net_.inhibitors[transition]) add_all(raise_[arc.place]);
}

/// Adds those one of which must fire before it can: for one of the conditions that fail, that with the fewest
/// new ones.
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
        case Formula::Kind::conjunction:  // one that does not hold must come to hold
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

}  // namespace warpnet
