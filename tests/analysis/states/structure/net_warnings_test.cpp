#include "analysis/states/structure/net_warnings.hpp"

#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

std::vector<std::pair<states::NetWarningKind, std::string>> found(const Net& net) {
    std::vector<std::pair<states::NetWarningKind, std::string>> pairs;
    for (const states::NetWarning& warning : states::net_warnings(net))
        pairs.emplace_back(warning.kind, warning.node);
    return pairs;
}

using Expected = std::vector<std::pair<states::NetWarningKind, std::string>>;

netgen::WarpsSpec warps(bool published) {
    netgen::WarpsSpec spec;
    spec.warps.assign(3, {2, 2, 2});
    spec.published = published;
    return spec;
}

}  // namespace

TEST_CASE("a transition that never finds its tokens") {
    NetBuilder net;
    const PlaceId empty = net.add_place("empty");
    const PlaceId two = net.add_place("two", 2);
    const PlaceId fed = net.add_place("fed");
    const PlaceId looped = net.add_place("looped", 1);
    const TransitionId needs_empty = net.add_transition("needs_empty");
    net.add_input(empty, needs_empty);
    const TransitionId reads_three = net.add_transition("reads_three");
    net.add_read(two, reads_three, 3);
    const TransitionId feeder = net.add_transition("feeder");
    net.add_input(two, feeder);
    net.add_output(feeder, fed);
    const TransitionId fine = net.add_transition("fine");
    net.add_input(fed, fine, 3);
    const TransitionId loop = net.add_transition("loop");  // returns only the tokens that it takes
    net.add_input(looped, loop, 2);
    net.add_output(loop, looped, 2);
    CHECK(found(net.build()) == Expected{{states::NetWarningKind::never_enabled, "needs_empty"},
                                         {states::NetWarningKind::never_enabled, "reads_three"},
                                         {states::NetWarningKind::never_enabled, "loop"}});
}

TEST_CASE("inhibitor arcs that always or never inhibit") {
    NetBuilder net;
    const PlaceId full = net.add_place("full", 1);
    const PlaceId empty = net.add_place("empty");
    const PlaceId work = net.add_place("work", 1);
    for (const char* id : {"always", "never"}) net.add_input(work, net.add_transition(id));
    net.add_inhibitor(full, TransitionId(0));
    net.add_inhibitor(empty, TransitionId(1));
    CHECK(found(net.build()) == Expected{{states::NetWarningKind::never_enabled, "always"},
                                         {states::NetWarningKind::idle_inhibitor, "never"}});
}

TEST_CASE("sources and places without arcs") {
    NetBuilder net;
    const PlaceId p = net.add_place("p");
    net.add_place("alone", 1);
    const PlaceId tested = net.add_place("tested", 1);
    net.add_output(net.add_transition("source"), p);
    const TransitionId sink = net.add_transition("sink");
    net.add_input(p, sink);
    net.add_read(tested, sink);
    CHECK(found(net.build()) ==
          Expected{{states::NetWarningKind::isolated, "alone"}, {states::NetWarningKind::source, "source"}});
}

TEST_CASE("the warps net as published may lose an instruction, the repaired one may not") {
    CHECK(states::net_warnings(netgen::warps_net(warps(false))).empty());
    netgen::WarpsSpec grid = warps(false);
    grid.sms = 3;
    for (const Tokens blocks : {0, 2, 7}) {
        grid.blocks = blocks;
        CHECK(states::net_warnings(netgen::warps_net(grid)).empty());
    }
    const auto warnings = states::net_warnings(netgen::warps_net(warps(true)));
    CHECK(warnings.size() == 9);  // three kinds of instruction in three warps
    for (const states::NetWarning& warning : warnings)
        CHECK(warning.kind == states::NetWarningKind::may_forget_token);
    CHECK(std::count_if(warnings.begin(), warnings.end(), [](const states::NetWarning& warning) {
              return warning.node == "w2_terminate";
          }) == 3);
}
