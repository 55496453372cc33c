#include "analysis/states/diagrams/marking_diagram.hpp"

#include "engine/base/random.hpp"
#include "engine/formula/parse_formula.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_formula.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/reference_ctl.hpp"
#include "tests/support/reference_exploration.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

Net timed_net(std::uint64_t seed) {
    RandomNetOptions options;
    options.immediates = options.priorities = false;
    options.places = 5;
    options.transitions = 6;
    options.gadgets = 1;
    return random_net(seed, options);
}

/// The places on random levels.
states::LevelOrder random_order(std::size_t place_count, std::uint64_t seed) {
    CounterRandom random(seed, 5);
    std::vector<std::uint32_t> places(place_count);
    std::iota(places.begin(), places.end(), 0U);
    states::LevelOrder order;
    while (!places.empty()) {
        if (order.empty() || random.below(3) > 0) order.emplace_back();
        const std::uint32_t at = random.below(static_cast<std::uint32_t>(places.size()));
        order.back().push_back(places[at]);
        places.erase(places.begin() + at);
    }
    return order;
}

/// Whether a set of reachable markings is the set of the marked states.
void check_set(states::MarkingDiagram& diagram, states::DiagramNode set, const ReferenceSpace& space,
               const std::vector<bool>& marked) {
    REQUIRE(diagram.count(set) == std::count(marked.begin(), marked.end(), true));
    for (std::size_t s = 0; s < marked.size(); ++s)
        REQUIRE(diagram.contains(set, space.markings[s]) == marked[s]);
    if (set != states::DiagramNodes::none) REQUIRE(marked[space.numbers.at(diagram.some(set))]);
}

std::vector<bool> dead_states(const ReferenceSpace& space) {
    std::vector<bool> dead;
    for (const auto& edges : space.edges) dead.push_back(edges.empty());
    return dead;
}

void check_counts(states::MarkingDiagram& diagram, const Net& net, const ReferenceSpace& space) {
    const std::vector<states::MarkingCount> enabled = diagram.count_enabled();
    REQUIRE(std::accumulate(enabled.begin(), enabled.end(), states::MarkingCount(0)) == space.edge_count);
    for (std::size_t t = 0; t < enabled.size(); ++t) {
        std::size_t states = 0;
        for (const auto& edges : space.edges)
            states += std::ranges::any_of(edges, [&](const auto& edge) { return edge.firings[t] > 0; })
                          ? std::size_t{1}
                          : std::size_t{0};
        REQUIRE(enabled[t] == states);
    }
    const states::MarkingDiagram::Bounds bounds = diagram.bounds();
    for (std::size_t p = 0; p < net.places().size(); ++p) {
        const auto less = [&](const Marking& a, const Marking& b) { return a[p] < b[p]; };
        REQUIRE(bounds.least[p] == (*std::ranges::min_element(space.markings, less))[p]);
        REQUIRE(bounds.most[p] == (*std::ranges::max_element(space.markings, less))[p]);
    }
}

void check_sum(const states::MarkingDiagram& diagram, const ReferenceSpace& space, const LinearSum& sum) {
    Tokens most = ReferenceCtl::value(sum, space.markings[0]);
    for (const Marking& marking : space.markings) most = std::max(most, ReferenceCtl::value(sum, marking));
    const states::MarkingDiagram::Maximum maximum = diagram.maximum(sum);
    REQUIRE(maximum.value == most);
    REQUIRE(space.numbers.contains(maximum.marking));
    REQUIRE(ReferenceCtl::value(sum, maximum.marking) == most);
}

void check_way(states::MarkingDiagram& diagram, states::DiagramNode set, const Net& net,
               const CompiledNet& compiled, const ReferenceSpace& space, const std::vector<bool>& marked) {
    if (set == states::DiagramNodes::none) return;
    const Schedule way = diagram.shortest_way(set);
    const RunResult run = replay(compiled, net, way, Semantics::interleaving);
    REQUIRE(marked[space.numbers.at(run.marking)]);
    for (std::size_t s = 0; s < marked.size(); ++s)
        if (marked[s]) REQUIRE(space.distance[s] >= way.size());
}

Net ring(Tokens tokens) {
    NetBuilder builder;
    const PlaceId a = builder.add_place("a", tokens), b = builder.add_place("b"), c = builder.add_place("c");
    const std::array<PlaceId, 3> places = {a, b, c};
    for (std::size_t i = 0; i < 3; ++i) {
        const TransitionId t = builder.add_transition("t" + std::to_string(i));
        builder.add_input(places[i], t);
        builder.add_output(t, places[(i + 1) % 3]);
    }
    return builder.build();
}

}  // namespace

TEST_CASE("a diagram has the markings of an exploration by definition, over any levels") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < case_count(2000); ++seed) {
        CAPTURE(seed);
        const Net net = timed_net(seed);
        const auto space = reference_space(net, Semantics::interleaving, 300);
        if (!space) continue;
        const CompiledNet compiled = compile(net);
        states::MarkingDiagram diagram(compiled, random_order(net.places().size(), seed), {});
        check_set(diagram, diagram.reachable(), *space, std::vector<bool>(space->markings.size(), true));
        check_set(diagram, diagram.dead(diagram.reachable()), *space, dead_states(*space));
        check_counts(diagram, net, *space);
        RandomFormulas formulas(net, seed);
        check_sum(diagram, *space, formulas.sum());
        for (int i = 0; i < 4; ++i) {
            const Formula condition = formulas.condition(2);
            const std::vector<bool> marked = ReferenceCtl(net, *space).states(condition);
            const states::DiagramNode set = diagram.select(diagram.reachable(), condition);
            check_set(diagram, set, *space, marked);
            check_way(diagram, set, net, compiled, *space, marked);
        }
        ++compared;
    }
    CHECK(compared >= least_count(1000));
}

TEST_CASE("a diagram has the markings of formulas about paths, over any levels") {
    std::size_t compared = 0, some = 0;
    for (std::uint64_t seed = 0; seed < case_count(7'000); ++seed) {
        CAPTURE(seed);
        const Net net = timed_net(seed + 100'000);
        const auto space = reference_space(net, Semantics::interleaving, 100);
        if (!space) continue;
        const CompiledNet compiled = compile(net);
        states::MarkingDiagram diagram(compiled, random_order(net.places().size(), seed), {});
        RandomFormulas formulas(net, seed);
        for (int i = 0; i < 3; ++i) {
            const Formula formula = formulas.ctl(2);
            const std::vector<bool> marked = ReferenceCtl(net, *space).states(formula);
            const states::DiagramNode set = diagram.select(diagram.reachable(), formula);
            check_set(diagram, set, *space, marked);
            if (set != states::DiagramNodes::none && set != diagram.reachable()) ++some;
        }
        ++compared;
    }
    CHECK(compared >= least_count(5'800));
    CHECK(some >= least_count(1'200));
}

TEST_CASE("every order of levels is one of all places, and gives the same markings") {
    std::size_t units = 0;
    for (std::uint64_t seed = 0; seed < case_count(200); ++seed) {
        CAPTURE(seed);
        const Net net = timed_net(seed);
        const auto space = reference_space(net, Semantics::interleaving, 300);
        if (!space) continue;
        const CompiledNet compiled = compile(net);
        const std::vector<states::LevelOrder> orders = states::level_orders(compiled);
        for (std::size_t i = 0; i < orders.size(); ++i) {
            std::vector<std::uint32_t> places, all(net.places().size());
            for (const auto& level : orders[i]) {
                places.insert(places.end(), level.begin(), level.end());
                units += level.size() > 1 ? std::size_t{1} : std::size_t{0};
            }
            std::sort(places.begin(), places.end());
            std::iota(all.begin(), all.end(), 0U);
            REQUIRE(places == all);
            for (std::size_t k = 0; k < i; ++k) REQUIRE(orders[i] != orders[k]);
            states::MarkingDiagram diagram(compiled, orders[i], {});
            REQUIRE(diagram.count(diagram.reachable()) == space->markings.size());
        }
    }
    CHECK(units >= least_count(100));
}

TEST_CASE("the places of a process are one level, and equal effects one tail") {
    NetBuilder builder;  // processes that take turns at one resource
    const PlaceId free = builder.add_place("free", 1);
    for (int i = 0; i < 12; ++i) {
        const std::string number = std::to_string(i);
        std::array<PlaceId, 4> states;
        for (std::size_t k = 0; k < 4; ++k)
            states[k] = builder.add_place("p" + number + "_" + std::to_string(k), k == 0 ? 1 : 0);
        for (std::size_t k = 0; k < 4; ++k) {
            const TransitionId t = builder.add_transition("t" + number + "_" + std::to_string(k));
            builder.add_input(states[k], t);
            builder.add_output(t, states[(k + 1) % 4]);
            if (k == 1) builder.add_input(free, t);
            if (k == 2) builder.add_output(t, free);
        }
    }
    const Net net = builder.build();
    const CompiledNet compiled = compile(net);
    const states::LevelOrder order = states::level_orders(compiled).front();
    CHECK(order.size() <= 13);
    states::MarkingDiagram diagram(compiled, order, {});
    // Either no process has the resource, or one of twelve.
    CHECK(diagram.count(diagram.reachable()) == 531'441 + 12 * 177'147);
    CHECK(diagram.reachable_nodes() <= 30);
}

TEST_CASE("nets without arcs have orders of levels, and nets with 64 arcs at a place") {
    for (const int arms : {0, 64}) {
        NetBuilder builder("star");
        const PlaceId centre = builder.add_place("centre", 1);
        builder.add_place("alone", 2);
        for (int i = 0; i < arms; ++i) {
            const std::string number = std::to_string(i);
            const TransitionId t = builder.add_transition("t" + number);
            builder.add_input(centre, t);
            builder.add_output(t, builder.add_place("p" + number));
        }
        const CompiledNet compiled = compile(builder.build());
        for (const states::LevelOrder& order : states::level_orders(compiled)) {
            states::MarkingDiagram diagram(compiled, order, {});
            CHECK(diagram.count(diagram.reachable()) == arms + 1);
        }
    }
}

TEST_CASE("formulas about long loops take few rounds") {
    // 40 processes of 50 states each, of which one may be in its second half: some 10^57 markings.
    NetBuilder builder;
    const PlaceId free = builder.add_place("free", 1);
    constexpr std::size_t length = 50;
    for (int i = 0; i < 40; ++i) {
        const std::string number = std::to_string(i) + "_";
        std::vector<PlaceId> places;
        for (std::size_t k = 0; k < length; ++k)
            places.push_back(builder.add_place("p" + number + std::to_string(k), k == 0 ? 1 : 0));
        for (std::size_t k = 0; k < length; ++k) {
            const TransitionId t = builder.add_transition("t" + number + std::to_string(k));
            builder.add_input(places[k], t);
            builder.add_output(t, places[(k + 1) % length]);
            if (k == length / 2) builder.add_input(free, t);
            if (k == length - 1) builder.add_output(t, free);
        }
    }
    const Net net = builder.build();
    const CompiledNet compiled = compile(net);
    const states::DiagramResult result = states::diagram_of(compiled, {});
    REQUIRE(result.stop == WorkEnd::complete);
    states::MarkingDiagram& diagram = *result.diagram;
    WorkLimits limits;
    limits.effort = 3'000'000;
    diagram.allow(limits);
    const auto count = [&](const std::string& formula) {
        return diagram.count(
            diagram.select(diagram.reachable(), parse_formula(formula, net, FormulaLanguage::temporal)));
    };
    // The other processes go round forever, unless the first one has the resource.
    CHECK(count("EG p0_3 = 1") == count("p0_3 = 1"));
    CHECK(count("EG p0_30 = 1") == 0);
    CHECK(count("AF p0_3 = 1") == count("p0_3 = 1"));
    CHECK(count("AF (p0_30 = 0)") == count("p0_0 >= 0"));
    CHECK(count("AG EF p39_49 = 1") == count("p0_0 >= 0"));
    CHECK(count("E (p5_0 = 1 U p5_1 = 1)") == count("p5_0 = 1 or p5_1 = 1"));
}

TEST_CASE("more markings than 64 bits can count are counted") {
    // All distributions of so many tokens over three places.
    const Net net = ring(600);
    const CompiledNet compiled = compile(net);
    const states::DiagramResult result = states::diagram_of(compiled, {});
    REQUIRE(result.stop == WorkEnd::complete);
    CHECK(result.diagram->count(result.diagram->reachable()) == 601 * 602 / 2);

    NetBuilder builder;
    for (int i = 0; i < 70; ++i) {
        const PlaceId on = builder.add_place("on" + std::to_string(i), 1);
        const TransitionId off = builder.add_transition("off" + std::to_string(i));
        builder.add_input(on, off);
    }
    const Net switches = builder.build();
    const CompiledNet compiled_switches = compile(switches);
    const states::DiagramResult many = states::diagram_of(compiled_switches, {});
    REQUIRE(many.stop == WorkEnd::complete);
    states::MarkingDiagram& diagram = *many.diagram;
    CHECK(diagram.count(diagram.reachable()) == states::MarkingCount(1) << 70);
    CHECK(diagram.count(diagram.dead(diagram.reachable())) == 1);
    CHECK(diagram.reachable_nodes() == 70);
    CHECK(diagram.shortest_way(diagram.dead(diagram.reachable())).size() == 70);
}

TEST_CASE("warps in their thousands of millions of markings") {
    const auto markings = [](std::size_t warps) {
        netgen::WarpsSpec spec;
        spec.warps.assign(warps, {.arith = 2, .shared = 1});
        const Net net = netgen::warps_net(spec);
        const CompiledNet compiled = compile(net);
        const states::DiagramResult result = states::diagram_of(compiled, {});
        return result.diagram->count(result.diagram->reachable());
    };
    CHECK(markings(2) == 1'369);
    CHECK(markings(4) == 912'968);  // equal to the explored number
    CHECK(markings(8) == 132'399'361'024);
}

TEST_CASE("unsupported questions and limits are reported") {
    NetBuilder builder;
    builder.add_input(builder.add_place("p", 1), [&] {
        const TransitionId t = builder.add_transition("t");
        builder.set_immediate(t);
        return t;
    }());
    const Net immediate = builder.build();
    CHECK(states::diagram_of(compile(immediate), {}).stop == WorkEnd::not_applicable);

    NetBuilder growing;
    const PlaceId p = growing.add_place("p", 1);
    const TransitionId grow = growing.add_transition("grow");
    growing.add_input(p, grow);
    growing.add_output(grow, p, 2);
    const Net unbounded = growing.build();
    const CompiledNet compiled = compile(unbounded);
    WorkLimits limits;
    limits.effort = 100'000;
    CHECK(states::diagram_of(compiled, limits).stop == WorkEnd::effort_limit);
    limits.effort = 0;
    limits.memory = 1 << 20;
    CHECK(states::diagram_of(compiled, limits).stop == WorkEnd::memory_limit);
    std::atomic<bool> interrupt = true;
    limits.interrupt = &interrupt;
    CHECK(states::diagram_of(compiled, limits).stop == WorkEnd::interrupted);
}
