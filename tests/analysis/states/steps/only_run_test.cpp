#include "analysis/states/steps/only_run.hpp"

#include "analysis/states/explore/run_extremes.hpp"
#include "engine/base/random.hpp"
#include "engine/plan.hpp"
#include "engine/run/served_parts.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

Net random_kernel(std::uint64_t seed) {
    CounterRandom random(seed, 0);
    netgen::KernelSpec spec;
    for (std::uint32_t i = 1 + random.below(5); i > 0; --i) spec.string += "CLS"[random.below(3)];
    spec.warps = 2 + static_cast<int>(random.below(3));
    spec.units = {{'C', {2, 1}}, {'L', {1, 1}}, {'S', {1, 1}}};
    spec.schedulers = 1 + static_cast<int>(random.below(3));
    return netgen::kernel_net(spec);
}

}  // namespace

TEST_CASE("instruction strings leave a policy one run") {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const Net net = random_kernel(seed);
        const CompiledNet compiled = compile(net);
        const ServedParts served = find_served_parts(compiled);
        const states::RunExtremes extremes = states::run_extremes(compiled);
        for (const Policy policy : {Policy::gto, Policy::lrr}) {
            CAPTURE(seed, to_string(policy));
            RunOptions options;
            options.policy = policy;
            options.served = &served;
            const std::optional<states::CompleteRun> only = states::run_of_policy(compiled, options);
            REQUIRE(only);
            CHECK(only->only);
            for (options.seed = 2; options.seed < 5; ++options.seed)
                CHECK(run(compiled, options).steps == only->steps);
            CHECK(replay(compiled, net, only->schedule, Semantics::maximal).steps == only->steps);
            CHECK(only->steps <= extremes.longest.value());
            CHECK(only->steps >= extremes.shortest.value());
        }
    }
}

TEST_CASE("a warp that may choose its next instruction leaves the policy more than one run") {
    netgen::WarpsSpec spec;
    spec.warps.assign(3, {2, 1, 0});
    const Net net = netgen::warps_net(spec);
    const CompiledNet compiled = compile(net);
    const ServedParts served = find_served_parts(compiled);
    RunOptions options;
    options.policy = Policy::lrr;
    options.served = &served;
    const std::optional<states::CompleteRun> one = states::run_of_policy(compiled, options);
    REQUIRE(one);
    CHECK_FALSE(one->only);
    CHECK_FALSE(states::run_of_policy(compiled, options, false));
    CHECK(replay(compiled, net, one->schedule, Semantics::maximal).steps == one->steps);
    spec.warps.assign(3, {2, 0, 0});
    CHECK(states::run_of_policy(compile(netgen::warps_net(spec)), options)->only);
}
