// The executor of the nets of each family, and that both executors make the same runs.

#include "engine/executors/general/net.hpp"
#include "engine/formula/condition.hpp"
#include "engine/plan.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"

#include <utility>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

constexpr PlanOptions without_modules = {.modules = false, .parts = in_one_piece, .pivots = false};

/// Compares run by run under deterministic policies and with keyed draws, also if a step limit ends the run.
void expect_same_runs(const Net& net, ExecutorKind executor = ExecutorKind::modules) {
    const Plan modules = plan(compile(net)), general = plan(compile(net), {}, without_modules);
    REQUIRE(modules.executor() == executor);
    REQUIRE(general.executor() == ExecutorKind::general);
    RunOptions options;
    options.keyed = true;
    options.count_firings = true;
    for (const Policy policy : {Policy::first, Policy::last, Policy::random}) {
        options.policy = policy;
        for (options.run = 0; options.run < 40; ++options.run) {
            options.max_steps = options.run % 2 == 0 ? 10'000'000 : options.run * 23;
            CAPTURE(net.name(), to_string(policy), options.run);
            CHECK(run(modules, options) == run(general, options));
        }
    }
}

}  // namespace

TEST_CASE("warps nets run by modules as they do otherwise") {
    for (const Tokens schedulers : {1, 2, 4}) {
        for (const int warps : {2, 3, 8, 20}) {
            netgen::WarpsSpec spec;
            for (int w = 0; w < warps; ++w)
                spec.warps.push_back({Tokens(w % 3) * 4, Tokens(w % 2), Tokens(w % 4)});
            spec.schedulers = schedulers;
            spec.global_latency = schedulers * 9;
            expect_same_runs(netgen::warps_net(spec));
        }
    }
}

TEST_CASE("warps nets of several SMs run by modules as they do otherwise") {
    netgen::WarpsSpec spec;
    for (int w = 0; w < 20; ++w) spec.warps.push_back({Tokens(w % 3) * 4, Tokens(w % 2), Tokens(w % 4)});
    spec.sms = 3;
    spec.schedulers = 3;
    expect_same_runs(netgen::warps_net(spec));
}

TEST_CASE("grids run block by block as they do otherwise") {
    netgen::WarpsSpec spec;
    for (int w = 0; w < 12; ++w) spec.warps.push_back({1 + Tokens(w % 3) * 2, Tokens(w % 2), Tokens(w % 4)});
    for (const std::size_t sms : {1U, 3U, 20U}) {
        spec.sms = sms;
        spec.blocks = static_cast<Tokens>(sms) * 2 + 1;
        expect_same_runs(netgen::warps_net(spec), ExecutorKind::restarted);
    }
}

TEST_CASE("kernel nets run by modules as they do otherwise") {
    netgen::KernelSpec spec;
    spec.string = "LLLLLCCCCCSSLLCCC";
    spec.units = {{'C', {4, 1}}, {'L', {1, 1}}, {'S', {2, 1}}};
    for (const int warps : {2, 5, 16}) {
        spec.warps = warps;
        for (const int schedulers : {0, 2, 4}) {
            spec.schedulers = schedulers > 0 ? std::optional(schedulers) : std::nullopt;
            spec.latency = {};
            expect_same_runs(netgen::kernel_net(spec));
            spec.latency = {{'S', 7}, {'L', 3}};
            expect_same_runs(netgen::kernel_net(spec, netgen::MultiCycle::non_preemptive));
        }
    }
}

TEST_CASE("a net planned for certain runs makes them as any other") {
    netgen::WarpsSpec one_sm, many_sms;
    one_sm.warps.assign(6, {3, 2, 1});
    many_sms.warps.assign(1, {3, 2, 1});
    many_sms.sms = 200;
    for (const auto& [spec, executor] :
         {std::pair(one_sm, ExecutorKind::modules), std::pair(many_sms, ExecutorKind::separate)}) {
        const Net net = netgen::warps_net(spec);
        const CompiledNet compiled = compile(net);
        const Plan everything = plan(compiled);
        REQUIRE(everything.executor() == executor);
        const Condition until = parse_condition(net.transitions().front().id + " >= 2", net);
        for (const Semantics semantics : {Semantics::maximal, Semantics::multiset, Semantics::interleaving}) {
            for (const Policy policy :
                 {Policy::random, Policy::first, Policy::round_robin, Policy::replayed}) {
                for (const Condition* condition : {static_cast<const Condition*>(nullptr), &until}) {
                    RunOptions options;
                    options.semantics = semantics;
                    options.policy = policy;
                    options.until = condition;
                    options.max_steps = 100;
                    const Plan enough = plan(compiled, options);
                    CAPTURE(to_string(executor), to_string(semantics), to_string(policy),
                            condition != nullptr);
                    CHECK(enough.executor(options) == everything.executor(options));
                    CHECK(enough.why_not_modules(options) == everything.why_not_modules(options));
                    CHECK(run(enough, options) == run(everything, options));
                }
            }
        }
    }
}

TEST_CASE("nets that the general executor runs, and why") {
    netgen::WarpsSpec spec;
    spec.warps.assign(1, {3, 2, 1});
    CHECK(plan(compile(netgen::warps_net(spec))).why_not_modules() == "no place has many consumers");
    spec.warps.assign(4, {3, 2, 1});
    spec.published = true;
    CHECK(plan(compile(netgen::warps_net(spec))).why_not_modules() ==
          "a module that waits for a shared place can do something else meanwhile");
}

TEST_CASE(
    "A compiled net, with what the general executor knows of it, takes at most 150 bytes per transition") {
    netgen::WarpsSpec spec;
    spec.warps.assign(64, {200, 50, 20});
    const CompiledNet compiled = compile(netgen::warps_net(spec));
    CHECK(compiled_bytes(compiled) + general_bytes(prepare_general(compiled)) <=
          150 * compiled.transition_count());
}
