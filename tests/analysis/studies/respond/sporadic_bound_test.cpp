#include "analysis/studies/respond/sporadic_bound.hpp"

#include "analysis/studies/respond/block_schedule.hpp"
#include "analysis/studies/respond/respond.hpp"
#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/every_arrival.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// SMs with these threads; nothing else is scarce.
netgen::Gpu gpu_of(const std::vector<std::int64_t>& threads) {
    netgen::Gpu gpu;
    gpu.warp_size = 1;
    gpu.sms.clear();
    for (const std::int64_t t : threads) gpu.sms.push_back({.threads = t, .blocks = 1000});
    return gpu;
}

/// The optional features of a random set, which always has kernels of equal blocks on one SM.
struct Kind {
    bool mixed = false;       ///< blocks of different sizes, two SMs
    bool copies = false;      ///< around kernels
    bool priorities = false;  ///< of streams, and of segments on a core
    bool cores = false;       ///< CPU segments around kernels; some segments keep their core
    bool full = false;        ///< short periods: many resources are used exactly to their limit or beyond
    bool jitter = false;      ///< some releases are late
};

/// Two or three tasks with small numbers.
netgen::TaskSet any_tasks(std::uint64_t seed, const Kind& kind) {
    const int number_of_kind = (kind.mixed ? 1 : 0) + (kind.priorities ? 2 : 0) + (kind.cores ? 4 : 0) +
                               (kind.full ? 8 : 0) + (kind.jitter ? 16 : 0);
    CounterRandom random(seed, static_cast<std::uint64_t>(number_of_kind));
    const auto from = [&](int least, int most) {
        return least + static_cast<int>(random.below(static_cast<std::uint32_t>(most - least + 1)));
    };
    netgen::TaskSet tasks;
    tasks.gpu = kind.mixed ? gpu_of({from(2, 3), from(2, 3)}) : gpu_of({from(1, 3)});
    const bool chains = kind.copies || kind.cores;
    const int number = chains ? 2 : from(2, 3);
    for (int n = 0; n < number; ++n) {
        netgen::Operation kernel{
            .name = std::string(1, static_cast<char>('a' + n)), .blocks = from(1, 3), .time = from(1, 3)};
        if (kind.mixed) kernel.threads = from(1, 2);
        if (from(0, 5) > 0) kernel.period = kind.full ? from(1, 6) : chains ? from(8, 20) : from(3, 9);
        kernel.deadline = kernel.period;
        if (kind.jitter && kernel.period) kernel.jitter = from(0, static_cast<int>(*kernel.period) / 2);
        if (kind.priorities) kernel.priority = from(0, 2);
        const bool with_others = chains && from(0, 2) > 0;
        if (with_others || (kind.full && from(0, 1) > 0)) kernel.stream = n;
        netgen::Operation copy = kernel;
        copy.kind = netgen::OperationKind::copy;
        copy.blocks = copy.threads = 1;
        netgen::Operation segment = copy;
        segment.kind = netgen::OperationKind::cpu;
        segment.core = kind.cores ? from(0, 3) / 3 : 0;
        if (kind.priorities) segment.priority = from(0, 1);
        const auto add = [&](netgen::Operation operation, const char* suffix) {
            operation.name += suffix;
            operation.time = from(1, operation.kind == netgen::OperationKind::cpu ? 3 : 2);
            tasks.operations.push_back(operation);
        };
        const bool copy_in = kind.copies && with_others && from(0, 3) > 0;
        const bool copy_out = kind.copies && with_others && from(0, 3) > 0;
        const bool before = kind.cores && with_others && from(0, 3) > 0;
        const bool behind = kind.cores && with_others && from(0, 3) > 0;
        segment.keeps_core = before && behind && from(0, 1) > 0;
        if (before) add(segment, "_before");
        if (copy_in) add(copy, "_in");
        tasks.operations.push_back(kernel);
        if (copy_out) add(copy, "_out");
        segment.keeps_core = false;
        if (behind) add(segment, "_behind");
    }
    return tasks;
}

struct Tally {
    int sets = 0, unbounded = 0, too_large = 0, operations = 0, equal = 0, partly = 0;
    netgen::Time excess = 0;  // sum of bound - worst
};

void judge(std::uint64_t seed, const netgen::TaskSet& tasks, netgen::Time launch_offset, Tally& tally) {
    CAPTURE(seed, launch_offset);
    const studies::SporadicBounds bounds = studies::sporadic_bounds(tasks, {.launch_offset = launch_offset});
    REQUIRE(bounds.response.size() == tasks.operations.size());
    REQUIRE(bounds.obstacle.size() == tasks.operations.size());
    std::size_t bounded = 0;
    for (std::size_t i = 0; i < bounds.response.size(); ++i) {
        REQUIRE(bounds.response[i].has_value() == bounds.obstacle[i].empty());
        bounded += bounds.response[i] ? 1U : 0U;
    }
    if (bounded == 0) {
        ++tally.unbounded;
        return;
    }
    // An operation without a bound may wait ever longer, so that the states have no end.
    const bool all = bounded == bounds.response.size();
    const auto worst =
        EveryArrival(tasks, launch_offset).responses((all ? 20'000U : 2'000U) / (sanitized() ? 5 : 1));
    if (!worst) {
        ++tally.too_large;
        return;
    }
    ++tally.sets;
    tally.partly += all ? 0 : 1;
    for (std::size_t i = 0; i < worst->size(); ++i) {
        CAPTURE(tasks.operations[i].name);
        REQUIRE((*worst)[i] >= tasks.operations[i].time);
        if (!bounds.response[i]) continue;
        REQUIRE(*bounds.response[i] >= (*worst)[i]);
        ++tally.operations;
        tally.equal += *bounds.response[i] == (*worst)[i] ? 1 : 0;
        tally.excess += *bounds.response[i] - (*worst)[i];
    }
    // The schedule of the file is one of them.
    studies::RespondOptions options;
    options.max_jobs = 1000;
    options.ignore_jitter = true;
    const studies::RespondResult schedule = studies::respond(tasks, options);
    for (std::size_t i = 0; i < worst->size(); ++i)
        REQUIRE(schedule.operations[i].worst.response() <= (*worst)[i]);
}

void judge_all(const char* what, std::uint64_t seeds, const Kind& kind, std::uint64_t least_sets) {
    Tally tally;
    for (std::uint64_t seed = 1; seed <= case_count(seeds); ++seed)
        judge(seed, any_tasks(seed, kind), static_cast<netgen::Time>(seed % 4 == 0 ? seed % 3 : 0), tally);
    WARN(what << ": " << tally.sets << " sets, " << tally.operations
              << " operations, bound equal to the worst of " << tally.equal << ", on average "
              << static_cast<double>(tally.excess) / std::max(1, tally.operations) << " more; "
              << tally.partly << " of the sets bounded in part, " << tally.unbounded << " more not at all, "
              << tally.too_large << " too large to go through");
    CHECK(tally.sets >= static_cast<int>(least_count(least_sets)));
}

}  // namespace

TEST_CASE("sporadic: no release pattern exceeds the bounds, kernels of equal blocks") {
    judge_all("equal blocks", 1400, {}, 800);
}

TEST_CASE("sporadic: no release pattern exceeds the bounds, blocks of different sizes on two SMs") {
    judge_all("different blocks", 800, {.mixed = true}, 300);
}

TEST_CASE("sporadic: no release pattern exceeds the bounds, copies around kernels") {
    judge_all("with copies", 1200, {.copies = true}, 500);
}

TEST_CASE("sporadic: no release pattern exceeds the bounds, several priorities") {
    judge_all("priorities", 1600, {.priorities = true}, 1000);
    judge_all("priorities, different blocks", 800, {.mixed = true, .priorities = true}, 300);
}

TEST_CASE("sporadic: no release pattern exceeds the bounds, CPU segments around kernels") {
    judge_all("CPU segments", 1600, {.cores = true}, 1000);
    judge_all("CPU segments, copies, priorities", 1600, {.copies = true, .priorities = true, .cores = true},
              500);
}

TEST_CASE("sporadic: no release pattern exceeds the bounds, releases with jitter") {
    judge_all("jitter", 1000, {.jitter = true}, 400);
    judge_all("jitter, different blocks, priorities", 600,
              {.mixed = true, .priorities = true, .jitter = true}, 200);
    judge_all("jitter, CPU segments, copies, priorities", 600,
              {.copies = true, .priorities = true, .cores = true, .jitter = true}, 100);
}

TEST_CASE("sporadic: jitter, by hand") {
    netgen::TaskSet tasks;
    tasks.gpu = gpu_of({1});
    const auto cpu = [](netgen::Time time, netgen::Time period, netgen::Time jitter, std::int32_t priority) {
        return netgen::Operation{.name = std::to_string(priority),
                                 .kind = netgen::OperationKind::cpu,
                                 .time = time,
                                 .period = period,
                                 .jitter = jitter,
                                 .stream = priority,
                                 .priority = priority};
    };
    // 3, 3 + 2 * 3, and 5 + 4 * 3 + 2 * 3: r = C + sum of ceil((r + J) / T) C.
    tasks.operations = {cpu(3, 7, 2, 3), cpu(3, 12, 0, 2), cpu(5, 30, 0, 1)};
    CHECK(studies::sporadic_bounds(tasks).response == std::vector<std::optional<netgen::Time>>{3, 9, 23});
    tasks.operations[2].jitter = 7;  // the next job may come after 23
    CHECK(studies::sporadic_bounds(tasks).response[2] == 23);
    tasks.operations[2].jitter = 8;
    CHECK_FALSE(studies::sporadic_bounds(tasks).response[2]);
    CHECK_THAT(
        studies::sporadic_bounds(tasks).obstacle[2],
        Catch::Matchers::Contains("the bound of '1', ") && Catch::Matchers::Contains("wait in its stream"));
    CHECK(studies::sporadic_bounds(tasks).response[1] == 9);
    tasks.operations[2].stream.reset();
    CHECK(studies::sporadic_bounds(tasks).response[2]);
}

namespace {

/// Jobs of a set at random times that its periods allow, often together and as early as possible. Each job is
/// launched once, and the jobs of a task are in their stream.
struct RandomReleases {
    netgen::TaskSet jobs;
    std::vector<std::size_t> operation;  // index in the set, for each job
};

RandomReleases random_releases(const netgen::TaskSet& tasks, std::uint64_t seed) {
    CounterRandom random(97, seed);
    std::vector<std::vector<std::size_t>> chains;
    for (std::size_t i = 0; i < tasks.operations.size(); ++i) {
        const auto& stream = tasks.operations[i].stream;
        if (i == 0 || !stream || tasks.operations[i - 1].stream != stream) chains.emplace_back();
        chains.back().push_back(i);
    }
    for (std::size_t i = chains.size(); i > 1; --i)
        std::swap(chains[i - 1], chains[random.below(static_cast<std::uint32_t>(i))]);
    RandomReleases result{{tasks.gpu, {}, tasks.unit}, {}};
    const netgen::Time together = static_cast<netgen::Time>(random.below(10));
    for (const auto& chain : chains) {
        const auto period = tasks.operations[chain.front()].period;
        netgen::Time release = random.below(3) > 0 ? together : static_cast<netgen::Time>(random.below(20));
        for (int job = 0; job < (period ? 25 : 1); ++job) {
            for (const std::size_t i : chain) {
                netgen::Operation operation = tasks.operations[i];
                operation.name += "#" + std::to_string(job);
                operation.release = release;
                operation.period.reset();
                operation.deadline.reset();
                result.jobs.operations.push_back(operation);
                result.operation.push_back(i);
            }
            release += period.value_or(0);
            if (random.below(4) == 0) release += static_cast<netgen::Time>(random.below(8));
        }
    }
    return result;
}

}  // namespace

TEST_CASE("sporadic: no random releases exceed the bounds, whatever is full") {
    int checked = 0, above = 0, bounded_in_full = 0, reached = 0;
    for (std::uint64_t seed = 1; seed <= case_count(2000); ++seed) {
        Kind kind;
        kind.mixed = seed % 5 == 1;
        kind.copies = seed % 3 == 0;
        kind.priorities = seed % 2 == 0;
        kind.cores = seed % 4 > 1;
        kind.full = seed % 7 > 1;
        const netgen::TaskSet tasks = any_tasks(seed, kind);
        const studies::SporadicBounds bounds = studies::sporadic_bounds(tasks);
        bool all = true, any = false;
        for (const auto& bound : bounds.response) {
            all = all && bound;
            any = any || bound;
        }
        above += all ? 0 : 1;
        bounded_in_full += !all && any ? 1 : 0;
        if (!any) continue;
        std::vector<netgen::Time> worst(tasks.operations.size());
        for (std::uint64_t pattern = 0; pattern < 4; ++pattern) {
            CAPTURE(seed, pattern);
            const RandomReleases releases = random_releases(tasks, seed * 4 + pattern);
            studies::ScheduleOptions options;
            options.policy = pattern % 2 == 0 ? netgen::SmPolicy::first_fit : netgen::SmPolicy::most_free;
            for (const studies::JobResponse& job : studies::schedule_blocks(releases.jobs, options).jobs) {
                const std::size_t i = releases.operation[job.operation];
                worst[i] = std::max(worst[i], job.response());
                if (!bounds.response[i]) continue;
                CAPTURE(tasks.operations[i].name, job.release);
                REQUIRE(job.response() <= *bounds.response[i]);
            }
        }
        ++checked;
        for (std::size_t i = 0; i < worst.size(); ++i) reached += worst[i] == bounds.response[i] ? 1 : 0;
    }
    WARN(checked << " sets with bounds; of " << above << " sets in which something has none "
                 << bounded_in_full << " have others; " << reached << " bounds are reached");
    CHECK(checked >= static_cast<int>(least_count(1000)));
    CHECK(bounded_in_full >= static_cast<int>(least_count(200)));
}

TEST_CASE("sporadic: exactly as much as can be done has a bound") {
    netgen::TaskSet tasks;
    tasks.gpu = gpu_of({1});
    tasks.operations = {{.name = "a", .time = 3, .period = 3}};
    CHECK(studies::sporadic_bounds(tasks).response[0] == 3);
    tasks.operations = {{.name = "a", .time = 2, .period = 4}, {.name = "b", .time = 2, .period = 4}};
    const std::vector<netgen::Time> worst = *EveryArrival(tasks, 0).responses(20'000);
    CHECK(studies::sporadic_bounds(tasks).response ==
          std::vector<std::optional<netgen::Time>>{worst[0], worst[1]});
    tasks.operations[1].period = 3;
    CHECK_FALSE(studies::sporadic_bounds(tasks).response[0]);
    tasks.operations[0].priority = 1;
    CHECK(studies::sporadic_bounds(tasks).response[0] == 3);  // a block of b may have started
    CHECK_THAT(studies::sporadic_bounds(tasks).obstacle[1],
               Catch::Matchers::Contains("work of this priority and of higher ones arrives at 116.7 % of the "
                                         "guaranteed service rate"));
}

TEST_CASE("sporadic: a stream that never ends its work delays others by one job") {
    netgen::TaskSet tasks;
    tasks.gpu = gpu_of({1});
    tasks.operations = {{.name = "a", .time = 5, .period = 4, .stream = 1},
                        {.name = "b", .time = 2, .period = 20, .stream = 2}};
    const studies::SporadicBounds bounds = studies::sporadic_bounds(tasks);
    CHECK_FALSE(bounds.response[0]);
    CHECK_THAT(bounds.obstacle[0], Catch::Matchers::Contains("the bound of 'a', ") &&
                                       Catch::Matchers::Contains("wait in its stream"));
    REQUIRE(bounds.response[1]);
    CHECK(*bounds.response[1] >= 7);
    CHECK(*bounds.response[1] <= 11);
}

TEST_CASE("sporadic: CPU segments, by hand") {
    netgen::TaskSet tasks;
    tasks.gpu = gpu_of({1});
    const auto cpu = [](const char* name, netgen::Time time, netgen::Time period, std::int64_t stream,
                        std::int32_t priority) {
        return netgen::Operation{.name = name,
                                 .kind = netgen::OperationKind::cpu,
                                 .time = time,
                                 .period = period,
                                 .stream = stream,
                                 .priority = priority};
    };
    // The textbook example of fixed priorities on one core: 3, 3 + 3, and 5 + 3 * 3 + 2 * 3 = 20.
    tasks.operations = {cpu("a", 3, 7, 1, 3), cpu("b", 3, 12, 2, 2), cpu("c", 5, 20, 3, 1)};
    CHECK(studies::sporadic_bounds(tasks).response == std::vector<std::optional<netgen::Time>>{3, 6, 20});
    // A wait that keeps the core also delays the second task by the kernel.
    tasks.operations = {cpu("in", 2, 50, 1, 0),
                        {.name = "k", .time = 10, .period = 50, .stream = 1},
                        cpu("out", 1, 50, 1, 0),
                        cpu("other", 4, 50, 2, 0)};
    CHECK(*studies::sporadic_bounds(tasks).response[3] == 6);  // one job of the second task at a time
    tasks.operations[0].keeps_core = true;
    CHECK(*studies::sporadic_bounds(tasks).response[3] == 17);
    CHECK(*studies::sporadic_bounds(tasks).response[2] == 17);
    CHECK(*studies::sporadic_bounds(tasks, {.launch_offset = 5}).response[3] == 22);
}

TEST_CASE("sporadic: what has no bound says why") {
    netgen::TaskSet tasks;
    tasks.gpu = gpu_of({2});
    tasks.operations = {{.name = "a", .blocks = 2, .time = 3, .period = 3},
                        {.name = "b", .time = 1, .period = 100}};
    const auto why = [&](std::size_t i) { return studies::sporadic_bounds(tasks).obstacle[i]; };
    CHECK_FALSE(studies::sporadic_bounds(tasks).response[1]);
    CHECK_THAT(why(1), Catch::Matchers::Contains("work arrives at 100.5 % of the guaranteed service rate"));
    tasks.operations[0].period = 10;
    CHECK(studies::sporadic_bounds(tasks).response[1]);
    tasks.operations[0].stream = tasks.operations[1].stream = 1;
    CHECK_THAT(why(0), Catch::Matchers::Contains("not released together"));
    tasks.operations[1].period = 10;
    tasks.operations[0].time = 10;
    CHECK_THAT(why(1), Catch::Matchers::Contains("the bound of 'b', ") &&
                           Catch::Matchers::Contains("wait in its stream"));
    tasks.operations[0].stream.reset();
    tasks.operations[0].priority = 1;
    CHECK_THAT(why(1), Catch::Matchers::Contains("work of higher priority takes all the time"));
}

TEST_CASE("sporadic: a kernel alone takes its own rounds, and the launch offset on top") {
    netgen::TaskSet tasks;
    tasks.gpu = gpu_of({4});
    tasks.operations = {{.name = "a", .blocks = 8, .time = 5, .period = 1000}};
    CHECK(studies::respond(tasks).operations[0].worst.response() == 10);
    CHECK(*studies::sporadic_bounds(tasks).response[0] >= 10);
    CHECK(*studies::sporadic_bounds(tasks, {.launch_offset = 7}).response[0] ==
          *studies::sporadic_bounds(tasks).response[0] + 7);
}
