#include "analysis/states/properties/relaxed_distance.hpp"

#include "analysis/states/properties/conditions.hpp"
#include "engine/formula/parse_formula.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_formula.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/reference_ctl.hpp"
#include "tests/support/reference_exploration.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

TEST_CASE("a condition without a relaxed distance is unreachable, and it is 0 where the condition holds") {
    std::size_t unreachable = 0, reachable = 0;
    for (std::uint64_t seed = 0; seed < case_count(2000); ++seed) {
        CAPTURE(seed);
        RandomNetOptions options;
        options.immediates = options.priorities = false;
        const Net net = random_net(seed, options);
        const auto space = reference_space(net, Semantics::interleaving, 200);
        if (!space) continue;
        const CompiledNet compiled = compile(net);
        states::RelaxedDistance distance(compiled);
        RandomFormulas formulas(net, seed);
        for (int i = 0; i < 4; ++i) {
            const Formula condition = states::simplified(without_transitions(formulas.condition(2), net));
            if (condition.kind == Formula::Kind::dead) continue;
            const std::vector<bool> marked = ReferenceCtl(net, *space).states(condition);
            for (std::size_t s = 0; s < marked.size(); ++s)
                if (const auto found = distance(condition, space->markings[s]); found && marked[s])
                    REQUIRE(*found == 0);
                else
                    REQUIRE_FALSE(marked[s]);
            const bool can_be = std::ranges::find(marked, true) != marked.end();
            const bool has_distance = distance(condition, compiled.initial).has_value();
            REQUIRE((has_distance || !can_be));
            unreachable += has_distance ? std::size_t{0} : std::size_t{1};
            reachable += can_be ? std::size_t{1} : std::size_t{0};
        }
    }
    CHECK(unreachable >= least_count(200));
    CHECK(reachable >= least_count(1000));
}

TEST_CASE("the relaxed distance counts the firings that are left, for each token") {
    NetBuilder builder;
    std::vector<PlaceId> places;
    for (int i = 0; i < 6; ++i) places.push_back(builder.add_place("p" + std::to_string(i), i == 0 ? 3 : 0));
    for (std::size_t i = 0; i < 5; ++i) {
        const TransitionId t = builder.add_transition("t" + std::to_string(i));
        builder.add_input(places[i], t);
        builder.add_output(t, places[i + 1]);
    }
    const Net net = builder.build();
    const CompiledNet compiled = compile(net);
    states::RelaxedDistance distance(compiled);
    const auto of = [&](const std::string& condition, const Marking& marking) {
        return distance(parse_formula(condition, net, FormulaLanguage::of_markings), marking);
    };
    CHECK(of("p5 >= 1", compiled.initial) == 5);
    CHECK(of("p5 >= 3", compiled.initial) == 15);
    CHECK(of("p5 >= 3", {0, 0, 0, 0, 1, 2}) == 1);
    CHECK(of("p0 <= 1", compiled.initial) == 2);
    CHECK(of("0 * p1 >= 1", compiled.initial) == std::nullopt);
    CHECK(of("p1 >= 1 and p2 >= 1", compiled.initial) == 3);
    CHECK(of("p1 >= 1 or p2 >= 1", compiled.initial) == 1);
    CHECK(of("p0 >= 1", {0, 3, 0, 0, 0, 0}) == std::nullopt);
}
