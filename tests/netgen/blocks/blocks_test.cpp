#include "netgen/blocks/blocks.hpp"

#include "engine/compile/compiled_net.hpp"
#include "engine/net/error.hpp"
#include "engine/plan.hpp"
#include "tests/support/block_vectors.hpp"
#include "tests/support/shared_data.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::vector<std::string> place_ids(const Net& net) {
    std::vector<std::string> ids;
    for (const Place& place : net.places()) ids.push_back(place.id);
    return ids;
}

/// All completions in launch order, and the steps to the dead marking.
std::pair<std::vector<netgen::Time>, netgen::Time> completions(const netgen::TaskSet& tasks,
                                                               const netgen::BlocksNetOptions& options,
                                                               bool watch, Policy policy = Policy::random) {
    const netgen::BlocksNet blocks = netgen::blocks_net(tasks, options);
    const CompiledNet net = compile(blocks.net);
    BlockCompletions seen(blocks);
    RunOptions run_options;
    run_options.policy = policy;
    const RunResult result = run(net, run_options, watch ? &seen : nullptr);
    REQUIRE(result.reason == StopReason::dead);
    for (std::size_t i = 0; i < blocks.done.size(); ++i)
        REQUIRE(result.marking[index(blocks.done[i])] == blocks.jobs[i]);
    std::vector<netgen::Time> in_order;
    if (watch)
        for (const netgen::Job& job :
             netgen::jobs_before(tasks, options.horizon.value_or(netgen::release_horizon(tasks))))
            in_order.push_back(seen.times[job.operation][static_cast<std::size_t>(job.index)]);
    return {in_order, static_cast<netgen::Time>(result.steps)};
}

}  // namespace

TEST_CASE("blocks net: completes every reference case at the expected steps") {
    const auto file = shared_data("vectors/blocks.json");
    SKIP_WITHOUT(file, "vectors/blocks.json");
    for (const BlockCase& test : block_cases(*file)) {
        CAPTURE(test.id);
        for (const auto& [policy, name] : {std::pair(netgen::SmPolicy::first_fit, "policy_first"),
                                           std::pair(netgen::SmPolicy::most_free, "policy_free")}) {
            CAPTURE(name);
            netgen::BlocksNetOptions options;
            options.policy = policy;
            if (test.expected.contains("horizon"))
                options.horizon = test.expected["horizon"].get<netgen::Time>();
            const auto& expected = test.expected.contains("ops") ? test.expected[name] : test.expected;
            const auto times = expected["completion"].get<std::vector<netgen::Time>>();
            const netgen::Time makespan = *std::max_element(times.begin(), times.end());
            CHECK(completions(test.tasks, options, false).second == makespan);
            if (makespan < 2000) CHECK(completions(test.tasks, options, true) == std::pair(times, makespan));
        }
    }
}

TEST_CASE("blocks net: the three launch orders of the thesis") {
    const std::vector<std::pair<netgen::Time, std::int64_t>> kernels = {{4, 2}, {6, 7}, {6, 2}, {5, 5}};
    for (const auto& [order, expected] :
         std::vector<std::pair<std::vector<std::size_t>, std::vector<netgen::Time>>>{
             {{2, 3, 4, 1}, {6, 12, 11, 10}},
             {{2, 4, 1, 3}, {6, 11, 10, 12}},
             {{2, 1, 3, 4}, {6, 8, 12, 11}}}) {
        netgen::TaskSet tasks;
        for (const std::size_t number : order) {
            tasks.operations.push_back(
                flat_kernel(number, kernels[number - 1].first, kernels[number - 1].second));
            tasks.operations.back().threads = 512;
        }
        for (const Policy policy : {Policy::random, Policy::first, Policy::last, Policy::round_robin})
            CHECK(completions(tasks, {}, true, policy) == std::pair(expected, netgen::Time{12}));
    }
}

TEST_CASE("blocks net: readable ids, every delay a gadget, no node that depends on a duration") {
    netgen::TaskSet tasks = flat_tasks(4, {{5, 2}, {7, 9}});
    tasks.operations[0].name = "Kernel 1";
    tasks.operations[1].name = "2nd";
    tasks.operations[1].release = 3;
    tasks.operations[1].period = 50;
    netgen::BlocksNetOptions options;
    options.horizon = 150;
    const netgen::BlocksNet blocks = netgen::blocks_net(tasks, options);
    CHECK(blocks.jobs == std::vector<std::int64_t>{1, 3});
    CHECK(blocks.net[blocks.done[0]].id == "Kernel_1_done");
    CHECK(blocks.net[blocks.done[1]].id == "k2nd_done");
    const CompiledNet net = compile(blocks.net);
    // Two slots for the two blocks of the first kernel, four for the second, its release and its period.
    CHECK(net.gadgets.size() == 2 + 4 + 2);

    for (netgen::Operation& operation : tasks.operations) operation.time *= 1'000'000;
    tasks.operations[1].period = 50'000'000;
    tasks.operations[1].release = 3'000'000;
    options.horizon = 150'000'000;
    const netgen::BlocksNet longer = netgen::blocks_net(tasks, options);
    CHECK(place_ids(longer.net) == place_ids(blocks.net));
    RunOptions run_options;
    run_options.max_steps = 1'000'000'000;
    CHECK(run(compile(longer.net), run_options).steps == 1'000'000 * run(net).steps);
    options.step = netgen::common_time(tasks);
    CHECK(options.step == 1'000'000);
    CHECK(netgen::blocks_net(tasks, options).net == blocks.net);
}

TEST_CASE("blocks net: names that would run into each other stay apart") {
    netgen::TaskSet tasks = flat_tasks(1, {{1, 1}, {1, 1}, {1, 1}});
    tasks.operations[0].name = "a";
    tasks.operations[1].name = "a_done";
    tasks.operations[2].name = "a.done";
    const netgen::BlocksNet blocks = netgen::blocks_net(tasks);
    CHECK(blocks.net[blocks.done[0]].id == "a_done");
    CHECK(blocks.net[blocks.done[1]].id == "a-done_done");
    CHECK(blocks.net[blocks.done[2]].id == "a-done-2_done");
}

TEST_CASE("blocks net: refuses what cannot be built") {
    netgen::TaskSet tasks = flat_tasks(4, {{6, 2}, {9, 9}});
    netgen::BlocksNetOptions options;
    options.step = 2;
    CHECK_THROWS_WITH(netgen::blocks_net(tasks, options),
                      Catch::Contains("'k2': expected a time that is a multiple"));
    options.step = 0;
    CHECK_THROWS_AS(netgen::blocks_net(tasks, options), InputError);
    options.step = 1;
    options.max_nodes = 20;
    CHECK_THROWS_WITH(netgen::blocks_net(tasks, options), Catch::Contains("more than 20 places"));
    tasks.operations[0].time = 6'000'000'000;
    tasks.operations[1].time = 9'000'000'000;
    CHECK_THROWS_WITH(netgen::blocks_net(tasks), Catch::Contains("the times allow steps of 3000000000"));
}
