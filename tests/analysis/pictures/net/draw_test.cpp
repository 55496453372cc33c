#include "analysis/pictures/net/draw.hpp"

#include "analysis/pictures/net/picture_frames.hpp"
#include "analysis/pictures/net/subprocess.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/occurrences.hpp"

#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>
#include <pugixml.hpp>

using namespace warpnet;
using warpnet::testing::occurrences;

namespace {

/// A net with every symbol once.
Net one_of_each() {
    NetBuilder net("each");
    const PlaceId p = net.add_place("p", 3);
    const PlaceId q = net.add_place("q", 1234, "a \"quoted\" <name>");
    const TransitionId timed = net.add_transition("timed");
    const TransitionId immediate = net.add_transition("immediate");
    net.set_immediate(immediate);
    net.add_input(p, timed, 2);
    net.add_output(timed, q);
    net.add_inhibitor(q, timed, 5);
    net.add_read(q, immediate);
    net.add_input(p, immediate);
    net.add_output(immediate, p);
    return net.build();
}

std::string warps_dot(std::size_t warps) {
    netgen::WarpsSpec spec;
    spec.warps.assign(warps, {3, 2, 1});
    return pictures::draw_dot(netgen::warps_net(spec));
}

}  // namespace

TEST_CASE("each symbol of a picture") {
    const std::string dot = pictures::draw_dot(one_of_each());
    CAPTURE(dot);
    CHECK(dot.find("digraph \"each\" {") == 0);
    CHECK(occurrences(dot, "shape=circle") == 2);
    CHECK(occurrences(dot, "shape=box") == 2);
    CHECK(occurrences(dot, "height=0.07") == 1);                    // the bar of the immediate transition
    CHECK(occurrences(dot, ">●<BR/>●●<") == 1);                     // three tokens
    CHECK(occurrences(dot, ">1234<") == 1);                         // many tokens
    CHECK(occurrences(dot, "a \"quoted\"<BR/>&lt;name&gt;") == 1);  // a name, broken and escaped
    CHECK(occurrences(dot, "p0 -> t0 [label=\"2\"]") == 1);         // a weight
    CHECK(occurrences(dot, "t0 -> p1\n") == 1);                     // an ordinary arc
    CHECK(occurrences(dot, "p1 -> t0 [arrowhead=odot") == 1);       // an inhibitor arc
    CHECK(occurrences(dot, "label=\"5\"") == 1);                    // and its weight
    CHECK(occurrences(dot, "p1 -> t1 [style=dashed, arrowhead=none") == 1);  // a read arc
    CHECK(occurrences(dot, "p0 -> t1 [dir=both]") == 1);                     // a self-loop is one arc
    CHECK(occurrences(dot, "t1 -> p0") == 0);
    CHECK(occurrences(dot, "id=\"immediate\"") == 1);
}

TEST_CASE("a backslash in a name is a backslash, and calls for nothing that Graphviz would put there") {
    NetBuilder net("n");
    net.add_place("p", 0, "a\\Nb");
    net.add_transition("t", "c\\Gd");
    const std::string dot = pictures::draw_dot(net.build());
    CAPTURE(dot);
    CHECK(occurrences(dot, "a\\\\Nb") == 1);  // in HTML as well
    CHECK(occurrences(dot, "c\\\\Gd") == 1);
}

TEST_CASE("marking and highlights") {
    pictures::DrawOptions options;
    options.marking = Marking{0, 4};
    options.highlight = {"q", "timed"};
    const std::string dot = pictures::draw_dot(one_of_each(), options);
    CHECK(occurrences(dot, ">●●<BR/>●●<") == 1);
    CHECK(occurrences(dot, "1234") == 0);
    CHECK(occurrences(dot, "#ffd33d") == 2);
    options.highlight = {"absent"};
    CHECK_THROWS_WITH(pictures::draw_dot(one_of_each(), options),
                      "cannot highlight 'absent': net 'each' has no such node");
    options.highlight = {};
    options.marking = Marking{1};
    CHECK_THROWS_AS(pictures::draw_dot(one_of_each(), options), InputError);
}

TEST_CASE("warps are framed, and what all of them use is repeated in each") {
    SECTION("one warp: nothing is far") {
        const std::string dot = warps_dot(1);
        CHECK(occurrences(dot, "subgraph cluster_") == 1);
        CHECK(occurrences(dot, "label=\"warp 1\"") == 1);
        CHECK(occurrences(dot, "style=dashed") == 0);
    }
    SECTION("four warps") {
        const std::string dot = warps_dot(4);
        CHECK(occurrences(dot, "subgraph cluster_") == 4);
        // In each frame: sm next to issue, arith_finish, shared_finish, global_run; alive next to terminate.
        // Outside the frames: one node for the ready places next to idle.
        CHECK(occurrences(dot, "style=dashed") == 4 * 5 + 1);
        CHECK(occurrences(dot, "ready\\nof every warp") == 1);
        CHECK(occurrences(dot, "style=invis") == 0);
    }
    SECTION("sixteen warps are in three rows") {
        const std::string dot = warps_dot(16);
        CHECK(occurrences(dot, "subgraph cluster_") == 16);
        CHECK(occurrences(dot, "packmode=\"array_i6\"") == 1);
    }
}

TEST_CASE("a picture of warps is at most twice as long as wide, and so narrow that it is readable") {
    const std::size_t warps = GENERATE(3U, 4U, 5U, 8U, 16U);
    CAPTURE(warps);
    netgen::WarpsSpec spec;
    spec.warps.assign(warps, {3, 2, 1});
    const std::string svg =
        pictures::draw_picture(netgen::warps_net(spec), {}, pictures::PictureFormat::svg).file;
    pugi::xml_document document;
    REQUIRE(document.load_string(svg.c_str()));
    const double width = document.child("svg").attribute("width").as_double();
    const double height = document.child("svg").attribute("height").as_double();
    CHECK(width <= 2 * height);
    CHECK(height <= 2 * width);
    CHECK(document.select_nodes("//g[@class='cluster']").size() == warps);
    if (warps <= 4) CHECK(width < 1'800);  // 9 points are 7 pixels of 1,400
}

TEST_CASE("SMs are framed with their warps") {
    netgen::WarpsSpec spec;
    spec.warps.assign(2, {3, 2, 1});
    spec.sms = 2;
    spec.blocks = 3;
    const std::string dot = pictures::draw_dot(netgen::warps_net(spec));
    CHECK(occurrences(dot, "subgraph cluster_") == 2);
    CHECK(occurrences(dot, "label=\"SM 2\"") == 1);
    CHECK(occurrences(dot, "label=\"w1 issue\"") == 2);
    CHECK(occurrences(dot, "\n  p0 [") == 1);  // the waiting blocks, outside both frames
}

TEST_CASE("of SMs with many warps the warps are framed") {
    netgen::WarpsSpec spec;
    spec.warps.assign(8, {1, 1, 1});
    spec.sms = 2;
    const Net net = netgen::warps_net(spec);
    const pictures::PictureFrames frames = pictures::find_frames(net);
    CHECK(frames.prefixes.size() == 2 * (1 + 8));
    CHECK(frames.prefixes[frames.of_place[index(*NodeIndex(net).place("sm2_w3_ready"))]] == "sm2_w3_");
    CHECK(frames.prefixes[frames.of_place[index(*NodeIndex(net).place("sm2_alive"))]] == "sm2_");
    CHECK(occurrences(pictures::draw_dot(net, {}), "label=\"SM 2, warp 3\"") == 1);
}

TEST_CASE("every arc of the net is in the picture") {
    netgen::WarpsSpec spec;
    spec.warps.assign(2, {3, 2, 1});
    const Net net = netgen::warps_net(spec);
    // idle's self-loops on sm and alive are drawn as one arc each.
    CHECK(occurrences(pictures::draw_dot(net), " -> ") == net.arcs().size() - 2);
}

TEST_CASE("equal nets give equal pictures") { CHECK(warps_dot(5) == warps_dot(5)); }

TEST_CASE("frames need a place and a transition with a common prefix") {
    NetBuilder builder("frames");
    for (const char* id : {"w1_p", "w2_p", "x", "w_3", "w4", "w5_", "_6_a"}) builder.add_place(id);
    for (const char* id : {"w1_t", "w3_t"}) builder.add_transition(id);
    const pictures::PictureFrames frames = pictures::find_frames(builder.build());
    CHECK(frames.prefixes == std::vector<std::string>{"w1_"});
    CHECK(frames.of_place[0] == 0);
    for (std::size_t i = 1; i < 7; ++i) CHECK(frames.of_place[i] == no_index);
    CHECK(frames.of_transition == std::vector<std::uint32_t>{0, no_index});
}

TEST_CASE("kernels of the family blocks are framed by any name, large ones by SMs") {
    const std::size_t timers = GENERATE(1U, 120U);
    NetBuilder builder("blocks");
    for (const std::string name : {"mm", "my_b"}) {
        for (const char* end : {"_released", "_unassigned", "_done"}) builder.add_place(name + end);
        builder.add_transition(name + "_complete");
        for (const std::string sm : {"_sm0_", "_sm1_"}) {
            for (std::size_t i = 0; i < timers; ++i)
                builder.add_place(name + sm + std::to_string(i) + "_timer");
            builder.add_transition(name + sm + "start");
        }
    }
    builder.add_place("other_released");
    builder.add_transition("other_complete");
    const Net net = builder.build();
    const pictures::PictureFrames frames = pictures::find_frames(net);
    const std::string dot = pictures::draw_dot(net, {.layout = pictures::DrawLayout::layered});
    CHECK(occurrences(dot, "label=\"kernel mm\"") == 1);
    CHECK(occurrences(dot, "label=\"kernel my_b\"") == 1);
    if (timers == 1) {
        CHECK(frames.prefixes == std::vector<std::string>{"mm_", "my_b_"});
    } else {
        CHECK(frames.prefixes.size() == 6);
        CHECK(frames.apart);
        CHECK(occurrences(dot, "label=\"kernel mm, SM 0\"") == 1);
        CHECK(occurrences(dot, "label=\"kernel my_b, SM 1\"") == 1);
    }
}

TEST_CASE("a layout by forces has no frames, which would all be around the whole picture") {
    netgen::WarpsSpec spec;
    spec.warps.assign(4, {3, 2, 1});
    const std::string dot =
        pictures::draw_dot(netgen::warps_net(spec), {.layout = pictures::DrawLayout::force});
    CHECK(occurrences(dot, "subgraph cluster_") == 0);
    CHECK(occurrences(dot, "label=\"issue\"") == 0);  // names are those of the whole net
}

TEST_CASE("positions of the file are kept when asked for, if all nodes have one") {
    NetBuilder builder("placed");
    const PlaceId p = builder.add_place("p");
    const TransitionId t = builder.add_transition("t");
    builder.add_input(p, t);
    builder.set_position(p, {10, 20});
    pictures::DrawOptions options;
    options.keep_positions = true;
    const auto half_placed = builder;
    CHECK(occurrences(pictures::draw_dot(builder.build(), options), "pos=") == 0);
    builder = half_placed;
    builder.set_position(t, {30, 40.5});
    const std::string dot = pictures::draw_dot(builder.build(), options);
    CHECK(occurrences(dot, "pos=\"10,-20!\"") == 1);
    CHECK(occurrences(dot, "pos=\"30,-40.5!\"") == 1);
}

TEST_CASE("an arc behind a name is not cut") {
    const std::string svg = pictures::render_dot(warps_dot(1), pictures::PictureFormat::svg);
    pugi::xml_document document;
    REQUIRE(document.load_string(svg.c_str()));
    std::size_t grounds = 0;
    for (const auto& found : document.select_nodes("//polygon[@fill-opacity]")) {
        ++grounds;
        CHECK(found.node().attribute("fill-opacity").as_double() < 0.6);
    }
    CHECK(grounds == 20);  // one per place; transitions have theirs inside
}

TEST_CASE("Graphviz makes the picture") {
    const std::string svg = pictures::render_dot(warps_dot(2), pictures::PictureFormat::svg);
    CHECK(svg.find("<svg") != std::string::npos);
    CHECK(occurrences(svg, "id=\"w2_ready\"") == 1);
    CHECK(pictures::render_dot(warps_dot(1), pictures::PictureFormat::png).substr(1, 3) == "PNG");
    const std::string pdf = pictures::render_dot(warps_dot(1), pictures::PictureFormat::pdf);
    CHECK(pdf.starts_with("%PDF"));
    // The PDF contains its fonts: every font description has a font file.
    const std::size_t fonts = occurrences(pdf, "/Type /FontDescriptor");
    CHECK(fonts > 0);
    CHECK(occurrences(pdf, "/FontFile") == fonts);
    CHECK_NOTHROW(pictures::render_dot(pictures::draw_dot(one_of_each(), {.legend = true}),
                                       pictures::PictureFormat::svg));
}

TEST_CASE("PNG files of large pictures have fewer points and colours") {
    const auto width = [](const std::string& png) {
        return static_cast<unsigned char>(png[18]) * 256 + static_cast<unsigned char>(png[19]);
    };
    const std::string text = warps_dot(1);
    const std::string usual = pictures::render_dot(text, pictures::PictureFormat::png);
    const std::string large =
        pictures::render_dot(text + "/*" + std::string(600'000, '-') + "*/", pictures::PictureFormat::png);
    CHECK(large.substr(1, 3) == "PNG");
    CHECK(std::abs(width(usual) * 3 - width(large) * 4) <= 4);  // 96 and 72 for an inch
    CHECK(large.size() < usual.size());
}

TEST_CASE("what Graphviz cannot do is an error with a reason") {
    try {
        pictures::render_dot("digraph {", pictures::PictureFormat::svg);
        FAIL("no error");
    } catch (const pictures::RenderError& error) {
        CHECK(error.reason() == pictures::RenderError::Reason::failed);
        CHECK_THAT(error.what(), Catch::Contains("syntax error"));
    }
    try {
        pictures::render_dot(warps_dot(4), pictures::PictureFormat::svg, std::chrono::milliseconds(0));
        FAIL("no error");
    } catch (const pictures::RenderError& error) {
        CHECK(error.reason() == pictures::RenderError::Reason::time_limit);
    }
}

TEST_CASE("firings colour transitions, and a legend says how") {
    const Net net = one_of_each();
    pictures::DrawOptions options;
    options.heat = {0, 12};
    const std::string dot = pictures::draw_dot(net, options);
    CAPTURE(dot);
    CHECK(dot.find("fillcolor=\"#ffffff\"]") != std::string::npos);  // the transition that never fired
    CHECK(dot.find("fillcolor=\"#f0643a\"]") != std::string::npos);  // the transition that fired most
    CHECK(occurrences(dot, "heat_legend") == 1);
    CHECK(occurrences(dot, ">0</TD>") == 1);
    options.heat = {1};
    CHECK_THROWS_AS(pictures::draw_dot(net, options), InputError);
}

TEST_CASE("layers that were not requested are left for forces when they take too long") {
    const Net net = one_of_each();
    pictures::DrawOptions options;
    CHECK_FALSE(pictures::draw_picture(net, options, pictures::PictureFormat::svg).left_layers);
    options.patience = std::chrono::milliseconds(0);
    const pictures::Picture picture = pictures::draw_picture(net, options, pictures::PictureFormat::svg);
    CHECK(picture.left_layers);
    options.layout = pictures::DrawLayout::force;
    CHECK(picture.file == pictures::draw_picture(net, options, pictures::PictureFormat::svg).file);
    options.layout = pictures::DrawLayout::layered;
    CHECK_FALSE(pictures::draw_picture(net, options, pictures::PictureFormat::svg).left_layers);
}

TEST_CASE("the layout follows the size of the net") {
    CHECK(warps_dot(2).find("packmode") == std::string::npos);
    CHECK(warps_dot(16).find("headlabel=\"21\"") != std::string::npos);
    NetBuilder ring;
    const PlaceId hub = ring.add_place("hub", 1);
    std::vector<PlaceId> places;
    for (int i = 0; i < 300; ++i) places.push_back(ring.add_place("place" + std::to_string(i)));
    for (std::size_t i = 0; i < 300; ++i) {
        const TransitionId t = ring.add_transition("move" + std::to_string(i));
        ring.add_input(places[i], t);
        ring.add_output(t, places[(i + 1) % 300]);
        if (i % 10 == 0) ring.add_input(hub, t);
    }
    const Net net = ring.build();
    const std::string dot = pictures::draw_dot(net);
    CHECK(dot.find("layout=sfdp") != std::string::npos);
    CHECK(occurrences(dot, "p0_at_t") == 60);  // a repetition and an arc for each use of the hub
    pictures::DrawOptions options;
    options.layout = pictures::DrawLayout::orthogonal;
    CHECK(pictures::draw_dot(net, options).find("splines=ortho") != std::string::npos);
}
