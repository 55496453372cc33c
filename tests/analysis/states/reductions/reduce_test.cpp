#include "analysis/states/reductions/reduce.hpp"

#include "analysis/states/properties/parts.hpp"
#include "engine/base/random.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_formula.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/reference_ctl.hpp"
#include "tests/support/reference_exploration.hpp"

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Nets that the rules reduce to little: short rows of places, some of them alike, few arcs that test.
Net simple_net(std::uint64_t seed) {
    CounterRandom random(seed, 5);
    const auto chance = [&](std::uint32_t percent) { return random.below(100) < percent; };
    NetBuilder builder;
    std::vector<PlaceId> places;
    for (std::uint32_t p = 0, count = 3 + random.below(6); p < count; ++p)
        places.push_back(builder.add_place("p" + std::to_string(p), chance(35) ? 1 + random.below(2) : 0));
    const auto any_place = [&] { return places[random.below(static_cast<std::uint32_t>(places.size()))]; };
    const auto weight = [&] { return Tokens{1} + (chance(15) ? 1 : 0); };
    const bool inhibitors = chance(40);
    for (std::uint32_t t = 0, count = 3 + random.below(7); t < count; ++t) {
        const TransitionId transition = builder.add_transition("t" + std::to_string(t));
        if (chance(2)) continue;  // always enabled
        for (std::uint32_t i = chance(70) ? 1 : 2; i > 0; --i)
            builder.add_input(any_place(), transition, weight());
        for (std::uint32_t i = chance(70) ? 1 : random.below(3); i > 0; --i)
            builder.add_output(transition, any_place(), weight());
        if (inhibitors && chance(20)) builder.add_inhibitor(any_place(), transition, weight());
        if (chance(10)) builder.add_read(any_place(), transition, weight());
        if (chance(4)) {  // a loop
            const PlaceId place = any_place();
            builder.add_input(place, transition);
            builder.add_output(transition, place);
        }
    }
    return builder.build();
}

Net test_net(std::uint64_t seed) {
    if (seed % 4 != 0) return simple_net(seed);
    RandomNetOptions options;
    options.places = 5;
    options.transitions = 6;
    options.gadgets = 1;
    options.immediates = options.priorities = options.sources = false;
    return random_net(seed, options);
}

bool has_dead(const ReferenceSpace& space) {
    return std::ranges::any_of(space.edges, [](const auto& edges) { return edges.empty(); });
}

/// The possible combinations of tokens in the visible places.
std::set<Marking> visible_counts(const ReferenceSpace& space, const std::vector<std::uint32_t>& visible) {
    std::set<Marking> all;
    for (const Marking& marking : space.markings) {
        Marking seen;
        for (const std::uint32_t place : visible) seen.push_back(marking[place]);
        all.insert(std::move(seen));
    }
    return all;
}

Marking visible_counts(const Marking& marking, const std::vector<std::uint32_t>& visible) {
    Marking seen;
    for (const std::uint32_t place : visible) seen.push_back(marking[place]);
    return seen;
}

/// The transitions that lead to a marking.
std::vector<std::uint32_t> path_to(const ReferenceSpace& space, std::size_t state) {
    std::vector<std::uint32_t> path;
    while (state != 0) {
        for (std::size_t before = 0; before < state; ++before) {
            const auto edge = std::ranges::find_if(space.edges[before], [&](const ReferenceEdge& candidate) {
                return candidate.after == space.markings[state] &&
                       space.distance[before] + 1 == space.distance[state];
            });
            if (edge == space.edges[before].end()) continue;
            path.push_back(
                static_cast<std::uint32_t>(std::ranges::find(edge->firings, 1) - edge->firings.begin()));
            state = before;
            break;
        }
    }
    std::ranges::reverse(path);
    return path;
}

/// Each marking of the reduced net equals a marking of the whole net on the visible places. The expanded
/// steps of the reduced net lead to that marking.
void check_expansion(const states::ReducedNet& reduced, const ReferenceSpace& whole,
                     const ReferenceSpace& small, const std::vector<std::uint32_t>& visible,
                     const std::vector<std::uint32_t>& there, const std::vector<std::uint32_t>& transitions) {
    for (std::size_t state = 0; state < std::min<std::size_t>(small.markings.size(), 6); ++state) {
        std::vector<std::uint32_t> fired = path_to(small, state);
        for (std::uint32_t& t : fired) t = transitions[t];
        const auto steps = reduced.expanded(fired, 10'000);
        REQUIRE(steps.has_value());
        std::size_t at = 0;
        for (const std::uint32_t t : *steps) {
            const auto edge = std::ranges::find_if(
                whole.edges[at], [&](const ReferenceEdge& candidate) { return candidate.firings[t] == 1; });
            REQUIRE(edge != whole.edges[at].end());
            at = whole.numbers.at(edge->after);
        }
        REQUIRE(visible_counts(whole.markings[at], visible) == visible_counts(small.markings[state], there));
    }
}

/// Returns the number of nets that some rules changed; the changed nets must keep the required properties.
std::size_t compare(std::uint64_t seeds, states::Kept kept, const states::ReductionOptions& options) {
    std::size_t changed = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed, int(kept));
        const Net net = test_net(seed);
        CounterRandom random(seed, 6);
        std::vector<std::uint32_t> visible;
        for (std::uint32_t p = 0; p < net.places().size(); ++p)
            if (random.below(4) == 0) visible.push_back(p);
        if (kept == states::Kept::deadlocks && random.below(2) == 0) visible.clear();
        const states::ReducedNet reduced = states::reduce(net, visible, kept, options);
        if (reduced.changes() == 0) continue;
        const auto whole = reference_space(net, Semantics::interleaving, 300);
        if (!whole) continue;
        std::vector<std::uint32_t> place_of, transitions, there;
        const Net small_net = reduced.net(place_of, transitions);
        for (const std::uint32_t place : visible) there.push_back(place_of[place]);
        const auto small = reference_space(small_net, Semantics::interleaving, 2'000);
        REQUIRE(small.has_value());
        REQUIRE(small->markings.size() <= whole->markings.size());
        REQUIRE(visible_counts(*small, there) == visible_counts(*whole, visible));
        if (kept == states::Kept::deadlocks) REQUIRE(has_dead(*small) == has_dead(*whole));
        check_expansion(reduced, *whole, *small, visible, there, transitions);
        ++changed;
    }
    return changed;
}

/// The formula without `enabled`, and its places.
Formula on_places(Formula formula, const Net& net, std::vector<std::uint32_t>& places) {
    if (formula.kind == Formula::Kind::enabled) formula = without_transitions(formula, net);
    for (const LinearSum::Term& term : formula.sum.tokens) places.push_back(term.node);
    for (Formula& operand : formula.operands) operand = on_places(std::move(operand), net, places);
    return formula;
}

Formula with_places(Formula formula, const std::vector<std::uint32_t>& place_of) {
    for (LinearSum::Term& term : formula.sum.tokens) term.node = place_of[term.node];
    for (Formula& operand : formula.operands) operand = with_places(std::move(operand), place_of);
    return formula;
}

/// The first three places. Formulas use only these, so that a reduction can remove many nodes.
Net face() {
    NetBuilder builder;
    for (int p = 0; p < 3; ++p) builder.add_place("p" + std::to_string(p));
    return builder.build();
}

/// Many places for few tokens, which move and choose.
Net branching_net(std::uint64_t seed) {
    CounterRandom random(seed, 8);
    NetBuilder builder;
    const std::uint32_t count = 8 + random.below(6);
    std::vector<PlaceId> places;
    for (std::uint32_t p = 0; p < count; ++p)
        places.push_back(builder.add_place("p" + std::to_string(p), p == 0 || random.below(10) == 0 ? 1 : 0));
    for (std::uint32_t t = 0; t < count + 3; ++t) {
        const TransitionId transition = builder.add_transition("t" + std::to_string(t));
        const std::uint32_t from = t < count ? t : random.below(count);
        builder.add_input(places[from], transition);
        if (random.below(10) == 0) builder.add_input(places[(from + 1) % count], transition);
        const std::uint32_t to = random.below(count);
        if (random.below(10) != 0) builder.add_output(transition, places[to]);
        if (random.below(6) == 0) builder.add_output(transition, places[(to + 1) % count]);
    }
    return builder.build();
}

struct PathCases {
    std::size_t changed = 0, hold = 0;
};

/// Formulas on nets that some rules changed. The fixpoints on both nets must agree.
PathCases compare_paths(std::uint64_t seeds, states::Kept kept, const states::ReductionOptions& options) {
    PathCases cases;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Net net = seed % 2 == 0 ? test_net(seed) : branching_net(seed);
        for (std::uint64_t number = 0; number < 4; ++number) {
            CAPTURE(seed, number, int(kept));
            std::vector<std::uint32_t> visible;
            const Formula random = RandomFormulas(seed % 2 == 0 ? net : face(), 4 * seed + number).ctl(3);
            const Formula formula = on_places(random, net, visible);
            if (kept == states::Kept::paths && states::kept_for(formula) != kept) continue;
            const states::ReducedNet reduced = states::reduce(net, visible, kept, options);
            if (reduced.changes() == 0) continue;
            const auto whole = reference_space(net, Semantics::interleaving, 200);
            if (!whole) break;
            std::vector<std::uint32_t> place_of, transitions;
            const Net small_net = reduced.net(place_of, transitions);
            const auto small = reference_space(small_net, Semantics::interleaving, 200);
            REQUIRE(small.has_value());
            const bool holds = ReferenceCtl(net, *whole).states(formula)[0];
            REQUIRE(ReferenceCtl(small_net, *small).states(with_places(formula, place_of))[0] == holds);
            ++cases.changed;
            if (holds) ++cases.hold;
        }
    }
    return cases;
}

struct Rule {
    const char* name;
    bool states::ReductionOptions::*option;
};

constexpr Rule rules[] = {{"dead transitions", &states::ReductionOptions::dead_transitions},
                          {"needless places", &states::ReductionOptions::needless_places},
                          {"parallel places", &states::ReductionOptions::parallel_places},
                          {"covered transitions", &states::ReductionOptions::covered_transitions},
                          {"irrelevant transitions", &states::ReductionOptions::irrelevant_transitions},
                          {"agglomerate after", &states::ReductionOptions::agglomerate_after},
                          {"agglomerate before", &states::ReductionOptions::agglomerate_before}};

states::ReductionOptions only(const Rule& rule) {
    states::ReductionOptions none{false, false, false, false, false, false, false};
    none.*rule.option = true;
    return none;
}

}  // namespace

TEST_CASE("each reduction keeps what visible places can hold, and dead markings where asked") {
    for (const Rule& rule : rules) {
        CAPTURE(rule.name);
        CHECK(compare(case_count(500), states::Kept::reachability, only(rule)) >= least_count(10));
        CHECK(compare(case_count(500), states::Kept::deadlocks, only(rule)) >= least_count(5));
    }
}

TEST_CASE("reductions together keep what visible places can hold, and dead markings where asked") {
    for (const states::Kept kept : {states::Kept::reachability, states::Kept::deadlocks})
        CHECK(compare(case_count(1000), kept, {}) >= least_count(400));
}

TEST_CASE("reductions that keep paths keep formulas, each by itself and all together") {
    for (const states::Kept kept : {states::Kept::paths, states::Kept::steps}) {
        for (const Rule& rule : rules) compare_paths(case_count(300), kept, only(rule));
        const PathCases all = compare_paths(case_count(3000), kept, {});
        CHECK(all.changed >= least_count(3000));
        CHECK(all.hold >= least_count(500));
        CHECK(all.changed - all.hold >= least_count(500));
    }
    const auto after = only(rules[5]), before = only(rules[6]);
    CHECK(compare_paths(case_count(1000), states::Kept::paths, after).changed >= least_count(50));
    CHECK(compare_paths(case_count(2000), states::Kept::paths, before).changed >= least_count(20));
    CHECK(compare_paths(case_count(100), states::Kept::steps, after).changed == 0);
}

TEST_CASE("each reduction on ten thousand nets that it changes", "[.][long]") {
    for (const Rule& rule : rules) {
        for (const states::Kept kept : {states::Kept::reachability, states::Kept::deadlocks}) {
            const std::size_t changed = compare(300'000, kept, only(rule));
            WARN(rule.name << ", kept " << int(kept) << ": " << changed);
        }
    }
    for (const states::Kept kept : {states::Kept::reachability, states::Kept::deadlocks})
        WARN("all, kept " << int(kept) << ": " << compare(20'000, kept, {}));
    for (const states::Kept kept : {states::Kept::paths, states::Kept::steps})
        WARN("paths, kept " << int(kept) << ": " << compare_paths(40'000, kept, {}).changed);
}
