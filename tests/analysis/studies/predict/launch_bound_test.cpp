// The bound of a launch on several SMs, compared with runs of the whole GPU: equal nets of one SM that take
// blocks from one place. So their conflicts are those of a dispatcher that may choose any SM.

#include "analysis/studies/predict/predict.hpp"
#include "analysis/worst/bounds/rate_bound.hpp"
#include "engine/base/random.hpp"
#include "engine/net/net_builder.hpp"
#include "engine/plan.hpp"
#include "engine/run/run.hpp"
#include "netgen/sm/sm.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/longest_of_runs.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// A program of few operations with rates that are often short.
netgen::SmProgram random_program(CounterRandom& random) {
    netgen::SmProgram program;
    const std::uint32_t refill = 1 + random.below(3);
    program.warps_per_block = 1 + random.below(2);
    program.schedulers = 1 + random.below(2);
    const std::uint32_t resident = 1 + random.below(2);
    for (std::uint32_t w = 0; w < resident * program.warps_per_block; ++w) {
        std::vector<netgen::SmOp>& body = program.bodies.emplace_back();
        for (std::uint32_t i = 0, n = 1 + random.below(3); i < n; ++i) {
            netgen::SmOp op;
            op.delay = 1 + random.below(4);
            for (std::size_t c = 0; c < netgen::sm_credit_count; ++c)
                if (c == 0 || random.below(4) == 0) op.credits[c] = random.below(2 * refill + 1);
            body.push_back(op);
        }
    }
    for (std::size_t c = 0; c < netgen::sm_credit_count; ++c) {
        program.refill[c] = refill;
        program.cap[c] = 4 * refill;
    }
    if (random.below(2) == 0) {
        program.launch_cost = 1 + random.below(3);
        program.launch_refill = 1;
        program.launch_cap = program.launch_cost + 1;
    }
    return program;
}

/// So many equal SMs that share the places `alive` and `blocks_left`.
Net gpu_net(const netgen::SmProgram& program, std::int64_t blocks, std::int64_t sms) {
    const Net sm = netgen::sm_net(program, blocks, program.trips);
    NetBuilder builder("gpu");
    const auto is_shared = [](const Place& place) {
        return place.id == "alive" || place.id == "blocks_left";
    };
    std::vector<PlaceId> shared(sm.places().size());
    for (std::size_t p = 0; p < shared.size(); ++p)
        if (is_shared(sm.places()[p]))
            shared[p] = builder.add_place(sm.places()[p].id, sm.places()[p].initial);
    for (std::int64_t number = 1; number <= sms; ++number) {
        const std::string prefix = "s" + std::to_string(number) + "_";
        std::vector<PlaceId> places = shared;
        for (std::size_t p = 0; p < places.size(); ++p)
            if (!is_shared(sm.places()[p]))
                places[p] = builder.add_place(prefix + sm.places()[p].id, sm.places()[p].initial);
        for (std::size_t t = 0; t < sm.transitions().size(); ++t) {
            const TransitionId added = builder.add_transition(prefix + sm.transitions()[t].id);
            if (sm.transitions()[t].immediate) builder.set_immediate(added);
            for (const Arc& arc : sm.arcs_of(TransitionId(t)))
                builder.add_arc(arc.kind, places[index(arc.place)], added, arc.weight);
        }
    }
    return builder.build();
}

}  // namespace

TEST_CASE("launch bound: never crossed by a run of all SMs, whichever gets the next block") {
    CounterRandom random(53, 0);
    std::size_t above_in_order = 0;
    double ratio = 0;
    const std::size_t nets = case_count(120);
    for (std::size_t i = 0; i < nets; ++i) {
        const netgen::SmProgram program = random_program(random);
        const std::int64_t sms = 2 + random.below(2), blocks = 1 + random.below(9);
        const auto bounds = studies::launch_bounds(program, blocks, sms, studies::Dispatcher::any);
        REQUIRE(bounds);
        const worst::StepBound bound = bounds->least();
        CAPTURE(i, blocks, sms, bound.argument);
        const std::uint64_t longest = longest_of_runs(gpu_net(program, blocks, sms), random, 60);
        REQUIRE(longest <= bound.steps);
        ratio += static_cast<double>(bound.steps) / static_cast<double>(longest);
        const auto in_order = studies::launch_bounds(program, blocks, sms, studies::Dispatcher::in_order);
        REQUIRE(in_order);
        if (longest > in_order->least().steps) ++above_in_order;
    }
    WARN("launches: " << nets << ", mean ratio " << ratio / static_cast<double>(nets)
                      << ", above the bound of a "
                      << "dispatcher in order " << above_in_order);
}

TEST_CASE("launch bound: blocks in turn are those of the busiest SM, and few blocks may meet on one SM") {
    CounterRandom random(3, 0);
    const netgen::SmProgram program = random_program(random);
    const std::int64_t resident = program.resident_blocks();
    CHECK(studies::launch_bounds(program, 7, 3, studies::Dispatcher::in_order)->least().steps ==
          worst::rate_bounds({program, 3, 1})->least().steps);
    CHECK(studies::launch_bounds(program, 3 * resident, 3, studies::Dispatcher::any)->least().steps ==
          worst::rate_bounds({program, resident, 1})->least().steps);
    CHECK(studies::launch_bounds(program, 3 * resident + 1, 3, studies::Dispatcher::any)->least().steps >
          worst::rate_bounds({program, resident, 1})->least().steps);
}
