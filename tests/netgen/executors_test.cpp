// Which of the two executors runs the nets of each family, and that they make the same runs.

#include "engine/run/parse_condition.hpp"
#include "engine/run/run.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"

#include <utility>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

CompileOptions without_components() {
    CompileOptions options;
    options.components = false;
    return options;
}

/// Run by run under deterministic policies and with keyed draws, also where a step limit ends the run.
void expect_same_runs(const Net& net) {
    const CompiledNet components = compile(net), general = compile(net, without_components());
    REQUIRE(why_not_components(components) == "");
    REQUIRE(why_not_components(general) == "not looked for");
    RunOptions options;
    options.keyed = true;
    options.count_firings = true;
    for (const Policy policy : {Policy::first, Policy::last, Policy::random}) {
        options.policy = policy;
        for (options.run = 0; options.run < 40; ++options.run) {
            options.max_steps = options.run % 2 == 0 ? 10'000'000 : options.run * 23;
            CAPTURE(net.name(), to_string(policy), options.run);
            CHECK(run(components, options) == run(general, options));
        }
    }
}

}  // namespace

TEST_CASE("warps nets run by components as they do otherwise") {
    for (const Tokens schedulers : {1, 2, 4}) {
        for (const int warps : {2, 3, 8, 20}) {
            WarpsSpec spec;
            for (int w = 0; w < warps; ++w)
                spec.warps.push_back({Tokens(w % 3) * 4, Tokens(w % 2), Tokens(w % 4)});
            spec.schedulers = schedulers;
            spec.global_latency = schedulers * 9;
            expect_same_runs(warps_net(spec));
        }
    }
}

TEST_CASE("warps nets of several SMs run by components as they do otherwise") {
    WarpsSpec spec;
    for (int w = 0; w < 20; ++w) spec.warps.push_back({Tokens(w % 3) * 4, Tokens(w % 2), Tokens(w % 4)});
    spec.sms = 3;
    spec.schedulers = 3;
    expect_same_runs(warps_net(spec));
}

TEST_CASE("kernel nets run by components as they do otherwise") {
    KernelSpec spec;
    spec.string = "LLLLLCCCCCSSLLCCC";
    spec.units = {{'C', {4, 1}}, {'L', {1, 1}}, {'S', {2, 1}}};
    for (const int warps : {2, 5, 16}) {
        spec.warps = warps;
        for (const int schedulers : {0, 2, 4}) {
            spec.schedulers = schedulers > 0 ? std::optional(schedulers) : std::nullopt;
            spec.latency = {};
            expect_same_runs(kernel_net(spec));
            spec.latency = {{'S', 7}, {'L', 3}};
            expect_same_runs(kernel_net(spec, MultiCycle::non_preemptive));
        }
    }
}

TEST_CASE("a net compiled for certain runs makes them as any other") {
    WarpsSpec one_sm, many_sms;
    one_sm.warps.assign(6, {3, 2, 1});
    many_sms.warps.assign(1, {3, 2, 1});
    many_sms.sms = 200;
    for (const auto& [spec, executor] :
         {std::pair(one_sm, ExecutorKind::component), std::pair(many_sms, ExecutorKind::islands)}) {
        const Net net = warps_net(spec);
        const CompiledNet everything = compile(net);
        REQUIRE(executor_of(everything) == executor);
        const StopCondition until = parse_condition(net.transitions().front().id + " >= 2", net);
        for (const Semantics semantics : {Semantics::maximal, Semantics::multiset, Semantics::interleaving}) {
            for (const Policy policy :
                 {Policy::random, Policy::first, Policy::round_robin, Policy::replayed}) {
                for (const StopCondition* condition : {static_cast<const StopCondition*>(nullptr), &until}) {
                    RunOptions options;
                    options.semantics = semantics;
                    options.policy = policy;
                    options.until = condition;
                    options.max_steps = 100;
                    const CompiledNet enough = compile(net, compile_options_for(options));
                    CAPTURE(to_string(executor), to_string(semantics), to_string(policy),
                            condition != nullptr);
                    CHECK(executor_of(enough, options) == executor_of(everything, options));
                    CHECK(why_not_components(enough, options) == why_not_components(everything, options));
                    CHECK(run(enough, options) == run(everything, options));
                }
            }
        }
    }
}

TEST_CASE("nets that the general executor runs, and why") {
    WarpsSpec spec;
    spec.warps.assign(1, {3, 2, 1});
    CHECK(why_not_components(compile(warps_net(spec))) == "no place has many consumers");
    spec.warps.assign(4, {3, 2, 1});
    spec.published = true;
    CHECK(why_not_components(compile(warps_net(spec))) ==
          "a component that waits for a hub can do something else meanwhile");
}

TEST_CASE("A compiled net takes at most 150 bytes a transition, its components left out") {
    WarpsSpec spec;
    spec.warps.assign(64, {200, 50, 20});
    const CompiledNet compiled = compile(warps_net(spec));
    CHECK(compiled_bytes(compiled) <= 150 * compiled.transition_count());
}
