#include "analysis/pictures/page/report.hpp"

#include "analysis/pictures/net/draw.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace warpnet;
using Json = nlohmann::json;

namespace {

Net line_of_two() {
    NetBuilder builder("line");
    const PlaceId a = builder.add_place("a", 2);
    const PlaceId b = builder.add_place("b");
    const TransitionId t = builder.add_transition("t");
    builder.add_input(a, t);
    builder.add_output(t, b);
    return builder.build();
}

pictures::ReportedSearch search_of(bool longest, std::optional<std::uint64_t> found, std::uint64_t bound,
                                   bool exact) {
    pictures::ReportedSearch search;
    search.longest = longest;
    search.found = found;
    search.bound = bound;
    search.exact = exact;
    return search;
}

/// The data that the page's script reads.
Json data_of(const std::string& page) {
    const std::string begin = "<script type=\"application/json\" id=\"data\">";
    const std::size_t first = page.find(begin) + begin.size();
    return Json::parse(page.substr(first, page.find("</script>", first) - first));
}

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
}

}  // namespace

TEST_CASE("report: a page holds all that its script shows") {
    const Net net = line_of_two();
    pictures::ReportContent content{.title = "a line", .subtitle = "line.pnml", .net = &net};
    content.net_svg = "<?xml version=\"1.0\"?>\n<svg id=\"picture-of-the-net\"></svg>";
    content.schedule =
        Schedule{{.immediate = false, .transitions = {0}}, {.immediate = false, .transitions = {0}}};
    content.runs = pictures::ReportedRuns{
        .semantics = "maximal", .policy = "random", .seed = 5, .steps = {2, 2}, .unfinished = 1};
    content.search =
        pictures::ReportedSearch{.longest = true,
                                 .found = 2,
                                 .bound = 3,
                                 .method = "looking",
                                 .arguments = {"because"},
                                 .log = {{.seconds = 0.5, .chain = 1, .iteration = 7, .value = 2}}};
    const std::string page = pictures::report_html(content);
    CHECK(page.find("{{") == std::string::npos);
    CHECK(count(page, "<title>a line</title>") == 1);
    CHECK(count(page, "<svg id=\"picture-of-the-net\">") == 1);
    CHECK(count(page, "<?xml") == 0);
    CHECK(count(page, "<title>step 2: t</title>") == 1);  // the Gantt chart
    const Json data = data_of(page);
    CHECK(data["net"]["places"] == Json::parse(R"([{"id": "a", "tokens": 2}, {"id": "b", "tokens": 0}])"));
    CHECK(data["net"]["transitions"][0]["arcs"] == Json::parse(R"([["input", 0, 1], ["output", 1, 1]])"));
    CHECK(data["schedule"].size() == 2);
    CHECK(data["runs"]["steps"] == Json::parse("[2, 2]"));
    CHECK(data["runs"]["unfinished"] == 1);
    CHECK(data["search"]["found"] == 2);
    CHECK(data["search"]["bound"] == 3);
    CHECK(data["search"]["log"][0]["iteration"] == 7);
    CHECK_FALSE(data.contains("comparison"));
}

TEST_CASE("report: what is known of the longest run is in the page's text") {
    const auto bracket_of = [](const pictures::ReportContent& content) {
        const std::string page = pictures::report_html(content);
        const std::string begin = "<p class=\"bracket\">";
        const std::size_t first = page.find(begin);
        if (first == std::string::npos) return std::string();
        return page.substr(first + begin.size(), page.find("</p>", first) - first - begin.size());
    };
    pictures::ReportContent content{.title = "t"};
    CHECK(bracket_of(content).empty());
    content.search = search_of(true, 90, 100, false);
    CHECK(bracket_of(content) ==
          "The longest run found takes 90 steps. Certified: no run takes more than 100 steps.");
    content.runs = pictures::ReportedRuns{
        .semantics = "maximal", .policy = "random", .steps = {70, 60, 65}, .unfinished = 0};
    content.search->bound.reset();
    CHECK(
        bracket_of(content) ==
        "The longest run found takes 90 steps. No bound is known. 3 runs under the policy random took 60 to "
        "70 steps.");
    content.runs.reset();
    content.search = search_of(false, 40, 40, true);
    CHECK(bracket_of(content) == "The shortest run takes exactly 40 steps.");
    content.search->machine = "this net, as given";
    CHECK(bracket_of(content) == "The shortest run takes exactly 40 steps. Machine: this net, as given.");
    content.search = search_of(false, {}, 30, false);
    CHECK(bracket_of(content) == "Certified: no run takes fewer than 30 steps.");
    content.search = search_of(true, 13894, 23411, false);
    content.search->method = "exact search: 127903 states";
    content.search->arguments = {"a linear program of 15670 columns"};
    CHECK(bracket_of(content) ==
          "The longest run found takes 13,894 steps. Certified: no run takes more than 23,411 steps.");
    CHECK_THAT(pictures::report_html(content), Catch::Contains("exact search: 127,903 states") &&
                                                   Catch::Contains("a linear program of 15,670 columns"));
}

TEST_CASE("report: a page needs nothing from elsewhere") {
    const std::string page = pictures::report_html({.title = "empty"});
    CHECK(page.find("<link rel=\"stylesheet\"") == std::string::npos);
    CHECK(page.find("src=\"http") == std::string::npos);
    CHECK(page.find("url(") == std::string::npos);
    CHECK(page.find("Chart.js") != std::string::npos);
}

TEST_CASE("report: names cannot break out of the page") {
    NetBuilder builder("</script><b>");
    builder.add_place("<p>\"&");
    const Net net = builder.build();
    const std::string evil = R"({"rows": [{"kernel": "</script><i>", "measured": 1, "predicted": 2}]})";
    const std::string page =
        pictures::report_html({.title = "</title><u>", .net = &net, .comparison_json = evil});
    CHECK(page.find("<i>") == std::string::npos);
    CHECK(page.find("<u>") == std::string::npos);
    CHECK(data_of(page)["net"]["places"][0]["id"] == "<p>\"&");
    CHECK(data_of(page)["comparison"]["rows"][0]["kernel"] == "</script><i>");
}

TEST_CASE("report: a schedule too large to step through is left out, and the page says so") {
    const Net net = line_of_two();
    pictures::ReportContent content{.title = "long", .net = &net};
    content.schedule = Schedule(100'001, {.immediate = false, .transitions = {0}});
    const Json data = data_of(pictures::report_html(content));
    CHECK_FALSE(data.contains("schedule"));
    REQUIRE(data["notes"].size() == 1);
    CHECK(data["notes"][0].get<std::string>().find("left out") != std::string::npos);
}

TEST_CASE("report: its runs and its picture are shown while they are made") {
    const Net net = line_of_two();
    std::vector<std::string> parts;
    pictures::ReportQuestions questions;
    questions.runs.runs = 5;
    questions.progress = [&](const WorkPart& part) {
        parts.push_back(part.name);
        return std::shared_ptr<void>();
    };
    const pictures::ReportContent content = pictures::report_study(net, questions);
    CHECK(parts == std::vector<std::string>{"runs", "picture"});
    REQUIRE(content.runs);
    CHECK(content.runs->steps.size() == 5);
}

TEST_CASE("report: what is no comparison is refused") {
    for (const char* text : {"{", "[]", "{}", R"({"rows": 3})", R"({"rows": [{"measured": 1}]})",
                             R"({"rows": [{"measured": 1, "predicted": "2"}]})", R"({"rows": [1]})"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(pictures::report_html({.title = "", .comparison_json = text}), InputError);
    }
}
