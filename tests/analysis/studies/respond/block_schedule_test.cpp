#include "analysis/studies/respond/block_schedule.hpp"

#include "engine/base/random.hpp"
#include "tests/support/block_vectors.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/plain_schedule.hpp"
#include "tests/support/shared_data.hpp"

#include <map>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

template <class Field>
std::vector<netgen::Time> column(const studies::BlockSchedule& schedule, Field field) {
    std::vector<netgen::Time> result;
    for (const studies::JobResponse& job : schedule.jobs) result.push_back(std::invoke(field, job));
    return result;
}

/// The jobs of a set without periods, in the order of the set.
studies::BlockSchedule in_set_order(studies::BlockSchedule schedule) {
    std::sort(schedule.jobs.begin(), schedule.jobs.end(),
              [](const studies::JobResponse& a, const studies::JobResponse& b) {
                  return a.operation < b.operation;
              });
    return schedule;
}

}  // namespace

TEST_CASE("blocks: the schedule of every reference case") {
    const auto file = shared_data("vectors/blocks.json");
    SKIP_WITHOUT(file, "vectors/blocks.json");
    int judged = 0;
    for (const BlockCase& test : block_cases(*file)) {
        CAPTURE(test.id);
        ++judged;
        if (test.tasks.operations.front().period) {
            studies::ScheduleOptions options;
            options.horizon = test.expected["horizon"].get<netgen::Time>();
            const studies::BlockSchedule schedule = studies::schedule_blocks(test.tasks, options);
            CHECK(column(schedule, &studies::JobResponse::completion) ==
                  test.expected["completion"].get<std::vector<netgen::Time>>());
            CHECK(!schedule.deadline_missed == test.expected["schedulable_over_horizon"].get<bool>());
        } else if (test.expected.contains("ops")) {
            for (const auto& [policy, name] : {std::pair(netgen::SmPolicy::first_fit, "policy_first"),
                                               std::pair(netgen::SmPolicy::most_free, "policy_free")}) {
                CAPTURE(name);
                studies::ScheduleOptions options;
                options.policy = policy;
                const studies::BlockSchedule schedule =
                    in_set_order(studies::schedule_blocks(test.tasks, options));
                const auto& expected = test.expected[name];
                CHECK(column(schedule, &studies::JobResponse::enqueued) ==
                      expected["enqueued"].get<std::vector<netgen::Time>>());
                CHECK(column(schedule, &studies::JobResponse::start) ==
                      expected["start"].get<std::vector<netgen::Time>>());
                CHECK(column(schedule, &studies::JobResponse::dispatched) ==
                      expected["dispatched"].get<std::vector<netgen::Time>>());
                CHECK(column(schedule, &studies::JobResponse::completion) ==
                      expected["completion"].get<std::vector<netgen::Time>>());
                CHECK(column(schedule, &studies::JobResponse::response) ==
                      expected["response"].get<std::vector<netgen::Time>>());
            }
        } else {
            const studies::BlockSchedule schedule = in_set_order(studies::schedule_blocks(test.tasks));
            CHECK(column(schedule, &studies::JobResponse::completion) ==
                  test.expected["completion"].get<std::vector<netgen::Time>>());
            CHECK(column(schedule, &studies::JobResponse::response) ==
                  test.expected["response"].get<std::vector<netgen::Time>>());
        }
    }
    CHECK(judged == 124);
}

namespace {

/// Tasks of CPU segments, copies and kernels on two cores and one or two SMs.
netgen::TaskSet tasks_on_cores(std::uint64_t seed) {
    CounterRandom random(31, seed);
    const auto from = [&](int least, int most) {
        return least + static_cast<int>(random.below(static_cast<std::uint32_t>(most - least + 1)));
    };
    netgen::TaskSet tasks;
    tasks.gpu.warp_size = 1;
    tasks.gpu.sms.assign(static_cast<std::size_t>(from(1, 2)), {4, 3, 0, 0});
    for (int task = 0, number = from(2, 4); task < number; ++task) {
        netgen::Operation base;
        base.stream = task;
        base.release = from(0, 6);
        if (from(0, 3) > 0) base.period = std::vector<netgen::Time>{10, 15, 20, 30}[random.below(4)];
        const std::int64_t core = from(0, 1);
        const std::int32_t priority = from(0, 2);
        const std::int32_t of_stream = from(0, 1);
        constexpr std::size_t none = static_cast<std::size_t>(-1);
        std::size_t keeper = none;
        for (int i = 0, operations = from(1, 5); i < operations; ++i) {
            netgen::Operation operation = base;
            operation.name = std::to_string(task) + "_" + std::to_string(i);
            operation.time = from(1, 5);
            operation.priority = of_stream;
            const int kind = from(0, 3);
            if (kind < 2) {
                operation.kind = netgen::OperationKind::cpu;
                operation.core = core;
                operation.priority = priority;
                if (keeper != none) tasks.operations[keeper].keeps_core = true;
                keeper = none;
                if (from(0, 1) > 0) keeper = tasks.operations.size();
            } else if (kind == 2) {
                operation.kind = netgen::OperationKind::copy;
            } else {
                operation.blocks = from(1, 5);
                operation.threads = from(1, 3);
            }
            tasks.operations.push_back(operation);
        }
    }
    return tasks;
}

}  // namespace

TEST_CASE("blocks: CPU segments, copies and kernels as by looking at each unit of time") {
    int preempted = 0, kept = 0;
    for (std::uint64_t seed = 1; seed <= case_count(1500); ++seed) {
        CAPTURE(seed);
        const netgen::TaskSet tasks = tasks_on_cores(seed);
        studies::ScheduleOptions options;
        options.horizon = 60;
        options.max_groups = 10'000;
        const studies::BlockSchedule schedule = studies::schedule_blocks(tasks, options);
        REQUIRE(column(schedule, &studies::JobResponse::completion) ==
                PlainSchedule(tasks, 60).completions());
        // The stretches of a segment add up to its time, and no two stretches on a core overlap.
        std::map<std::uint32_t, netgen::Time> of_job, end_of_core;
        for (const studies::BlockGroup& group : schedule.groups) {
            if (!group.on_core()) continue;
            REQUIRE(group.start < group.end);
            REQUIRE(end_of_core[group.sm] <= group.start);
            end_of_core[group.sm] = group.end;
            preempted += of_job.count(group.job) > 0 ? 1 : 0;
            of_job[group.job] += group.end - group.start;
        }
        for (const auto& [job, time] : of_job)
            REQUIRE(time == tasks.operations[schedule.jobs[job].operation].time);
        for (const netgen::Operation& operation : tasks.operations) kept += operation.keeps_core ? 1 : 0;
    }
    CHECK(preempted >= static_cast<int>(least_count(500)));
    CHECK(kept >= static_cast<int>(least_count(500)));
}

TEST_CASE("blocks: a preempted segment, and one that keeps its core") {
    netgen::TaskSet tasks;
    const auto cpu = [](const char* name, netgen::Time time, netgen::Time release, std::int64_t stream,
                        std::int32_t priority) {
        netgen::Operation operation;
        operation.name = name;
        operation.kind = netgen::OperationKind::cpu;
        operation.time = time;
        operation.release = release;
        operation.stream = stream;
        operation.priority = priority;
        return operation;
    };
    tasks.operations = {cpu("low", 5, 0, 1, 0), cpu("high", 3, 2, 2, 1)};
    CHECK(column(studies::schedule_blocks(tasks), &studies::JobResponse::completion) ==
          std::vector<netgen::Time>{8, 5});
    CHECK(studies::schedule_blocks(tasks, {.max_groups = 9}).group_count == 3);
    netgen::Operation kernel;
    kernel.name = "kernel";
    kernel.time = 10;
    kernel.stream = 1;
    tasks.operations = {cpu("before", 2, 0, 1, 0), kernel, cpu("behind", 1, 0, 1, 0),
                        cpu("other", 4, 0, 2, 0)};
    CHECK(column(studies::schedule_blocks(tasks), &studies::JobResponse::completion) ==
          std::vector<netgen::Time>{2, 12, 13, 6});
    tasks.operations[0].keeps_core = true;
    CHECK(column(studies::schedule_blocks(tasks), &studies::JobResponse::completion) ==
          std::vector<netgen::Time>{2, 12, 13, 17});
}
