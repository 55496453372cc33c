#include "analysis/studies/compare/compare.hpp"

#include "analysis/pictures/plots/scatter_svg.hpp"
#include "analysis/pictures/svg_text.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/kernel_names.hpp"
#include "netgen/sm/presets.hpp"

#include <array>
#include <cmath>
#include <set>

#include <catch2/catch.hpp>
#include <pugixml.hpp>

using namespace warpnet;

namespace {

/// A kernel of one warp whose steps are exact: 4 x_a + 7 x_s + 25 x_g + 1.
studies::Measurement lone_warp(std::string name, Tokens arith, Tokens shared, Tokens global,
                               double measured) {
    studies::Measurement measurement;
    measurement.function = netgen::function_name(name);
    measurement.kernel = std::move(name);
    measurement.counts = netgen::WarpCounts{arith, shared, global};
    measurement.measured = measured;
    return measurement;
}

studies::CompareOptions warps_only() {
    studies::CompareOptions options;
    options.families = {studies::ModelFamily::warps};
    options.resamples = 200;
    return options;
}

studies::Measurement launch(std::string name, std::int64_t blocks, std::int64_t threads, double measured) {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = name;
    kernel.blocks = blocks;
    kernel.threads = threads;
    kernel.fp32 = 20;
    kernel.loads.requests = 2;
    kernel.stores.requests = 1;
    studies::Measurement measurement;
    measurement.function = netgen::function_name(name);
    measurement.kernel = std::move(name);
    measurement.profile = kernel;
    measurement.measured = measured;
    return measurement;
}

}  // namespace

TEST_CASE("one scale: of the least mean error, and that of the other kernels") {
    // 41, 81 and 126 steps, measured at 10, 10 and 20 steps per microsecond.
    const studies::Comparison comparison = studies::compare(
        {lone_warp("a", 10, 0, 0, 4.1), lone_warp("b", 20, 0, 0, 8.1), lone_warp("c", 0, 0, 5, 6.3)},
        warps_only());
    REQUIRE(comparison.families.size() == 1);
    const studies::FamilyComparison& family = comparison.families[0];
    CHECK_FALSE(family.absolute);
    CHECK(family.points[0].steps == 41);
    CHECK(family.points[1].steps == 81);
    CHECK(family.points[2].steps == 126);
    // Errors are |f s/m - 1|: factors 1/10 (weight 10, twice) and 1/20 (weight 20). The weighted median is
    // 1/20 or 1/10: 0.5 + 0.5 + 0 = 1 against 0 + 0 + 1 = 1, so the smaller factor is chosen.
    CHECK(family.steps_per_unit == Approx(20));
    CHECK(family.predicted.mape == Approx(100.0 / 3));
    CHECK(family.points[0].predicted == Approx(2.05));
    CHECK(family.points[2].left_out == Approx(12.6));  // with the scale of a and b
    CHECK(family.points[2].error == Approx(0).margin(1e-12));
    CHECK(family.spearman.value == Approx(0.5));
    CHECK(family.kendall.value == Approx(1.0 / 3));
    CHECK(comparison.sweeps.empty());
}

TEST_CASE("launches of one function are left out together") {
    const studies::Comparison comparison =
        studies::compare({lone_warp("f<1>(int)", 10, 0, 0, 4.1), lone_warp("f<2>(int)", 20, 0, 0, 8.1),
                          lone_warp("g", 30, 0, 0, 24.2)},
                         warps_only());
    const auto& points = comparison.families[0].points;
    CHECK(points[0].left_out == Approx(8.2));  // the scale of g: 5 steps per microsecond
    CHECK(points[2].left_out == Approx(12.1));
    studies::CompareOptions options = warps_only();
    std::uint64_t finished = 0;
    options.progress = [&](const WorkPart& part) {
        CHECK(part.total == 1);
        return std::shared_ptr<void>(nullptr, [&, count = part.done](void*) { finished = *count; });
    };
    const studies::Comparison one = studies::compare({lone_warp("f", 10, 0, 0, 4.1)}, options);
    CHECK(finished == 1);
    CHECK(std::isnan(one.families[0].left_out.mape));
    CHECK(one.families[0].predicted.mape == Approx(0).margin(1e-9));
}

TEST_CASE("long warps are run with fewer instructions and scaled") {
    studies::CompareOptions options = warps_only();
    CHECK(studies::warps_steps(lone_warp("short", 2000, 0, 0, 1), options) == 8001);
    CHECK(studies::warps_steps(lone_warp("long", 200'000, 0, 0, 1), options).value() ==
          Approx(800'001).epsilon(0.001));
    CHECK(studies::warps_steps(lone_warp("mixed", 100'000, 50'000, 50'000, 1), options).value() ==
          Approx(4 * 100'000 + 7 * 50'000 + 25 * 50'000).epsilon(0.001));
}

TEST_CASE("families that need a device or a launch shape say so") {
    studies::CompareOptions options;
    CHECK_THROWS_WITH(studies::compare({launch("k", 8, 64, 1)}, options), Catch::Contains("--device"));
    options.device = netgen::SmDevice();
    CHECK_THROWS_WITH(studies::compare({lone_warp("k", 1, 1, 1, 1)}, options),
                      Catch::Contains("launch shape"));
    CHECK_THROWS_WITH(studies::compare({}, options), Catch::Contains("at least one measurement"));
    CHECK_THROWS_WITH(studies::compare({launch("k", 8, 64, 0)}, options), Catch::Contains("above 0"));
    options.families = {};
    CHECK_THROWS_WITH(studies::compare({launch("k", 8, 64, 1)}, options), Catch::Contains("family"));
    options.families = {studies::ModelFamily::warps};
    options.device.reset();
    CHECK_THROWS_WITH(studies::compare({launch("k", 8, 64, 1)}, options), Catch::Contains("device"));
}

TEST_CASE("launches of a function with as many threads are a sweep of the block size") {
    studies::CompareOptions options;
    options.device = netgen::SmDevice();
    options.families = {studies::ModelFamily::closed_form};
    options.resamples = 50;
    const studies::Comparison comparison = studies::compare(
        {launch("k(int)", 2000, 32, 50), launch("k(int)", 250, 256, 10), launch("k(int)", 500, 128, 5),
         launch("k(int)", 4, 256, 1), launch("other", 500, 128, 5)},
        options);
    REQUIRE(comparison.sweeps.size() == 1);
    const studies::BlockSweep& sweep = comparison.sweeps[0];
    CHECK(sweep.function == "k");
    CHECK(sweep.measurements == std::vector<std::size_t>{0, 2, 1});
    CHECK((sweep.best_predicted == 1 || sweep.best_predicted == 2));  // launching blocks of 32 takes longest
    CHECK(sweep.measured_rank == (sweep.best_predicted == 2 ? 1U : 2U));
}

TEST_CASE("launches of one shape that appear twice are no sweep of the block size") {
    studies::CompareOptions options;
    options.device = netgen::SmDevice();
    options.families = {studies::ModelFamily::closed_form};
    options.resamples = 50;
    CHECK(studies::compare({launch("k", 250, 256, 10), launch("k", 500, 128, 5), launch("k", 500, 128, 9)},
                           options)
              .sweeps.empty());
}

TEST_CASE("the launches of a function have correlations of their own") {
    const studies::Comparison comparison =
        studies::compare({lone_warp("f(int)", 10, 0, 0, 4.1), lone_warp("g", 30, 0, 0, 24.2),
                          lone_warp("f(int)", 20, 0, 0, 8.1), lone_warp("f(int)", 40, 0, 0, 16.1)},
                         warps_only());
    const auto& trends = comparison.families[0].trends;
    REQUIRE(trends.size() == 1);  // g has fewer than three launches
    CHECK(trends[0].function == "f");
    CHECK(trends[0].launches == 3);
    CHECK(trends[0].pearson == Approx(1));
    CHECK(trends[0].spearman == Approx(1));
    CHECK(trends[0].slope == Approx(0.1));  // 41, 81 and 161 steps
}

TEST_CASE("of times between two events, those of the events are predicted too") {
    studies::CompareOptions options;
    options.families = {studies::ModelFamily::sm, studies::ModelFamily::closed_form};
    options.device = netgen::sm_device(*netgen::preset_devices().find("GTX950"));
    options.device->event_us = 3.5;
    const auto predicted = [&](std::size_t family) {
        return studies::compare({launch("f", 96, 128, 8)}, options).families[family].points[0].predicted;
    };
    const double net = predicted(0), form = predicted(1);
    options.between_events = true;
    CHECK(predicted(0) == Approx(net + 3.5));
    CHECK(predicted(1) == Approx(form + 3.5));
}

TEST_CASE("an interrupted comparison says so, or has no result") {
    const std::atomic<bool> flag = true;
    studies::CompareOptions options = warps_only();
    options.predict.interrupt = &flag;
    const studies::Comparison comparison = studies::compare({lone_warp("a", 1000, 0, 0, 1)}, options);
    CHECK(comparison.interrupted);
    CHECK(comparison.measurements.empty());
    CHECK(comparison.families.empty());
}

TEST_CASE("names in the scatter plot are inside the axes, apart and different") {
    const double font_size = GENERATE(0.0, 8.0, 24.0);
    studies::CompareOptions options;
    options.device = netgen::SmDevice();
    options.families = {studies::ModelFamily::closed_form};
    options.resamples = 10;
    std::vector<studies::Measurement> launches;
    for (const double time : {5e3, 4e3, 3e3, 2e3, 1e3, 1e-3}) {
        for (const char* name : {"reduce", "a_kernel_with_a_long_name", "scan"})
            launches.push_back(launch(name, 9, 64, time));
    }
    const std::string svg =
        pictures::scatter_svg(studies::compare(launches, options), "us", {.font_size = font_size});
    pugi::xml_document document;
    REQUIRE(document.load_string(svg.c_str()));
    const pugi::xml_node axes = document.child("svg").find_child_by_attribute("rect", "fill", "none");
    const double left = axes.attribute("x").as_double(), top = axes.attribute("y").as_double();
    const double side = axes.attribute("width").as_double();
    std::set<std::string> names;
    std::vector<std::array<double, 4>> boxes;
    for (const auto& found : document.select_nodes("//text[@class='name']")) {
        const pugi::xml_node text = found.node();
        CHECK(names.insert(text.child_value()).second);
        const double x = text.attribute("x").as_double(), y = text.attribute("y").as_double();
        boxes.push_back({x, y - 9, x + pictures::text_width(text.child_value(), 11), y + 2});
    }
    CHECK(names.size() == 3);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        CHECK((boxes[i][0] >= left && boxes[i][2] <= left + side));
        CHECK((boxes[i][1] >= top && boxes[i][3] <= top + side));
        for (std::size_t j = 0; j < i; ++j)
            CHECK((boxes[i][0] >= boxes[j][2] || boxes[j][0] >= boxes[i][2] || boxes[i][1] >= boxes[j][3] ||
                   boxes[j][1] >= boxes[i][3]));
    }
}

TEST_CASE("the scatter plot is well-formed and has every point with its name") {
    studies::CompareOptions options;
    options.device = netgen::SmDevice();
    options.families = {studies::ModelFamily::closed_form, studies::ModelFamily::throughput};
    options.resamples = 50;
    const studies::Comparison comparison = studies::compare(
        {launch("a<int>(\"x\" & y)", 2000, 32, 50), launch("b", 250, 256, 0.001), launch("c", 9, 64, 4)},
        options);
    const std::string svg = pictures::scatter_svg(comparison, "us");
    pugi::xml_document document;
    REQUIRE(document.load_string(svg.c_str()));
    const auto titles = document.select_nodes("//title");
    CHECK(titles.size() == 6);
    CHECK(std::string(titles[0].node().text().get()).find("a<int>(\"x\" & y)") != std::string::npos);
    CHECK(svg == pictures::scatter_svg(comparison, "us"));
    CHECK_THAT(svg, Catch::Contains("measured, µs<") && Catch::Contains("predicted, µs<"));
}

TEST_CASE("cycles become microseconds by the clock of the run, else of the device") {
    studies::CompareOptions options = warps_only();
    options.unit = "cycles";
    CHECK(studies::compare({lone_warp("f", 10, 0, 0, 4.1)}, options).unit == "cycles");
    options.device = netgen::SmDevice();
    options.device->clock_mhz = 1000;
    const studies::Comparison comparison = studies::compare({lone_warp("f", 10, 0, 0, 4100)}, options);
    CHECK(comparison.unit == "us");
    CHECK(comparison.measurements[0].measured == Approx(4.1));

    // The clock of the run, not of the device.
    std::vector<studies::Measurement> slow = {lone_warp("f", 10, 0, 0, 4100), lone_warp("g", 10, 0, 0, 4100)};
    slow[0].clock_mhz = 500;
    const studies::Comparison own = studies::compare(slow, options);
    CHECK(own.measurements[0].measured == Approx(8.2));
    CHECK(own.measurements[1].measured == Approx(4.1));
    options.clock_mhz = 2000;
    CHECK(studies::compare(slow, options).measurements[0].measured == Approx(2.05));
}
