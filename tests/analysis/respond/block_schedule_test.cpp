#include "analysis/respond/block_schedule.hpp"

#include "tests/support/block_vectors.hpp"
#include "tests/support/shared_data.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

template <class Field>
std::vector<Time> column(const BlockSchedule& schedule, Field field) {
    std::vector<Time> result;
    for (const JobResponse& job : schedule.jobs) result.push_back(std::invoke(field, job));
    return result;
}

/// Jobs of a set without periods in the order of the set.
BlockSchedule in_set_order(BlockSchedule schedule) {
    std::sort(schedule.jobs.begin(), schedule.jobs.end(),
              [](const JobResponse& a, const JobResponse& b) { return a.operation < b.operation; });
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
            ScheduleOptions options;
            options.horizon = test.expected["horizon"].get<Time>();
            const BlockSchedule schedule = schedule_blocks(test.tasks, options);
            CHECK(column(schedule, &JobResponse::completion) ==
                  test.expected["completion"].get<std::vector<Time>>());
            CHECK(!schedule.deadline_missed == test.expected["schedulable_over_horizon"].get<bool>());
        } else if (test.expected.contains("ops")) {
            for (const auto& [policy, name] : {std::pair(SmPolicy::first_fit, "policy_first"),
                                               std::pair(SmPolicy::most_free, "policy_free")}) {
                CAPTURE(name);
                ScheduleOptions options;
                options.policy = policy;
                const BlockSchedule schedule = in_set_order(schedule_blocks(test.tasks, options));
                const auto& expected = test.expected[name];
                CHECK(column(schedule, &JobResponse::enqueued) ==
                      expected["enqueued"].get<std::vector<Time>>());
                CHECK(column(schedule, &JobResponse::start) == expected["start"].get<std::vector<Time>>());
                CHECK(column(schedule, &JobResponse::dispatched) ==
                      expected["dispatched"].get<std::vector<Time>>());
                CHECK(column(schedule, &JobResponse::completion) ==
                      expected["completion"].get<std::vector<Time>>());
                CHECK(column(schedule, &JobResponse::response) ==
                      expected["response"].get<std::vector<Time>>());
            }
        } else {
            const BlockSchedule schedule = in_set_order(schedule_blocks(test.tasks));
            CHECK(column(schedule, &JobResponse::completion) ==
                  test.expected["completion"].get<std::vector<Time>>());
            CHECK(column(schedule, &JobResponse::response) ==
                  test.expected["response"].get<std::vector<Time>>());
        }
    }
    CHECK(judged == 124);
}
