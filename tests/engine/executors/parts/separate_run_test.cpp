// Nets with unconnected parts, compared with the reference and the general executor.

#include "engine/executors/parts/separate_parts.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/executor_checks.hpp"
#include "tests/support/random_module_net.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/sample_nets.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Hubs as in RandomModuleNet.
constexpr CompileOptions few_consumers = {.hub_consumers = 3, .group_size = 4};
/// Options under which any net is large.
constexpr PlanOptions all_apart = {.arrays = few_consumers, .parts = {.large_net = 0, .small_part = 0}};
constexpr PlanOptions whole_net = {
    .arrays = few_consumers, .modules = false, .parts = in_one_piece, .pivots = false};

/// A union of two to four nets, some of them equal, for the general executor and the module executor.
Net random_union(std::uint64_t seed) {
    CounterRandom random(seed, 99);
    std::vector<Net> nets;
    const std::uint32_t count = 2 + random.below(3);
    while (nets.size() < count) {
        if (!nets.empty() && random.below(3) == 0) {
            nets.push_back(Net(nets.front()));
        } else if (random.below(2) == 0) {
            nets.push_back(RandomModuleNet(random.next()).build());
        } else {
            nets.push_back(random_net(random.next(), {.immediates = false, .priorities = false}));
        }
    }
    return net_union(nets, seed % 2 == 0);
}

const ExecutorCases cases = {random_union, all_apart, ExecutorKind::separate};

}  // namespace

TEST_CASE("separate parts: the reference's runs under keyed and deterministic policies") {
    auto reasons = check_all_against_reference(cases, case_count(500));
    CHECK(reasons[StopReason::dead] >= least_count(200));
    CHECK(reasons[StopReason::step_limit] >= least_count(200));
}

TEST_CASE(
    "separate parts: the same run on any number of threads, observed or not, in one piece or in several") {
    CHECK(check_all_made_any_way(cases, case_count(200)) >= least_count(100));
}

TEST_CASE("separate parts: random runs are distributed like those of the general executor") {
    CHECK(check_all_distributed(cases, whole_net, case_count(60), 60, 500) >= least_count(15));
}

TEST_CASE("separate parts: equal parts are compiled once, small ones are bundled") {
    const Net one = random_net(5, {.immediates = false, .priorities = false});
    const std::vector<Net> nets(6, one);
    const auto without_executor = [](const NetArcs&) { return std::shared_ptr<const Executor>(); };
    const CompiledNet whole = compile(net_union(nets, true), few_consumers);
    const auto apart = find_separate_parts(whole, all_apart.parts, without_executor);
    REQUIRE(apart != nullptr);
    CHECK(apart->kinds == apart->parts.size() / 6);
    PlanOptions bundled = all_apart;
    bundled.parts.small_part = 1000;
    CHECK(plan_for(net_union(nets, true), bundled).executor() != ExecutorKind::separate);
}

TEST_CASE("separate parts: the first overflow ends the run for all") {
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
    const RunResult result = run(plan_for(net, all_apart), options);
    const RunResult expected = run(plan_for(net, whole_net), options);
    CHECK(result.reason == StopReason::overflow);
    CHECK(result.steps == 6);
    CHECK(result.steps == expected.steps);
    CHECK(result.firings == expected.firings);
}
