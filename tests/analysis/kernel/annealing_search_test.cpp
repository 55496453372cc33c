#include "analysis/kernel/annealing_search.hpp"

#include "engine/error.hpp"
#include "tests/support/kernel_vectors.hpp"
#include "tests/support/shared_data.hpp"

#include <catch2/catch.hpp>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

using namespace warpnet;
using warpnet::testing::voronoi;

namespace {

std::vector<std::tuple<std::uint32_t, std::uint64_t, int>> timeless(const std::vector<SearchLogEntry>& log) {
    std::vector<std::tuple<std::uint32_t, std::uint64_t, int>> entries;
    for (const SearchLogEntry& entry : log) entries.emplace_back(entry.chain, entry.iteration, entry.value);
    return entries;
}

void check_equal(const SearchResult& a, const SearchResult& b) {
    CHECK(a.found == b.found);
    CHECK(a.string == b.string);
    CHECK(a.schedule == b.schedule);
    CHECK(a.iterations == b.iterations);
    CHECK(timeless(a.log) == timeless(b.log));
    CHECK(a.stop == b.stop);
}

}  // namespace

TEST_CASE("the same seed gives the same answer on any number of threads") {
    const KernelInstance instance = normalise(voronoi(8, 4));
    SearchOptions options{.annealing = {.iterations = 20'000, .seed = 5}};
    const auto target = GENERATE(std::optional<int>(), 94);
    options.target = target;
    const tbb::global_control more_threads_than_cores(tbb::global_control::max_allowed_parallelism, 4);
    const SearchResult one = tbb::task_arena(1).execute([&] { return search(instance, options); });
    CHECK(one.stop == (target ? SearchStop::target_reached : SearchStop::complete));
    for (const int threads : {2, 4})
        check_equal(tbb::task_arena(threads).execute([&] { return search(instance, options); }), one);
}

TEST_CASE("the schedule found is one a work-conserving scheduler can produce, and as long as claimed") {
    const auto objective = GENERATE(Objective::longest, Objective::shortest);
    const KernelInstance instance = normalise(voronoi(6, 4));
    const SearchResult result =
        search(instance, {.annealing = {.objective = objective, .iterations = 20'000}, .chains = 4});
    CHECK(check_schedule(instance, result.schedule) == "");
    CHECK(static_cast<int>(result.schedule.size()) == result.found);
    CHECK(result.iterations == 80'000);
    CHECK(result.start_values.size() == 4);
    for (const StartValue& start : result.start_values)
        CHECK_FALSE(better(objective, start.value, result.found));
}

TEST_CASE("an interrupted search goes on to the same answer") {
    const KernelInstance instance = normalise(voronoi(7, 4));
    const SearchOptions options{.annealing = {.iterations = 30'000, .seed = 2}, .chains = 5};
    const SearchResult whole = search(instance, options);

    SearchState state = begin_search(instance, options);
    std::atomic<bool> interrupt = false;
    int checkpoints = 0;
    const SearchLimits limits{.interrupt = &interrupt, .deadline = {}, .checkpoint = [&](const SearchState&) {
                                  interrupt = ++checkpoints % 3 == 0;
                              }};
    SearchStop stop = SearchStop::interrupted;
    int best_so_far = 0;
    for (int continued = 0; stop == SearchStop::interrupted && continued < 1000; ++continued) {
        interrupt = false;
        stop = continue_search(state, limits);
        const SearchResult so_far = search_result(state, stop);
        CHECK(so_far.found >= best_so_far);
        best_so_far = so_far.found;
    }
    check_equal(search_result(state, stop), whole);
}

TEST_CASE("a time limit is reported as such") {
    const KernelInstance instance = normalise(voronoi(7, 4));
    SearchLimits limits;
    limits.deadline = std::chrono::steady_clock::now();
    const SearchOptions options{.annealing = {.iterations = 1'000'000}, .chains = 2};
    SearchState state = begin_search(instance, options);
    CHECK(continue_search(state, limits) == SearchStop::time_limit);
    CHECK(search_result(state, SearchStop::time_limit).found > 0);
}

TEST_CASE("a target that the start reaches ends the search at once") {
    const KernelInstance instance = normalise(voronoi(4, 4));
    const SearchResult result = search(instance, {.annealing = {.iterations = 1'000'000}, .target = 25});
    CHECK(result.stop == SearchStop::target_reached);
    CHECK(result.iterations == 0);
}

TEST_CASE("options that make no sense are refused") {
    const KernelInstance instance = normalise(voronoi(4, 4));
    CHECK_THROWS_AS(search(instance, {.chains = 0}), InputError);
    CHECK_THROWS_AS(search(instance, {.annealing = {.temperature = -1}}), InputError);
}
