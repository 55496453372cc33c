#include "analysis/studies/respond/launch_orders.hpp"

#include "analysis/studies/respond/respond.hpp"
#include "engine/base/random.hpp"
#include "tests/support/block_vectors.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>
#include <numeric>

#include <catch2/catch.hpp>
#include <tbb/global_control.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// All permutations that keep streams, no short cuts.
std::vector<Time> worst_by_permutation(const TaskSet& tasks, SmPolicy policy) {
    LaunchOrder order(tasks.operations.size());
    std::iota(order.begin(), order.end(), 0U);
    std::vector<Time> worst(order.size());
    RespondOptions options;
    options.policy = policy;
    options.simulate = true;
    do {
        bool allowed = true;
        for (std::size_t i = 0; i < order.size(); ++i)
            for (std::size_t j = i + 1; j < order.size(); ++j) {
                const auto& stream = tasks.operations[order[i]].stream;
                allowed &= !(stream && stream == tasks.operations[order[j]].stream && order[i] > order[j]);
            }
        if (!allowed) continue;
        const RespondResult result = respond(reorder(tasks, order), options);
        for (std::size_t i = 0; i < order.size(); ++i)
            worst[order[i]] = std::max(worst[order[i]], result.operations[i].worst.response());
    } while (std::next_permutation(order.begin(), order.end()));
    return worst;
}

Time replay(const TaskSet& tasks, const WorstResponse& worst, std::uint32_t operation, SmPolicy policy) {
    RespondOptions options;
    options.policy = policy;
    const RespondResult result = respond(reorder(tasks, worst.order), options);
    for (std::size_t i = 0; i < worst.order.size(); ++i)
        if (worst.order[i] == operation) return result.operations[i].worst.response();
    return -1;
}

TaskSet random_tasks(std::uint64_t seed, bool flat, std::uint32_t kernels) {
    CounterRandom random(11, seed);
    TaskSet tasks;
    if (flat) tasks.gpu = flat_gpu(1 + random.below(6));
    for (std::uint32_t i = 0; i < kernels; ++i) {
        Operation kernel = flat_kernel(i + 1, 1 + random.below(6), 1 + random.below(9));
        if (!flat) {
            kernel.threads = 128 << random.below(4);
            if (random.below(3) == 0) kernel.stream = random.below(2);
            if (!kernel.stream && random.below(3) == 0) kernel.priority = 1;
            if (random.below(4) == 0) kernel.release = random.below(3);
        }
        tasks.operations.push_back(kernel);
        if (random.below(4) == 0 && i + 1 < kernels) {  // a twin
            kernel.name += "b";
            tasks.operations.push_back(kernel);
            ++i;
        }
    }
    return tasks;
}

}  // namespace

TEST_CASE("launch orders: exact where they are few, with a witness for each") {
    int pruned = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        const bool flat = seed % 2 == 0;
        const TaskSet tasks = random_tasks(seed, flat, 4 + static_cast<std::uint32_t>(seed % 2));
        LaunchOrderOptions options;
        options.policy = seed % 4 < 2 ? SmPolicy::first_fit : SmPolicy::most_free;
        const WorstOrders worst = worst_launch_orders(tasks, options);
        CHECK(worst.exact);
        const std::vector<Time> expected = worst_by_permutation(tasks, options.policy);
        Time longest = 0;
        for (std::uint32_t i = 0; i < expected.size(); ++i) {
            CHECK(worst.operations[i].response == expected[i]);
            CHECK(worst.operations[i].upper == expected[i]);
            CHECK(replay(tasks, worst.operations[i], i, options.policy) == expected[i]);
            longest = std::max(longest, expected[i] + tasks.operations[i].release);
        }
        CHECK(worst.makespan == longest);
        RespondOptions respond_options;
        respond_options.policy = options.policy;
        CHECK(respond(reorder(tasks, worst.makespan_order), respond_options).makespan == worst.makespan);
        pruned += worst.method == "all launch orders, by prefixes";
    }
    CHECK(pruned == 30);
}

TEST_CASE("launch orders: a search stays between what it shows and what is proved") {
    const TaskSet tasks = random_tasks(3, true, 9);
    LaunchOrderOptions options;
    const WorstOrders exact = worst_launch_orders(tasks, options);
    REQUIRE(exact.exact);
    options.evaluations = 300;
    const WorstOrders searched = worst_launch_orders(tasks, options);
    CHECK(!searched.exact);
    for (std::uint32_t i = 0; i < tasks.operations.size(); ++i) {
        CHECK(searched.operations[i].response <= exact.operations[i].response);
        CHECK(exact.operations[i].response <= searched.operations[i].upper.value());
        CHECK(replay(tasks, searched.operations[i], i, options.policy) == searched.operations[i].response);
    }
}

TEST_CASE("launch orders: a search finds the worst order of nearly every operation") {
    int found = 0, operations = 0;
    for (std::uint64_t seed = 1; seed <= case_count(30); ++seed) {
        CAPTURE(seed);
        const TaskSet tasks = random_tasks(seed, false, 7);
        LaunchOrderOptions options;
        const WorstOrders exact = worst_launch_orders(tasks, options);
        REQUIRE(exact.exact);
        options.evaluations = 600;
        const WorstOrders searched = worst_launch_orders(tasks, options);
        if (searched.exact) continue;
        CHECK(searched.evaluations <= 600);
        CHECK(searched.makespan <= exact.makespan);
        for (std::uint32_t i = 0; i < tasks.operations.size(); ++i) {
            CHECK(searched.operations[i].response <= exact.operations[i].response);
            CHECK(replay(tasks, searched.operations[i], i, options.policy) ==
                  searched.operations[i].response);
            found += searched.operations[i].response == exact.operations[i].response ? 1 : 0;
            ++operations;
        }
    }
    CHECK(operations >= static_cast<int>(least_count(100)));
    CHECK(found * 100 >= operations * 95);
}

TEST_CASE("launch orders: the same answer on any number of threads") {
    const TaskSet tasks = random_tasks(5, false, 14);
    LaunchOrderOptions options;
    options.evaluations = 2000;
    std::vector<WorstOrders> answers;
    for (const std::size_t threads : {1U, 2U, 4U}) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
        answers.push_back(worst_launch_orders(tasks, options));
    }
    for (const WorstOrders& answer : answers) {
        CHECK(answer.makespan_order == answers.front().makespan_order);
        CHECK(answer.evaluations == answers.front().evaluations);
        for (std::size_t i = 0; i < tasks.operations.size(); ++i)
            CHECK(answer.operations[i].order == answers.front().operations[i].order);
    }
}
