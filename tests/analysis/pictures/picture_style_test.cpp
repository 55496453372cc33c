#include "analysis/pictures/picture_style.hpp"

#include "analysis/pictures/net/draw.hpp"
#include "analysis/pictures/plots/gantt_svg.hpp"
#include "analysis/pictures/plots/line_plot_svg.hpp"
#include "analysis/pictures/plots/scatter_svg.hpp"
#include "analysis/pictures/schedule/schedule_svg.hpp"
#include "analysis/pictures/svg_text.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/block_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <pugixml.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

constexpr pictures::PictureTheme themes[] = {pictures::PictureTheme::light, pictures::PictureTheme::dark,
                                             pictures::PictureTheme::print};

Net chain_of_warps(std::size_t transitions) {
    NetBuilder net("chain");
    for (std::size_t i = 0; i < transitions; ++i) {
        const std::string name = "w" + std::to_string(i % 2 + 1) + "_kind" + std::to_string(i);
        const PlaceId place = net.add_place(name + "_place", 2);
        const TransitionId transition = net.add_transition(name);
        net.add_input(place, transition);
        net.add_read(place, transition);
        net.add_inhibitor(place, transition, 9);
        if (i % 3 == 0) net.set_immediate(transition);
    }
    return net.build();
}

Schedule one_by_one(std::size_t transitions) {
    Schedule schedule;
    for (std::uint32_t i = 0; i < transitions; ++i) schedule.push_back({false, {i}});
    return schedule;
}

studies::Measurement measured(const char* name, std::int64_t blocks, double microseconds) {
    netgen::KernelProfile kernel;
    kernel.name = name;
    kernel.blocks = blocks;
    kernel.threads = 64;
    kernel.fp32 = 20;
    kernel.loads.requests = kernel.stores.requests = 1;
    studies::Measurement measurement;
    measurement.kernel = measurement.function = name;
    measurement.profile = kernel;
    measurement.measured = microseconds;
    return measurement;
}

/// One picture of every kind, by name.
std::map<std::string, std::string> every_picture(const pictures::PictureStyle& style) {
    const Net net = chain_of_warps(12);
    pictures::LinePlot plot{"title", "x", {}, {{"y", false, {}}}, style};
    for (const char* name : {"a", "b", "c", "d", "e"})
        plot.panels[0].lines.push_back({name, {{1, 2}, {2, 3}}, *name == 'e'});
    const netgen::TaskSet tasks = flat_tasks(8, {{4, 2}, {6, 7}, {6, 2}, {5, 5}});
    studies::RespondOptions groups;
    groups.max_groups = 100;
    studies::CompareOptions models;
    models.device = netgen::SmDevice();
    models.families = {studies::ModelFamily::closed_form, studies::ModelFamily::throughput};
    models.resamples = 10;
    const studies::Comparison comparison =
        studies::compare({measured("k", 2000, 50), measured("l", 250, 0.001), measured("m", 9, 4)}, models);
    pictures::DrawOptions draw;
    draw.style = style;
    draw.legend = true;
    draw.highlight = {"w1_kind0_place"};
    draw.heat.assign(12, 1);
    for (std::size_t i = 0; i < 12; ++i) draw.heat[i] = std::pow(3.0, static_cast<double>(i));
    return {{"net", pictures::draw_dot(net, draw)},
            {"schedule", pictures::schedule_svg(net, one_by_one(12), "note", style)},
            {"plot", pictures::line_plot_svg(plot)},
            {"gantt", pictures::gantt_svg(tasks, studies::respond(tasks, groups), style)},
            {"scatter", pictures::scatter_svg(comparison, "us", style)}};
}

/// From 0 to 1, by the definition of WCAG 2.
double luminance(const std::string& colour) {
    double sum = 0;
    constexpr double weights[] = {0.2126, 0.7152, 0.0722};
    for (std::size_t i = 0; i < 3; ++i) {
        const double value = std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
        sum += weights[i] * (value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4));
    }
    return sum;
}

double contrast(const std::string& one, const std::string& other) {
    const auto [dark, light] = std::minmax({luminance(one), luminance(other)});
    return (light + 0.05) / (dark + 0.05);
}

}  // namespace

TEST_CASE("what is drawn for print has no colour") {
    const std::regex colour("#([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})");
    for (const auto& [name, picture] : every_picture({.theme = pictures::PictureTheme::print})) {
        CAPTURE(name);
        std::size_t greys = 0;
        for (auto at = std::sregex_iterator(picture.begin(), picture.end(), colour);
             at != std::sregex_iterator(); ++at, ++greys) {
            CAPTURE(at->str());
            CHECK((*at)[1] == (*at)[2]);
            CHECK((*at)[2] == (*at)[3]);
        }
        CHECK(greys > 2);
        CHECK(picture.find("hsl(") == std::string::npos);
        CHECK(picture.find("rgb(") == std::string::npos);
    }
}

TEST_CASE("letters can be read on all that they are on, in every theme") {
    for (const pictures::PictureTheme theme : themes) {
        CAPTURE(to_string(theme));
        const pictures::PictureColours& colours = pictures::PictureStyle{theme}.colours();
        constexpr double readable = 4.5;  // WCAG 2, level AA
        for (const char* ground : {colours.ground, colours.node, colours.frame, colours.highlight}) {
            CAPTURE(ground);
            CHECK(contrast(colours.ink, ground) >= readable);
        }
        for (const char* heat : colours.heat) CHECK(contrast(colours.ink, heat) >= readable);
        CHECK(contrast(colours.soft, colours.ground) >= readable);
    }
}

TEST_CASE("nothing in a dark picture is left light, nor the other way round") {
    const auto light = every_picture({}), dark = every_picture({.theme = pictures::PictureTheme::dark});
    for (const auto& [name, picture] : dark) {
        CAPTURE(name);
        for (const char* left : {"#ffffff", "#24292f", "\"white\"", "\"black\"", "'#fff'", "\"#fff\""}) {
            CAPTURE(left);
            CHECK(picture.find(left) == std::string::npos);
        }
        CHECK(picture.find(pictures::PictureStyle{pictures::PictureTheme::dark}.colours().ground) !=
              std::string::npos);
        CHECK(light.at(name).find(pictures::PictureStyle{pictures::PictureTheme::dark}.colours().ink) ==
              std::string::npos);
    }
}

TEST_CASE("letters are as large as was asked for, and charts no larger") {
    const auto usual = every_picture({}), large = every_picture({.font_size = 24});
    for (const char* name : {"schedule", "plot", "gantt", "scatter"}) {
        CAPTURE(name);
        pugi::xml_document document, before;
        REQUIRE(document.load_string(large.at(name).c_str()));
        REQUIRE(before.load_string(usual.at(name).c_str()));
        const pugi::xml_node svg = document.child("svg");
        const std::string box = svg.attribute("viewBox").value();
        const double scale = svg.attribute("width").as_double() / std::stod(box.substr(4));
        CHECK(scale * svg.attribute("font-size").as_double() == Approx(24).epsilon(0.02));
        // Margins grow with the letters; the chart between them does not.
        CHECK(svg.attribute("width").as_double() < 1.6 * before.child("svg").attribute("width").as_double());
    }
    CHECK(large.at("net").find("node [fontname=\"DejaVu Sans\", fontsize=24,") != std::string::npos);
}

TEST_CASE("lines for print are thicker") {
    const auto thickest_arc = [](pictures::PictureTheme theme) {
        const std::string dot = every_picture({.theme = theme}).at("net");
        const std::regex width(R"(edge \[penwidth=([\d.]+))");
        std::smatch found;
        return std::regex_search(dot, found, width) ? std::stod(found[1]) : 1.0;
    };
    CHECK(thickest_arc(pictures::PictureTheme::light) == 1);
    CHECK(thickest_arc(pictures::PictureTheme::print) >= 1.4);
    CHECK(every_picture({}).at("plot").find("stroke-width='1.6'") != std::string::npos);
    CHECK(every_picture({.theme = pictures::PictureTheme::print}).at("plot").find("stroke-width='2.4'") !=
          std::string::npos);
}

TEST_CASE("texts are measured, broken and shortened") {
    CHECK(pictures::text_width("ill", 10) < pictures::text_width("mmm", 10) / 2);
    CHECK(pictures::text_width("µ", 10) == Approx(7.5));
    CHECK(pictures::wrapped_text("one two three", 1000, 10) == std::vector<std::string>{"one two three"});
    CHECK(pictures::wrapped_text("one two three", 1, 10) == std::vector<std::string>{"one", "two", "three"});
    CHECK(pictures::wrapped_text("", 10, 10).empty());
    CHECK(pictures::shortened_text("name", 1000, 10) == "name");
    CHECK(pictures::shortened_text("µµµµµµ", 30, 10) == "µµµ…");
    CHECK(pictures::shortened_text("name", 1, 10) == "…");
}

TEST_CASE("no two areas of a picture look alike") {
    const pictures::PictureTheme theme =
        GENERATE(pictures::PictureTheme::light, pictures::PictureTheme::dark, pictures::PictureTheme::print);
    const pictures::PictureStyle style{theme};
    std::set<std::string> looks;
    constexpr std::size_t areas = 60;
    for (std::size_t n = 0; n < areas; ++n) looks.insert(style.area_fill(n));
    CHECK(looks.size() == areas);
    if (theme != pictures::PictureTheme::print) return;
    pugi::xml_document document;
    REQUIRE(document.load_string(style.hatching(areas).c_str()));
    std::set<std::string> patterns;
    for (const pugi::xml_node pattern : document.child("defs").children("pattern")) {
        CHECK(looks.contains("url(#" + std::string(pattern.attribute("id").value()) + ")"));
        patterns.insert(std::string(pattern.attribute("patternTransform").value()) +
                        pattern.child("rect").attribute("fill").value() +
                        pattern.child("path").attribute("d").value());
    }
    CHECK(patterns.size() == areas);
}
