// Bounds of sm nets, compared with complete exploration if it ends, and with runs that always serve some
// transitions first.

#include "analysis/worst/bounds/rate_bound.hpp"

#include "analysis/states/explore/run_extremes.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/base/random.hpp"
#include "engine/plan.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/longest_of_runs.hpp"
#include "tests/support/random_sm.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

TEST_CASE("rate bound: never crossed by a run of an sm net") {
    CounterRandom random(47, 0);
    std::size_t nets = 0, explored = 0, equal = 0, runs_equal = 0;
    double ratio = 0, sums = 0;
    for (std::size_t i = 0; i < case_count(300); ++i) {
        const netgen::SmNet sm = random_sm(random);
        const Net net = netgen::sm_net(sm.program, sm.blocks, sm.trips);
        const std::optional<worst::RateBounds> bounds = worst::rate_bounds(sm);
        REQUIRE(bounds);
        const std::uint64_t bound = std::min(bounds->together.steps, bounds->sum.steps);
        ++nets;
        CAPTURE(i, bounds->together.argument, bounds->sum.argument);
        const std::uint64_t longest = longest_of_runs(net, random, 40);
        REQUIRE(longest <= bound);
        if (longest == bound) ++runs_equal;
        ratio += static_cast<double>(bound) / static_cast<double>(longest);
        sums += static_cast<double>(bounds->sum.steps) / static_cast<double>(longest);
        states::ExploreOptions options{.semantics = Semantics::maximal};
        options.max_states = 3'000;
        const states::RunExtremes extremes = states::run_extremes(compile(net), options);
        if (extremes.stop != WorkEnd::complete) continue;
        ++explored;
        REQUIRE(extremes.longest);
        REQUIRE(*extremes.longest <= bound);
        if (*extremes.longest == bound) ++equal;
    }
    WARN("sm nets: " << nets << ", reached by runs in " << runs_equal << ", mean ratio "
                     << ratio / static_cast<double>(nets) << " (sums of rates "
                     << sums / static_cast<double>(nets) << "); explored " << explored << ", reached in "
                     << equal);
    CHECK(10 * explored > nets);
    CHECK(equal > 0);
}

TEST_CASE("rate bound: a warp never waits for itself, and an operation of two rates counts once") {
    netgen::SmNet sm;
    netgen::SmProgram& program = sm.program;
    program.schedulers = 1;
    netgen::SmOp op{netgen::SmOpKind::store, 3, 0, {}};
    op.credits[6] = 2;  // l2
    op.credits[7] = 4;  // dram
    program.bodies = {{op, op, op}};
    for (const std::size_t c : {6U, 7U}) {
        program.refill[c] = 4;
        program.cap[c] = 11;
    }
    const std::optional<worst::RateBounds> bounds = worst::rate_bounds(sm);
    REQUIRE(bounds);
    CHECK(bounds->together.steps == 9);
    CHECK(bounds->sum.steps == 9);
    program.bodies.push_back(program.bodies.front());
    program.warps_per_block = 2;
    // At the start 3/4 of a step of dram is owed, and the operations of the second warp owe 3; for l2 the
    // debts are 1/4 and 3/2.
    CHECK(worst::rate_bounds(sm)->together.steps == 9 + 3);
    CHECK(worst::rate_bounds(sm)->sum.steps == 9 + 3 + 1);
    program.cap[7] = 10;  // refills while dram is short might be lost
    CHECK_FALSE(worst::rate_bounds(sm));
}

TEST_CASE("rate bound: blocks of one warp share the rates of their scheduler only") {
    netgen::SmNet sm;
    netgen::SmProgram& program = sm.program;
    program.schedulers = 2;
    netgen::SmOp op{netgen::SmOpKind::alu, 1, 0, {}};
    op.credits[0] = 4;
    program.bodies = {{op}, {op}};
    program.refill[0] = 4;
    program.cap[0] = 11;
    sm.blocks = 2;
    const std::optional<worst::RateBounds> bounds = worst::rate_bounds(sm);
    REQUIRE(bounds);
    CHECK(bounds->together.steps == 1);  // no other warp is on its scheduler
    program.schedulers = 1;
    CHECK(worst::rate_bounds(sm)->together.steps == 2);
}

TEST_CASE("rate bound: a barrier of the path's own slot separates no work of this slot") {
    netgen::SmNet sm;
    netgen::SmProgram& program = sm.program;
    program.schedulers = 2;
    netgen::SmOp op{netgen::SmOpKind::alu, 1, 0, {}};
    op.credits[0] = 4;
    const netgen::SmOp barrier{netgen::SmOpKind::barrier, 1, 0, {}};
    program.bodies = {{op, barrier, op}, {op, barrier, op}};
    program.warps_per_block = 2;
    program.refill[0] = 4;
    program.cap[0] = 11;
    // One block takes 3 steps alone. 3/4 of a step of issue is owed at the start, and up to 7/4 at the
    // barrier, where the path may change to the other scheduler.
    REQUIRE(worst::rate_bounds(sm));
    CHECK(worst::rate_bounds(sm)->together.steps == 3 + 2);
    // In a second slot the path may meet the work of one warp before the barrier, and of the other one
    // behind.
    program.bodies.insert(program.bodies.end(), 2, program.bodies.front());
    sm.blocks = 2;
    CHECK(worst::rate_bounds(sm)->together.steps == 3 + 2 + 3);
}

TEST_CASE("rate bound: worst uses it, and names the machine") {
    CounterRandom random(5, 0);
    const netgen::SmNet sm = random_sm(random);
    worst::WorstCaseOptions options;
    options.search = false;
    const worst::WorstCase worst =
        worst::worst_case(netgen::sm_net(sm.program, sm.blocks, sm.trips), options);
    REQUIRE(worst.bound);
    CHECK(*worst.bound <= worst::rate_bounds(sm)->together.steps);
    CHECK(worst.machine.schedulers == worst::SchedulerUse::fixed);
    CHECK(worst.machine.count == sm.program.schedulers);
}
