#include "netgen/kernel/kernel.hpp"

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/every_run.hpp"
#include "tests/support/kernel_vectors.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

const netgen::KernelSpec two_lc{.string = "LC", .warps = 2, .units = {{'C', {1, 1}}, {'L', {1, 1}}}};

/// The same net with its nodes renamed and in reverse order.
Net disguised(const Net& net) {
    NetBuilder builder;
    const std::size_t places = net.places().size();
    const std::size_t transitions = net.transitions().size();
    for (std::size_t p = places; p-- > 0;)
        builder.add_place(std::to_string(p).insert(0, 1, 'p'), net.places()[p].initial, net.places()[p].id);
    for (std::size_t t = transitions; t-- > 0;) {
        const TransitionId added = builder.add_transition(std::to_string(t).insert(0, 1, 't'));
        builder.set_priority(added, net.transitions()[t].priority);
    }
    for (const Arc& arc : net.arcs()) {
        const auto place = static_cast<PlaceId>(places - 1 - index(arc.place));
        const auto transition = static_cast<TransitionId>(transitions - 1 - index(arc.transition));
        if (arc.kind == ArcKind::input)
            builder.add_input(place, transition, arc.weight);
        else
            builder.add_output(transition, place, arc.weight);
    }
    return builder.build();
}

}  // namespace

TEST_CASE("units per warp: whole numbers and unit fractions in any spelling") {
    CHECK(netgen::parse_units_per_warp("4") == netgen::UnitsPerWarp{4, 1});
    CHECK(netgen::parse_units_per_warp("0.5") == netgen::UnitsPerWarp{1, 2});
    CHECK(netgen::parse_units_per_warp("1/2") == netgen::UnitsPerWarp{1, 2});
    CHECK(netgen::parse_units_per_warp("16/32") == netgen::UnitsPerWarp{1, 2});
    CHECK(netgen::parse_units_per_warp("2.0") == netgen::UnitsPerWarp{2, 1});
    CHECK(netgen::parse_units_per_warp("0.0625") == netgen::UnitsPerWarp{1, 16});
    for (const char* bad :
         {"", "0", "-1", "1.5", "2/3", "1/0", "x", "1/2/3", "0.3", ".", "1e3", "99999999999"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(netgen::parse_units_per_warp(bad), InputError);
    }
}

TEST_CASE("normalise: fractions and latencies repeat the letter, combined") {
    // 16 units, warps of 32, latency 4: (32/16) * 4 = 8 repetitions.
    const netgen::KernelInstance instance =
        netgen::normalise({.string = "CSL",
                           .warps = 3,
                           .units = {{'C', {2, 1}}, {'L', {1, 1}}, {'S', {1, 2}}},
                           .latency = {{'S', 4}}});
    CHECK(instance.type == std::vector<std::uint8_t>{0, 2, 2, 2, 2, 2, 2, 2, 2, 1});
    CHECK(instance.capacity == std::vector<int>{2, 1, 1});
    CHECK(instance.warps == 3);
    CHECK(!instance.schedulers);
}

TEST_CASE("normalise: what is out of range is refused") {
    const auto with = [](auto change) {
        netgen::KernelSpec spec = two_lc;
        change(spec);
        return spec;
    };
    CHECK_THROWS_AS(netgen::normalise(with([](auto& s) { s.string = ""; })), InputError);
    CHECK_THROWS_AS(netgen::normalise(with([](auto& s) { s.string = "LXC"; })), InputError);
    CHECK_THROWS_AS(netgen::normalise(with([](auto& s) { s.string = "LS"; })), InputError);
    CHECK_THROWS_AS(netgen::normalise(with([](auto& s) { s.warps = 0; })), InputError);
    CHECK_THROWS_AS(netgen::normalise(with([](auto& s) { s.warps = 20'000'000; })), InputError);
    CHECK_THROWS_AS(netgen::normalise(with([](auto& s) { s.schedulers = 0; })), InputError);
    CHECK_THROWS_AS(netgen::normalise(with([](auto& s) { s.units['C'] = {3, 2}; })), InputError);
    CHECK_THROWS_AS(netgen::normalise(with([](auto& s) { s.units['C'] = {0, 1}; })), InputError);
    CHECK_THROWS_AS(netgen::normalise(with([](auto& s) { s.latency['C'] = 0; })), InputError);
    CHECK_THROWS_AS(netgen::normalise(with([](auto& s) { s.latency['C'] = 2'000'000'000; })), InputError);
    CHECK_THROWS_AS(netgen::normalise(with([](auto& s) { s.level = {1}; })), InputError);
}

TEST_CASE("kernel net: readable names, one transition for each warp and instruction") {
    netgen::KernelSpec spec = two_lc;
    spec.schedulers = 2;
    const Net net = netgen::kernel_net(spec);
    CHECK(net.places().size() == 2 + 1 + 2 * 3);
    CHECK(net.transitions().size() == 4);
    const NodeIndex nodes(net);
    for (const char* id : {"unit_C", "unit_L", "schedulers", "w1_pc_0", "w2_pc_2"}) CHECK(nodes.place(id));
    for (const char* id : {"w1_i1_L", "w1_i2_C", "w2_i1_L", "w2_i2_C"}) CHECK(nodes.transition(id));
}

TEST_CASE("kernel net: steps are cycles") {
    CHECK(EveryRun(netgen::kernel_net(two_lc))() == StepCounts{3, 3});
    // [Berezovskyi13] figures 2 and 5: 4 warps of LCL take 8 or 9 cycles, never more.
    const netgen::KernelSpec lcl{.string = "LCL", .warps = 4, .units = {{'C', {1, 1}}, {'L', {1, 1}}}};
    CHECK(EveryRun(netgen::kernel_net(lcl))().most == 9);
}

TEST_CASE("kernel net: non-preemptive instructions") {
    netgen::KernelSpec spec = two_lc;
    spec.latency = {{'C', 2}};
    // Serial strings reach 5 and 6 here, maximal steps only 5.
    CHECK(EveryRun(netgen::kernel_net(spec, netgen::MultiCycle::non_preemptive))() == StepCounts{5, 5});
    for (int cycles = 1; cycles <= 5; ++cycles) {
        CAPTURE(cycles);
        const netgen::KernelSpec one{
            .string = "CLC", .units = {{'C', {1, 1}}, {'L', {1, 1}}}, .latency = {{'C', cycles}}};
        CHECK(EveryRun(netgen::kernel_net(one, netgen::MultiCycle::non_preemptive))() ==
              StepCounts{2 * cycles + 1, 2 * cycles + 1});
        netgen::KernelSpec both = one;
        both.warps = 2;
        both.schedulers = 1;  // held for all cycles, so nothing overlaps
        const int sum = 2 * (2 * cycles + 1);
        CHECK(EveryRun(netgen::kernel_net(both, netgen::MultiCycle::non_preemptive))() ==
              StepCounts{sum, sum});
    }
    CHECK(!netgen::recognise_kernel(netgen::kernel_net(spec, netgen::MultiCycle::non_preemptive)));
}

TEST_CASE("recognise: the instance comes back without loss, whatever the names and the order") {
    for (std::uint64_t seed = 0; seed < case_count(200); ++seed) {
        CAPTURE(seed);
        const netgen::KernelSpec spec = any_kernel(seed);
        const netgen::KernelInstance expected = netgen::normalise(spec);
        const Net net = netgen::kernel_net(spec);
        const auto kernel = netgen::recognise_kernel(net);
        REQUIRE(kernel.has_value());
        CHECK(kernel->instance == expected);
        const auto last = static_cast<int>(expected.type.size()) - 1;
        CHECK(net[kernel->at(expected.warps - 1, last)].id.starts_with(
            std::to_string(expected.warps).insert(0, 1, 'w')));

        const auto hidden = netgen::recognise_kernel(disguised(net));
        REQUIRE(hidden.has_value());
        netgen::KernelInstance reversed = expected;  // types are numbered in the order of their places
        std::ranges::reverse(reversed.capacity);
        for (std::uint8_t& type : reversed.type)
            type = static_cast<std::uint8_t>(expected.capacity.size() - 1 - type);
        CHECK(hidden->instance == reversed);
    }
}

TEST_CASE("recognise: nets of any other structure are left alone") {
    const auto build = [](auto change) {
        NetBuilder net;
        const PlaceId unit = net.add_place("unit", 1);
        const PlaceId from = net.add_place("from", 1);
        const PlaceId to = net.add_place("to");
        const TransitionId move = net.add_transition("move");
        net.add_input(unit, move);
        net.add_output(move, unit);
        net.add_input(from, move);
        net.add_output(move, to);
        change(net, unit, from, to, move);
        return net.build();
    };
    CHECK(netgen::recognise_kernel(build([](auto&, auto, auto, auto, auto) {})));
    CHECK(!netgen::recognise_kernel(NetBuilder().build()));
    CHECK(
        !netgen::recognise_kernel(build([](auto& net, auto, auto, auto, auto) { net.add_place("lonely"); })));
    CHECK(!netgen::recognise_kernel(
        build([](auto& net, auto, auto, auto, auto) { net.add_transition("source"); })));
    CHECK(!netgen::recognise_kernel(
        build([](auto& net, auto, auto, auto, auto move) { net.set_immediate(move); })));
    CHECK(!netgen::recognise_kernel(
        build([](auto& net, auto, auto from, auto, auto move) { net.add_input(from, move); })));
    CHECK(!netgen::recognise_kernel(
        build([](auto& net, auto unit, auto, auto, auto move) { net.add_read(unit, move); })));
    CHECK(!netgen::recognise_kernel(build([](auto& net, auto unit, auto from, auto to, auto) {  // a ring
        const TransitionId back = net.add_transition("back");
        net.add_input(unit, back);
        net.add_output(back, unit);
        net.add_input(to, back);
        net.add_output(back, from);
    })));
    CHECK(!netgen::recognise_kernel(
        build([](auto& net, auto unit, auto, auto, auto) {  // a warp that is shorter
            const TransitionId other = net.add_transition("other");
            net.add_input(unit, other);
            net.add_output(other, unit);
            const PlaceId middle = net.add_place("middle");
            net.add_input(net.add_place("start", 1), other);
            net.add_output(other, middle);
            const TransitionId second = net.add_transition("second");
            net.add_input(unit, second);
            net.add_output(second, unit);
            net.add_input(middle, second);
            net.add_output(second, net.add_place("end"));
        })));
}

TEST_CASE("kernel net: waits come back without loss, whatever the names and the order") {
    for (std::uint64_t seed = 0; seed < case_count(200); ++seed) {
        CAPTURE(seed);
        netgen::KernelSpec spec = any_kernel(seed);
        spec.wait[spec.string[seed % spec.string.size()]] = 1 + static_cast<int>(seed % 5);
        const netgen::KernelInstance expected = netgen::normalise(spec);
        const Net net = netgen::kernel_net(spec);
        const auto kernel = netgen::recognise_kernel(net);
        REQUIRE(kernel.has_value());
        CHECK(kernel->instance == expected);
        netgen::KernelInstance reversed = expected;  // types are numbered in the order of their places
        const auto types = reversed.capacity.size() - 1;
        std::reverse(reversed.capacity.begin(), reversed.capacity.end() - 1);
        for (std::uint8_t& type : reversed.type)
            if (type != types) type = static_cast<std::uint8_t>(types - 1 - type);
        const auto hidden = netgen::recognise_kernel(disguised(net));
        REQUIRE(hidden.has_value());
        CHECK(hidden->instance == reversed);
    }
}

TEST_CASE("kernel net: a wait is places and transitions of its own, and of several SMs each has its names") {
    netgen::KernelSpec spec = two_lc;
    spec.wait = {{'L', 3}, {'C', 1}};
    spec.sms = 2;
    const Net net = netgen::kernel_net(spec);
    const NodeIndex nodes(net);
    for (const char* id :
         {"s1_unit_C", "s2_unit_L", "s2_w1_pc_0", "s1_w2_i1_wait", "s1_w1_i1_wait_timer", "s1_w1_i2_wait"})
        CHECK(nodes.place(id));
    for (const char* id : {"s1_w1_i1_L", "s2_w2_i1_wait_tick", "s2_w1_i1_wait_done", "s1_w1_i2_wait_done"})
        CHECK(nodes.transition(id));
    CHECK_FALSE(nodes.place("s1_w1_i2_wait_timer"));  // of one cycle
    spec.sms = 0;
    CHECK_THROWS_AS(netgen::kernel_net(spec), InputError);
    spec.sms = 1'000'000;
    CHECK_THROWS_AS(netgen::kernel_net(spec), InputError);
    spec.sms = 1;
    spec.wait = {{'L', -1}};
    CHECK_THROWS_AS(netgen::kernel_net(spec), InputError);
}

TEST_CASE("kernel net: units of the schedulers belong to the warps of one scheduler") {
    netgen::KernelSpec spec = two_lc;
    spec.warps = 3;
    spec.schedulers = 2;
    spec.assignment = netgen::Assignment::fixed;
    spec.own_units = "C";
    const Net net = netgen::kernel_net(spec);
    const NodeIndex nodes(net);
    for (const char* id : {"unit_C_1", "unit_C_2", "unit_L", "schedulers_1", "schedulers_2"})
        CHECK(nodes.place(id));
    for (const char* id : {"unit_C", "unit_C_3", "unit_L_1"}) CHECK_FALSE(nodes.place(id));
    const auto borrows = [&](const char* transition, const char* place) {
        const auto arcs = net.arcs_of(nodes.transition(transition).value());
        return std::any_of(arcs.begin(), arcs.end(), [&](const Arc& arc) {
            return arc.kind == ArcKind::input && arc.place == nodes.place(place).value();
        });
    };
    CHECK(borrows("w1_i2_C", "unit_C_1"));
    CHECK(borrows("w2_i2_C", "unit_C_2"));
    CHECK(borrows("w3_i2_C", "unit_C_1"));
    CHECK_FALSE(borrows("w3_i2_C", "unit_C_2"));
    CHECK(borrows("w2_i1_L", "unit_L"));
    spec.own_units = "X";
    CHECK_THROWS_AS(netgen::kernel_net(spec), InputError);
    spec.own_units = "C";
    spec.assignment = netgen::Assignment::shared;
    CHECK_THROWS_AS(netgen::kernel_net(spec), InputError);
}

TEST_CASE("kernel net: units of the chip belong to the warps of all SMs") {
    netgen::KernelSpec spec = two_lc;
    spec.units = {{'C', {2, 1}}, {'L', {1, 1}}};
    spec.sms = 3;
    spec.chip_units = {{'L', 2}, {'C', 6}, {'D', 1}};
    const Net net = netgen::kernel_net(spec);
    const NodeIndex nodes(net);
    REQUIRE(nodes.place("chip_L"));
    CHECK(net[*nodes.place("chip_L")].initial == 2);
    for (const char* id : {"chip_C", "chip_D"}) CHECK_FALSE(nodes.place(id));  // implied, and not in use
    for (const char* id : {"s1_w1_i1_L", "s3_w2_i1_L"}) {
        const auto arcs = net.arcs_of(nodes.transition(id).value());
        CHECK(std::ranges::count(arcs, *nodes.place("chip_L"), &Arc::place) == 2);
    }
    CHECK_FALSE(netgen::recognise_kernel(net));
    CHECK_THROWS_AS(netgen::normalise(spec), InputError);
    spec.chip_units['L'] = 3;
    CHECK(netgen::kernel_net(spec).places().size() + 1 == net.places().size());
    CHECK(netgen::normalise(spec).capacity == std::vector<int>{2, 1});
    spec.sms = 1;
    spec.chip_units = {{'C', 1}};
    const auto one = netgen::recognise_kernel(netgen::kernel_net(spec));
    REQUIRE(one);
    CHECK(one->instance == netgen::normalise(spec));
    CHECK(one->instance.capacity == std::vector<int>{1, 1});
    spec.chip_units = {{'C', 0}};
    CHECK_THROWS_AS(netgen::kernel_net(spec), InputError);
    spec.chip_units = {{'X', 1}};
    CHECK_THROWS_AS(netgen::kernel_net(spec), InputError);
}

TEST_CASE("recognise: a delay that is no wait of a kernel is left alone") {
    netgen::KernelSpec spec = two_lc;
    spec.wait = {{'L', 3}};
    const Net net = netgen::kernel_net(spec);
    REQUIRE(netgen::recognise_kernel(net));
    // The same with one token too many or too few in a timer.
    for (const Tokens tokens : {1, 3}) {
        NetBuilder builder;
        for (const Place& place : net.places())
            builder.add_place(place.id, place.id == "w2_i1_wait_timer" ? tokens : place.initial);
        for (const Transition& transition : net.transitions()) builder.add_transition(transition.id);
        for (const Arc& arc : net.arcs()) {
            if (arc.kind == ArcKind::input)
                builder.add_input(arc.place, arc.transition, arc.weight);
            else
                builder.add_output(arc.transition, arc.place, arc.weight);
        }
        CHECK_FALSE(netgen::recognise_kernel(builder.build()));
    }
}

TEST_CASE("fermi: the template's string and levels") {
    const netgen::KernelSpec fair = netgen::fermi_kernel({.threads = 33, .repeat = 2});
    CHECK(fair.string == "CLLCLLCL");
    CHECK(fair.warps == 3);
    CHECK(fair.level == std::vector<int>{1, 1, 1, 1, 2, 2, 2, 2});
    CHECK(netgen::fermi_kernel({.threads = 16, .repeat = 2, .fairness = netgen::FermiFairness::own_levels})
              .level == std::vector<int>{0, 1, 1, 1, 2, 2, 2, 3});
    CHECK(netgen::fermi_kernel({.threads = 16, .repeat = 2, .fairness = netgen::FermiFairness::none})
              .level.empty());
    CHECK(netgen::normalise(fair).capacity == std::vector<int>{2, 1});
}

TEST_CASE("kernel: a net that is too large is refused by the nodes of its warps") {
    for (const netgen::MultiCycle multi_cycle :
         {netgen::MultiCycle::repeated, netgen::MultiCycle::non_preemptive})
        for (const int wait : {0, 1, 5}) {
            netgen::KernelSpec spec;
            spec.string = "LLCCD";
            spec.units = {{'C', {1, 1}}, {'L', {1, 1}}, {'D', {1, 2}}};
            spec.latency = {{'L', 2}, {'D', 3}};
            spec.wait = {{'L', wait}};
            spec.warps = 1;
            const Net one = netgen::kernel_net(spec, multi_cycle);
            const std::size_t nodes = one.places().size() + one.transitions().size() - 3;  // units C, L, D
            spec.warps = 400'000;
            CHECK_THROWS_WITH(netgen::kernel_net(spec, multi_cycle),
                              Catch::Contains("400000 warps with " + std::to_string(nodes) + " each"));
        }
}

TEST_CASE("fermi: the closed form") {
    // [Raravi10] section III: 64 threads take 14 cycles, and 8 more for each further repetition.
    CHECK(netgen::fermi_bound(64, 1) == 14);
    CHECK(netgen::fermi_bound(64, 2) == 22);
    CHECK(netgen::fermi_bound(49, 1) == 14);
    CHECK(netgen::fermi_bound(48, 1) == 11);
    const std::vector<std::int64_t> threads{16, 64, 32};
    CHECK(netgen::fermi_kernel_bound(threads, 3) == 30);
}

TEST_CASE("fermi: numbers out of range are refused") {
    CHECK_THROWS_AS(netgen::fermi_bound(0, 1), InputError);
    CHECK_THROWS_AS(netgen::fermi_bound(16, 0), InputError);
    CHECK_THROWS_AS(netgen::fermi_bound(16, 2'000'000'000), InputError);
    CHECK_THROWS_AS(netgen::fermi_kernel_bound({}, 1), InputError);
    // Five blocks of 40 threads, three warps each, on two SMs.
    CHECK(netgen::fermi_threads_per_sm(5, 40, 2) == std::vector<std::int64_t>{144, 96});
    CHECK(netgen::fermi_threads_per_sm(1, 16, 14) == std::vector<std::int64_t>{16});
    CHECK_THROWS_AS(netgen::fermi_threads_per_sm(0, 16, 14), InputError);
    CHECK_THROWS_AS(netgen::fermi_threads_per_sm(2, 1 << 30, 1), InputError);
    CHECK_THROWS_AS(netgen::fermi_kernel({.threads = 0}), InputError);
    CHECK_THROWS_AS(netgen::fermi_kernel({.repeat = -1}), InputError);
}
