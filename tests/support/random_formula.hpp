#pragma once

#include "engine/base/random.hpp"
#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace warpnet::testing {

/// Formulas of every kind about a net; equal numbers give equal formulas.
class RandomFormulas {
  public:
    RandomFormulas(const Net& net, std::uint64_t seed) : net_(net), random_(seed, 77) {}

    LinearSum sum() {
        LinearSum result;
        for (std::uint32_t terms = 1 + random_.below(3); terms > 0; --terms) {
            const auto place = random_.below(static_cast<std::uint32_t>(net_.places().size()));
            bool there = false;
            for (const auto& term : result.tokens) there = there || term.node == place;
            if (!there) result.tokens.push_back({place, random_.below(4) == 0 ? -1 : 1});
        }
        return result;
    }

    Formula condition(int depth) {
        const std::uint32_t choice = random_.below(depth == 0 ? 12 : 20);
        if (choice < 9) {
            LinearSum both = sum();
            both.constant = -static_cast<std::int64_t>(random_.below(4));
            return comparison(std::move(both), static_cast<Relation>(random_.below(6)));
        }
        if (choice < 11 && !net_.transitions().empty()) {
            std::vector<std::uint32_t> transitions;
            for (std::uint32_t i = 1 + random_.below(2); i > 0; --i)
                transitions.push_back(random_.below(static_cast<std::uint32_t>(net_.transitions().size())));
            return enabled_one_of(std::move(transitions));
        }
        if (choice < 12) return random_.below(2) == 0 ? dead_marking() : constant(random_.below(2) == 0);
        if (choice < 14) return negation(condition(depth - 1));
        std::vector<Formula> operands;
        for (std::uint32_t i = 2 + random_.below(2); i > 0; --i) operands.push_back(condition(depth - 1));
        return choice < 17 ? conjunction(std::move(operands)) : disjunction(std::move(operands));
    }

    Formula ctl(int depth) {
        const std::uint32_t choice = random_.below(12);
        if (depth == 0 || choice == 0) return condition(1);
        if (choice == 1) return negation(ctl(depth - 1));
        if (choice <= 3) {
            std::vector<Formula> operands;
            for (std::uint32_t i = 2 + random_.below(2); i > 0; --i) operands.push_back(ctl(depth - 1));
            return choice == 2 ? conjunction(std::move(operands)) : disjunction(std::move(operands));
        }
        const bool all = random_.below(2) == 0;
        if (choice <= 5) return temporal(Formula::Kind::next, all, {ctl(depth - 1)});
        if (choice <= 7) return temporal(Formula::Kind::finally, all, {ctl(depth - 1)});
        if (choice <= 9) return temporal(Formula::Kind::globally, all, {ctl(depth - 1)});
        return temporal(Formula::Kind::until, all, {ctl(depth - 1), ctl(depth - 1)});
    }

  private:
    const Net& net_;
    CounterRandom random_;
};

/// So many CTL formulas of some depth, and further questions: a reachable condition, an invariant, a dead
/// marking, two about one sum, one about stable places, and two about all transitions.
inline std::vector<Property> random_properties(const Net& net, std::uint64_t seed, std::size_t formula_count,
                                               int depth) {
    RandomFormulas formulas(net, seed);
    std::vector<Property> properties(formula_count);
    for (Property& property : properties) property.formula = formulas.ctl(depth);
    properties.emplace_back().formula = temporal(Formula::Kind::finally, false, {formulas.condition(2)});
    properties.emplace_back().formula = temporal(Formula::Kind::globally, true, {formulas.condition(2)});
    properties.emplace_back().formula = temporal(Formula::Kind::finally, false, {dead_marking()});
    const auto add = [&](Property::Kind kind) -> Property& {
        Property& property = properties.emplace_back();
        property.kind = kind;
        return property;
    };
    const LinearSum sum = formulas.sum();
    add(Property::Kind::maximum).sum = sum;
    add(Property::Kind::minimum).sum = sum;
    add(Property::Kind::stable);
    std::vector<std::uint32_t> transitions(net.transitions().size());
    std::iota(transitions.begin(), transitions.end(), 0u);
    add(Property::Kind::quasi_live).transitions = transitions;
    add(Property::Kind::live).transitions = transitions;
    return properties;
}

}  // namespace warpnet::testing
