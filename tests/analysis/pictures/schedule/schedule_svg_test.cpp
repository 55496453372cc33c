#include "analysis/pictures/schedule/schedule_svg.hpp"

#include "analysis/pictures/schedule/schedule_rows.hpp"
#include "analysis/pictures/schedule/schedule_trace.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace warpnet;

namespace {

/// `kinds` transitions of different kinds, one after the other, in one and in two frames.
Net many_kinds(std::size_t kinds) {
    NetBuilder net;
    for (std::size_t i = 0; i < kinds; ++i) {
        const std::string name = "w" + std::to_string(i % 2 + 1) + "_some_long_kind_" + std::to_string(i);
        net.add_input(net.add_place(name + "_place", 1), net.add_transition(name));
    }
    return net.build();
}

Schedule one_after_the_other(std::size_t kinds) {
    Schedule schedule;
    for (std::uint32_t i = 0; i < kinds; ++i) schedule.push_back({false, {i}});
    return schedule;
}

}  // namespace

TEST_CASE("every kind of transition has a colour of its own, and a place in the legend") {
    const auto kinds = GENERATE(std::size_t{3}, std::size_t{16}, std::size_t{60});
    const std::string svg = pictures::schedule_svg(many_kinds(kinds), one_after_the_other(kinds));
    std::smatch size;
    const std::regex of_picture(R"x(width="(\d+)" height="(\d+)")x");
    REQUIRE(std::regex_search(svg, size, of_picture));
    const double width = std::stod(size[1]), height = std::stod(size[2]);
    const std::regex entry(
        R"x(<rect x="([\d.]+)" y="([\d.]+)" width="10" height="10" fill="([^"]+)"/><text x="([\d.]+)" y="([\d.]+)">([^<]+)<)x");
    std::set<std::string> colours;
    for (auto at = std::sregex_iterator(svg.begin(), svg.end(), entry); at != std::sregex_iterator(); ++at) {
        colours.insert((*at)[3]);
        CAPTURE((*at)[6]);
        CHECK(std::stod((*at)[4]) + 6.5 * static_cast<double>((*at)[6].length()) < width);
        CHECK(std::stod((*at)[5]) < height);
    }
    CHECK(colours.size() == kinds);
}

TEST_CASE("all schedules of a net give a kind the same colour") {
    const std::size_t kinds = GENERATE(std::size_t{3}, std::size_t{16}, std::size_t{30});
    const Net net = many_kinds(kinds);
    const auto colours = [&](Schedule schedule) {
        const std::string svg = pictures::schedule_svg(net, schedule);
        const std::regex entry(R"x(height="10" fill="([^"]+)"/><text [^>]+>([^<]+)<)x");
        std::map<std::string, std::string> found;
        for (auto at = std::sregex_iterator(svg.begin(), svg.end(), entry); at != std::sregex_iterator();
             ++at)
            found[(*at)[2]] = (*at)[1];
        return found;
    };
    Schedule schedule = one_after_the_other(kinds);
    const auto all = colours(schedule);
    CHECK(all.size() == kinds);
    std::reverse(schedule.begin(), schedule.end());
    CHECK(colours(schedule) == all);
    schedule.erase(schedule.begin(), schedule.begin() + 2);
    for (const auto& [kind, colour] : colours(schedule)) CHECK(all.at(kind) == colour);
}

TEST_CASE("the axis of a schedule and the row outside of frames have names") {
    NetBuilder builder;
    for (const char* name : {"w1_issue", "w2_issue", "idle"})
        builder.add_input(builder.add_place(std::string(name) + "_place", 1), builder.add_transition(name));
    const std::string svg = pictures::schedule_svg(builder.build(), one_after_the_other(3));
    CHECK_THAT(svg, Catch::Contains(">step<") && Catch::Contains(">no warp<"));
}

TEST_CASE("a long schedule is drawn no wider than a page, and says how many steps a column is") {
    const auto steps = GENERATE(std::uint64_t{121}, std::uint64_t{1'080}, std::uint64_t{7'099});
    Schedule schedule;
    for (std::uint32_t i = 0; i < steps; ++i) schedule.push_back({false, {i % 4}});
    const std::string svg =
        pictures::schedule_svg(many_kinds(4), schedule, "no run takes more than 8000 (certified)");
    std::smatch size;
    REQUIRE(std::regex_search(svg, size, std::regex(R"x(width="(\d+)" height="(\d+)")x")));
    CHECK(std::stod(size[1]) < 1'300);
    CHECK(svg.find(std::to_string(steps) + " steps; no run takes more than 8000 (certified)") !=
          std::string::npos);
    CHECK((svg.find("A column is 7 steps") != std::string::npos) == (steps == 7'099));
    // All firings are drawn, and nothing beyond the last step.
    const std::regex cell(R"x(<title>steps? (\d+)(?:-(\d+))?: )x");
    std::uint64_t last = 0;
    for (auto at = std::sregex_iterator(svg.begin(), svg.end(), cell); at != std::sregex_iterator(); ++at)
        last = std::max(last, std::uint64_t{std::stoul((*at)[2].matched ? (*at)[2] : (*at)[1])});
    CHECK(last == steps);
}

TEST_CASE("a column of several steps is filled as far as the row fires in them") {
    NetBuilder net;
    net.add_input(net.add_place("w1_p", 1), net.add_transition("w1_a"));
    net.add_input(net.add_place("w2_p", 1), net.add_transition("w2_a"));
    Schedule schedule;  // w1 in every step, w2 in every second step
    for (std::uint32_t i = 0; i < 2'160; ++i) {
        schedule.push_back({false, {0}});
        if (i % 2 == 0) schedule.back().transitions.push_back(1);
    }
    const std::string svg = pictures::schedule_svg(net.build(), schedule);
    CHECK(svg.find("height=\"14.0\" fill=\"#4c78a8\"><title>steps 1-2160: w1 a</title>") !=
          std::string::npos);
    CHECK(svg.find("height=\"7.0\" fill=\"#4c78a8\"><title>steps 1-2160: w2 a</title>") != std::string::npos);
}

TEST_CASE("hundreds of rows have names that do not overlap, warps of several SMs rows of their own") {
    NetBuilder net;
    for (std::uint32_t sm = 1; sm <= 4; ++sm) {
        for (std::uint32_t warp = 1; warp <= 100; ++warp) {
            const std::string name = "sm" + std::to_string(sm) + "_w" + std::to_string(warp) + "_";
            net.add_input(net.add_place(name + "ready", 1), net.add_transition(name + "issue"));
        }
    }
    Schedule schedule;
    for (std::uint32_t t = 0; t < 400; ++t) schedule.push_back({false, {t}});
    const std::string svg = pictures::schedule_svg(net.build(), schedule);
    const std::regex label(R"x(y="([\d.]+)" text-anchor="end">(sm\d_w\d+)<)x");
    double before = -100;
    int labels = 0;
    for (auto at = std::sregex_iterator(svg.begin(), svg.end(), label); at != std::sregex_iterator(); ++at) {
        CHECK(std::stod((*at)[1]) - before >= 11);
        before = std::stod((*at)[1]);
        ++labels;
    }
    CHECK(labels > 50);
    CHECK(svg.find("step 400: sm4_w100_issue") != std::string::npos);
    CHECK(svg.find(">issue<") != std::string::npos);  // one kind, one entry of the legend
}

TEST_CASE("control characters in names can be seen in a picture") {
    NetBuilder net;
    net.add_input(net.add_place("p", 1), net.add_transition("w1_\x1b[31mred\xc2\x9b"));
    const std::string svg = pictures::schedule_svg(net.build(), {{false, {0}}});
    CHECK(svg.find("w1_\\u001b[31mred\\u009b") != std::string::npos);
    CHECK(svg.find('\x1b') == std::string::npos);
}

TEST_CASE("a picture notes how a schedule compares with the bound of all runs") {
    netgen::WarpsSpec spec;
    spec.warps.assign(2, {1, 0, 0});
    spec.schedulers = 1;
    const Net net = netgen::warps_net(spec);
    Schedule schedule = worst::worst_case(net).schedule;
    CHECK_THAT(pictures::bounded_schedule_svg(net, schedule),
               Catch::Contains("no run of this net is longer (certified"));
    // An immediate step takes no time.
    schedule.back().immediate = true;
    CHECK_THAT(pictures::bounded_schedule_svg(net, schedule), Catch::Contains("quick bound of this net: "));
}

TEST_CASE("rows of a schedule are warps, kernels, or the net, and kinds are classes of instructions") {
    const auto rows_of = [](const std::vector<std::string>& ids) {
        NetBuilder net;
        for (const std::string& id : ids)
            net.add_input(net.add_place(id + "_place", 1), net.add_transition(id));
        return pictures::schedule_rows(net.build());
    };
    const auto warps = rows_of({"w1_select_global", "w1_global_tick", "w2_arith_run", "w2_i3_L", "idle"});
    CHECK(warps.names == std::vector<std::string>{"w1", "w2", "no warp"});
    CHECK(warps.row_of == std::vector<std::uint32_t>{0, 0, 1, 1, 2});
    CHECK(warps.kind_of ==
          std::vector<std::string>{"global memory", "global memory", "arithmetic", "L", "idle"});
    const auto blocks = rows_of({"blur_sm0_pick", "blur_sm0_1_end", "blur_complete", "other"});
    CHECK(blocks.names == std::vector<std::string>{"blur", "no part"});
    CHECK(blocks.row_of == std::vector<std::uint32_t>{0, 0, 0, 1});
    CHECK(blocks.kind_of == std::vector<std::string>{"pick", "end", "complete", "other"});
    CHECK(rows_of({"a", "b"}).names == std::vector<std::string>{"net"});
}

namespace {

/// w1 fires in steps 1, 2 and 6, w2 in 3 to 5, and idle in 4, with an immediate step between.
std::pair<Net, Schedule> with_a_wait() {
    NetBuilder net;
    for (const char* id : {"w1_a", "w2_a", "idle"})
        net.add_input(net.add_place(std::string(id) + "_place", 9), net.add_transition(id));
    return {
        net.build(),
        {{false, {0}}, {false, {0}}, {true, {0}}, {false, {1}}, {false, {1, 2}}, {false, {1}}, {false, {0}}}};
}

}  // namespace

TEST_CASE("a row waits between its firings, and before the first, not after the last") {
    const auto [net, schedule] = with_a_wait();
    std::vector<std::vector<std::uint64_t>> waits;
    for (const pictures::ScheduleWait& wait : pictures::waits_of(net, pictures::schedule_rows(net), schedule))
        waits.push_back({wait.row, wait.first, wait.last, wait.steps()});
    CHECK(waits == std::vector<std::vector<std::uint64_t>>{{1, 1, 2, 2}, {0, 3, 5, 3}});
    const std::string svg = pictures::schedule_svg(net, schedule);
    CHECK_THAT(svg, Catch::Contains("<title>w1 waits 3 steps: 3 to 5</title>") &&
                        Catch::Contains("waits: nothing fires"));
}

TEST_CASE("a block that has not begun does not wait, and a warp without a scheduler does") {
    // w1 hands over to w2, which takes its unit a step later; w3 needs the unit from the start.
    NetBuilder builder;
    const PlaceId unit = builder.add_place("unit", 1);
    const PlaceId second = builder.add_place("w2_ready");
    const auto uses_unit = [&](PlaceId ready, const char* id) {
        const TransitionId transition = builder.add_transition(id);
        builder.add_input(ready, transition);
        builder.add_input(unit, transition);
        builder.add_output(transition, unit);
        return transition;
    };
    builder.add_output(uses_unit(builder.add_place("w1_ready", 2), "w1_a"), second);
    uses_unit(second, "w2_a");
    uses_unit(builder.add_place("w3_ready", 1), "w3_a");
    const Net net = builder.build();
    const Schedule schedule = {{false, {0}}, {false, {0}}, {false, {1}}, {false, {1}}, {false, {2}}};
    std::vector<std::vector<std::uint64_t>> waits;
    for (const pictures::ScheduleWait& wait : pictures::waits_of(net, pictures::schedule_rows(net), schedule))
        waits.push_back({wait.row, wait.first, wait.last});
    CHECK(waits == std::vector<std::vector<std::uint64_t>>{{1, 2, 2}, {2, 1, 4}});
}

TEST_CASE("the trace of a schedule has a thread for each row, and slices that do not overlap") {
    const auto [net, schedule] = with_a_wait();
    const nlohmann::json trace = nlohmann::json::parse(pictures::schedule_trace(net, schedule));
    std::vector<std::string> slices;
    for (const auto& event : trace.at("traceEvents"))
        if (event.at("ph") == "X")
            slices.push_back(event.at("tid").dump() + " " + event.at("name").get<std::string>() + " " +
                             event.at("ts").dump() + "+" + event.at("dur").dump());
    std::sort(slices.begin(), slices.end());
    CHECK(slices == std::vector<std::string>{"1 a 0+2", "1 a 5+1", "1 waiting 2+3", "2 a 2+3",
                                             "2 waiting 0+2", "3 idle 3+1"});

    netgen::WarpsSpec spec;
    spec.warps.assign(3, {2, 1, 1});
    spec.schedulers = 1;
    const Net warps = netgen::warps_net(spec);
    // In every row, each step is in at most one slice.
    const nlohmann::json all =
        nlohmann::json::parse(pictures::schedule_trace(warps, worst::worst_case(warps).schedule));
    std::map<int, std::vector<std::pair<std::int64_t, std::int64_t>>> busy;
    for (const auto& event : all.at("traceEvents"))
        if (event.at("ph") == "X")
            busy[event.at("tid")].push_back(
                {event.at("ts"), event.at("ts").get<std::int64_t>() + event.at("dur").get<std::int64_t>()});
    REQUIRE(busy.size() >= 3);
    for (auto& [row, slices_of_row] : busy) {
        std::sort(slices_of_row.begin(), slices_of_row.end());
        for (std::size_t i = 1; i < slices_of_row.size(); ++i)
            CHECK(slices_of_row[i - 1].second <= slices_of_row[i].first);
    }
}
