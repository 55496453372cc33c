// Cells change how fast the general executor is, and nothing else.

#include "engine/executors/general/cells.hpp"

#include "engine/executors/general/net.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/executor_checks.hpp"
#include "tests/support/random_module_net.hpp"
#include "tests/support/random_net.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

constexpr CompileOptions few_consumers = {.hub_consumers = 3, .group_size = 1};

Plan plan_for(const Net& net, std::uint32_t cell_places, const CompileOptions& arrays = {}) {
    return plan(compile(net, arrays), {},
                {.modules = false, .parts = in_one_piece, .pivots = false, .cell_places = cell_places});
}
Plan with_cells(const Net& net, const CompileOptions& arrays = {}) { return plan_for(net, 16, arrays); }
Plan without_cells(const Net& net, const CompileOptions& arrays = {}) { return plan_for(net, 0, arrays); }

/// In most nets cells are cut so small that transitions outside change their places.
Plan with_small_cells(const Net& net, std::uint64_t seed) {
    return plan_for(net, static_cast<std::uint32_t>(seed % 4 == 0 ? 16 : 1 + seed % 4), few_consumers);
}

const Cells& cells_of(const Plan& planned) { return planned.general->cells; }

/// A net with other priorities, and with immediate transitions such that each takes from a place to which
/// timed ones alone give: they come to an end.
Net with_urgency(const Net& net, std::uint64_t seed, bool priorities) {
    std::vector<std::uint8_t> given_at_once(net.places().size(), 0), relied_on(net.places().size(), 0);
    NetBuilder builder;
    for (const Place& place : net.places()) builder.add_place(place.id, place.initial);
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const std::string& id = net.transitions()[t].id;
        const TransitionId added = builder.add_transition(id);
        // The same for transitions of equal modules.
        std::uint64_t key = 0;
        for (const char letter : id.substr(id.find('_') + 1))
            key = hash_bits(key, static_cast<unsigned char>(letter));
        CounterRandom random(seed, key);
        const auto arcs = net.arcs_of(TransitionId(t));
        for (const Arc& arc : arcs) builder.add_arc(arc.kind, arc.place, added, arc.weight);
        if (priorities && random.below(3) == 0) builder.set_priority(added, 1);
        const bool may_loop = std::any_of(arcs.begin(), arcs.end(), [&](const Arc& arc) {
            return arc.kind == ArcKind::output && relied_on[index(arc.place)] != 0;
        });
        const auto source = std::find_if(arcs.begin(), arcs.end(), [&](const Arc& arc) {
            return arc.kind == ArcKind::input && given_at_once[index(arc.place)] == 0;
        });
        if (may_loop || source == arcs.end() || random.below(3) != 0) continue;
        const bool gives_back = std::any_of(arcs.begin(), arcs.end(), [&](const Arc& arc) {
            return arc.kind == ArcKind::output && arc.place == source->place;
        });
        if (gives_back) continue;
        builder.set_immediate(added);
        relied_on[index(source->place)] = 1;
        for (const Arc& arc : arcs) {
            if (arc.kind == ArcKind::output) given_at_once[index(arc.place)] = 1;
        }
    }
    return builder.build();
}

/// A third of them without hubs, and so one cell or none.
Net random_net_with_cells(std::uint64_t seed) {
    if (seed % 3 == 0) return random_net(seed, {.immediates = false, .priorities = false});
    return RandomModuleNet(seed).build();
}

/// The same with hubs and immediate transitions, and every other one with priorities.
Net random_urgent_net_with_cells(std::uint64_t seed) {
    return with_urgency(RandomModuleNet(seed).build(), seed, seed % 2 == 0);
}

/// Rings of these lengths with a token going round in each, which are connected by a place that nobody looks
/// at: together they have as many states as the product of the lengths says.
Net rings(const std::vector<int>& lengths) {
    NetBuilder builder;
    const PlaceId count = builder.add_place("count", 0);
    for (std::size_t ring = 0; ring < lengths.size(); ++ring) {
        const std::string id = "r" + std::to_string(ring) + "_";
        std::vector<PlaceId> places;
        for (int i = 0; i < lengths[ring]; ++i)
            places.push_back(builder.add_place(id + std::to_string(i), i == 0 ? 1 : 0));
        for (std::size_t i = 0; i < places.size(); ++i) {
            const TransitionId go = builder.add_transition(id + "go" + std::to_string(i));
            builder.add_input(places[i], go);
            builder.add_output(go, places[(i + 1) % places.size()]);
            if (i == 0) builder.add_output(go, count);
        }
    }
    return builder.build();
}

}  // namespace

TEST_CASE("cells: the reference's runs under keyed and deterministic policies") {
    const bool urgent = GENERATE(false, true);
    const auto random_net_with = urgent ? random_urgent_net_with_cells : random_net_with_cells;
    std::uint64_t nets = 0;
    for (std::uint64_t seed = 0; seed < case_count(urgent ? 1000 : 600); ++seed) {
        const Net net = random_net_with(seed);
        const Plan planned = with_small_cells(net, seed);
        if (cells_of(planned).size() == 0) continue;
        ++nets;
        RunOptions options = options_for(seed);
        options.keyed = true;
        for (const Policy policy : {Policy::first, Policy::last, Policy::round_robin, Policy::random}) {
            CAPTURE(seed, to_string(policy));
            options.policy = policy;
            check_against_reference(net, planned, options);
        }
    }
    CHECK(nets >= least_count(200));
}

TEST_CASE("cells: every run is the one made without them, draw for draw") {
    const bool urgent = GENERATE(false, true);
    const auto random_net_with = urgent ? random_urgent_net_with_cells : random_net_with_cells;
    std::uint64_t nets = 0, at_once = 0;
    for (std::uint64_t seed = 0; seed < case_count(urgent ? 2500 : 1500); ++seed) {
        const Net net = random_net_with(seed);
        const Plan planned = with_small_cells(net, seed);
        const Plan plain = without_cells(net, few_consumers);
        if (cells_of(planned).size() == 0) continue;
        ++nets;
        const auto& shapes = cells_of(planned).shapes;
        at_once += std::any_of(shapes.begin(), shapes.end(),
                               [](const CellShape& shape) { return shape.immediate != 0; });
        RunOptions options = options_for(seed);
        for (const bool counted : {true, false}) {
            CAPTURE(seed, counted);
            options.count_firings = counted;
            CHECK(run(planned, options) == run(plain, options));
        }
        if (seed % 10 == 0) check_made_any_way(planned, options, seed);
    }
    CHECK(nets >= least_count(500));
    if (urgent) CHECK(at_once >= least_count(300));
}

TEST_CASE("cells: equal warps share one shape") {
    WarpsSpec spec;
    spec.warps.assign(64, {200, 50, 20});
    const Plan planned = with_cells(warps_net(spec));
    const Cells& cells = cells_of(planned);
    CHECK(cells.size() == 64);
    CHECK(cells.shapes.size() == 1);
    for (std::size_t cell = 0; cell < 64; ++cell) {
        CHECK(cells.transitions[cell].size() == 15);
        for (std::uint32_t i = 0; i < 15; ++i)
            CHECK(cells.seats[cells.transitions[cell][i]] == cell * Cells::most + i);
    }
    const auto outside =
        static_cast<std::size_t>(std::count(cells.seats.begin(), cells.seats.end(), Cells::no_seat));
    CHECK(outside == planned.net().transition_count() - std::size_t{64} * 15);
}

TEST_CASE("cells: blocks that are dispatched to them") {
    WarpsSpec spec;
    spec.warps.assign(8, {20, 5, 2});
    spec.blocks = 3;
    const Net net = warps_net(spec);
    constexpr CompileOptions small_groups = {.group_size = 1};
    const Plan planned = with_cells(net, small_groups), plain = without_cells(net, small_groups);
    REQUIRE(cells_of(planned).size() == 8);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        RunOptions options;
        options.seed = seed;
        CHECK(run(planned, options) == run(plain, options));
        options.keyed = options.count_firings = true;
        check_against_reference(net, planned, options);
    }
}

TEST_CASE("cells: more than 64 transitions are none") {
    CHECK(cells_of(with_cells(rings({65}))).size() == 0);
    CHECK(cells_of(with_cells(rings({64}))).size() == 1);
}

TEST_CASE("cells: more states than are remembered") {
    const Net net = rings({3, 4, 5, 7, 11});  // 4620
    const Plan planned = with_cells(net), plain = without_cells(net);
    REQUIRE(cells_of(planned).size() == 1);
    RunOptions options;
    options.max_steps = 10'000;
    CHECK(run(planned, options) == run(plain, options));
    options.max_steps = 5'000;
    options.count_firings = true;
    check_against_reference(net, planned, options);
}

TEST_CASE("cells: a second token where one was expected") {
    // `give` puts tokens on `ready` faster than `take` takes them away from step 3 on.
    NetBuilder builder;
    const PlaceId ready = builder.add_place("ready", 0), kept = builder.add_place("kept", 0);
    const PlaceId stock = builder.add_place("stock", 5), pause = builder.add_place("pause", 1);
    const TransitionId give = builder.add_transition("give"), take = builder.add_transition("take");
    const TransitionId resume = builder.add_transition("resume");
    builder.add_input(stock, give);
    builder.add_output(give, ready);
    builder.add_input(ready, take);
    builder.add_input(pause, take);
    builder.add_output(take, kept);
    builder.add_input(kept, resume);
    builder.add_output(resume, pause);
    const Net net = builder.build();
    const Plan planned = with_cells(net), plain = without_cells(net);
    REQUIRE(cells_of(planned).size() == 1);
    for (std::uint64_t steps = 0; steps < 15; ++steps) {
        CAPTURE(steps);
        RunOptions options;
        options.max_steps = steps;
        CHECK(run(planned, options) == run(plain, options));
        options.count_firings = true;
        CHECK(same_run(run(planned, options), reference_run(net, options)));
    }
}
