#include "analysis/states/properties/path_rules.hpp"

#include "analysis/states/properties/conditions.hpp"
#include "engine/formula/parse_formula.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_formula.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/reference_ctl.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

using Kind = Formula::Kind;

Formula path(Kind kind, bool all, Formula operand) { return temporal(kind, all, {std::move(operand)}); }

/// Formulas of the shapes that the rules look for, and any others.
std::vector<Formula> formulas_of(const Net& net, std::uint64_t seed) {
    RandomFormulas random(net, seed);
    std::vector<Formula> all;
    for (const bool outer : {false, true})
        for (const bool inner : {false, true}) {
            all.push_back(path(Kind::finally, outer, path(Kind::globally, inner, random.ctl(2))));
            all.push_back(path(Kind::globally, outer, path(Kind::finally, inner, random.ctl(2))));
        }
    const auto enabled = [&](std::uint32_t t) {
        return enabled_one_of({t % static_cast<std::uint32_t>(net.transitions().size())});
    };
    if (!net.transitions().empty()) {
        for (const bool outer : {false, true}) {
            all.push_back(path(Kind::globally, outer, disjunction({enabled(0), enabled(1)})));
            all.push_back(path(Kind::finally, outer, negation(disjunction({enabled(0), enabled(1)}))));
            all.push_back(
                path(Kind::globally, outer,
                     temporal(Kind::until, outer, {enabled(0), conjunction({enabled(1), random.ctl(1)})})));
        }
    }
    all.push_back(path(Kind::globally, true, path(Kind::next, false, random.ctl(1))));
    for (int i = 0; i < 4; ++i) all.push_back(random.ctl(4));
    return all;
}

}  // namespace

TEST_CASE("a formula that rules about paths simplify holds in the same states") {
    std::size_t compared = 0, changed = 0, decided = 0;
    for (std::uint64_t seed = 0; seed < case_count(3000); ++seed) {
        CAPTURE(seed);
        RandomNetOptions options = small_net_options(Semantics::interleaving);
        options.immediates = options.priorities = false;
        const Net net = random_net(seed, options);
        const auto space = reference_space(net, Semantics::interleaving, 100);
        if (!space) continue;
        const CompiledNet compiled = compile(net);
        states::PathRules rules(compiled);
        const ReferenceCtl judge(net, *space);
        for (const Formula& formula : formulas_of(net, seed)) {
            const Formula found = rules.simplify(formula);
            REQUIRE(judge.states(found) == judge.states(formula));
            ++compared;
            if (found == states::simplified(formula)) continue;
            ++changed;
            decided += found.kind == Kind::constant ? 1u : 0u;
        }
    }
    CAPTURE(compared, changed, decided);
    CHECK(compared >= least_count(15000));
    CHECK(changed >= least_count(2000));
    CHECK(decided >= least_count(1000));
}

TEST_CASE("rules about paths decide formulas about nets of any size") {
    NetBuilder builder;  // a token that turns between p and q and leaves; and tokens that only leave
    const PlaceId p = builder.add_place("p", 1), q = builder.add_place("q"),
                  r = builder.add_place("r", 1'000'000);
    const TransitionId there = builder.add_transition("there"), back = builder.add_transition("back");
    const TransitionId leave = builder.add_transition("leave");
    builder.add_input(p, there);
    builder.add_output(there, q);
    builder.add_input(q, back);
    builder.add_output(back, p);
    builder.add_input(r, leave);
    const Net net = builder.build();
    const CompiledNet compiled = compile(net);
    const auto simplified = [&](const char* text) {
        return states::PathRules(compiled).simplify(parse_formula(text, net, FormulaLanguage::temporal));
    };
    CHECK(is_constant(simplified("AG (enabled(there) or enabled(leave))"), false));
    CHECK(is_constant(simplified("EF not EG enabled(back)"), true));
    // These two can run forever, so their rules say nothing.
    CHECK(simplified("AG (enabled(there) or enabled(back))").kind == Kind::globally);
    CHECK(simplified("AF r = 0").kind == Kind::finally);
}

TEST_CASE("in a net without endless runs, rules lead to its dead markings") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p", 1000), q = builder.add_place("q"), r = builder.add_place("r");
    const std::array<PlaceId, 2> to = {q, r};
    for (const PlaceId place : to) {
        const TransitionId move = builder.add_transition(place == q ? "to_q" : "to_r");
        builder.add_input(p, move, 3);
        builder.add_output(move, place, 2);
    }
    const Net net = builder.build();
    const CompiledNet compiled = compile(net);
    const auto simplified = [&](const char* text) {
        return states::PathRules(compiled).simplify(parse_formula(text, net, FormulaLanguage::temporal));
    };
    const auto same = [&](const char* text, const char* expected) {
        return simplified(text) ==
               states::simplified(parse_formula(expected, net, FormulaLanguage::temporal));
    };
    CHECK(is_constant(simplified("AF dead"), true));
    CHECK(is_constant(simplified("EG enabled(to_q)"), false));
    CHECK(same("EF AG q >= 7", "EF (dead and q >= 7)"));
    CHECK(same("EG EF q >= 7", "EF (dead and q >= 7)"));
    CHECK(same("AG EF q >= 7", "AG (not dead or q >= 7)"));
    CHECK(same("AF AG q >= 7", "AG (not dead or q >= 7)"));
}
