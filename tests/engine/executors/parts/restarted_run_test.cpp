// Nets of parts that are restarted repeatedly, compared with the reference and the general executor.

#include "engine/executors/parts/restarted_parts.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/executor_checks.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

constexpr PlanOptions whole_grid = {.modules = false, .parts = in_one_piece, .pivots = false};

/// Grids of up to 9 blocks on up to 4 SMs.
Net random_grid(std::uint64_t seed) {
    CounterRandom random(seed, 41);
    netgen::WarpsSpec spec;
    const std::uint32_t warps = 2 + random.below(3);
    const auto counts = [&] {
        return netgen::WarpCounts{1 + random.below(2), random.below(2), random.below(2)};
    };
    spec.warps.assign(warps, counts());
    if (seed % 4 == 0) std::generate(spec.warps.begin(), spec.warps.end(), counts);
    spec.sms = 1 + random.below(4);
    spec.blocks = static_cast<Tokens>(spec.sms) + 1 + random.below(6);
    spec.schedulers = 1 + random.below(2);
    spec.shared_latency = 1 + random.below(2);
    spec.global_latency = 1 + random.below(5);
    return netgen::warps_net(spec);
}

/// A grid with one change that may prevent restarted parts: an additional arc, or one more or less in the
/// weight of an arc or the tokens of a place.
Net changed_grid(std::uint64_t seed) {
    const Net grid = random_grid(seed);
    CounterRandom random(seed, 42);
    NetBuilder builder;
    const auto count = [](const auto& nodes) { return static_cast<std::uint32_t>(nodes.size()); };
    const std::uint32_t change = random.below(4);
    const std::uint32_t node = random.below(change == 0 ? count(grid.places()) : count(grid.transitions()));
    for (std::uint32_t p = 0; p < grid.places().size(); ++p) {
        const Place& place = grid.places()[p];
        const bool changes = change == 0 && p == node;
        const Tokens more = random.below(2) == 0 ? 1 : -1;
        builder.add_place(place.id, std::max(Tokens{0}, place.initial + (changes ? more : 0)));
    }
    for (std::uint32_t t = 0; t < grid.transitions().size(); ++t) {
        const TransitionId added = builder.add_transition(grid.transitions()[t].id);
        const auto arcs = grid.arcs_of(TransitionId(t));
        const bool changes = change > 0 && t == node;
        const std::uint32_t arc = random.below(static_cast<std::uint32_t>(arcs.size()));
        for (std::uint32_t i = 0; i < arcs.size(); ++i) {
            const bool heavier = changes && change == 1 && i == arc;
            if (changes && change == 2 && i == arc && arcs.size() > 1) continue;
            builder.add_arc(arcs[i].kind, arcs[i].place, added, arcs[i].weight + (heavier ? 1 : 0));
        }
        if (!changes || change != 3) continue;
        static constexpr ArcKind kinds[] = {ArcKind::input, ArcKind::output, ArcKind::inhibitor,
                                            ArcKind::read};
        const auto place = static_cast<PlaceId>(random.below(count(grid.places())));
        const ArcKind kind = kinds[random.below(4)];
        if (std::none_of(arcs.begin(), arcs.end(), [&](const Arc& had) { return had.place == place; }))
            builder.add_arc(kind, place, added, 1);
    }
    return builder.build();
}

const ExecutorCases grids = {random_grid, {}, ExecutorKind::restarted, 400};
const ExecutorCases changed_grids = {changed_grid, {}, ExecutorKind::restarted, 400};

}  // namespace

TEST_CASE("restarted parts: the reference's runs under keyed and deterministic policies") {
    auto reasons = check_all_against_reference(grids, case_count(150));
    CHECK(reasons[StopReason::dead] >= least_count(150));
    CHECK(reasons[StopReason::step_limit] >= least_count(50));
}

TEST_CASE("restarted parts: a net with one thing changed is found to be another, or runs as the reference") {
    auto reasons = check_all_against_reference(changed_grids, case_count(400));
    CHECK(reasons[StopReason::dead] >= least_count(40));
}

TEST_CASE(
    "restarted parts: the same run on any number of threads, observed or not, in one piece or in several") {
    CHECK(check_all_made_any_way(grids, case_count(100)) >= least_count(60));
}

TEST_CASE("restarted parts: random runs are distributed like those of the general executor") {
    CHECK(check_all_distributed(grids, whole_grid, case_count(30), 400, 500) >= least_count(10));
}

TEST_CASE("restarted parts: equal parts are compiled once") {
    netgen::WarpsSpec spec;
    spec.warps.assign(4, {3, 2, 1});
    spec.sms = 5;
    spec.blocks = 12;
    const auto restarted = find_restarted_parts(compile(netgen::warps_net(spec)), {});
    REQUIRE(restarted != nullptr);
    CHECK(restarted->parts.size() == 5);
    CHECK(restarted->kinds == 1);
}
