#include "analysis/pictures/plots/line_plot_svg.hpp"

#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

/// The positions of the marks of the points, in the order of the picture.
std::vector<std::pair<double, double>> marks(const std::string& svg) {
    std::vector<std::pair<double, double>> places;
    const std::regex circle("<circle cx='([^']*)' cy='([^']*)'");
    for (std::sregex_iterator at(svg.begin(), svg.end(), circle), end; at != end; ++at)
        places.emplace_back(std::stod((*at)[1]), std::stod((*at)[2]));
    return places;
}

/// The x (or y) of a text.
double place_of(const std::string& svg, const std::string& text, char axis) {
    std::smatch found;
    const std::regex element(std::string("<text x='([^']*)' y='([^']*)'[^>]*>") + text + "</text>");
    REQUIRE(std::regex_search(svg, found, element));
    return std::stod(found[axis == 'x' ? 1 : 2]);
}

}  // namespace

TEST_CASE("points lie where the axes say") {
    pictures::LinePlot plot{"title", "x", {}, {{"y", false, {{"a", {{0, 0}, {10, 400}, {5, 200}}, false}}}}};
    const std::string svg = pictures::line_plot_svg(plot);
    const auto points = marks(svg);
    REQUIRE(points.size() == 3);
    CHECK(points[1].first == Approx(place_of(svg, "10", 'x')).margin(0.11));
    // A number on the y axis is four pixels below its line.
    CHECK(points[1].second + 4 == Approx(place_of(svg, "400", 'y')).margin(0.11));
    CHECK(points[2].second + 4 == Approx(place_of(svg, "200", 'y')).margin(0.11));
    CHECK(points[2].first == Approx((points[0].first + points[1].first) / 2).margin(0.11));
}

TEST_CASE("a logarithmic axis has equal distances for equal factors, and no place for zero") {
    pictures::LinePlot plot{
        "", "graph", {"a", "b", "c", "d"}, {{"s", true, {{"m", {{0, 1}, {1, 10}, {2, 0}, {3, 100}}}}}}};
    const std::string svg = pictures::line_plot_svg(plot);
    const auto points = marks(svg);
    REQUIRE(points.size() == 3);
    CHECK(points[0].second - points[1].second == Approx(points[1].second - points[2].second).margin(0.11));
    CHECK(points[2].first == Approx(place_of(svg, "d", 'x')).margin(0.11));
    CHECK(points[1].second + 4 == Approx(place_of(svg, "10", 'y')).margin(0.11));
}

TEST_CASE("numbers of axes have commas between thousands") {
    const std::string svg = pictures::line_plot_svg(
        {"", "x", {}, {{"y", false, {{"a", {{0, 0}, {40'000, -20'000}, {20'000, 20'000}}}}}}});
    for (const char* text : {">20,000<", ">-20,000<", ">10,000<", "x 40,000<"})
        CHECK_THAT(svg, Catch::Contains(text));
    CHECK_THAT(svg, !Catch::Contains("20000<"));
}

TEST_CASE("a band is as high as its values and has the colour of its line") {
    const pictures::PlotLine mean{"mean", {{1, 200}, {2, 300}}};
    const pictures::PlotBand spread{"min to max", "mean", {{1, 100, 400}, {2, 300, 300}}};
    const std::string svg = pictures::line_plot_svg({"", "x", {}, {{"y", false, {mean}, {spread}}}});
    std::smatch area;
    REQUIRE(std::regex_search(svg, area,
                              std::regex("<polygon fill='([^']*)'[^>]*points='[^,]*,([^ ]*) [^,]*,([^ ]*) "
                                         "[^,]*,([^ ]*) [^,]*,([^ ]*) '")));
    CHECK_THAT(svg, Catch::Contains("stroke='" + area[1].str() + "' stroke-width"));
    CHECK(std::stod(area[2]) + 4 == Approx(place_of(svg, "400", 'y')).margin(0.11));
    CHECK(std::stod(area[3]) == Approx(std::stod(area[4])));
    CHECK(std::stod(area[5]) + 4 == Approx(place_of(svg, "100", 'y')).margin(0.11));
    CHECK_THAT(svg, Catch::Contains("min to max: 100 to 400, x 1<") && Catch::Contains(">min to max<"));
}

TEST_CASE("bars begin at 0 and show their values and names") {
    pictures::PlotLine bars{"limits", {{0, 8}, {1, 10}, {2, 9}}};
    bars.bars = true;
    const std::string svg =
        pictures::line_plot_svg({"", "", {"issue", std::string(40, 'm'), "L2"}, {{"µs", false, {bars}}}});
    const std::regex bar("<rect x='[^']*' y='([^']*)' width='[^']*' height='([^']*)'[^>]*><title>limits");
    std::vector<double> heights;
    const double base = place_of(svg, "0", 'y') - 4;
    for (std::sregex_iterator at(svg.begin(), svg.end(), bar), end; at != end; ++at) {
        heights.push_back(std::stod((*at)[2]));
        CHECK(std::stod((*at)[1]) + heights.back() == Approx(base).margin(0.2));
    }
    REQUIRE(heights.size() == 3);
    CHECK(heights[0] / heights[1] == Approx(0.8).margin(0.01));
    CHECK_THAT(svg, Catch::Contains("limits: 9, L2<") && Catch::Contains("text-anchor='middle'>10<"));
    CHECK_THAT(svg, Catch::Contains("rotate(-60)' text-anchor='end'>issue<"));
}

TEST_CASE("one point, no point, equal points and names with marks of XML make a picture") {
    for (const std::vector<pictures::PlotPoint>& points :
         std::vector<std::vector<pictures::PlotPoint>>{{},
                                                       {{3, 7}},
                                                       {{1, 5}, {2, 5}},
                                                       {{1, 0}, {2, 0}},
                                                       {{1, -3}, {2, 4}},
                                                       {{1e9, 1e12}, {2e9, 1e-12}}}) {
        const std::string svg = pictures::line_plot_svg(
            {"<&>", "x", {}, {{"y", false, {{"a & b", points}}}, {"z", true, {{"c", points}}}}});
        CHECK(svg.find("nan") == std::string::npos);
        CHECK(svg.find("inf") == std::string::npos);
        CHECK(svg.find("<&>") == std::string::npos);
        CHECK(svg.find("a &amp; b") != std::string::npos);
        CHECK(svg.size() < 20'000);
    }
    const double infinite = std::numeric_limits<double>::infinity();
    CHECK(marks(pictures::line_plot_svg(
                    {"", "", {}, {{"", false, {{"a", {{1, infinite}, {2, std::nan("")}, {3, 1}}}}}}}))
              .size() == 1);
}

TEST_CASE("notes are below the title, broken to the width of the picture") {
    pictures::LinePlot plot{"title", "x", {}, {{"y", false, {{"a", {{1, 2}, {2, 3}}, false}}}}, {}, {}};
    const auto height = [](const std::string& svg) {
        return std::stod(svg.substr(svg.find("height=\"") + 8));
    };
    const double without = height(pictures::line_plot_svg(plot));
    plot.notes = {std::string(60, 'm') + " " + std::string(60, 'm') + " end"};
    const std::string svg = pictures::line_plot_svg(plot);
    CHECK(height(svg) == Approx(without + 2 * 16));
    CHECK_THAT(svg, Catch::Contains(">" + std::string(60, 'm') + "<") && Catch::Contains("m end<"));
}
