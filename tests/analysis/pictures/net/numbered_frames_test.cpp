#include "analysis/pictures/net/draw.hpp"
#include "analysis/pictures/net/picture_frames.hpp"
#include "analysis/pictures/net/piece_layout.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/occurrences.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <pugixml.hpp>

using namespace warpnet;
using warpnet::testing::occurrences;

namespace {

/// A philosopher that thinks takes the nearest fork, then the fork of the next philosopher: seven nodes and
/// ten arcs per philosopher, and two of the arcs reach into the next part. Numbers have steps of 7, so that
/// the order of the net differs from the order of the numbers.
Net philosophers(std::size_t count) {
    NetBuilder net("philosophers");
    const auto name = [&](const char* stem, std::size_t i) {
        return fmt::format("{}_{}", stem, i * 7 % count + 1);
    };
    std::map<std::string, PlaceId> places;
    for (const char* stem : {"think", "fork", "wait", "eat"}) {
        for (std::size_t i = 0; i < count; ++i)
            places[name(stem, i)] = net.add_place(name(stem, i), stem[0] == 't' || stem[0] == 'f' ? 1 : 0);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::string own = std::to_string(i + 1), next = std::to_string((i + 1) % count + 1);
        const auto add = [&](const std::string& id, const std::vector<std::string>& takes,
                             const std::vector<std::string>& gives) {
            const TransitionId transition = net.add_transition(id);
            for (const std::string& place : takes) net.add_input(places.at(place), transition);
            for (const std::string& place : gives) net.add_output(transition, places.at(place));
        };
        add("first_" + own, {"think_" + own, "fork_" + own}, {"wait_" + own});
        add("second_" + own, {"wait_" + own, "fork_" + next}, {"eat_" + own});
        add("end_" + own, {"eat_" + own}, {"think_" + own, "fork_" + own, "fork_" + next});
    }
    return net.build();
}

/// The arcs of a piece. Both nodes of each arc must be declared in it.
std::size_t arcs_of_piece(const std::string& piece) {
    std::set<std::string> nodes;
    std::vector<std::string> ends;
    std::istringstream lines(piece);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string first, second, third;
        words >> first >> second >> third;
        if (second == "->") ends.insert(ends.end(), {first, third});
        if (second.starts_with("[")) nodes.insert(first);
    }
    for (const std::string& end : ends) CHECK(nodes.contains(end));
    return ends.size() / 2;
}

std::string without_digits(std::string text) {
    std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
    return text;
}

struct Box {
    double left, top, right, bottom;
};

/// The frames of a picture, in the order of the net.
std::vector<Box> frames_of(const std::string& svg) {
    pugi::xml_document document;
    REQUIRE(document.load_string(svg.c_str()));
    std::vector<Box> boxes;
    for (const pugi::xpath_node& cluster : document.select_nodes("//g[@class='cluster']")) {
        // The rounded frame, a path of points "x,y".
        std::string path = cluster.node().child("path").attribute("d").value();
        for (char& c : path) c = std::string_view("MC,").find(c) != std::string_view::npos ? ' ' : c;
        std::istringstream numbers(path);
        Box box{1e9, 1e9, -1e9, -1e9};
        for (double x = 0, y = 0; numbers >> x >> y;) {
            box = {std::min(box.left, x), std::min(box.top, y), std::max(box.right, x),
                   std::max(box.bottom, y)};
        }
        boxes.push_back(box);
    }
    return boxes;
}

}  // namespace

TEST_CASE("a large net of numbered parts is framed by the numbers") {
    constexpr std::size_t count = 100;
    const Net net = philosophers(count);
    CHECK(pictures::find_frames(net).prefixes.empty());
    const pictures::PictureFrames frames = pictures::find_numbered_frames(net);
    REQUIRE(frames.prefixes.size() == count);
    for (std::size_t i = 0; i < count; ++i) CHECK(frames.prefixes[i] == fmt::format("_{}", i + 1));
    CHECK(frames.numbered);
    CHECK(frames.apart);
    for (std::size_t p = 0; p < net.places().size(); ++p) {
        const std::string& id = net.places()[p].id;
        CHECK(id.ends_with(frames.prefixes[frames.of_place[p]]));
        CHECK((frames.far_place[p] != 0) == id.starts_with("fork"));
    }
    CHECK(pictures::layout_of(net) == pictures::DrawLayout::layered);
    const std::string dot = pictures::draw_dot(net);
    CHECK(occurrences(dot, "subgraph cluster_") == count);
    CHECK(occurrences(dot, "label=\"fork 42\"") == 2);  // next to second_41 and end_41
    CHECK(occurrences(dot, " -> ") == net.arcs().size());
}

TEST_CASE("nets that are small or of other forms have no numbered frames") {
    CHECK(occurrences(pictures::draw_dot(philosophers(40)), "subgraph") == 0);  // 680 nodes and arcs
    CHECK(pictures::layout_of(philosophers(40)) == pictures::DrawLayout::layered);
    CHECK(occurrences(pictures::draw_dot(philosophers(100), {.layout = pictures::DrawLayout::force}),
                      "subgraph") == 0);
    CHECK(pictures::find_numbered_frames(philosophers(4)).prefixes.empty());

    SECTION("most arcs lead from one number to another") {
        NetBuilder net("crossing");
        constexpr std::size_t count = 10;
        std::vector<PlaceId> places;
        for (std::size_t i = 0; i < count; ++i) places.push_back(net.add_place(fmt::format("p_{}", i)));
        for (std::size_t i = 0; i < count; ++i) {
            const TransitionId transition = net.add_transition(fmt::format("t_{}", i));
            net.add_input(places[i], transition);
            net.add_output(transition, places[(i + 1) % count]);
        }
        CHECK(pictures::find_numbered_frames(net.build()).prefixes.empty());
    }
    SECTION("ids without a stem, an underscore or a number") {
        NetBuilder net("others");
        for (const char* id : {"_1", "p2", "p_", "p", "7"}) net.add_place(id);
        for (const char* id : {"_2", "t1", "t_", "t", "8"}) net.add_transition(id);
        CHECK(pictures::find_numbered_frames(net.build()).prefixes.empty());
    }
}

TEST_CASE("frames that are apart are pieces that are by themselves") {
    SECTION("numbered: equal parts look equal") {
        const Net net = philosophers(100);
        const pictures::DotPieces pieces = pictures::draw_pieces(net);
        CHECK(pieces.outside.empty());
        REQUIRE(pieces.frames.size() == 100);
        std::size_t arcs = 0;
        for (const std::string& piece : pieces.frames) {
            arcs += arcs_of_piece(piece);
            CHECK(without_digits(piece) == without_digits(pieces.frames.front()));
        }
        CHECK(pictures::piece_form(pieces.frames[20]) == pictures::piece_form(pieces.frames[97]));
        CHECK(arcs == net.arcs().size());
    }
    SECTION("more than 200 warps") {
        netgen::WarpsSpec spec;
        spec.warps.assign(201, {1, 1, 1});
        const pictures::DotPieces pieces = pictures::draw_pieces(netgen::warps_net(spec), {.legend = true});
        CHECK(arcs_of_piece(pieces.outside) > 0);
        REQUIRE(pieces.frames.size() == 201);
        for (const std::string& piece : pieces.frames) arcs_of_piece(piece);
        CHECK(occurrences(pieces.outside, "cluster_legend") == 1);
    }
    SECTION("SMs of few warps") {
        netgen::WarpsSpec spec;
        spec.warps.assign(8, {1, 1, 1});
        spec.sms = 8;
        const pictures::DotPieces pieces = pictures::draw_pieces(netgen::warps_net(spec));
        CHECK(pieces.outside.empty());
        REQUIRE(pieces.frames.size() == 8 * 9);
        for (const std::string& piece : pieces.frames) arcs_of_piece(piece);
        CHECK(pictures::piece_form(pieces.frames[0]) == pictures::piece_form(pieces.frames[9]));
        CHECK(pictures::piece_form(pieces.frames[0]) != pictures::piece_form(pieces.frames[1]));
        CHECK(pictures::piece_form(pieces.frames[1]) == pictures::piece_form(pieces.frames[71]));
    }
    SECTION("others are whole") {
        netgen::WarpsSpec spec;
        spec.warps.assign(2, {1, 1, 1});
        CHECK(pictures::draw_pieces(netgen::warps_net(spec)).frames.empty());
        NetBuilder chain("chain");  // an arc from each frame to the next
        PlaceId last = chain.add_place("p0_end");
        for (int i = 0; i < 40; ++i) {
            const TransitionId go = chain.add_transition(fmt::format("p{}_go", i));
            chain.add_input(last, go);
            last = chain.add_place(fmt::format("p{}_end", i + 1));
            chain.add_output(go, last);
        }
        chain.add_input(last, chain.add_transition("p40_go"));
        const Net net = chain.build();
        CHECK(occurrences(pictures::draw_dot(net), "subgraph cluster_") == 41);
        CHECK(pictures::draw_pieces(net).frames.empty());
        CHECK(
            pictures::draw_pieces(philosophers(100), {.layout = pictures::DrawLayout::force}).frames.empty());
    }
}

TEST_CASE("a picture of pieces shows each node once, and is the same each time") {
    const Net net = philosophers(150);
    const pictures::DrawOptions options{.highlight = {"fork_7"}, .legend = true};
    const std::string svg = pictures::draw_picture(net, options, pictures::PictureFormat::svg).file;
    pugi::xml_document document;
    REQUIRE(document.load_string(svg.c_str()));
    std::map<std::string, std::size_t> ids;
    for (const auto& found : document.select_nodes("//*[@id]")) ++ids[found.node().attribute("id").value()];
    for (const auto& [id, times] : ids) {
        CAPTURE(id);
        CHECK(times == 1);
    }
    for (const Place& place : net.places()) CHECK(ids.contains(place.id));
    for (const Transition& transition : net.transitions()) CHECK(ids.contains(transition.id));
    CHECK(document.select_nodes("//g[@class='cluster']").size() == 151);  // and the legend
    CHECK(document.select_nodes("//g[@class='edge']").size() == net.arcs().size() + 4);
    CHECK(svg == pictures::draw_picture(net, options, pictures::PictureFormat::svg).file);
}

TEST_CASE("a picture of pieces ends at its limit") {
    try {
        pictures::draw_picture(philosophers(150), {}, pictures::PictureFormat::svg,
                               std::chrono::milliseconds(0));
        FAIL("a layout within no time");
    } catch (const pictures::RenderError& error) {
        CHECK(error.reason() == pictures::RenderError::Reason::time_limit);
    }
}

TEST_CASE("pieces do not lie upon each other") {
    const std::string svg = pictures::draw_picture(philosophers(100), {}, pictures::PictureFormat::svg).file;
    const std::vector<Box> boxes = frames_of(svg);
    REQUIRE(boxes.size() == 100);
    constexpr double rounding = 0.02;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const Box& a = boxes[i];
        CHECK((a.left < a.right && a.top < a.bottom));
        for (std::size_t j = 0; j < i; ++j) {
            const Box& b = boxes[j];
            CHECK((a.left >= b.right - rounding || b.left >= a.right - rounding ||
                   a.top >= b.bottom - rounding || b.top >= a.bottom - rounding));
        }
    }
}

TEST_CASE("an SM and its warps are in one row") {
    netgen::WarpsSpec spec;
    spec.warps.assign(8, {1, 1, 1});
    spec.sms = 12;
    const std::vector<Box> boxes =
        frames_of(pictures::draw_picture(netgen::warps_net(spec), {}, pictures::PictureFormat::svg).file);
    REQUIRE(boxes.size() == 12 * 9);
    std::set<double> lefts;
    for (std::size_t sm = 0; sm < boxes.size(); sm += 9) {
        lefts.insert(boxes[sm].left);
        for (std::size_t warp = sm + 1; warp < sm + 9; ++warp) {
            CHECK(boxes[warp].left > boxes[warp - 1].right);
            CHECK(boxes[warp].top == Approx(boxes[sm].top));
        }
    }
    CHECK(lefts.size() < 4);
}

TEST_CASE("PNG and PDF files of pieces") {
    const Net net = philosophers(150);
    CHECK(pictures::draw_picture(net, {}, pictures::PictureFormat::png).file.substr(1, 3) == "PNG");
    CHECK(pictures::draw_picture(net, {}, pictures::PictureFormat::pdf).file.starts_with("%PDF"));
}
