// Nets that fall apart, against the reference and the general executor.

#include "engine/parts/islands.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/executor_checks.hpp"
#include "tests/support/net_union.hpp"
#include "tests/support/random_component_net.hpp"
#include "tests/support/random_net.hpp"

#include <map>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Any net is large; hubs as RandomComponentNet means them.
constexpr CompileOptions all_apart = {
    .hub_consumers = 3, .group_size = 4, .components = true, .large_net = 0, .small_island = 0};
constexpr CompileOptions in_one_piece = {
    .hub_consumers = 3, .group_size = 4, .components = false, .large_net = 0xffffffff};

/// Two to four nets side by side, some of them equal, for the general and for the component executor.
Net random_islands(std::uint64_t seed) {
    CounterRandom random(seed, 99);
    std::vector<Net> nets;
    const std::uint32_t count = 2 + random.below(3);
    while (nets.size() < count) {
        if (!nets.empty() && random.below(3) == 0) {
            nets.push_back(Net(nets.front()));
        } else if (random.below(2) == 0) {
            nets.push_back(RandomComponentNet(random.next()).build());
        } else {
            nets.push_back(random_net(random.next(), {.immediates = false, .priorities = false}));
        }
    }
    return net_union(nets, seed % 2 == 0);
}

}  // namespace

TEST_CASE("islands: the reference's runs under keyed and deterministic policies") {
    std::map<StopReason, std::uint64_t> reasons;
    for (std::uint64_t seed = 0; seed < case_count(500); ++seed) {
        const Net net = random_islands(seed);
        const CompiledNet compiled = compile(net, all_apart);
        RunOptions options = options_for(seed);
        options.keyed = true;
        for (const Policy policy : {Policy::first, Policy::last, Policy::round_robin, Policy::random}) {
            options.policy = policy;
            if (executor_of(compiled, options) != ExecutorKind::islands) continue;
            CAPTURE(seed, to_string(policy));
            ++reasons[check_against_reference(net, compiled, options)];
        }
    }
    CHECK(reasons[StopReason::dead] > case_count(200));
    CHECK(reasons[StopReason::step_limit] > case_count(200));
}

TEST_CASE("islands: the same run on any number of threads, observed or not, in one piece or in several") {
    std::size_t tried = 0;
    for (std::uint64_t seed = 0; seed < case_count(200); ++seed) {
        const CompiledNet compiled = compile(random_islands(seed), all_apart);
        const RunOptions options = options_for(seed);
        if (executor_of(compiled, options) != ExecutorKind::islands) continue;
        ++tried;
        CAPTURE(seed);
        check_made_any_way(compiled, options, seed);
    }
    CHECK(tried > case_count(100));
}

TEST_CASE("islands: random runs are distributed like those of the general executor") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < case_count(60); ++seed) {
        const Net net = random_islands(seed);
        const CompiledNet islands = compile(net, all_apart), whole = compile(net, in_one_piece);
        RunOptions options;
        options.max_steps = 60;
        if (executor_of(islands, options) != ExecutorKind::islands) continue;
        REQUIRE(executor_of(whole, options) == ExecutorKind::general);
        const double deviation = deviation_of_executors(islands, whole, options, 500);
        if (deviation < 0) continue;
        ++compared;
        CAPTURE(seed);
        CHECK(deviation < 5);
    }
    CHECK(compared > case_count(15));
}

TEST_CASE("islands: equal parts are compiled once, small ones are bundled") {
    const Net one = random_net(5, {.immediates = false, .priorities = false});
    const std::vector<Net> nets(6, one);
    const CompiledNet apart = compile(net_union(nets, true), all_apart);
    REQUIRE(apart.islands != nullptr);
    CHECK(apart.islands->kinds == apart.islands->islands.size() / 6);
    CompileOptions bundled = all_apart;
    bundled.small_island = 1000;
    CHECK(compile(net_union(nets, true), bundled).islands == nullptr);
}

TEST_CASE("islands: who overflows first ends the run for all") {
    NetBuilder builder;
    for (const Tokens room : {Tokens{7}, Tokens{5}, Tokens{9}}) {
        const std::string id = std::to_string(room);
        const PlaceId seed = builder.add_place("seed" + id, 1),
                      full = builder.add_place("full" + id, max_tokens - room);
        const TransitionId grow = builder.add_transition("grow" + id);
        builder.add_input(seed, grow);
        builder.add_output(grow, seed);
        builder.add_output(grow, full);
    }
    const Net net = builder.build();
    RunOptions options;
    options.count_firings = true;
    const RunResult result = run(compile(net, all_apart), options);
    const RunResult expected = run(compile(net, in_one_piece), options);
    CHECK(result.reason == StopReason::overflow);
    CHECK(result.steps == 6);
    CHECK(result.steps == expected.steps);
    CHECK(result.firings == expected.firings);
}
