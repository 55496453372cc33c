#include "analysis/pictures/schedule/animate_svg.hpp"

#include "analysis/pictures/net/draw.hpp"
#include "engine/net/error.hpp"
#include "engine/plan.hpp"
#include "netgen/warps/warps.hpp"

#include <cmath>
#include <map>
#include <sstream>

#include <catch2/catch.hpp>
#include <pugixml.hpp>

using namespace warpnet;

namespace {

struct Frames : Observer {
    std::vector<pictures::TraceFrame> frames;
    explicit Frames(const Net& net) : frames{{0, false, {}, net.initial_marking()}} {}
    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override {
        frames.push_back(
            {number, immediate, {firings.begin(), firings.end()}, {marking.begin(), marking.end()}});
    }
};

/// The value that a browser shows at a time, given as `share` of the duration: SMIL's discrete mode.
std::string value_at(const pugi::xml_node& node, const char* attribute, double share) {
    const pugi::xml_node animate = node.find_child_by_attribute("animate", "attributeName", attribute);
    std::string value = node.attribute(attribute).value();
    if (!animate) return value;
    std::istringstream values(animate.attribute("values").value()),
        times(animate.attribute("keyTimes").value());
    std::string candidate, time;
    double before = -1;
    while (std::getline(values, candidate, ';')) {
        REQUIRE(std::getline(times, time, ';'));
        REQUIRE(std::stod(time) > before);
        before = std::stod(time);
        if (before <= share) value = candidate;
    }
    return value;
}

pugi::xml_node by_id(const pugi::xml_document& document, const std::string& id) {
    return document.find_node([&](const pugi::xml_node& node) { return node.attribute("id").value() == id; });
}

}  // namespace

TEST_CASE("an animation shows the tokens and firings of every step") {
    netgen::WarpsSpec spec;
    spec.warps.assign(2, {2, 1, 0});
    const Net net = netgen::warps_net(spec);
    Frames trace(net);
    run(compile(net), {}, &trace);
    const auto& frames = trace.frames;
    const std::string svg = pictures::animate_net(net, frames, std::chrono::milliseconds(500));
    CHECK(svg == pictures::animate_svg(pictures::draw_picture(net, {.marking = frames.front().marking},
                                                              pictures::PictureFormat::svg)
                                           .file,
                                       net, frames, std::chrono::milliseconds(500)));
    pugi::xml_document document;
    REQUIRE(document.load_string(svg.c_str()));
    const auto count = static_cast<double>(frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const double share = (static_cast<double>(i) + 0.5) / count;
        for (std::size_t p = 0; p < net.places().size(); ++p) {
            CAPTURE(i, net.places()[p].id);
            const pugi::xml_node place = by_id(document, net.places()[p].id);
            Tokens shown = 0;
            place.find_node([&](const pugi::xml_node& node) {
                const std::string name = node.attribute("class").value();
                if (name.starts_with("tokens ") && value_at(node, "visibility", share) == "visible") {
                    CHECK(shown == 0);
                    shown = std::stoll(name.substr(7));
                    const pugi::xml_node text = node.child("text");
                    if (shown > 4) CHECK(text.text().as_llong() == shown);
                    if (shown <= 4)
                        CHECK(std::distance(node.children("circle").begin(), node.children("circle").end()) ==
                              shown);
                }
                return false;
            });
            CHECK(shown == frames[i].marking[p]);
        }
        for (std::uint32_t t = 0; t < net.transitions().size(); ++t) {
            CAPTURE(i, net.transitions()[t].id);
            const pugi::xml_node box =
                by_id(document, net.transitions()[t].id).find_node([](const auto& node) {
                    return std::string_view(node.name()) == "polygon";
                });
            const bool fires = std::any_of(frames[i].fired.begin(), frames[i].fired.end(),
                                           [&](const Firing& firing) { return firing.transition == t; });
            CHECK((value_at(box, "fill", share) == "#ffd33d") == fires);
        }
    }
    CHECK(svg.find("dur=\"" + std::to_string(frames.size() / 2)) != std::string::npos);
    // The picture also moves without a script, and contains the whole script.
    CHECK_THAT(svg, Catch::Contains("<g id=\"controls\" visibility=\"hidden\"") &&
                        Catch::Contains("<script><![CDATA[const frames = " + std::to_string(frames.size())) &&
                        !Catch::Contains("href=\"http") && !Catch::Contains("src="));
}

TEST_CASE("what cannot be animated") {
    netgen::WarpsSpec spec;
    spec.warps.assign(1, {1, 0, 0});
    const Net net = netgen::warps_net(spec);
    const std::vector<pictures::TraceFrame> frames = {{0, false, {}, net.initial_marking()}};
    CHECK_THROWS_AS(pictures::animate_svg("<svg/>", net, {}, std::chrono::seconds(1)), InputError);
    CHECK_THROWS_AS(pictures::animate_net(net, {}, std::chrono::seconds(1)), InputError);
    CHECK_THROWS_WITH(pictures::animate_svg("<svg><g/></svg>", net, frames, std::chrono::seconds(1)),
                      "the picture does not show node 'sm'");
    CHECK_THROWS_AS(pictures::animate_svg("no picture", net, frames, std::chrono::seconds(1)), InputError);
}
