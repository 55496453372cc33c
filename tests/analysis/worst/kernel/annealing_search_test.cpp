#include "analysis/worst/kernel/annealing.hpp"
#include "engine/net/error.hpp"
#include "tests/support/kernel_vectors.hpp"
#include "tests/support/shared_data.hpp"

#include <catch2/catch.hpp>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

using namespace warpnet;
using warpnet::testing::voronoi;

namespace {

std::vector<std::tuple<std::uint32_t, std::uint64_t, int>> timeless(
    const std::vector<worst::AnnealingResult::LogEntry>& log) {
    std::vector<std::tuple<std::uint32_t, std::uint64_t, int>> entries;
    for (const worst::AnnealingResult::LogEntry& entry : log)
        entries.emplace_back(entry.chain, entry.iteration, entry.value);
    return entries;
}

void check_equal(const worst::AnnealingResult& a, const worst::AnnealingResult& b) {
    CHECK(a.found == b.found);
    CHECK(a.string == b.string);
    CHECK(a.schedule == b.schedule);
    CHECK(a.iterations == b.iterations);
    CHECK(timeless(a.log) == timeless(b.log));
    CHECK(a.stop == b.stop);
}

}  // namespace

TEST_CASE("the same seed gives the same answer on any number of threads") {
    const netgen::KernelInstance instance = netgen::normalise(voronoi(8, 4));
    worst::AnnealingSearchOptions options{.annealing = {.iterations = 20'000, .seed = 5}};
    const auto target = GENERATE(std::optional<int>(), 94);
    options.target = target;
    const tbb::global_control more_threads_than_cores(tbb::global_control::max_allowed_parallelism, 4);
    const worst::AnnealingResult one =
        tbb::task_arena(1).execute([&] { return worst::annealing_search(instance, options); });
    CHECK(one.stop == (target ? WorkEnd::target_reached : WorkEnd::complete));
    for (const int threads : {2, 4})
        check_equal(
            tbb::task_arena(threads).execute([&] { return worst::annealing_search(instance, options); }),
            one);
}

TEST_CASE("the schedule found is one a work-conserving scheduler can produce, and as long as claimed") {
    const auto objective = GENERATE(worst::Objective::longest, worst::Objective::shortest);
    const netgen::KernelInstance instance = netgen::normalise(voronoi(6, 4));
    const worst::AnnealingResult result = worst::annealing_search(
        instance, {.annealing = {.objective = objective, .iterations = 20'000}, .chains = 4});
    CHECK(check_schedule(instance, result.schedule) == "");
    CHECK(static_cast<int>(result.schedule.size()) == result.found);
    CHECK(result.iterations == 80'000);
    CHECK(result.start_values.size() == 4);
    for (const worst::AnnealingResult::StartValue& start : result.start_values)
        CHECK_FALSE(worst::better(objective, start.value, result.found));
}

TEST_CASE("an interrupted search goes on to the same answer") {
    const netgen::KernelInstance instance = netgen::normalise(voronoi(7, 4));
    const worst::AnnealingSearchOptions options{.annealing = {.iterations = 30'000, .seed = 2}, .chains = 5};
    const worst::AnnealingResult whole = worst::annealing_search(instance, options);

    worst::AnnealingState state = worst::begin_search<worst::KernelStrings>(instance, options);
    std::atomic<bool> interrupt = false;
    int checkpoints = 0;
    const worst::AnnealingLimits limits{
        .work = {.interrupt = &interrupt},
        .checkpoint = [&](const worst::AnnealingState&) { interrupt = ++checkpoints % 3 == 0; }};
    WorkEnd stop = WorkEnd::interrupted;
    int best_so_far = 0;
    for (int continued = 0; stop == WorkEnd::interrupted && continued < 1000; ++continued) {
        interrupt = false;
        stop = worst::continue_search(state, limits);
        const worst::AnnealingResult so_far = worst::annealing_result(state, stop);
        CHECK(so_far.found >= best_so_far);
        best_so_far = so_far.found;
    }
    check_equal(worst::annealing_result(state, stop), whole);
}

TEST_CASE("a time limit is reported as such") {
    const netgen::KernelInstance instance = netgen::normalise(voronoi(7, 4));
    worst::AnnealingLimits limits;
    limits.work.deadline = std::chrono::steady_clock::now();
    const worst::AnnealingSearchOptions options{.annealing = {.iterations = 1'000'000}, .chains = 2};
    worst::AnnealingState state = worst::begin_search<worst::KernelStrings>(instance, options);
    CHECK(worst::continue_search(state, limits) == WorkEnd::time_limit);
    CHECK(worst::annealing_result(state, WorkEnd::time_limit).found > 0);
}

TEST_CASE("a target that the start reaches ends the search at once") {
    const netgen::KernelInstance instance = netgen::normalise(voronoi(4, 4));
    const worst::AnnealingResult result =
        worst::annealing_search(instance, {.annealing = {.iterations = 1'000'000}, .target = 25});
    CHECK(result.stop == WorkEnd::target_reached);
    CHECK(result.iterations == 0);
}

TEST_CASE("options that make no sense are refused") {
    const netgen::KernelInstance instance = netgen::normalise(voronoi(4, 4));
    CHECK_THROWS_AS(worst::annealing_search(instance, {.chains = 0}), InputError);
    CHECK_THROWS_AS(worst::annealing_search(instance, {.annealing = {.temperature = -1}}), InputError);
}

TEST_CASE("what is found never exceeds the exact makespan, and nearly always is it") {
    const char* const name = "vectors/makespan.tsv";
    const auto path = warpnet::testing::shared_data(name);
    SKIP_WITHOUT(path, name);
    int searches = 0;
    int exact = 0;
    for (const auto& row : warpnet::testing::read_makespan_rows(*path)) {
        if (row.spec.string.size() > 20) continue;  // the paper's kernel: below
        CAPTURE(row.text);
        const netgen::KernelInstance instance = netgen::normalise(row.spec);
        for (const auto objective : {worst::Objective::longest, worst::Objective::shortest}) {
            const int known = objective == worst::Objective::longest ? row.longest : row.shortest;
            const worst::AnnealingResult result = worst::annealing_search(
                instance, {.annealing = {.objective = objective, .iterations = 16'000},
                           .chains = 4,
                           .start = {},
                           .target = known});
            CHECK_FALSE(worst::better(objective, result.found, known));
            ++searches;
            exact += result.found == known;
        }
    }
    CHECK(searches > 2000);
    CHECK(exact >= searches - 5);
}

TEST_CASE("the paper's kernel: exact maxima for up to eight warps") {
    const auto [warps, schedulers, longest] = GENERATE(table<int, std::optional<int>, int>(
        {{4, 4, 45}, {5, 4, 65}, {6, 4, 78}, {8, 4, 98}, {5, std::nullopt, 57}, {8, std::nullopt, 86}}));
    CAPTURE(warps, schedulers);
    const worst::AnnealingResult result =
        worst::annealing_search(netgen::normalise(voronoi(warps, schedulers)),
                                {.annealing = {.iterations = 200'000}, .start = {}, .target = longest});
    CHECK(result.found == longest);
}

TEST_CASE("the paper's kernel with 16 warps: 160 without schedulers") {
    const worst::AnnealingResult result =
        worst::annealing_search(netgen::normalise(voronoi(16, std::nullopt)),
                                {.annealing = {.iterations = 200'000}, .start = {}, .target = 160});
    CHECK(result.found == 160);
    CHECK(check_schedule(netgen::normalise(voronoi(16, std::nullopt)), result.schedule) == "");
}
