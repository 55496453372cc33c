#include "analysis/studies/respond/slot_allocation.hpp"

#include "engine/base/random.hpp"
#include "tests/support/block_vectors.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/shared_data.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

TEST_CASE("slot allocation: states and completions of every reference case") {
    const auto file = shared_data("vectors/blocks.json");
    SKIP_WITHOUT(file, "vectors/blocks.json");
    int states = 0;
    for (const BlockCase& test : block_cases(*file)) {
        if (test.expected.contains("ops")) continue;
        CAPTURE(test.id);
        studies::SlotAllocator slots(test.expected["gmax"].get<std::int64_t>());
        std::vector<netgen::Time> completion;
        std::vector<std::pair<netgen::Time, std::int64_t>> after;
        const netgen::Time horizon = test.expected.value("horizon", netgen::Time{1});
        for (const netgen::Job& job : netgen::jobs_before(test.tasks, horizon)) {
            const netgen::Operation& kernel = test.tasks.operations[job.operation];
            completion.push_back(slots.allocate(job.release, kernel.time, kernel.blocks).completion);
            after.emplace_back(slots.next_allocation(), slots.free_slots());
        }
        CHECK(completion == test.expected["completion"].get<std::vector<netgen::Time>>());
        if (!test.expected.contains("state_after_kernel")) continue;
        ++states;
        CHECK(after ==
              test.expected["state_after_kernel"].get<std::vector<std::pair<netgen::Time, std::int64_t>>>());
    }
    CHECK(states == 54);
}

TEST_CASE("slot allocation: the thesis's example, whose printed algorithm says 4, 10, 10, 9") {
    studies::SlotAllocator slots(8);
    CHECK(slots.allocate(0, 4, 2).completion == 4);
    CHECK(slots.busy() == std::vector<std::pair<netgen::Time, std::int64_t>>{{4, 2}});
    CHECK(slots.allocate(0, 6, 7).completion == 10);
    CHECK(slots.busy() == std::vector<std::pair<netgen::Time, std::int64_t>>{{10, 1}, {6, 6}});
    CHECK(slots.allocate(0, 6, 2).completion == 12);
    CHECK(slots.allocate(0, 5, 5).completion == 11);
}

TEST_CASE("slot allocation: ends where the printed algorithm does not") {
    studies::SlotAllocator slots(1);
    CHECK(slots.allocate(0, 9, 1).completion == 9);
    const studies::SlotAllocator::Allocation second = slots.allocate(0, 1, 1);
    CHECK(second.start == 9);
    CHECK(second.completion == 10);
}

TEST_CASE("slot allocation: no pairs of no slots, so time moves by completions only") {
    studies::SlotAllocator slots(4);
    slots.allocate(0, 2000, 4);
    slots.allocate(0, 1, 1);
    CHECK(slots.next_allocation() == 2000);
    CHECK(slots.busy().size() == 1);
}

TEST_CASE("slot allocation: a later release frees what ended before it") {
    studies::SlotAllocator slots(4);
    slots.allocate(0, 5, 3);
    const studies::SlotAllocator::Allocation late = slots.allocate(7, 2, 4);
    CHECK(late.start == 7);
    CHECK(late.completion == 9);
    CHECK(slots.free_slots() == 0);
}

TEST_CASE("slot allocation: the formula for equal block times") {
    const auto file = shared_data("vectors/blocks.json");
    SKIP_WITHOUT(file, "vectors/blocks.json");
    int printed_differs = 0;
    for (const BlockCase& test : block_cases(*file)) {
        if (!test.expected.contains("equations_3_12_to_3_15_as_printed")) continue;
        CAPTURE(test.id);
        const auto gmax = test.expected["gmax"].get<std::int64_t>();
        std::int64_t before = 0;
        studies::SlotAllocator slots(gmax);
        std::vector<netgen::Time> completion;
        for (const netgen::Operation& kernel : test.tasks.operations) {
            const auto byformula =
                studies::equal_time_allocation(0, kernel.time, gmax, before, kernel.blocks);
            const auto byalgorithm = slots.allocate(0, kernel.time, kernel.blocks);
            CHECK(byformula.start == byalgorithm.start);
            CHECK(byformula.dispatched == byalgorithm.dispatched);
            completion.push_back(byformula.completion);
            before += kernel.blocks;
        }
        CHECK(completion == test.expected["completion"].get<std::vector<netgen::Time>>());
        std::vector<std::string> text;
        for (const netgen::Time time : completion) text.push_back(std::to_string(time));
        printed_differs +=
            text != test.expected["equations_3_12_to_3_15_as_printed"].get<std::vector<std::string>>();
    }
    // The reference data contains cases in which the printed equations go wrong, so the correction is tested.
    CHECK(printed_differs > 0);
}

TEST_CASE("slot model: when blocks are interchangeable") {
    netgen::TaskSet tasks;
    tasks.operations = {flat_kernel(1, 4, 2), flat_kernel(2, 6, 7)};
    for (netgen::Operation& kernel : tasks.operations) kernel.threads = 512;
    CHECK(studies::slot_model(tasks).slots == 8);
    tasks.operations[0].threads = 256;
    CHECK(!studies::slot_model(tasks).slots);
    // Two block slots per SM run out before its threads do.
    for (netgen::StreamingMultiprocessor& sm : tasks.gpu.sms) sm.blocks = 2;
    CHECK(studies::slot_model(tasks).slots == 4);
    // 4 blocks of 768 threads do not fit on two SMs of 2048, though 5 fit on one of 4096.
    netgen::TaskSet wide;
    wide.operations = {flat_kernel(1, 1, 5)};
    wide.operations[0].threads = 768;
    CHECK(studies::slot_model(wide).slots == 4);
    CHECK(studies::slot_model(netgen::one_big_sm(wide)).slots == 5);
    wide.operations.push_back({"c", netgen::OperationKind::copy});
    CHECK(!studies::slot_model(wide).slots);
}

namespace {

/// h and g_f by the definition alone: of all allocated blocks, those that end after t_a.
void check_step(const std::vector<std::pair<netgen::Time, std::int64_t>>& allocated, std::int64_t slots,
                const studies::AllocationStep& step) {
    std::map<netgen::Time, std::int64_t> running;
    std::int64_t used = 0;
    for (const auto& [end, blocks] : allocated) {
        if (end <= step.time) continue;
        running[end] += blocks;
        used += blocks;
    }
    CHECK(step.busy == std::vector<std::pair<netgen::Time, std::int64_t>>(running.rbegin(), running.rend()));
    CHECK(step.free == slots - used);
}

}  // namespace

TEST_CASE(
    "slot allocation: the states of 2,000 random step tables are what was allocated and has not ended") {
    for (std::uint64_t seed = 1; seed <= case_count(2000); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        const std::int64_t slots = 1 + random.below(9);
        studies::SlotAllocator allocator(slots), plain(slots);
        std::vector<studies::AllocationStep> steps;
        std::vector<std::pair<netgen::Time, std::int64_t>> allocated;
        netgen::Time release = 0, last = 0;
        for (std::size_t job = 0; job < 8; ++job) {
            release += random.below(4);
            const netgen::Time time = 1 + random.below(7);
            const std::int64_t blocks = 1 + random.below(20);
            const std::size_t first = steps.size();
            const auto with_steps = allocator.allocate(release, time, blocks, &steps, job);
            CHECK(with_steps.completion == plain.allocate(release, time, blocks).completion);
            std::int64_t sum = 0;
            for (std::size_t i = first; i < steps.size(); ++i) {
                CHECK(steps[i].job == job);
                CHECK(steps[i].time >= std::max(last, release));
                last = steps[i].time;
                sum += steps[i].blocks;
                allocated.emplace_back(steps[i].time + time, steps[i].blocks);
                check_step(allocated, slots, steps[i]);
            }
            CHECK(sum == blocks);
            CHECK(last + time == with_steps.completion);
        }
        CHECK(allocator == plain);
    }
}
