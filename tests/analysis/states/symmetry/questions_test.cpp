#include "analysis/states/properties/ask.hpp"
#include "analysis/states/symmetry/net_symmetry.hpp"
#include "engine/net/error.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_formula.hpp"
#include "tests/support/symmetric_net.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// The same condition or sum on all equal places, which therefore distinguishes no parts.
LinearSum over_orbits(LinearSum sum, const states::NetSymmetry& symmetry) {
    const auto orbits = symmetry.place_orbits();
    LinearSum all;
    all.constant = sum.constant;
    for (std::uint32_t p = 0; p < orbits.size(); ++p) {
        std::int64_t coefficient = 0;
        for (const LinearSum::Term& term : sum.tokens)
            if (orbits[term.node] == orbits[p]) coefficient += term.coefficient;
        if (coefficient != 0) all.tokens.push_back({p, coefficient});
    }
    return all;
}

Formula over_orbits(Formula formula, const states::NetSymmetry& symmetry) {
    formula.sum = over_orbits(std::move(formula.sum), symmetry);
    const auto orbits = symmetry.transition_orbits();
    std::vector<std::uint32_t> all;
    for (std::uint32_t t = 0; t < orbits.size(); ++t)
        for (const std::uint32_t named : formula.transitions)
            if (orbits[named] == orbits[t] && (all.empty() || all.back() != t)) all.push_back(t);
    formula.transitions = std::move(all);
    for (Formula& operand : formula.operands) operand = over_orbits(std::move(operand), symmetry);
    return formula;
}

/// Questions, of which every second one distinguishes no parts.
std::vector<Property> some_properties(const Net& net, std::uint64_t seed) {
    std::vector<Property> properties = random_properties(net, seed, 3, 2);
    using Kind = Property::Kind;
    const bool even = seed % 2 == 0;
    std::erase_if(properties, [even](const Property& property) {
        return property.kind == (even ? Kind::minimum : Kind::maximum) ||
               property.kind == (even ? Kind::quasi_live : Kind::live);
    });
    for (Property& property : properties)
        if (!property.transitions.empty())
            property.transitions = {static_cast<std::uint32_t>(seed % net.transitions().size())};
    if (seed % 3 == 0) return properties;
    const states::NetSymmetry symmetry = states::find_symmetry(net);
    for (Property& property : properties) {
        property.formula = over_orbits(std::move(property.formula), symmetry);
        property.sum = over_orbits(std::move(property.sum), symmetry);
    }
    return properties;
}

/// Whether the numbers of markings and of firings per step are both small enough.
bool can_be_explored(const CompiledNet& compiled, Semantics semantics) {
    try {
        return states::explore(compiled, {.semantics = semantics, .max_states = 1500}).complete();
    } catch (const InputError&) {
        return false;
    }
}

}  // namespace

TEST_CASE("symmetry: questions have the answers of every marking") {
    std::size_t compared = 0, reduced = 0, endless = 0;
    for (std::uint64_t seed = 1; seed <= case_count(600); ++seed) {
        const Net net = SymmetricNet(seed).build();
        const CompiledNet compiled = compile(net);
        const Semantics semantics = seed % 3 == 0   ? Semantics::interleaving
                                    : seed % 3 == 1 ? Semantics::maximal
                                                    : Semantics::multiset;
        if (!can_be_explored(compiled, semantics)) continue;
        // One question at a time: each has its own symmetries.
        for (const Property& property : some_properties(net, seed)) {
            CAPTURE(seed, semantics, property.kind);
            states::AskOptions options;
            options.explore.semantics = semantics;
            options.random_runs = options.state_equation = options.guided_search = options.reductions = false;
            const states::Answers some = states::ask(net, {property}, options);
            options.symmetry = false;
            const states::Answers all = states::ask(net, {property}, options);
            const states::PropertyAnswer &found = some.of[0], &judge = all.of[0];
            REQUIRE(found.holds == judge.holds);
            REQUIRE(found.value == judge.value);
            REQUIRE(found.exact == judge.exact);
            REQUIRE(found.nodes == judge.nodes);
            REQUIRE(found.shortest == judge.shortest);
            REQUIRE(found.witness.has_value() == judge.witness.has_value());
            REQUIRE(found.repeats_from.has_value() == judge.repeats_from.has_value());
            if (some.stop == WorkEnd::complete && all.stop == some.stop) REQUIRE(some.states == all.states);
            ++compared;
            if (some.orbits > 0 && some.orbits < some.states) ++reduced;
            if (!found.witness) continue;
            const RunResult run = replay(compiled, net, *found.witness, semantics);
            if (found.shortest) REQUIRE(found.witness->size() == judge.witness->size());
            if (!found.repeats_from) continue;
            ++endless;
            const Schedule prefix(found.witness->begin(),
                                  found.witness->begin() + std::ptrdiff_t(*found.repeats_from));
            REQUIRE(replay(compiled, net, prefix, semantics).marking == run.marking);
        }
    }
    CAPTURE(compared, reduced, endless);
    CHECK(compared >= least_count(2500));
    CHECK(reduced >= least_count(600));
    CHECK(endless >= least_count(20));
}
