#include "analysis/studies/respond/respond_report.hpp"
#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "tests/support/block_vectors.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/shared_data.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::vector<netgen::Time> completions(const studies::RespondResult& result) {
    std::vector<netgen::Time> times;
    for (const studies::JobResponse& job : result.jobs) times.push_back(job.completion);
    return times;
}

/// The scenarios of [Paredes19] section 4: four kernels of 512 threads on a Jetson TX2; the time unit is a
/// second.
netgen::TaskSet thesis_kernels(const std::vector<std::size_t>& order) {
    const std::vector<std::pair<netgen::Time, std::int64_t>> kernels = {{4, 2}, {6, 7}, {6, 2}, {5, 5}};
    netgen::TaskSet tasks;
    for (const std::size_t number : order) {
        tasks.operations.push_back(
            flat_kernel(number, kernels[number - 1].first, kernels[number - 1].second));
        tasks.operations.back().threads = 512;
        tasks.operations.back().deadline = 15;
    }
    return tasks;
}

}  // namespace

TEST_CASE("respond: the three launch orders of the thesis") {
    for (const auto& [order, expected] :
         std::vector<std::pair<std::vector<std::size_t>, std::vector<netgen::Time>>>{
             {{2, 3, 4, 1}, {6, 12, 11, 10}},
             {{2, 4, 1, 3}, {6, 11, 10, 12}},
             {{2, 1, 3, 4}, {6, 8, 12, 11}}}) {
        for (const netgen::SmPolicy policy : {netgen::SmPolicy::first_fit, netgen::SmPolicy::most_free}) {
            studies::RespondOptions options;
            options.policy = policy;
            const studies::RespondResult result = studies::respond(thesis_kernels(order), options);
            CHECK(result.method == studies::RespondMethod::algorithm);
            CHECK(completions(result) == expected);
            CHECK(result.makespan == 12);
            CHECK(result.all_met());
            CHECK(result.conclusive());
            options.simulate = true;
            CHECK(completions(studies::respond(thesis_kernels(order), options)) == expected);
        }
    }
}

TEST_CASE("respond: every reference case, by the shortest method that holds") {
    const auto file = shared_data("vectors/blocks.json");
    SKIP_WITHOUT(file, "vectors/blocks.json");
    std::map<studies::RespondMethod, int> used;
    for (const BlockCase& test : block_cases(*file)) {
        CAPTURE(test.id);
        for (const auto& [policy, name] : {std::pair(netgen::SmPolicy::first_fit, "policy_first"),
                                           std::pair(netgen::SmPolicy::most_free, "policy_free")}) {
            studies::RespondOptions options;
            options.policy = policy;
            if (test.expected.contains("horizon"))
                options.horizon = test.expected["horizon"].get<netgen::Time>();
            studies::RespondResult result = studies::respond(test.tasks, options);
            if (!test.expected.contains("horizon"))
                std::sort(result.jobs.begin(), result.jobs.end(),
                          [](const studies::JobResponse& a, const studies::JobResponse& b) {
                              return a.operation < b.operation;
                          });
            const auto& expected = test.expected.contains("ops") ? test.expected[name] : test.expected;
            CHECK(completions(result) == expected["completion"].get<std::vector<netgen::Time>>());
            if (!test.expected.contains("ops")) {
                CHECK(result.method != studies::RespondMethod::simulation);
            } else {
                ++used[result.method];
            }
            if (test.expected.contains("worst_response")) {
                const auto worst = test.expected["worst_response"].get<std::vector<netgen::Time>>();
                for (std::size_t i = 0; i < worst.size(); ++i)
                    CHECK(result.operations[i].worst.response() == worst[i]);
                CHECK(result.all_met() == test.expected["schedulable_over_horizon"].get<bool>());
                CHECK(result.utilisation == Approx(test.expected["block_utilisation"].get<double>()));
            }
        }
    }
    CHECK(used[studies::RespondMethod::simulation] > 60);
}

TEST_CASE("respond: judges all jobs, not the first") {
    // The first jobs complete at 2 and 7, within their periods; the second job of the first kernel, released
    // at 4, waits for the second kernel until 7 and takes 5 > 4.
    netgen::TaskSet tasks = flat_tasks(8, {{2, 8}, {5, 8}});
    tasks.operations[0].period = tasks.operations[0].deadline = 4;
    tasks.operations[1].period = tasks.operations[1].deadline = 12;
    const studies::RespondResult result = studies::respond(tasks);
    CHECK(result.operations[0].worst.response() == 5);
    CHECK(result.operations[0].worst.index == 1);
    CHECK(result.operations[0].jobs == 3);
    CHECK(result.operations[0].missed == 1);
    CHECK(!result.all_met());
    CHECK(result.conclusive());
    CHECK(result.utilisation == Approx(11.0 / 12));
}

TEST_CASE("respond: all methods agree where they apply") {
    std::size_t shorter = 0;
    std::size_t equal_times = 0;
    for (std::uint64_t seed = 1; seed <= case_count(400); ++seed) {
        CAPTURE(seed);
        CounterRandom random(4, seed);
        netgen::TaskSet tasks = flat_tasks(1 + random.below(8), {});
        const std::uint32_t kernels = 1 + random.below(5);
        const bool periodic = random.below(2) == 0;
        const bool equal = !periodic && random.below(3) == 0;
        for (std::uint32_t i = 0; i < kernels; ++i) {
            netgen::Operation kernel =
                flat_kernel(i + 1, equal ? 7 : 1 + random.below(9), 1 + random.below(20));
            if (!equal && random.below(2) == 0) kernel.release = random.below(20);
            if (periodic) {
                const netgen::Time periods[] = {12, 20, 30, 60};
                kernel.period = periods[random.below(4)];
                kernel.deadline = kernel.period;
                if (random.below(2) == 0) kernel.release = 0;
            }
            if (random.below(3) == 0) kernel.stream = random.below(3);
            tasks.operations.push_back(kernel);
        }
        const studies::RespondResult automatic = studies::respond(tasks);
        studies::RespondOptions options;
        options.simulate = true;
        const studies::RespondResult simulated = studies::respond(tasks, options);
        CHECK(completions(automatic) == completions(simulated));
        CHECK(automatic.all_met() == simulated.all_met());
        CHECK(automatic.end == simulated.end);
        shorter += automatic.method != studies::RespondMethod::simulation;
        equal_times += automatic.method == studies::RespondMethod::equal_times;
    }
    CHECK(shorter >= least_count(100));
    CHECK(equal_times >= least_count(20));
}

TEST_CASE("respond: goes on until the schedule repeats") {
    // Two kernels of period 10 that start 5 apart never meet; the state at the end of the first hyperperiod
    // after the last first release equals that at its start.
    netgen::TaskSet tasks = flat_tasks(1, {{4, 1}, {4, 1}});
    for (netgen::Operation& kernel : tasks.operations) kernel.period = kernel.deadline = 10;
    tasks.operations[1].release = 5;
    const studies::RespondResult result = studies::respond(tasks);
    CHECK(result.end == studies::HorizonEnd::repeats);
    CHECK(result.horizon == 15);
    CHECK(result.all_met());
    CHECK(result.conclusive());
}

TEST_CASE("respond: overload is never called met forever") {
    netgen::TaskSet tasks = flat_tasks(1, {{11, 1}});
    tasks.operations[0].period = 10;
    SECTION("no deadline") {
        const studies::RespondResult result = studies::respond(tasks);
        CHECK(result.end == studies::HorizonEnd::hyperperiods);
        CHECK(result.all_met());
        CHECK(!result.conclusive());
        CHECK(result.utilisation == Approx(1.1));
    }
    SECTION("a deadline that the first jobs meet") {
        tasks.operations[0].deadline = 13;
        const studies::RespondResult result = studies::respond(tasks);
        CHECK(result.end == studies::HorizonEnd::deadline_miss);
        CHECK(!result.all_met());
        CHECK(result.conclusive());
    }
}

TEST_CASE("respond: a limit on jobs is reported") {
    netgen::TaskSet tasks = flat_tasks(1, {{1, 1}, {1, 1}});
    tasks.operations[0].period = 999'983;
    tasks.operations[1].period = 2;
    studies::RespondOptions options;
    options.max_jobs = 1000;
    const studies::RespondResult result = studies::respond(tasks, options);
    CHECK(result.end == studies::HorizonEnd::job_limit);
    CHECK(result.jobs.size() == 1000);
    CHECK(!result.conclusive());
}

TEST_CASE("respond: the picture shows every block group") {
    studies::RespondOptions options;
    options.max_groups = 100;
    const studies::RespondResult result = studies::respond(thesis_kernels({2, 3, 4, 1}), options);
    CHECK(result.method == studies::RespondMethod::algorithm);
    std::int64_t blocks = 0;
    for (const studies::BlockGroup& group : result.groups) blocks += group.blocks;
    CHECK(blocks == 16);
    CHECK(result.group_count == static_cast<std::int64_t>(result.groups.size()));
    // 2 x 4 x 6 + 2 x 6 + 5 x 5 + ... thread times over 12 s of 2 SMs with 4 slots each
    double used = 0;
    for (const double occupancy : result.sm_occupancy) used += occupancy;
    CHECK(used / 2 == Approx((6.0 * 7 + 6 * 2 + 5 * 5 + 4 * 2) / (12 * 8)));
}

TEST_CASE("respond: a million blocks take memory and time by groups, not by durations") {
    netgen::TaskSet tasks;
    for (std::size_t i = 0; i < 100; ++i) {
        tasks.operations.push_back(
            flat_kernel(i + 1, 1'000'003 + static_cast<netgen::Time>(i) * 7919, 10'000));
        tasks.operations.back().threads = i % 2 == 0 ? 256 : 512;
    }
    for (const netgen::SmPolicy policy : {netgen::SmPolicy::first_fit, netgen::SmPolicy::most_free}) {
        studies::RespondOptions options;
        options.policy = policy;
        const studies::RespondResult result = studies::respond(tasks, options);
        CHECK(result.method == studies::RespondMethod::simulation);
        CHECK(result.jobs.size() == 100);
        CHECK(result.groups.empty());
        CHECK(result.makespan > 1'000'000'000);
    }
}

TEST_CASE("respond: a set with a jitter has no one schedule") {
    netgen::TaskSet tasks = thesis_kernels({1});
    tasks.operations[0].period = 20;
    tasks.operations[0].deadline.reset();
    CHECK(studies::respond_report(tasks, {}).result.operations[0].worst.response() > 0);
    tasks.operations[0].jitter = 3;
    CHECK_THROWS_WITH(studies::respond(tasks), Catch::Contains("has a jitter: only 'respond --sporadic'"));
    CHECK_THROWS_AS(studies::respond_report(tasks, {}), InputError);
    studies::RespondQuestions questions;
    questions.sporadic.emplace();
    const studies::RespondReport report = studies::respond_report(tasks, questions);
    REQUIRE(report.sporadic);
    CHECK(report.sporadic->response[0] >= report.result.operations[0].worst.response());
}
