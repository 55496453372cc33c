#include "analysis/pictures/net/label_placement.hpp"

#include "analysis/pictures/net/draw.hpp"
#include "analysis/pictures/svg_text.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <pugixml.hpp>

using namespace warpnet;

namespace {

struct TextBox {
    std::string text;
    double left, top, right, bottom;

    bool meets(const TextBox& other) const {
        constexpr double tolerance = 1;
        return left < other.right - tolerance && other.left < right - tolerance &&
               top < other.bottom - tolerance && other.top < bottom - tolerance;
    }
};

/// The output of Graphviz, in the coordinates of the picture.
struct Drawn {
    std::vector<TextBox> labels, heads;
    std::vector<std::array<double, 2>> arcs;  ///< points on them
};

std::vector<double> numbers_in(std::string text) {
    for (char& c : text)
        if (std::string_view("0123456789.-").find(c) == std::string_view::npos) c = ' ';
    std::istringstream stream(text);
    std::vector<double> numbers;
    for (double number = 0; stream >> number;) numbers.push_back(number);
    return numbers;
}

TextBox box_of(const pugi::xml_node& text) {
    const double size = text.attribute("font-size").as_double(), x = text.attribute("x").as_double();
    const double y = text.attribute("y").as_double(), width = pictures::text_width(text.child_value(), size);
    const std::string anchor = text.attribute("text-anchor").value();
    const double left = anchor == "middle" ? x - width / 2 : anchor == "end" ? x - width : x;
    return {text.child_value(), left, y - 0.7 * size, left + width, y};
}

void add_curve(const std::vector<double>& numbers, Drawn& drawn) {
    for (std::size_t i = 0; i + 7 < numbers.size(); i += 6) {
        for (double u = 0; u <= 1; u += 1.0 / 64) {
            const double v = 1 - u, a = v * v * v, b = 3 * v * v * u, c = 3 * v * u * u, d = u * u * u;
            drawn.arcs.push_back(
                {a * numbers[i] + b * numbers[i + 2] + c * numbers[i + 4] + d * numbers[i + 6],
                 a * numbers[i + 1] + b * numbers[i + 3] + c * numbers[i + 5] + d * numbers[i + 7]});
        }
    }
}

Drawn read_picture(const std::string& svg) {
    pugi::xml_document document;
    REQUIRE(document.load_string(svg.c_str()));
    Drawn drawn;
    for (const auto& found : document.select_nodes("//g[@class]//text"))
        drawn.labels.push_back(box_of(found.node()));
    for (const auto& found : document.select_nodes("//g[@class='edge']//path"))
        add_curve(numbers_in(found.node().attribute("d").value()), drawn);
    for (const auto& found : document.select_nodes("//g[@class='edge']//polygon")) {
        const std::vector<double> points = numbers_in(found.node().attribute("points").value());
        TextBox box{"", points[0], points[1], points[0], points[1]};
        for (std::size_t i = 0; i + 1 < points.size(); i += 2)
            box = {"", std::min(box.left, points[i]), std::min(box.top, points[i + 1]),
                   std::max(box.right, points[i]), std::max(box.bottom, points[i + 1])};
        drawn.heads.push_back(box);
    }
    return drawn;
}

void check_labels(const Net& net, const pictures::PictureStyle& style) {
    CAPTURE(net.id(), style.font_size, to_string(style.theme));
    pictures::DrawOptions options;
    options.style = style;
    const std::string svg = pictures::draw_picture(net, options, pictures::PictureFormat::svg).file;
    const Drawn drawn = read_picture(svg);
    for (std::size_t i = 0; i < drawn.labels.size(); ++i) {
        const TextBox& label = drawn.labels[i];
        CAPTURE(label.text);
        const auto meets = [&](const TextBox& other) { return label.meets(other); };
        const auto here = drawn.labels.begin() + static_cast<std::ptrdiff_t>(i);
        CHECK(std::none_of(drawn.labels.begin(), here, meets));
        CHECK(std::none_of(drawn.heads.begin(), drawn.heads.end(), meets));
        const auto crosses = [&](const auto& point) {
            constexpr double inside = 0.5;
            return point[0] > label.left + inside && point[0] < label.right - inside &&
                   point[1] > label.top + inside && point[1] < label.bottom - inside;
        };
        CHECK(std::none_of(drawn.arcs.begin(), drawn.arcs.end(), crosses));
    }
    // Graphviz's own labels have the same texts.
    const Drawn usual =
        read_picture(pictures::render_dot(pictures::draw_dot(net, options), pictures::PictureFormat::svg));
    std::multiset<std::string> texts, usual_texts;
    for (const TextBox& label : drawn.labels) texts.insert(label.text);
    for (const TextBox& label : usual.labels) usual_texts.insert(label.text);
    CHECK(texts == usual_texts);
}

}  // namespace

TEST_CASE("labels of a net lie on no arc, arrow head or other label") {
    const double font_size = GENERATE(0.0, 8.0, 18.0, 24.0);
    const pictures::PictureTheme theme =
        font_size > 0 ? pictures::PictureTheme::print : pictures::PictureTheme::light;
    for (const std::size_t warps : {1U, 2U, 8U}) {
        netgen::WarpsSpec spec;
        spec.warps.assign(warps, {20, 5, 2});
        check_labels(netgen::warps_net(spec), {theme, font_size});
    }
}

TEST_CASE("the name of a node may be long, and have characters of HTML") {
    NetBuilder builder("names");
    const PlaceId place = builder.add_place("p", 0, "a < b & c, and a name that is much longer than usual");
    const TransitionId transition = builder.add_transition("t");
    builder.set_immediate(transition);
    builder.add_input(place, transition, 123456);
    builder.add_output(transition, place, 7);
    check_labels(builder.build(), {});
}

TEST_CASE("a label keeps its place if Graphviz gives no position") {
    const std::string piece = "  p0 [xlabel=\"x\"]\n  p0 -> t0 [label=\"2\"]\n";
    pictures::PieceLayout layout;
    pictures::place_labels(piece, 9, layout);
    CHECK(layout.lines.empty());
    layout = {100, 100, {{{"pos", {50, 50}, {' ', ' '}}}}, {{26, 26}}};
    pictures::place_labels(piece, 9, layout);
    const pictures::PieceLayout::Coordinates* const position = layout.find(0, "xlp");
    REQUIRE(position != nullptr);
    CHECK(position->numbers.at(0) > 50 + 13);  // to the right, at the height of the node
    CHECK(position->numbers.at(1) == Approx(50));
}

TEST_CASE("room for names is an invisible loop at each node with a name next to it") {
    CHECK(pictures::with_room_for_names("  p0 [xlabel=\"x\"]\n  t0 [label=\"y\"]\n  p0 -> t0\n", 9)
              .find("p0 -> p0") != std::string::npos);
    CHECK(pictures::with_room_for_names("  t0 [label=\"y\"]\n", 9) == "  t0 [label=\"y\"]\n");
}
