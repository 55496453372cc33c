#include "analysis/studies/respond/block_schedule.hpp"
#include "engine/base/random.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/plan.hpp"
#include "netgen/blocks/blocks.hpp"
#include "tests/support/block_vectors.hpp"
#include "tests/support/case_count.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// All features of the rules: SMs that differ, streams with several operations, priorities, copies, releases,
/// periods, shared memory, registers. With `cores` also CPU segments of one priority per core, some of which
/// keep their core.
netgen::TaskSet random_tasks(std::uint64_t seed, bool cores) {
    CounterRandom random(cores ? 22 : 21, seed);
    netgen::TaskSet tasks;
    tasks.gpu.sms.clear();
    for (std::uint32_t i = 0, sms = 1 + random.below(3); i < sms; ++i)
        tasks.gpu.sms.push_back({512 * (2 + random.below(3)), 2 + random.below(7), 4096, 65536});
    if (random.below(2) == 0) tasks.gpu.warp_size = 1;
    const std::int32_t priority_of_stream[] = {0, static_cast<std::int32_t>(random.below(2)), -1};
    const bool periodic = random.below(2) == 0;
    for (std::uint32_t i = 0, operations = 1 + random.below(6); i < operations; ++i) {
        netgen::Operation operation = flat_kernel(i + 1, 1 + random.below(9), 1 + random.below(12));
        if (random.below(4) == 0) {
            operation.kind = netgen::OperationKind::copy;
            operation.blocks = 1;
        } else {
            operation.threads = 64 + 64 * random.below(16);
            operation.shared = random.below(3) == 0 ? random.below(4096) : 0;
            operation.registers = random.below(3) == 0 ? random.below(60) : 0;
        }
        operation.priority = static_cast<std::int32_t>(random.below(2));
        if (random.below(2) == 0) {
            operation.stream = random.below(3);
            operation.priority = priority_of_stream[*operation.stream];
        }
        if (random.below(2) == 0) operation.release = random.below(15);
        if (periodic && random.below(2) == 0)
            operation.period = std::vector<netgen::Time>{10, 15, 30}[random.below(3)];
        if (cores && operation.stream && random.below(2) == 0) {
            netgen::Operation segment = operation;
            segment.kind = netgen::OperationKind::cpu;
            segment.blocks = 1;
            segment.time = 1 + random.below(5);
            segment.core = random.below(2);
            segment.priority = 0;
            segment.name += "_before";
            segment.keeps_core = random.below(2) == 0;
            tasks.operations.push_back(segment);
            tasks.operations.push_back(operation);
            segment.name = operation.name + "_behind";
            segment.time = 1 + random.below(5);
            segment.keeps_core = false;
            tasks.operations.push_back(segment);
            continue;
        }
        tasks.operations.push_back(operation);
    }
    return tasks;
}

}  // namespace

TEST_CASE("blocks net: makes the schedule of the rules on random sets") {
    int overtaking = 0;
    for (std::uint64_t seed = 1; seed <= case_count(1000); ++seed) {
        CAPTURE(seed);
        const netgen::TaskSet tasks = random_tasks(seed, seed > 400);
        const auto policy = seed % 2 == 0 ? netgen::SmPolicy::first_fit : netgen::SmPolicy::most_free;
        studies::ScheduleOptions schedule_options;
        schedule_options.policy = policy;
        schedule_options.horizon = netgen::release_horizon(tasks);
        const studies::BlockSchedule schedule = studies::schedule_blocks(tasks, schedule_options);
        std::vector<std::vector<netgen::Time>> expected(tasks.operations.size());
        for (const studies::JobResponse& job : schedule.jobs)
            expected[job.operation].push_back(job.completion);
        // Jobs in different streams may end in another order than they start; the net only counts ends.
        for (std::vector<netgen::Time>& times : expected) {
            overtaking += !std::is_sorted(times.begin(), times.end());
            std::sort(times.begin(), times.end());
        }

        netgen::BlocksNetOptions options;
        options.policy = policy;
        const netgen::BlocksNet blocks = netgen::blocks_net(tasks, options);
        const CompiledNet net = compile(blocks.net);
        BlockCompletions seen(blocks);
        RunOptions run_options;
        run_options.seed = seed;
        const RunResult watched = run(net, run_options, &seen);
        CHECK(watched.reason == StopReason::dead);
        CHECK(static_cast<netgen::Time>(watched.steps) == schedule.makespan);
        CHECK(seen.times == expected);
        run_options.policy = Policy::last;
        CHECK(run(net, run_options).steps == watched.steps);
    }
    CHECK(overtaking == 0);
}
