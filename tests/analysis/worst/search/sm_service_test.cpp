// Long runs of sm nets: every one is a run of the net, step by step.

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
    // Two blocks of two warps on one scheduler that issues one operation a step: if the last warps of both
    // blocks wait for the others, nothing is left to do while they take their latencies.
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
    // Blocks of two warps on two schedulers: if they starve different warps, both schedulers have a rest.
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

TEST_CASE("service of sm nets: no run of small nets is longer") {
    // Blocks of equal warps whose operations take one rate, or two in turn: the search finds the maximum.
    for (const bool two_rates : {false, true}) {
        for (const std::int64_t width : {1, 2}) {
            netgen::SmNet sm;
            netgen::SmProgram& program = sm.program;
            program.schedulers = program.warps_per_block = width;
            std::vector<netgen::SmOp> body(2, {netgen::SmOpKind::alu, width == 1 ? 3 : 2, 0, {}});
            body[0].credits[0] = 1;
            body[1].credits[two_rates ? 7 : 0] = 1;
            program.bodies.assign(static_cast<std::size_t>(width == 1 ? 3 : 4), body);
            program.refill[0] = program.refill[7] = 1;
            program.cap[0] = program.cap[7] = 3;
            sm.blocks = 4;
            states::ExploreOptions options{.semantics = Semantics::maximal};
            options.max_states = 300'000;
            const states::RunExtremes extremes =
                states::run_extremes(compile(netgen::sm_net(program, sm.blocks, sm.trips)), options);
            REQUIRE(extremes.stop == WorkEnd::complete);
            CAPTURE(two_rates, width);
            CHECK(worst::longest_run(sm).steps == extremes.longest);
        }
    }
}
