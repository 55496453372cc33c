// Long runs of sm nets: every result is a run of the net, step by step.

#include "analysis/worst/search/sm_service.hpp"

#include "analysis/states/explore/run_extremes.hpp"
#include "analysis/worst/bounds/rate_bound.hpp"
#include "analysis/worst/search/order_search.hpp"
#include "engine/base/random.hpp"
#include "engine/plan.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_sm.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// The steps of the net if operations are served in the order in which they fired.
std::uint64_t replayed_steps(const netgen::SmNet& sm, const Net& net, const worst::SmRun& sm_run) {
    const NodeIndex nodes(net);
    std::vector<std::uint32_t> order;
    for (const worst::SmFiring& firing : sm_run.firings) {
        const netgen::SmOpKind kind = sm.program.bodies[firing.warp][firing.op].kind;
        const auto transition =
            nodes.transition(fmt::format("w{}_i{}_{}{}", firing.warp + 1, firing.op + 1, to_string(kind),
                                         firing.slot == 0 ? "" : fmt::format("_{}", firing.slot)));
        REQUIRE(transition);
        order.push_back(static_cast<std::uint32_t>(index(*transition)));
    }
    const RunResult result = run(plan(compile(net)), {.policy = Policy::replayed, .order = order});
    REQUIRE(result.reason == StopReason::dead);
    return result.steps;
}

/// Blocks of equal warps, whose operations take one rate of a scheduler or one rate of the SM.
netgen::SmNet equal_warps(CounterRandom& random) {
    netgen::SmNet sm;
    netgen::SmProgram& program = sm.program;
    program.schedulers = 1 + random.below(2);
    program.warps_per_block = program.schedulers * (1 + random.below(2));
    program.load_slots = 1 + random.below(2);
    const std::int64_t resident = 1 + random.below(3), delay = 1 + random.below(4);
    std::vector<netgen::SmOp> body(1 + random.below(4), {netgen::SmOpKind::alu, delay, 0, {}});
    for (netgen::SmOp& op : body) {
        op.credits[random.below(3) == 0 ? 7 : 0] = 1 + random.below(2);
        if (random.below(4) > 0) continue;
        op.kind = netgen::SmOpKind::load;
        op.slot = 1 + random.below(5);
    }
    if (body.size() > 1 && random.below(3) == 0) {
        body[body.size() / 2].kind = netgen::SmOpKind::barrier;
        body[body.size() / 2].slot = 0;
    }
    program.bodies.assign(static_cast<std::size_t>(resident * program.warps_per_block), body);
    const std::int64_t refill = 1 + random.below(2);
    program.refill.fill(refill);
    program.cap.fill(2 + 2 * refill);
    sm.blocks = resident * (1 + random.below(2));
    return sm;
}

}  // namespace

TEST_CASE("service of sm nets: its runs are runs of the net") {
    using Last = worst::SmService::Last;
    CounterRandom random(48, 0);
    for (std::size_t i = 0; i < case_count(300); ++i) {
        const netgen::SmNet sm = random_sm(random);
        const Net net = netgen::sm_net(sm.program, sm.blocks, sm.trips);
        for (const Last last : {Last::none, Last::last_of_block, Last::turn_of_block, Last::higher_numbers,
                                Last::one_block, Last::one_scheduler}) {
            const worst::SmService service{last, random.below(2) == 0};
            CAPTURE(i, static_cast<int>(last), service.lockstep);
            const worst::SmRun sm_run = worst::run_of(sm, service, true);
            REQUIRE(sm_run.steps == replayed_steps(sm, net, sm_run));
            REQUIRE(sm_run.steps <= worst::rate_bounds(sm)->together.steps);
        }
    }
}

TEST_CASE("service of sm nets: a starved warp makes its block wait") {
    // Two blocks of two warps on one scheduler that issues one operation per step. If the last warps of both
    // blocks wait for all earlier warps, the scheduler idles during their latencies.
    netgen::SmNet sm;
    netgen::SmProgram& program = sm.program;
    program.schedulers = 1;
    program.warps_per_block = 2;
    netgen::SmOp op{netgen::SmOpKind::alu, 4, 0, {}};
    op.credits[0] = 1;
    program.bodies.assign(4, {op, op, op});
    program.refill[0] = 1;
    program.cap[0] = 3;
    sm.blocks = 2;
    const std::uint64_t longest = worst::longest_run(sm).steps;
    CHECK(longest >= worst::run_of(sm, {worst::SmService::Last::none, false}).steps);
    CHECK(longest <= worst::rate_bounds(sm)->together.steps);
}

TEST_CASE("service of sm nets: blocks that starve another warp each") {
    // Blocks of two warps on two schedulers: if they starve different warps, both schedulers have remaining
    // work.
    netgen::SmNet sm;
    netgen::SmProgram& program = sm.program;
    program.schedulers = 2;
    program.warps_per_block = 2;
    netgen::SmOp op{netgen::SmOpKind::alu, 4, 0, {}};
    op.credits[0] = 1;
    program.bodies.assign(8, {op, op});
    program.refill[0] = 1;
    program.cap[0] = 3;
    sm.blocks = 8;
    using Last = worst::SmService::Last;
    CHECK(worst::run_of(sm, {Last::last_of_block, true}).steps == 19);
    CHECK(worst::longest_run(sm).steps == 20);
    const worst::SmRun run = worst::longest_run(sm, true);
    CHECK(run.steps == replayed_steps(sm, netgen::sm_net(program, sm.blocks, sm.trips), run));
}

TEST_CASE("service of sm nets: small nets of equal warps have few longer runs") {
    CounterRandom random(49, 0);
    std::size_t explored = 0, equal = 0;
    double found = 0, bounds = 0;
    for (std::size_t i = 0; i < case_count(100); ++i) {
        const netgen::SmNet sm = equal_warps(random);
        states::ExploreOptions options{.semantics = Semantics::maximal};
        options.max_states = 5'000;
        const states::RunExtremes extremes =
            states::run_extremes(compile(netgen::sm_net(sm.program, sm.blocks, sm.trips)), options);
        if (extremes.stop != WorkEnd::complete) continue;
        REQUIRE(extremes.longest);
        const std::uint64_t longest = worst::longest_run(sm).steps;
        const std::uint64_t bound = worst::rate_bounds(sm)->least().steps;
        CAPTURE(i);
        REQUIRE(longest <= *extremes.longest);
        REQUIRE(*extremes.longest <= bound);
        ++explored;
        if (longest == *extremes.longest) ++equal;
        found += static_cast<double>(longest) / static_cast<double>(*extremes.longest);
        bounds += static_cast<double>(bound) / static_cast<double>(*extremes.longest);
    }
    const auto of_all = static_cast<double>(explored);
    WARN("explored " << explored << ", longest run found in " << equal << "; to the longest run, found is "
                     << found / of_all << " and the bound " << bounds / of_all << " in the mean");
    CHECK(explored >= least_count(60));
    CHECK(10 * equal >= 9 * explored);
}
