#include "analysis/respond/gantt_svg.hpp"

#include "tests/support/block_vectors.hpp"

#include <catch2/catch.hpp>
#include <pugixml.hpp>

using namespace warpnet;
using namespace warpnet::testing;

TEST_CASE("gantt: every block inside its SM, none upon another") {
    TaskSet tasks = flat_tasks(8, {{4, 2}, {6, 7}, {6, 2}, {5, 5}});
    tasks.operations[0].name = "a < b & c";
    RespondOptions options;
    options.max_groups = 100;
    const RespondResult result = respond(tasks, options);
    const std::string svg = gantt_svg(tasks, result);
    pugi::xml_document document;
    REQUIRE(document.load_string(svg.c_str()));

    struct Box {
        double x, y, width, height;
    };
    std::vector<Box> boxes;
    for (const pugi::xml_node rect : document.child("svg").children("rect"))
        if (rect.child("title"))
            boxes.push_back({rect.attribute("x").as_double(), rect.attribute("y").as_double(),
                             rect.attribute("width").as_double(), rect.attribute("height").as_double()});
    CHECK(boxes.size() == 16);
    constexpr double rounding = 0.02;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        CHECK(boxes[i].y >= 30 - rounding);
        CHECK(boxes[i].y + boxes[i].height <= 190 + rounding);
        for (std::size_t j = 0; j < i; ++j) {
            const bool apart = boxes[i].x + boxes[i].width <= boxes[j].x + rounding ||
                               boxes[j].x + boxes[j].width <= boxes[i].x + rounding ||
                               boxes[i].y + boxes[i].height <= boxes[j].y + rounding ||
                               boxes[j].y + boxes[j].height <= boxes[i].y + rounding;
            CHECK(apart);
        }
    }
}

TEST_CASE("gantt: labels of the time axis are whole and round") {
    const auto labels = [](Time time) {
        const TaskSet tasks = flat_tasks(1, {{time, 1}});
        const std::string svg = gantt_svg(tasks, respond(tasks, {}));
        std::string found;
        pugi::xml_document document;
        REQUIRE(document.load_string(svg.c_str()));
        for (const pugi::xml_node line : document.child("svg").children("line")) {
            if (line.attribute("stroke-dasharray"))
                found += std::string(line.next_sibling("text").child_value()) + " ";
        }
        return found;
    };
    CHECK(labels(12) == "0 1 2 3 4 5 6 7 8 9 10 11 12 ");
    CHECK(labels(13) == "0 2 4 6 8 10 12 ");
    CHECK(labels(101) == "0 10 20 30 40 50 60 70 80 90 100 ");
    CHECK(labels(30'000'000) == "0 5000000 10000000 15000000 20000000 25000000 30000000 ");
}

TEST_CASE("gantt: says where it does not show everything") {
    const TaskSet tasks = flat_tasks(1, {{1, 20}});
    RespondOptions options;
    options.max_groups = 5;
    CHECK_THAT(gantt_svg(tasks, respond(tasks, options)), Catch::Contains("the first 5 of 20 groups"));
}
