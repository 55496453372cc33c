// Which steps SimpleSteps makes, and that they are those of a run which does without it; whole runs are
// judged by cells_test.

#include "engine/executors/general/simple_steps.hpp"

#include "engine/executors/general/net.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/executor_checks.hpp"
#include "tests/support/random_module_net.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

Plan plan_with_cells(const Net& net, const CompileOptions& arrays) {
    return warpnet::testing::plan_for(
        net, {.arrays = arrays, .modules = false, .parts = in_one_piece, .pivots = false});
}

/// How many steps of a run it makes before the first that is not simple; they are those of an observed run.
std::uint64_t first_simple_steps(const Plan& planned, RunOptions options) {
    const CompiledNet& net = planned.net();
    ConflictOrder order(options, net.transition_count());
    RunState state(net, *planned.general, order, {.delays = true, .cells = true, .marking = false});
    SimpleSteps simple(net, *planned.general, state, order);
    if (!simple.usable()) return 0;
    REQUIRE(simple.make(options.max_steps));
    options.max_steps = state.now();
    state.settle();
    ScheduleRecorder recorder;
    const RunResult expected = run(planned, options, &recorder);
    CHECK(expected.steps == options.max_steps);
    CHECK(Marking(state.marking().begin(), state.marking().end()) == expected.marking);
    CHECK(simple.firings() + state.delays().firings() == expected.firings);
    return options.max_steps;
}

}  // namespace

TEST_CASE("simple steps: those of an observed run") {
    std::uint64_t steps = 0;
    for (std::uint64_t seed = 0; seed < case_count(600); ++seed) {
        CAPTURE(seed);
        RunOptions options;
        options.seed = seed;
        options.max_steps = seed % 3 == 0 ? seed % 40 : 200;
        steps += first_simple_steps(
            plan_with_cells(RandomModuleNet(seed).build(), {.hub_consumers = 3, .group_size = 1}), options);
    }
    CHECK(steps >= least_count(4000));
}

TEST_CASE("simple steps: all of a warps net until it is dead") {
    WarpsSpec spec;
    spec.warps.assign(16, {20, 5, 2});
    const Plan planned = plan_with_cells(warps_net(spec), {});
    const RunOptions options;
    CHECK(first_simple_steps(planned, options) == run(planned, options).steps);
}
