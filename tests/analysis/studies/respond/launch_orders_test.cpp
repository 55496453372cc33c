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

/// Tries all permutations that keep the order within streams, without short cuts.
std::vector<netgen::Time> worst_by_permutation(const netgen::TaskSet& tasks, netgen::SmPolicy policy) {
    studies::LaunchOrder order(tasks.operations.size());
    std::iota(order.begin(), order.end(), 0U);
    std::vector<netgen::Time> worst(order.size());
    studies::RespondOptions options;
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
        const studies::RespondResult result = studies::respond(studies::reorder(tasks, order), options);
        for (std::size_t i = 0; i < order.size(); ++i)
            worst[order[i]] = std::max(worst[order[i]], result.operations[i].worst.response());
    } while (std::next_permutation(order.begin(), order.end()));
    return worst;
}

netgen::Time replay(const netgen::TaskSet& tasks, const studies::WorstResponse& worst,
                    std::uint32_t operation, netgen::SmPolicy policy) {
    studies::RespondOptions options;
    options.policy = policy;
    const studies::RespondResult result = studies::respond(studies::reorder(tasks, worst.order), options);
    for (std::size_t i = 0; i < worst.order.size(); ++i)
        if (worst.order[i] == operation) return result.operations[i].worst.response();
    return -1;
}

netgen::TaskSet random_tasks(std::uint64_t seed, bool flat, std::uint32_t kernels) {
    CounterRandom random(11, seed);
    netgen::TaskSet tasks;
    if (flat) tasks.gpu = flat_gpu(1 + random.below(6));
    for (std::uint32_t i = 0; i < kernels; ++i) {
        netgen::Operation kernel = flat_kernel(i + 1, 1 + random.below(6), 1 + random.below(9));
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
        const netgen::TaskSet tasks = random_tasks(seed, flat, 4 + static_cast<std::uint32_t>(seed % 2));
        studies::LaunchOrderOptions options;
        options.policy = seed % 4 < 2 ? netgen::SmPolicy::first_fit : netgen::SmPolicy::most_free;
        const studies::WorstOrders worst = studies::worst_launch_orders(tasks, options);
        CHECK(worst.exact);
        const std::vector<netgen::Time> expected = worst_by_permutation(tasks, options.policy);
        netgen::Time longest = 0;
        for (std::uint32_t i = 0; i < expected.size(); ++i) {
            CHECK(worst.operations[i].response == expected[i]);
            CHECK(worst.operations[i].upper == expected[i]);
            CHECK(replay(tasks, worst.operations[i], i, options.policy) == expected[i]);
            longest = std::max(longest, expected[i] + tasks.operations[i].release);
        }
        CHECK(worst.makespan == longest);
        studies::RespondOptions respond_options;
        respond_options.policy = options.policy;
        CHECK(studies::respond(studies::reorder(tasks, worst.makespan_order), respond_options).makespan ==
              worst.makespan);
        pruned += worst.method == "all launch orders, by prefixes";
    }
    CHECK(pruned == 30);
}

TEST_CASE("launch orders: a search stays between what it shows and what is proved") {
    const netgen::TaskSet tasks = random_tasks(3, true, 9);
    studies::LaunchOrderOptions options;
    const studies::WorstOrders exact = studies::worst_launch_orders(tasks, options);
    REQUIRE(exact.exact);
    options.evaluations = 300;
    const studies::WorstOrders searched = studies::worst_launch_orders(tasks, options);
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
        const netgen::TaskSet tasks = random_tasks(seed, false, 7);
        studies::LaunchOrderOptions options;
        const studies::WorstOrders exact = studies::worst_launch_orders(tasks, options);
        REQUIRE(exact.exact);
        options.evaluations = 600;
        const studies::WorstOrders searched = studies::worst_launch_orders(tasks, options);
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
    const netgen::TaskSet tasks = random_tasks(5, false, 14);
    studies::LaunchOrderOptions options;
    options.evaluations = 2000;
    std::vector<studies::WorstOrders> answers;
    for (const std::size_t threads : {1U, 2U, 4U}) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
        answers.push_back(studies::worst_launch_orders(tasks, options));
    }
    for (const studies::WorstOrders& answer : answers) {
        CHECK(answer.makespan_order == answers.front().makespan_order);
        CHECK(answer.evaluations == answers.front().evaluations);
        for (std::size_t i = 0; i < tasks.operations.size(); ++i)
            CHECK(answer.operations[i].order == answers.front().operations[i].order);
    }
}
