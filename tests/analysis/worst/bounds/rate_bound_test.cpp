// Bounds of sm nets against complete exploration where it ends, and against runs that serve some transitions
// first always.

#include "analysis/worst/bounds/rate_bound.hpp"

#include "analysis/states/explore/run_extremes.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/base/random.hpp"
#include "engine/plan.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// An operation of any kind that takes up to `most` credits of some rates.
SmOp random_op(CounterRandom& random, std::uint32_t most) {
    SmOp op;
    op.kind = random.below(3) == 0 ? SmOpKind::load : SmOpKind::alu;
    op.delay = 1 + random.below(3);
    if (op.kind == SmOpKind::load) op.slot = 1 + random.below(6);
    op.credits[0] = 1 + random.below(most);
    for (std::size_t c = 1; c < sm_credit_count; ++c)
        if (random.below(3) == 0) op.credits[c] = random.below(most + 1);
    return op;
}

/// Small numbers, so that few markings can be reached; rates are short often.
SmNet random_sm(CounterRandom& random) {
    SmNet sm;
    SmProgram& program = sm.program;
    const std::uint32_t refill = 1 + random.below(3);
    program.warps_per_block = 1 + random.below(3);
    program.schedulers = 1 + random.below(2);
    program.load_slots = 1 + random.below(2);
    const auto resident = static_cast<std::int64_t>(1 + random.below(3));
    const std::uint32_t barriers = random.below(3) == 0 ? 1 + random.below(2) : 0;
    for (std::int64_t w = 0; w < resident * program.warps_per_block; ++w) {
        std::vector<SmOp>& body = program.bodies.emplace_back();
        for (std::uint32_t b = 0; b <= barriers; ++b) {
            for (std::uint32_t i = 0, n = 1 + random.below(2); i < n; ++i)
                body.push_back(random_op(random, 2 * refill));
            if (b == barriers) continue;
            body.push_back(random_op(random, 2 * refill));
            body.back().kind = SmOpKind::barrier;
            body.back().slot = 0;
        }
    }
    for (std::size_t c = 0; c < sm_credit_count; ++c) {
        program.refill[c] = refill;
        if (c >= 6 && random.below(2) == 0) program.last_refill[c] = random.below(3);
        program.cap[c] = std::max<std::int64_t>(2 * (refill + program.last_refill[c]), 4 * refill);
        if (c >= 6) program.cap[c] += random.below(5);
    }
    program.last_blocks = 1 + random.below(2);
    if (random.below(2) == 0) {
        program.launch_cost = 1 + random.below(4);
        program.launch_refill = 1;
        program.launch_cap = program.launch_cost + 1;
    }
    sm.blocks = resident + random.below(4);
    sm.trips = 1 + random.below(2);
    return sm;
}

/// The longest of runs that serve some transitions first, and of random ones.
std::uint64_t longest_of_runs(const Net& net, CounterRandom& random, std::size_t runs) {
    const Plan planned = plan(compile(net));
    std::vector<std::uint32_t> transitions(net.transitions().size());
    std::iota(transitions.begin(), transitions.end(), 0U);
    std::uint64_t longest = 0;
    for (std::size_t i = 0; i < runs; ++i) {
        for (std::size_t k = transitions.size(); k > 1; --k)
            std::swap(transitions[k - 1], transitions[random.below(static_cast<std::uint32_t>(k))]);
        std::vector<std::uint32_t> order;
        for (const std::uint32_t t : transitions) order.insert(order.end(), 30, t);
        RunOptions options{.policy = i % 4 == 0 ? Policy::random : Policy::replayed, .seed = i};
        if (options.policy == Policy::replayed) options.order = order;
        const RunResult result = run(planned, options);
        REQUIRE(result.reason == StopReason::dead);
        longest = std::max(longest, result.steps);
    }
    return longest;
}

}  // namespace

TEST_CASE("rate bound: never crossed by a run of an sm net") {
    CounterRandom random(47, 0);
    std::size_t nets = 0, explored = 0, equal = 0, runs_equal = 0;
    double ratio = 0;
    for (std::size_t i = 0; i < case_count(300); ++i) {
        const SmNet sm = random_sm(random);
        const Net net = sm_net(sm.program, sm.blocks, sm.trips);
        const std::optional<StepBound> bound = rate_bound(sm);
        REQUIRE(bound);
        ++nets;
        CAPTURE(i, bound->argument);
        const std::uint64_t longest = longest_of_runs(net, random, 40);
        REQUIRE(longest <= bound->steps);
        if (longest == bound->steps) ++runs_equal;
        ratio += static_cast<double>(bound->steps) / static_cast<double>(longest);
        ExploreOptions options{.semantics = Semantics::maximal};
        options.max_states = 3'000;
        const RunExtremes extremes = run_extremes(compile(net), options);
        if (extremes.stop != WorkEnd::complete) continue;
        ++explored;
        REQUIRE(extremes.longest);
        REQUIRE(*extremes.longest <= bound->steps);
        if (*extremes.longest == bound->steps) ++equal;
    }
    WARN("sm nets: " << nets << ", reached by runs in " << runs_equal << ", mean ratio "
                     << ratio / static_cast<double>(nets) << "; explored " << explored << ", reached in "
                     << equal);
    CHECK(10 * explored > nets);
    CHECK(equal > 0);
}

TEST_CASE("rate bound: one warp alone, and rates that are never short alone") {
    SmNet sm;
    SmProgram& program = sm.program;
    program.schedulers = 1;
    SmOp op{SmOpKind::store, 3, 0, {}};
    op.credits[6] = 2;  // l2
    op.credits[7] = 4;  // dram
    program.bodies = {{op, op, op}};
    for (const std::size_t c : {6U, 7U}) {
        program.refill[c] = 4;
        program.cap[c] = 8;
    }
    const std::optional<StepBound> bound = rate_bound(sm);
    REQUIRE(bound);
    CHECK(bound->steps == 9 + 2);  // l2 is never short; of dram, 12 credits are asked for and 4 are there
    CHECK(bound->argument.find("l2") == std::string::npos);
    program.cap[7] = 7;  // a step in which dram is short might end at the cap
    CHECK_FALSE(rate_bound(sm));
}

TEST_CASE("rate bound: worst uses it, and names the machine") {
    CounterRandom random(5, 0);
    const SmNet sm = random_sm(random);
    WorstCaseOptions options;
    options.search = false;
    const WorstCase worst = worst_case(sm_net(sm.program, sm.blocks, sm.trips), options);
    REQUIRE(worst.bound);
    CHECK(*worst.bound <= rate_bound(sm)->steps);
    CHECK(worst.machine.schedulers == SchedulerUse::fixed);
    CHECK(worst.machine.count == sm.program.schedulers);
}
