#include "analysis/studies/respond/scaling.hpp"

#include "analysis/studies/respond/respond_report.hpp"
#include "engine/base/random.hpp"
#include "tests/support/block_vectors.hpp"
#include "tests/support/case_count.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

netgen::TaskSet random_tasks(std::uint64_t seed) {
    CounterRandom random(seed, 31);
    netgen::TaskSet tasks;
    tasks.gpu = flat_gpu(1 + random.below(4));
    for (std::uint32_t i = 1; i <= 1 + random.below(3); ++i) {
        netgen::Operation kernel = flat_kernel(i, 100 + random.below(900), 1 + random.below(5));
        kernel.period = 5'000;
        if (i == 1 || random.below(3) > 0) kernel.deadline = 300 + random.below(4'000);
        tasks.operations.push_back(kernel);
    }
    return tasks;
}

bool meets(const netgen::TaskSet& tasks, const studies::RespondQuestions& questions, std::int64_t scale,
           std::optional<std::size_t> operation) {
    if (scale == 0) return true;
    netgen::TaskSet changed = tasks;
    for (std::size_t i = 0; i < changed.operations.size(); ++i)
        if (!operation || *operation == i)
            changed.operations[i].time = (changed.operations[i].time * scale + 999) / 1000;
    const studies::RespondReport report = studies::respond_report(changed, questions);
    return report.all_met && report.conclusive;
}

std::optional<studies::TaskScaling> scaling_of(const netgen::TaskSet& tasks) {
    studies::RespondQuestions questions;
    questions.scaling = true;
    return studies::respond_report(tasks, questions).scaling;
}

}  // namespace

TEST_CASE("scaling: deadlines are met at each factor, and not 0.001 above") {
    std::uint64_t grow = 0, shrink = 0;
    for (std::uint64_t seed = 1; seed <= case_count(40); ++seed) {
        CAPTURE(seed);
        const netgen::TaskSet tasks = random_tasks(seed);
        studies::RespondQuestions questions;
        if (seed % 2 == 0) questions.sporadic = studies::SporadicOptions{};
        studies::RespondQuestions with_scaling = questions;
        with_scaling.scaling = true;
        const auto report = studies::respond_report(tasks, with_scaling);
        const auto& scaling = report.scaling;
        REQUIRE(scaling);
        REQUIRE(scaling->alone.size() == tasks.operations.size());
        const auto check = [&](const studies::TimeScale& scale, std::optional<std::size_t> operation) {
            CHECK(meets(tasks, questions, scale.value_or(0), operation));
            if (scale != scaling->largest)
                CHECK_FALSE(meets(tasks, questions, scale.value_or(0) + 1, operation));
            // Whether times may grow at all is the verdict on the unchanged set.
            CHECK((scale >= 1000) == (report.all_met && report.conclusive));
            ++(scale >= 1000 ? grow : shrink);
        };
        check(scaling->all, {});
        for (std::size_t i = 0; i < tasks.operations.size(); ++i) check(scaling->alone[i], i);
    }
    CHECK(grow >= least_count(10));
    CHECK(shrink >= least_count(10));
}

TEST_CASE("scaling: one kernel, by hand") {
    // 4 blocks on 2 slots: two rounds of 100, and a deadline of 300.
    netgen::TaskSet tasks;
    tasks.gpu = flat_gpu(2);
    tasks.operations = {flat_kernel(1, 100, 4)};
    CHECK_FALSE(scaling_of(tasks));  // no deadline
    tasks.operations[0].deadline = 300;
    const auto scaling = scaling_of(tasks);
    REQUIRE(scaling);
    CHECK(scaling->all == 1500);
    CHECK(scaling->alone.front() == 1500);
    CHECK(scaling->deadlines == Approx(200.0 / 300));
    tasks.operations[0].deadline = 1;  // two rounds of at least 1 each
    const auto none = scaling_of(tasks);
    REQUIRE(none);
    CHECK_FALSE(none->all);
    CHECK(none->deadlines == Approx(200));
}
