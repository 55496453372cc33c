#include "analysis/respond/sporadic_bound.hpp"

#include "analysis/respond/respond.hpp"
#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/every_arrival.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Threads of the SMs; nothing else is short.
Gpu gpu_of(const std::vector<std::int64_t>& threads) {
    Gpu gpu;
    gpu.sms.clear();
    for (const std::int64_t t : threads) gpu.sms.push_back({.threads = t, .blocks = 1000});
    return gpu;
}

/// Two or three tasks with small numbers: of kernels alone, or with copies around some.
TaskSet any_tasks(std::uint64_t seed, bool mixed, bool copies) {
    CounterRandom random(seed, mixed ? 1 : 0);
    const auto from = [&](int least, int most) {
        return least + static_cast<int>(random.below(static_cast<std::uint32_t>(most - least + 1)));
    };
    TaskSet tasks;
    tasks.gpu = mixed ? gpu_of({from(2, 3), from(2, 3)}) : gpu_of({from(1, 3)});
    const int number = copies ? 2 : from(2, 3);
    for (int n = 0; n < number; ++n) {
        Operation kernel{
            .name = std::string(1, static_cast<char>('a' + n)), .blocks = from(1, 3), .time = from(1, 3)};
        if (mixed) kernel.threads = from(1, 2);
        if (from(0, 5) > 0) kernel.period = copies ? from(8, 20) : from(3, 9);
        kernel.deadline = kernel.period;
        const bool with_copies = copies && from(0, 2) > 0;
        if (with_copies) kernel.stream = n;
        Operation copy = kernel;
        copy.kind = OperationKind::copy;
        copy.blocks = copy.threads = 1;
        copy.name = kernel.name + "_in";
        copy.time = from(1, 2);
        if (with_copies && from(0, 3) > 0) tasks.operations.push_back(copy);
        tasks.operations.push_back(kernel);
        copy.name = kernel.name + "_out";
        copy.time = from(1, 2);
        if (with_copies && from(0, 3) > 0) tasks.operations.push_back(copy);
    }
    return tasks;
}

struct Tally {
    int sets = 0, unbounded = 0, too_large = 0, operations = 0, equal = 0, schedules_below = 0;
    Time excess = 0;  // sum of bound - worst
};

void judge(std::uint64_t seed, const TaskSet& tasks, Time launch_offset, Tally& tally) {
    CAPTURE(seed, launch_offset);
    const SporadicBounds bounds = sporadic_bounds(tasks, {.launch_offset = launch_offset});
    REQUIRE(bounds.response.size() == tasks.operations.size());
    if (!bounds.response.front()) {
        ++tally.unbounded;
        return;
    }
    const auto worst = EveryArrival(tasks, launch_offset).responses(20'000);
    if (!worst) {
        ++tally.too_large;
        return;
    }
    ++tally.sets;
    for (std::size_t i = 0; i < worst->size(); ++i) {
        CAPTURE(tasks.operations[i].name);
        REQUIRE((*worst)[i] >= tasks.operations[i].time);
        REQUIRE(*bounds.response[i] >= (*worst)[i]);
        ++tally.operations;
        tally.equal += *bounds.response[i] == (*worst)[i] ? 1 : 0;
        tally.excess += *bounds.response[i] - (*worst)[i];
    }
    // The schedule of the file is one of those.
    RespondOptions options;
    options.max_jobs = 1000;
    const RespondResult schedule = respond(tasks, options);
    for (std::size_t i = 0; i < worst->size(); ++i)
        REQUIRE(schedule.operations[i].worst.response() <= (*worst)[i]);
}

void judge_all(const char* what, std::uint64_t seeds, bool mixed, bool copies, std::uint64_t least_sets) {
    Tally tally;
    for (std::uint64_t seed = 1; seed <= case_count(seeds); ++seed)
        judge(seed, any_tasks(seed, mixed, copies), static_cast<Time>(seed % 4 == 0 ? seed % 3 : 0), tally);
    WARN(what << ": " << tally.sets << " sets, " << tally.operations
              << " operations, bound equal to the worst of " << tally.equal << ", on average "
              << static_cast<double>(tally.excess) / std::max(1, tally.operations) << " more; "
              << tally.unbounded << " sets without bound, " << tally.too_large << " too large to go through");
    CHECK(tally.sets >= static_cast<int>(least_count(least_sets)));
}

}  // namespace

TEST_CASE("sporadic: no release pattern exceeds the bounds, kernels of equal blocks") {
    judge_all("equal blocks", 1400, false, false, 800);
}

TEST_CASE("sporadic: no release pattern exceeds the bounds, blocks of different sizes on two SMs") {
    judge_all("different blocks", 800, true, false, 300);
}

TEST_CASE("sporadic: no release pattern exceeds the bounds, copies around kernels") {
    judge_all("with copies", 1200, false, true, 500);
}

TEST_CASE("sporadic: what has no bound says why") {
    TaskSet tasks;
    tasks.gpu = gpu_of({2});
    tasks.operations = {{.name = "a", .blocks = 2, .time = 3, .period = 3},
                        {.name = "b", .time = 1, .period = 100}};
    CHECK_FALSE(sporadic_bounds(tasks).response[1]);
    CHECK_THAT(sporadic_bounds(tasks).argument, Catch::Matchers::Contains("more work comes than is done"));
    tasks.operations[0].period = 10;
    CHECK(sporadic_bounds(tasks).response[1]);
    tasks.operations[1].priority = 1;
    CHECK_THAT(sporadic_bounds(tasks).argument, Catch::Matchers::Contains("different priorities"));
    tasks.operations[1].priority = 0;
    tasks.operations[0].stream = tasks.operations[1].stream = 1;
    CHECK_THAT(sporadic_bounds(tasks).argument, Catch::Matchers::Contains("not released together"));
    tasks.operations[1].period = 10;
    tasks.operations[0].time = 9;
    CHECK_THAT(sporadic_bounds(tasks).argument, Catch::Matchers::Contains("wait in the stream of 'b'"));
}

TEST_CASE("sporadic: a kernel alone takes its own rounds, and the launch offset on top") {
    TaskSet tasks;
    tasks.gpu = gpu_of({4});
    tasks.operations = {{.name = "a", .blocks = 8, .time = 5, .period = 1000}};
    CHECK(respond(tasks).operations[0].worst.response() == 10);
    CHECK(*sporadic_bounds(tasks).response[0] >= 10);
    CHECK(*sporadic_bounds(tasks, {.launch_offset = 7}).response[0] ==
          *sporadic_bounds(tasks).response[0] + 7);
}
