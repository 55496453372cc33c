#include "analysis/worst/kernel/dense_makespan.hpp"

#include "tests/support/case_count.hpp"
#include "tests/support/every_run.hpp"
#include "tests/support/kernel_vectors.hpp"
#include "tests/support/shared_data.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

constexpr std::uint64_t table_limit = 2'000'000;

int checked(const netgen::KernelInstance& instance, worst::Objective objective) {
    const auto result = worst::dense_makespan(instance, objective, {.memory = table_limit});
    REQUIRE(result.has_value());
    CHECK(check_schedule(instance, result->schedule) == "");
    CHECK(static_cast<int>(result->schedule.size()) == result->makespan);
    return result->makespan;
}

}  // namespace

TEST_CASE("dense makespan: the published figures wherever the table is small") {
    const auto path = shared_data("vectors/makespan.tsv");
    SKIP_WITHOUT(path, "vectors/makespan.tsv");
    std::size_t reached = 0;
    for (const MakespanRow& row : read_makespan_rows(*path)) {
        const netgen::KernelInstance instance = netgen::normalise(row.spec);
        const auto bytes = worst::dense_makespan_bytes(instance);
        if (!bytes || *bytes > (sanitized() ? table_limit / 100 : table_limit)) continue;
        CAPTURE(row.text);
        CHECK(checked(instance, worst::Objective::longest) == row.longest);
        CHECK(checked(instance, worst::Objective::shortest) == row.shortest);
        ++reached;
    }
    CHECK(reached >= least_count(1000));
}

TEST_CASE("dense makespan: the same as trying every run of the net") {
    for (std::uint64_t seed = 0; seed < case_count(150); ++seed) {
        CAPTURE(seed);
        const netgen::KernelSpec spec = any_kernel(seed, {.length = 5, .warps = 3});
        const netgen::KernelInstance instance = netgen::normalise(spec);
        const Net net = netgen::kernel_net(spec);
        const StepCounts counts = EveryRun(net)();
        CHECK(checked(instance, worst::Objective::longest) == counts.most);
        CHECK(checked(instance, worst::Objective::shortest) == counts.least);
    }
}

TEST_CASE("dense makespan: a table beyond the memory limit is refused") {
    const netgen::KernelInstance instance = netgen::normalise(voronoi(16, 4));
    CHECK(worst::dense_makespan_bytes(instance) == 2 * std::uint64_t{103'077'446'706});  // C(41, 16) states
    CHECK(!worst::dense_makespan(instance, worst::Objective::longest, {.memory = table_limit}));
}

TEST_CASE("dense makespan: time that is up ends it without an answer") {
    const netgen::KernelInstance instance = netgen::normalise(voronoi(6, 4));
    const std::atomic<bool> interrupt = true;
    CHECK(!worst::dense_makespan(instance, worst::Objective::longest, {.interrupt = &interrupt}));
    CHECK(!worst::dense_makespan(instance, worst::Objective::longest,
                                 {.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1)}));
    CHECK(worst::dense_makespan(instance, worst::Objective::longest));
}
