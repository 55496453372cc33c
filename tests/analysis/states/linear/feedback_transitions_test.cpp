#include "analysis/states/linear/feedback_transitions.hpp"

#include "engine/net/net_builder.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/reference_exploration.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Whether the edges of transitions outside a set contain a cycle, by removing states without such edges into
/// the rest.
bool has_cycle_without(const ReferenceSpace& space, const std::vector<bool>& set) {
    std::vector<bool> left(space.markings.size(), true);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t s = 0; s < left.size(); ++s) {
            if (!left[s]) continue;
            const bool goes_on = std::ranges::any_of(space.edges[s], [&](const ReferenceEdge& edge) {
                const auto fired = std::ranges::find(edge.firings, 1) - edge.firings.begin();
                return !set[static_cast<std::size_t>(fired)] && left[space.numbers.at(edge.after)];
            });
            if (goes_on) continue;
            left[s] = false;
            changed = true;
        }
    }
    return std::ranges::find(left, true) != left.end();
}

std::size_t size_of(const std::vector<bool>& set) {
    return static_cast<std::size_t>(std::ranges::count(set, true));
}

}  // namespace

TEST_CASE("every cycle of markings fires a feedback transition") {
    std::size_t compared = 0, cyclic = 0, all = 0, in_set = 0;
    for (std::uint64_t seed = 0; seed < case_count(3000); ++seed) {
        CAPTURE(seed);
        RandomNetOptions options;
        options.immediates = options.priorities = false;
        options.places = 5;
        options.transitions = 7;
        const Net net = random_net(seed, options);
        const auto space = reference_space(net, Semantics::interleaving, 200);
        if (!space) continue;
        const std::vector<bool> set = states::feedback_transitions(compile(net));
        REQUIRE_FALSE(has_cycle_without(*space, set));
        ++compared;
        if (!has_cycle_without(*space, std::vector<bool>(set.size(), false))) continue;
        ++cyclic;
        all += set.size();
        in_set += size_of(set);
    }
    CHECK(compared >= least_count(2000));
    CHECK(cyclic >= least_count(150));
    CHECK(2 * in_set < all);
}

TEST_CASE("one transition of a ring is a feedback transition: the one back to the token") {
    NetBuilder builder;
    constexpr int length = 100;
    std::vector<PlaceId> places;
    for (int i = 0; i < length; ++i)
        places.push_back(builder.add_place("p" + std::to_string(i), i == 0 ? 1 : 0));
    for (std::size_t i = 0; i < length; ++i) {
        const TransitionId t = builder.add_transition("t" + std::to_string(i));
        builder.add_input(places[i], t);
        builder.add_output(t, places[(i + 1) % length]);
    }
    const std::vector<bool> set = states::feedback_transitions(compile(builder.build()));
    CHECK(size_of(set) == 1);
    CHECK(set.back());
}

TEST_CASE("a transition that changes nothing is a feedback transition, a net without cycles has none") {
    for (const bool stays : {false, true}) {
        NetBuilder builder;
        const PlaceId begin = builder.add_place("begin", 3), end = builder.add_place("end");
        const TransitionId move = builder.add_transition("move");
        builder.add_input(begin, move);
        builder.add_output(move, end);
        std::vector<bool> expected = {false};
        if (stays) {
            const TransitionId stay = builder.add_transition("stay");
            builder.add_input(end, stay);
            builder.add_output(stay, end);
            expected.push_back(true);
        }
        CHECK(states::feedback_transitions(compile(builder.build())) == expected);
    }
}
