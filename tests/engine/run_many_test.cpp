#include "engine/run_many.hpp"

#include "engine/plan.hpp"
#include "tests/support/sample_nets.hpp"

#include <cstdint>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

TEST_CASE("as many runs as are asked for, each as if made alone") {
    const Plan planned = plan(compile(station_net(3)));
    ManyOptions options;
    options.run.max_steps = 12;
    options.run.run = 5;
    options.markings = true;
    for (const std::uint64_t runs : {1u, 2u, 1023u, 1024u, 1025u, 3071u, 3072u, 3073u, 5000u}) {
        options.runs = runs;
        const std::vector<RunResult> results = run_many(planned, options);
        REQUIRE(results.size() == runs);
        for (std::uint64_t i = 0; i < runs; i += 1 + runs / 7) {
            RunOptions alone = options.run;
            alone.run += i;
            CHECK(results[i] == run(planned, alone));
        }
    }
}
