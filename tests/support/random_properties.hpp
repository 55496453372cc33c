#pragma once

#include "engine/formula/property.hpp"
#include "engine/net/net.hpp"
#include "tests/support/random_formula.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace warpnet::testing {

/// So many CTL formulas of some depth, whether a condition comes about, one always holds, and a marking is
/// dead, and a question of every other kind: two about one sum, two about all transitions.
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
