#include "netgen/delay/delay_gadget.hpp"

#include "engine/net/net_builder.hpp"
#include "engine/plan.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("a delay takes as many steps as it says, and is one that the engine skips over") {
    for (const Tokens steps : {1, 2, 3, 20, 1500}) {
        CAPTURE(steps);
        NetBuilder builder;
        const PlaceId wait = builder.add_place("wait", 1), out = builder.add_place("out");
        const TransitionId done = netgen::add_delay(builder, wait, steps, {"done", "timer", "tick"});
        builder.add_output(done, out);
        const Net net = builder.build();
        CHECK(net.transitions().size() == (steps == 1 ? 1 : 2));
        const CompiledNet compiled = compile(net);
        const RunResult result = run(compiled);
        CHECK(result.reason == StopReason::dead);
        CHECK(result.steps == static_cast<std::uint64_t>(steps));
        CHECK(result.marking[index(out)] == 1);
        REQUIRE(compiled.gadgets.size() == (steps == 1 ? 0 : 1));
        if (steps > 1) CHECK(compiled.gadgets.front().length == steps);
    }
}
