#include "engine/run/served_parts.hpp"

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "engine/plan.hpp"
#include "engine/run/replay.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/executor_checks.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// The part of a node's name up to the warp: sm2_w1_issue -> sm2_w1.
std::string warp_of(const std::string& id) {
    const std::size_t w = id.rfind('w', id.find('w') + 1);
    return id.substr(0, id.find('_', w));
}

/// Transitions are in one part exactly if their names belong to one warp. Only transitions of warps are
/// checked.
void check_parts_are_warps(const Net& net) {
    CAPTURE(net.name());
    const ServedParts served = find_served_parts(compile(net));
    std::map<std::string, std::set<std::uint32_t>> parts;
    std::map<std::uint32_t, std::set<std::string>> warps;
    for (std::uint32_t t = 0; t < served.part.size(); ++t) {
        const std::string& id = net.transitions()[t].id;
        if (id.find('w') == std::string::npos) continue;
        parts[warp_of(id)].insert(served.part[t]);
        warps[served.part[t]].insert(warp_of(id));
    }
    for (const auto& [warp, numbers] : parts) CHECK(numbers.size() == 1);
    for (const auto& [number, names] : warps) CHECK(names.size() == 1);
    CHECK(served.parts == 1 + *std::max_element(served.part.begin(), served.part.end()));
    CHECK(served.slots <= served.parts * served.meetings);
}

/// `parts` parts that ask a server with `tokens` for `requests` services of one step. The requests are one
/// step apart, or two if `thinking`.
Net clients(std::uint32_t parts, Tokens tokens, Tokens requests, bool thinking) {
    NetBuilder net;
    const PlaceId server = net.add_place("server", tokens);
    for (std::uint32_t p = 1; p <= parts; ++p) {
        const std::string id = "w" + std::to_string(p);
        const PlaceId ready = net.add_place(id + "_ready", 1), left = net.add_place(id + "_left", requests);
        const TransitionId serve = net.add_transition(id + "_serve");
        net.add_input(server, serve);
        net.add_output(serve, server);
        net.add_input(ready, serve);
        net.add_input(left, serve);
        if (thinking) {
            const PlaceId served = net.add_place(id + "_served");
            const TransitionId think = net.add_transition(id + "_think");
            net.add_output(serve, served);
            net.add_input(served, think);
            net.add_output(think, ready);
        } else {
            net.add_output(serve, ready);
        }
    }
    return net.build();
}

/// The services, step by step: "1 2 | 3" means warps 1 and 2, then 3.
std::string service(const Net& net, Policy policy) {
    const CompiledNet compiled = compile(net);
    const ServedParts served = find_served_parts(compiled);
    RunOptions options;
    options.policy = policy;
    options.served = &served;
    ScheduleRecorder recorder;
    run(compiled, options, &recorder);
    std::string text;
    for (const ScheduledStep& step : recorder.schedule()) {
        if (!text.empty()) text += " |";
        for (const std::uint32_t t : step.transitions) {
            const std::string& id = net.transitions()[t].id;
            if (id.ends_with("_serve")) text += " " + id.substr(1, id.find('_') - 1);
        }
    }
    return text;
}

}  // namespace

TEST_CASE("the parts of warps nets are their warps, on one SM, on several, and with a grid") {
    for (const std::size_t sms : {std::size_t{1}, std::size_t{3}}) {
        for (const Tokens blocks : {Tokens{0}, Tokens{7}}) {
            netgen::WarpsSpec spec;
            spec.warps = {{3, 2, 1}, {0, 5, 1}, {2, 2, 2}};
            spec.sms = sms;
            spec.blocks = blocks;
            check_parts_are_warps(netgen::warps_net(spec));
        }
    }
    netgen::WarpsSpec published;
    published.warps.assign(2, {3, 2, 1});
    published.published = true;
    check_parts_are_warps(netgen::warps_net(published));
}

TEST_CASE("the parts of kernel nets are their warps, and all are served by the schedulers") {
    netgen::KernelSpec spec;
    spec.string = "LLLLCCCSLC";
    spec.units = {{'C', {4, 1}}, {'L', {1, 1}}, {'S', {1, 1}}};
    spec.warps = 3;
    check_parts_are_warps(netgen::kernel_net(spec));
    spec.schedulers = 2;
    spec.latency = {{'S', 4}};
    const Net net = netgen::kernel_net(spec, netgen::MultiCycle::non_preemptive);
    check_parts_are_warps(net);
    const ServedParts served = find_served_parts(compile(net));
    CHECK(served.slots == 3);
}

TEST_CASE("a net whose parts do not wait for each other has no part to be served first") {
    netgen::WarpsSpec spec;
    spec.warps.assign(1, {3, 2, 1});
    CHECK_THROWS_AS(find_served_parts(compile(netgen::warps_net(spec))), InputError);
    RunOptions options;
    options.policy = Policy::gto;
    CHECK_THROWS_AS(run(compile(netgen::warps_net(spec)), options), InputError);
}

TEST_CASE("greedy, then oldest: the part that is served goes on") {
    CHECK(service(clients(3, 1, 2, false), Policy::gto) == " 1 | 1 | 2 | 2 | 3 | 3");
    CHECK(service(clients(3, 2, 2, false), Policy::gto) == " 1 2 | 1 2 | 3 | 3");
    // A part that thinks loses the server to the oldest waiting part, and queues behind the part that then
    // has the server.
    CHECK(service(clients(3, 1, 2, true), Policy::gto) == " 1 | 2 | 1 | 2 | 3 | | 3 |");
}

TEST_CASE("loose round robin: the next ready part after the last one served") {
    CHECK(service(clients(3, 1, 2, false), Policy::lrr) == " 1 | 2 | 3 | 1 | 2 | 3");
    CHECK(service(clients(3, 2, 2, false), Policy::lrr) == " 1 2 | 1 3 | 2 3");
    CHECK(service(clients(3, 1, 2, true), Policy::lrr) == " 1 | 2 | 3 | 1 | 2 | 3 |");
}

TEST_CASE("runs of warps nets under gto and lrr are those of the reference") {
    netgen::WarpsSpec spec;
    spec.warps = {{3, 2, 1}, {0, 5, 1}, {2, 2, 2}, {4, 0, 0}, {1, 1, 1}, {2, 3, 0}};
    for (const bool grid : {false, true}) {
        spec.sms = grid ? 2 : 1;
        spec.blocks = grid ? 5 : 0;
        const Net net = netgen::warps_net(spec);
        const CompiledNet compiled = compile(net);
        const ServedParts served = find_served_parts(compiled);
        for (const Policy policy : {Policy::gto, Policy::lrr}) {
            for (std::uint64_t seed = 0; seed < 6; ++seed) {
                RunOptions options = options_for(seed, 2000);
                options.policy = policy;
                options.served = &served;
                CAPTURE(to_string(policy), seed, grid);
                check_against_reference(net, plan(compiled, options), options);
            }
        }
    }
}
