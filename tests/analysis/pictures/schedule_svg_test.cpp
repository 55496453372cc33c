#include "analysis/pictures/schedule_svg.hpp"

#include "engine/net/net_builder.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

/// `kinds` transitions of different kinds, one after the other, in one frame and two.
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
    const std::string svg = schedule_svg(many_kinds(kinds), one_after_the_other(kinds));
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

TEST_CASE("control characters in names can be seen in a picture") {
    NetBuilder net;
    net.add_input(net.add_place("p", 1), net.add_transition("w1_\x1b[31mred\xc2\x9b"));
    const std::string svg = schedule_svg(net.build(), {{false, {0}}});
    CHECK(svg.find("w1_\\x1b[31mred\\x9b") != std::string::npos);
    CHECK(svg.find('\x1b') == std::string::npos);
}
