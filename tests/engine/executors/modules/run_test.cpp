#include "engine/executors/plain/run.hpp"

#include "engine/executors/modules/net.hpp"
#include "engine/run/replay.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/executor_checks.hpp"
#include "tests/support/random_module_net.hpp"
#include "tests/support/sample_nets.hpp"

#include <map>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

// The module executor, compared with the reference, the general executor and the plan of a net without
// modules.

namespace {

/// Hubs as in RandomModuleNet.
constexpr PlanOptions with_modules = {.arrays = {.hub_consumers = 3}};
constexpr PlanOptions without_modules = {.arrays = {.hub_consumers = 3}, .modules = false};

/// Four modules that wait for one of `tokens` tokens of a hub, keep it for `length` steps, and return `given`
/// tokens. They repeat this `rounds` times. With `look`, each module has one additional firing when it has
/// kept a token for so many steps.
Net keepers(Tokens tokens, Tokens length, Tokens given, Tokens rounds, Tokens look = 0) {
    NetBuilder net;
    const PlaceId hub = net.add_place("hub", tokens);
    for (const char* id : {"a", "b", "c", "d"}) {
        const std::string name = id;
        const PlaceId ready = net.add_place(name + "_ready", 1), left = net.add_place(name + "_left", rounds);
        const PlaceId wait = net.add_place(name + "_wait"),
                      timer = net.add_place(name + "_timer", length - 1);
        const TransitionId take = net.add_transition(name + "_take"),
                           tick = net.add_transition(name + "_tick");
        const TransitionId done = net.add_transition(name + "_done");
        net.add_input(ready, take);
        net.add_input(left, take);
        net.add_input(hub, take);
        net.add_output(take, wait);
        add_delay_arcs(net, wait, timer, tick, done, length);
        net.add_output(done, ready);
        net.add_output(done, hub, given);
        if (look > 0) {
            const PlaceId once = net.add_place(name + "_once", 1);
            const TransitionId seen = net.add_transition(name + "_look");
            net.add_input(once, seen);
            net.add_read(wait, seen, look);
        }
    }
    return net.build();
}

/// Modules that wait for one of two tokens of a hub, keep it for some steps and then use one of two supplies
/// that is not empty. After `look` steps they use a third supply, if it is not empty.
Net users_of_supplies(Tokens length, Tokens look) {
    struct Supplies {
        Tokens first, second, third;
    };
    NetBuilder net;
    const PlaceId hub = net.add_place("hub", 2);
    int number = 0;
    for (const Supplies& supplies : {Supplies{3, 2, 2}, {0, 3, 1}, {2, 0, 9}, {1, 1, 0}, {0, 0, 1}}) {
        const std::string name = "m" + std::to_string(++number) + "_";
        const PlaceId ready = net.add_place(name + "ready", 1), wait = net.add_place(name + "wait"),
                      timer = net.add_place(name + "timer", length - 1),
                      select = net.add_place(name + "select");
        const TransitionId take = net.add_transition(name + "take"), tick = net.add_transition(name + "tick"),
                           done = net.add_transition(name + "done"),
                           look_on = net.add_transition(name + "look"),
                           end = net.add_transition(name + "end");
        net.add_input(ready, take);
        net.add_input(hub, take);
        net.add_output(take, wait);
        add_delay_arcs(net, wait, timer, tick, done, length);
        net.add_output(done, select);
        net.add_output(done, hub);
        net.add_input(net.add_place(name + "third", supplies.third), look_on);
        net.add_read(wait, look_on, look);
        net.add_inhibitor(wait, look_on, look + 1);
        net.add_input(select, end);
        net.add_output(end, net.add_place(name + "over"));
        for (const auto& [id, supply] : {std::pair("first", supplies.first), {"second", supplies.second}}) {
            const PlaceId left = net.add_place(name + id, supply);
            const TransitionId use = net.add_transition(name + "use_" + id);
            net.add_input(select, use);
            net.add_input(left, use);
            net.add_output(use, ready);
            net.add_inhibitor(left, end);
        }
    }
    return net.build();
}

/// The same net with its places in reverse order, so that supplies come before all other places of their
/// module.
Net with_places_reversed(const Net& net) {
    NetBuilder result(net.id());
    for (auto place = net.places().rbegin(); place != net.places().rend(); ++place)
        result.add_place(place->id, place->initial);
    const auto there = [&](PlaceId place) { return PlaceId(net.places().size() - 1 - index(place)); };
    for (const Transition& transition : net.transitions()) {
        const TransitionId added = result.add_transition(transition.id);
        if (transition.immediate) result.set_immediate(added);
        result.set_priority(added, transition.priority);
    }
    for (const Arc& arc : net.arcs()) {
        result.add_arc(arc.kind, there(arc.place), arc.transition, arc.weight);
    }
    return result.build();
}

/// Makes runs of all lengths below the given one.
void check_all_lengths(const Net& net, const Plan& planned, std::uint64_t lengths) {
    RunOptions options;
    options.keyed = options.count_firings = true;
    for (std::uint64_t steps = 1; steps < lengths; ++steps) {
        options.max_steps = steps;
        CAPTURE(steps);
        check_against_reference(net, planned, options);
    }
}

}  // namespace

TEST_CASE("module executor: ways that are longer than a segment may be") {
    for (const Tokens length : {4094, 4095, 4096, 4097, 9000}) {
        const Net net = keepers(2, length, 1, 2);
        const Plan planned = plan_for(net, with_modules);
        REQUIRE(planned.modules());
        CHECK(planned.modules()->longest_segment <= max_segment_steps);
        RunOptions options;
        options.keyed = options.count_firings = true;
        for (const auto steps :
             std::initializer_list<std::uint64_t>{4095, 4096, 4097, 4100, 8195, 8200, 1'000'000}) {
            options.max_steps = steps;
            CAPTURE(length, steps);
            check_against_reference(net, planned, options);
        }
    }
}

TEST_CASE("module executor: modules of hundreds of nodes") {
    constexpr int turns = 300;
    NetBuilder builder;
    const PlaceId hub = builder.add_place("hub", 2);
    for (const char* module : {"a", "b", "c", "d"}) {
        PlaceId place = builder.add_place(std::string(module) + "_0", 1);
        for (int turn = 1; turn <= turns; ++turn) {
            const std::string name = module + ("_" + std::to_string(turn));
            const PlaceId next = builder.add_place(name);
            const TransitionId take = builder.add_transition(name + "_take");
            builder.add_input(place, take);
            builder.add_input(hub, take);
            builder.add_output(take, next);
            builder.add_output(take, hub);
            place = next;
        }
    }
    const Net net = builder.build();
    const Plan planned = plan_for(net, with_modules);
    REQUIRE(planned.modules());
    CHECK(planned.modules()->kinds == 1);
    CHECK(planned.modules()->automaton.nodes.size() == turns + 1);
    RunOptions options;
    options.keyed = options.count_firings = true;
    check_against_reference(net, planned, options);
}

TEST_CASE("module executor: something becomes enabled in the middle of a delay") {
    constexpr Tokens length = 20;
    for (Tokens look = 2; look < length; look += 3) {
        const Net net = keepers(2, length, 1, 2, look);
        const Plan planned = plan_for(net, with_modules);
        REQUIRE(planned.modules());
        CAPTURE(look);
        check_all_lengths(net, planned, 100);
    }
}

TEST_CASE("module executor: modules that are alike but for what is left in their supplies") {
    constexpr Tokens length = 7;
    for (Tokens look = 2; look < length; ++look) {
        const Net net = users_of_supplies(length, look);
        const Plan planned = plan_for(net, with_modules);
        REQUIRE(planned.modules());
        CHECK(planned.modules()->kinds == 1);
        CAPTURE(look);
        check_all_lengths(net, planned, 60);
    }
}

TEST_CASE("module executor: none if a shared place could overflow") {
    const auto why_not = [](Tokens tokens, Tokens given) {
        return plan_for(keepers(tokens, 5, given, 3), with_modules).why_not_modules();
    };
    constexpr Tokens most_tokens = Tokens{1} << 62,
                     most_given = (Tokens{1} << 16) / 4;  // by four modules per step
    CHECK(why_not(most_tokens, most_given).empty());
    CHECK(why_not(most_tokens + 1, most_given) == "a shared place could overflow");
    CHECK(why_not(most_tokens, most_given + 1) == "a shared place could overflow");
}

TEST_CASE("module executor: places are in any order") {
    std::size_t module_nets = 0;
    for (std::uint64_t seed = 0; seed < case_count(300); ++seed) {
        const Net net = with_places_reversed(RandomModuleNet(seed).build());
        const Plan planned = plan_for(net, with_modules);
        if (!planned.modules()) continue;
        ++module_nets;
        RunOptions options = options_for(seed);
        options.keyed = true;
        CAPTURE(seed);
        check_against_reference(net, planned, options);
    }
    CHECK(module_nets >= least_count(60));
}

TEST_CASE("module executor: the reference's runs under keyed and deterministic policies") {
    std::size_t module_nets = 0;
    std::map<StopReason, std::uint64_t> reasons;
    for (std::uint64_t seed = 0; seed < case_count(1500); ++seed) {
        const Net net = RandomModuleNet(seed).build();
        const Plan planned = plan_for(net, with_modules);
        if (!planned.modules()) continue;
        ++module_nets;
        RunOptions options = options_for(seed);
        options.keyed = true;
        for (const Policy policy : {Policy::first, Policy::last, Policy::random}) {
            options.policy = policy;
            REQUIRE(planned.why_not_modules(options).empty());
            CAPTURE(seed, to_string(policy));
            ++reasons[check_against_reference(net, planned, options)];
        }
    }
    CHECK(module_nets >= least_count(300));
    CHECK(reasons[StopReason::dead] >= least_count(200));
    CHECK(reasons[StopReason::step_limit] >= least_count(200));
}

TEST_CASE("module executor: a random run is the same with and without an observer, and replays") {
    for (std::uint64_t seed = 0; seed < case_count(1500); ++seed) {
        const Net net = RandomModuleNet(seed).build();
        const Plan planned = plan_for(net, with_modules);
        const RunOptions options = options_for(seed);
        if (!planned.modules()) continue;
        CAPTURE(seed);
        const RunResult alone = run(planned, options);
        ScheduleRecorder recorder;
        CHECK(run(planned, options, &recorder) == alone);
        const RunResult replayed = replay(planned.net(), net, recorder.schedule(), Semantics::maximal);
        CHECK(replayed.reason == alone.reason);
        CHECK(replayed.marking == alone.marking);
        CHECK(replayed.firings == alone.firings);
    }
}

TEST_CASE("module executor: steps with one class in a loop of their own, stopped anywhere") {
    std::uint64_t stopped = 0;
    for (std::uint64_t seed = 0; seed < case_count(400); ++seed) {
        CounterRandom random(seed, 0);
        netgen::WarpsSpec spec;
        for (std::uint32_t warps = 2 + random.below(9); warps > 0; --warps)
            spec.warps.push_back({1 + random.below(12), random.below(6), random.below(6)});
        spec.schedulers = 1 + random.below(4);
        spec.shared_latency = 1 + random.below(80);
        spec.global_latency = 1 + random.below(300);
        const Plan planned = plan_for(netgen::warps_net(spec), {});
        REQUIRE(planned.modules());
        RunOptions options;
        options.seed = seed;
        if (random.below(2) == 0) options.max_steps = random.below(3000);
        CAPTURE(seed);
        const RunResult alone = run(planned, options);
        ScheduleRecorder recorder;
        CHECK(run(planned, options, &recorder) == alone);  // observed steps are all made in the same way
        stopped += alone.reason == StopReason::step_limit ? 1 : 0;
    }
    CHECK(stopped >= least_count(60));
}

TEST_CASE("module executor: random runs are distributed like those of the general executor") {
    const ExecutorCases cases = {[](std::uint64_t seed) { return RandomModuleNet(seed).build(); },
                                 with_modules, ExecutorKind::modules};
    CHECK(check_all_distributed(cases, without_modules, case_count(400), 60, 1000) >= least_count(40));
}

TEST_CASE("a plan says why a net does not fall into modules") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p", 1);
    const TransitionId t = builder.add_transition("t");
    builder.add_input(p, t);
    const TransitionId now = builder.add_transition("now");
    builder.add_input(p, now);
    SECTION("one piece") {
        const Plan planned = plan(compile(builder.build()));
        CHECK(planned.why_not_modules() == "no place has many consumers");
        RunOptions options;
        options.semantics = Semantics::interleaving;
        CHECK(planned.why_not_modules(options) == "steps are not maximal steps");
    }
    SECTION("immediate") {
        builder.set_immediate(now);
        CHECK(plan(compile(builder.build())).why_not_modules() ==
              "it has immediate transitions or priorities");
    }
}

namespace {

std::vector<std::string> shared_ids(const Net& net) {
    std::vector<std::string> ids;
    for (const std::uint32_t place : shared_places(compile(net))) ids.push_back(net.places()[place].id);
    return ids;
}

Net sms(std::size_t sms, std::size_t warps) {
    netgen::WarpsSpec spec;
    spec.warps.assign(warps, {.arith = 3, .shared = 1, .global = 1});
    spec.sms = sms;
    return netgen::warps_net(spec);
}

}  // namespace

TEST_CASE("shared places: schedulers and units, not the count of warps alive") {
    CHECK(shared_ids(sms(1, 3)) == std::vector<std::string>{"sm"});
    CHECK(shared_ids(sms(1, 16)) == std::vector<std::string>{"sm"});
    CHECK(shared_ids(sms(2, 8)).size() == 2);
    netgen::KernelSpec kernel;
    kernel.string = "LCC";
    kernel.warps = 4;
    kernel.units = {{'C', {2, 1}}, {'L', {1, 1}}};
    kernel.schedulers = 2;
    CHECK(shared_ids(netgen::kernel_net(kernel)) ==
          std::vector<std::string>{"unit_C", "unit_L", "schedulers"});
}

TEST_CASE("shared places: one warp shares nothing") { CHECK(shared_ids(sms(1, 1)).empty()); }
