#include "analysis/pictures/plots/gantt_svg.hpp"

#include "tests/support/block_vectors.hpp"

#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <pugixml.hpp>

using namespace warpnet;
using namespace warpnet::testing;

TEST_CASE("gantt: every block inside its SM, none upon another") {
    netgen::TaskSet tasks = flat_tasks(8, {{4, 2}, {6, 7}, {6, 2}, {5, 5}});
    tasks.operations[0].name = "a < b & c";
    studies::RespondOptions options;
    options.max_groups = 100;
    const studies::RespondResult result = studies::respond(tasks, options);
    const std::string svg = pictures::gantt_svg(tasks, result);
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
        CHECK(boxes[i].y >= 36 - rounding);
        CHECK(boxes[i].y + boxes[i].height <= 196 + rounding);
        for (std::size_t j = 0; j < i; ++j) {
            const bool apart = boxes[i].x + boxes[i].width <= boxes[j].x + rounding ||
                               boxes[j].x + boxes[j].width <= boxes[i].x + rounding ||
                               boxes[i].y + boxes[i].height <= boxes[j].y + rounding ||
                               boxes[j].y + boxes[j].height <= boxes[i].y + rounding;
            CHECK(apart);
        }
    }
}

TEST_CASE("gantt: neighbouring SMs with equal blocks share a band, and a large GPU fits on a screen") {
    netgen::TaskSet tasks = flat_tasks(8, {{4, 30}, {6, 1}});
    tasks.gpu.sms.assign(16, tasks.gpu.sms.front());
    studies::RespondOptions options;
    options.max_groups = 1'000;
    const studies::RespondResult result = studies::respond(tasks, options);
    // The slow twin: the blocks of each SM as text, and a name for each stretch of equal texts.
    std::vector<std::string> blocks(16);
    for (const studies::BlockGroup& group : result.groups)
        blocks[group.sm] += std::to_string(group.job) + " " + std::to_string(group.blocks) + " " +
                            std::to_string(group.start) + ";";
    std::vector<std::string> expected;
    for (std::size_t first = 0, next = 1; first < 16; first = next) {
        for (next = first + 1; next < 16 && blocks[next] == blocks[first];) ++next;
        expected.push_back("SM " + std::to_string(first) +
                           (next == first + 1 ? "" : "–" + std::to_string(next - 1) + ", each"));
    }
    REQUIRE(expected.size() > 1);
    REQUIRE(expected.size() < 16);
    pugi::xml_document document;
    REQUIRE(document.load_string(pictures::gantt_svg(tasks, result).c_str()));
    std::vector<std::string> names;
    for (const pugi::xml_node text : document.child("svg").children("text"))
        if (std::string(text.child_value()).starts_with("SM ")) names.emplace_back(text.child_value());
    CHECK(names == expected);
    CHECK(document.child("svg").attribute("height").as_double() < 1'200);
}

TEST_CASE("gantt: labels of the time axis are whole and round") {
    const auto labels = [](netgen::Time time) {
        const netgen::TaskSet tasks = flat_tasks(1, {{time, 1}});
        const std::string svg = pictures::gantt_svg(tasks, studies::respond(tasks, {}));
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

TEST_CASE("gantt: the axis is in a unit that suits") {
    const auto labelled = [](const std::string& unit, netgen::Time time) {
        netgen::TaskSet tasks = flat_tasks(1, {{time, 1}});
        tasks.unit = unit;
        return pictures::gantt_svg(tasks, studies::respond(tasks, {}));
    };
    const std::string ms = labelled("ns", 30'000'000);
    CHECK_THAT(ms,
               Catch::Contains(">time in ms<") && Catch::Contains(">25<") && !Catch::Contains(">25000000<"));
    CHECK_THAT(labelled("us", 300), Catch::Contains(">time in µs<") && Catch::Contains(">250<"));
    CHECK_THAT(labelled("ms", 40'000), Catch::Contains(">time in s<") && Catch::Contains(">40<"));
    CHECK_THAT(labelled("step", 40'000), Catch::Contains(">time in steps<") && Catch::Contains(">40000<"));
    CHECK_THAT(labelled("cycles", 40'000), Catch::Contains(">time in cycles<"));
}

TEST_CASE("gantt: releases, deadlines and misses of each operation") {
    netgen::TaskSet tasks = flat_tasks(1, {{4, 1}, {3, 1}});
    for (netgen::Operation& operation : tasks.operations) {
        operation.stream = 1;
        operation.period = 10;
        operation.deadline = 5;
    }
    studies::RespondOptions options;
    options.max_groups = 10;
    options.horizon = 20;
    const studies::RespondResult result = studies::respond(tasks, options);
    std::size_t missed = 0, deadlines = 0;
    for (const studies::JobResponse& job : result.jobs) {
        if (job.response() > 5) ++missed;
        if (job.release + 5 <= result.makespan) ++deadlines;
    }
    REQUIRE(missed > 0);
    REQUIRE(missed < result.jobs.size());
    pugi::xml_document document;
    REQUIRE(document.load_string(pictures::gantt_svg(tasks, result).c_str()));
    const auto drawn = [&](const char* what) {
        return document.select_nodes((std::string("//path[@class='") + what + "']").c_str()).size();
    };
    CHECK(drawn("release") == result.jobs.size());
    CHECK(drawn("deadline") == deadlines);
    CHECK(drawn("miss") == missed);
}

TEST_CASE("gantt: says where it does not show everything") {
    const netgen::TaskSet tasks = flat_tasks(1, {{1, 20}});
    studies::RespondOptions options;
    options.max_groups = 5;
    CHECK_THAT(pictures::gantt_svg(tasks, studies::respond(tasks, options)),
               Catch::Contains("the first 5 of 20 groups"));
}

TEST_CASE("gantt: the title has the makespan and whether deadlines are missed") {
    netgen::TaskSet tasks = flat_tasks(2, {{4, 2}, {6, 2}});
    const auto title = [&] {
        pugi::xml_document document;
        REQUIRE(document.load_string(pictures::gantt_svg(tasks, studies::respond(tasks, {})).c_str()));
        return std::string(document.child("svg").child_value("title"));
    };
    CHECK(title() == "2 operations on 1 SM: makespan 10 steps");
    tasks.operations[0].deadline = 10;
    CHECK(title() == "2 operations on 1 SM: makespan 10 steps, no deadline missed");
    tasks.operations[1].deadline = 9;
    CHECK(title() == "2 operations on 1 SM: makespan 10 steps, deadlines missed by 1 of 2 operations");
}

TEST_CASE("gantt: wide blocks have outlines and names, small ones neither, and colours differ") {
    const auto drawn = [](netgen::Time time, std::int64_t blocks) {
        studies::RespondOptions options;
        options.max_groups = 10'000;
        const netgen::TaskSet tasks = flat_tasks(1, {{time, blocks}, {time, blocks}});
        pugi::xml_document document;
        REQUIRE(document.load_string(pictures::gantt_svg(tasks, studies::respond(tasks, options)).c_str()));
        std::set<std::string> colours;
        std::size_t outlined = 0, boxes = 0, names = 0;
        for (const pugi::xml_node rect : document.child("svg").children("rect")) {
            if (!rect.child("title")) continue;
            ++boxes;
            colours.insert(rect.attribute("fill").value());
            if (rect.attribute("stroke")) ++outlined;
        }
        for (const pugi::xml_node text : document.child("svg").children("text"))
            if (text.attribute("pointer-events")) ++names;
        return std::vector<std::size_t>{boxes, outlined, names, colours.size()};
    };
    CHECK(drawn(10, 4) == std::vector<std::size_t>{8, 8, 8, 2});
    CHECK(drawn(10, 400) == std::vector<std::size_t>{800, 0, 0, 2});
}
