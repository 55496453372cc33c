#include "analysis/worst/bounds/machine.hpp"

#include "engine/net/net_builder.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("nets of warps and kernels tell that their schedulers are shared") {
    netgen::WarpsSpec warps;
    warps.warps.assign(3, {.arith = 2, .shared = 1, .global = 0});
    warps.schedulers = 2;
    CHECK(worst::machine_of(netgen::warps_net(warps)).schedulers == worst::SchedulerUse::shared);
    CHECK(worst::machine_of(netgen::warps_net(warps)).count == 2);
    CHECK(to_text(worst::machine_of(netgen::warps_net(warps))) ==
          "2 schedulers shared by all warps, not fixed to warps");
    warps.sms = 2;
    warps.blocks = 5;
    CHECK(worst::machine_of(netgen::warps_net(warps)).count == 2);
    CHECK(to_text(worst::machine_of(netgen::warps_net(warps))) ==
          "2 schedulers of each of 2 SMs shared by all its warps, not fixed to warps");
    warps.schedulers = 1;
    CHECK(to_text(worst::machine_of(netgen::warps_net(warps))) ==
          "1 scheduler of each of 2 SMs for all its warps");

    netgen::KernelSpec kernel{.string = "LCL", .warps = 2, .units = {{'C', {2, 1}}, {'L', {1, 1}}}};
    CHECK(worst::machine_of(netgen::kernel_net(kernel)).schedulers == worst::SchedulerUse::unlimited);
    kernel.schedulers = 1;
    CHECK(to_text(worst::machine_of(netgen::kernel_net(kernel))) == "1 scheduler for all warps");
}

TEST_CASE("nets of warps and kernels tell that their schedulers are fixed to warps") {
    netgen::WarpsSpec warps;
    warps.warps.assign(5, {.arith = 2, .shared = 1, .global = 0});
    warps.schedulers = 4;
    warps.assignment = netgen::Assignment::fixed;
    CHECK(worst::machine_of(netgen::warps_net(warps)).schedulers == worst::SchedulerUse::fixed);
    CHECK(worst::machine_of(netgen::warps_net(warps)).count == 4);
    CHECK(to_text(worst::machine_of(netgen::warps_net(warps))) ==
          "4 schedulers fixed to warps: by the number of the warp mod 4");
    warps.sms = 2;
    warps.dispatch_units = 2;
    CHECK(to_text(worst::machine_of(netgen::warps_net(warps))) ==
          "4 schedulers of each of 2 SMs fixed to warps: by the number of the warp mod 4, 2 dispatch units "
          "each");
    warps.assignment = netgen::Assignment::any;
    warps.sms = 1;
    warps.dispatch_units = 1;
    CHECK(worst::machine_of(netgen::warps_net(warps)).schedulers == worst::SchedulerUse::any);
    CHECK(to_text(worst::machine_of(netgen::warps_net(warps))) ==
          "4 schedulers fixed to warps, in any assignment of equally many");

    netgen::KernelSpec kernel{
        .string = "LCL", .warps = 5, .units = {{'C', {2, 1}}, {'L', {1, 1}}}, .schedulers = 2};
    kernel.assignment = netgen::Assignment::fixed;
    CHECK(worst::machine_of(netgen::kernel_net(kernel)).schedulers == worst::SchedulerUse::fixed);
    CHECK(worst::machine_of(netgen::kernel_net(kernel)).count == 2);
    kernel.sms = 3;
    CHECK(worst::machine_of(netgen::kernel_net(kernel)).schedulers == worst::SchedulerUse::fixed);

    // The schedulers' own units go with them. If no unit is shared, the net is divided.
    kernel.own_units = "C";
    CHECK(worst::machine_of(netgen::kernel_net(kernel)).schedulers == worst::SchedulerUse::fixed);
    kernel.sms = 1;
    CHECK(worst::machine_of(netgen::kernel_net(kernel)).schedulers == worst::SchedulerUse::fixed);
    kernel.own_units = "LC";
    CHECK(worst::machine_of(netgen::kernel_net(kernel)).schedulers == worst::SchedulerUse::fixed);
    CHECK(worst::machine_of(netgen::kernel_net(kernel)).count == 2);
    kernel.own_units = "";

    // The order of the places does not matter. With other tokens, or an immediate instruction, it is another
    // machine.
    kernel.sms = 1;
    const Net net = netgen::kernel_net(kernel);
    const auto changed = [&](bool reverse, const std::string& odd_place, bool immediate) {
        NetBuilder builder;
        std::vector<PlaceId> places(net.places().size());
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::size_t p = reverse ? places.size() - 1 - i : i;
            const Place& place = net.places()[p];
            places[p] = builder.add_place(place.id, place.initial + (place.id == odd_place ? 2 : 0));
        }
        for (std::size_t t = 0; t < net.transitions().size(); ++t) {
            const TransitionId added = builder.add_transition(net.transitions()[t].id);
            if (immediate && t == 0) builder.set_immediate(added);
            for (const Arc& arc : net.arcs_of(TransitionId(t)))
                builder.add_arc(arc.kind, places[index(arc.place)], added, arc.weight);
        }
        return worst::machine_of(builder.build()).schedulers;
    };
    CHECK(changed(true, "", false) == worst::SchedulerUse::fixed);
    CHECK(changed(false, "schedulers_2", false) == worst::SchedulerUse::unknown);
    CHECK(changed(false, "", true) == worst::SchedulerUse::unknown);
}

TEST_CASE("of any other net the machine is the net itself") {
    // Two warps, each with its own scheduler: the first step of the net of `warps` with its SM divided in
    // two.
    NetBuilder net("fixed");
    for (const char* const warp : {"w1_", "w2_"}) {
        const std::string id = warp;
        const PlaceId ready = net.add_place(id + "ready", 1), sm = net.add_place(id + "sm", 1);
        const TransitionId issue = net.add_transition(id + "issue");
        net.add_input(ready, issue);
        net.add_input(sm, issue);
        net.add_output(issue, sm);
    }
    CHECK(worst::machine_of(net.build()).schedulers == worst::SchedulerUse::unknown);
    CHECK(worst::to_text({}) == "this net, as given");
}
