// A report is one HTML page that needs no network. The template, style and scripts are files that the
// assembler embeds in the program (assets.S.in). Places in the template such as {{title}} are filled in one
// pass, so inserted text is never scanned again. Data travel as JSON in a script element with every <
// escaped, so no text in them can end the element. A schedule that a browser could not step through is left
// out, and the page has a note on it.

#include "analysis/pictures/page/report.hpp"

#include "analysis/pictures/net/draw.hpp"
#include "analysis/pictures/schedule/schedule_svg.hpp"
#include "analysis/pictures/svg_text.hpp"
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"
#include "engine/input/parse_json.hpp"
#include "engine/net/error.hpp"
#include "engine/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

// The embedded files of assets.S.in, from the first byte to one past the last.
extern "C" {
extern const char warpnet_page_html[], warpnet_page_html_end[];
extern const char warpnet_page_css[], warpnet_page_css_end[];
extern const char warpnet_page_js[], warpnet_page_js_end[];
extern const char warpnet_chart_js[], warpnet_chart_js_end[];
}

namespace warpnet::pictures {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_firings = 100'000;    // of a schedule that a browser can step through
constexpr std::size_t most_transitions = 5'000;  // with arcs listed in a page

std::string_view text_between(const char* begin, const char* end) {
    return {begin, static_cast<std::size_t>(end - begin)};
}

/// Text that cannot end the script element around it.
std::string script_safe(std::string_view json) {
    std::string result;
    for (const char c : json) {
        if (c == '<')
            result += "\\u003c";
        else
            result += c;
    }
    return result;
}

/// An SVG as an element, without the text before it, such as an XML declaration.
std::string_view svg_element(std::string_view svg) {
    const std::size_t begin = svg.find("<svg");
    return begin == std::string_view::npos ? std::string_view() : svg.substr(begin);
}

Json net_json(const Net& net) {
    Json json{{"place_count", net.places().size()}, {"transition_count", net.transitions().size()}};
    if (net.transitions().size() > most_transitions) return json;
    Json& places = json["places"] = Json::array();
    for (const Place& place : net.places()) places.push_back({{"id", place.id}, {"tokens", place.initial}});
    Json& transitions = json["transitions"] = Json::array();
    for (std::uint32_t t = 0; t < net.transitions().size(); ++t) {
        const Transition& transition = net.transitions()[t];
        Json arcs = Json::array();
        for (const Arc& arc : net.arcs_of(TransitionId{t}))
            arcs.push_back({to_string(arc.kind), index(arc.place), arc.weight});
        transitions.push_back(
            {{"id", transition.id}, {"immediate", transition.immediate}, {"arcs", std::move(arcs)}});
    }
    return json;
}

Json schedule_json(const Schedule& schedule) {
    Json json = Json::array();
    for (const ScheduledStep& step : schedule)
        json.push_back({{"immediate", step.immediate}, {"transitions", step.transitions}});
    return json;
}

Json runs_json(const ReportedRuns& runs) {
    return {{"semantics", runs.semantics},
            {"policy", runs.policy},
            {"seed", runs.seed},
            {"steps", runs.steps},
            {"unfinished", runs.unfinished}};
}

Json search_json(const ReportedSearch& search) {
    Json log = Json::array();
    for (const ReportedImprovement& row : search.log)
        log.push_back({{"seconds", row.seconds},
                       {"chain", row.chain},
                       {"iteration", row.iteration},
                       {"value", row.value}});
    std::vector<std::string> arguments = search.arguments;
    for (std::string& argument : arguments) argument = with_grouped_numbers(argument);
    return {{"longest", search.longest},
            {"found", or_null<Json>(search.found)},
            {"bound", or_null<Json>(search.bound)},
            {"exact", search.exact},
            {"method", with_grouped_numbers(search.method)},
            {"arguments", arguments},
            {"iterations", search.iterations},
            {"log", std::move(log)}};
}

/// The bracket of the longest (shortest) run, as a paragraph; empty: nothing is known.
std::string bracket_html(const ReportContent& content) {
    if (!content.search) return "";
    const ReportedSearch& search = *content.search;
    if (!search.found && !search.bound && search.no_worst_case.empty()) return "";
    const char* const extreme = search.longest ? "longest" : "shortest";
    std::string text;
    if (!search.no_worst_case.empty()) {
        text = fmt::format("There is {}.", search.no_worst_case);
    } else if (search.found && search.exact) {
        text = fmt::format("The {} run takes exactly {}.", extreme, plural(*search.found, "step"));
    } else {
        if (search.found)
            text = fmt::format("The {} run found takes {}. ", extreme, plural(*search.found, "step"));
        if (search.bound)
            text += fmt::format("Certified: no run takes {} than {}.", search.longest ? "more" : "fewer",
                                plural(*search.bound, "step"));
        else
            text += "No bound is known.";
    }
    if (!search.machine.empty()) text += fmt::format(" Machine: {}.", search.machine);
    if (content.runs && !content.runs->steps.empty()) {
        const auto [least, most] =
            std::minmax_element(content.runs->steps.begin(), content.runs->steps.end());
        text += fmt::format(" {} under the policy {} took {}{}.", plural(content.runs->steps.size(), "run"),
                            content.runs->policy, *least == *most ? "" : fmt::format("{} to ", *least),
                            plural(*most, "step"));
    }
    return "<p class=\"bracket\">" + with_grouped_numbers(text) + "</p>";
}

Json comparison_json(const std::string& text) {
    Json json;
    try {
        json = parse_json<Json>(text, "the comparison");
    } catch (const Json::parse_error& error) {
        throw InputError(std::string("the comparison is no JSON: ") + json_fault(error));
    } catch (const Json::exception& error) {  // a number out of range
        throw InputError(std::string("the comparison: ") + json_fault(error));
    }
    const auto points = json.is_object() ? json.find("rows") : json.end();
    if (!json.is_object() || points == json.end() || !points->is_array())
        throw InputError("the comparison has no array 'rows'; expected the output of 'compare --json'");
    for (const Json& point : *points) {
        for (const char* name : {"measured", "predicted"})
            if (!point.is_object() || !point.contains(name) || !point[name].is_number())
                throw InputError(std::string("a point of the comparison has no number '") + name +
                                 "'; expected the output of 'compare --json'");
    }
    return json;
}

std::size_t firings(const Schedule& schedule) {
    std::size_t sum = 0;
    for (const ScheduledStep& step : schedule) sum += step.transitions.size();
    return sum;
}

/// The template with every {{name}} replaced; inserted text is not scanned again.
std::string fill(std::string_view page, const std::map<std::string_view, std::string>& parts) {
    std::string result;
    for (;;) {
        const std::size_t begin = page.find("{{");
        result += page.substr(0, begin);
        if (begin == std::string_view::npos) return result;
        const std::size_t end = page.find("}}", begin);
        result += parts.at(page.substr(begin + 2, end - begin - 2));
        page.remove_prefix(end + 2);
    }
}

}  // namespace

std::string report_html(const ReportContent& content) {
    Json data = Json::object();
    Json notes = Json::array();
    std::string gantt;
    if (content.net != nullptr) {
        data["net"] = net_json(*content.net);
        if (content.schedule) {
            if (firings(*content.schedule) > most_firings || !data["net"].contains("places")) {
                notes.push_back("The schedule is too large to step through in a page, and left out.");
            } else {
                data["schedule"] = schedule_json(*content.schedule);
                gantt = schedule_svg(*content.net, *content.schedule);
            }
        }
    }
    if (content.runs) data["runs"] = runs_json(*content.runs);
    if (content.search) data["search"] = search_json(*content.search);
    if (!content.comparison_json.empty()) data["comparison"] = comparison_json(content.comparison_json);
    data["notes"] = std::move(notes);

    return fill(text_between(warpnet_page_html, warpnet_page_html_end),
                {{"title", svg_text(content.title)},
                 {"subtitle", svg_text(content.subtitle)},
                 {"style", std::string(text_between(warpnet_page_css, warpnet_page_css_end))},
                 {"bracket", bracket_html(content)},
                 {"net_svg", std::string(svg_element(content.net_svg))},
                 {"note_on_picture", svg_text(content.note_on_picture)},
                 {"gantt_svg", std::string(svg_element(gantt))},
                 {"data", script_safe(json_text(data))},
                 {"chart_js", std::string(text_between(warpnet_chart_js, warpnet_chart_js_end))},
                 {"script", std::string(text_between(warpnet_page_js, warpnet_page_js_end))}});
}

namespace {

// Computes the content of a report: the search first, then the runs, then the picture. The first two stop at
// an interrupt, so a page can always be written. A net with more than 1,500 nodes gets no picture, and a note
// says so.

constexpr std::size_t most_drawn_nodes = 1500;
constexpr std::chrono::seconds layout_time{30};

void add_picture(const Net& net, ReportContent& content) {
    const std::size_t nodes = net.places().size() + net.transitions().size();
    if (nodes > most_drawn_nodes) {
        content.note_on_picture =
            fmt::format("{} nodes are too many for a picture in a page; see 'warpnet draw'.", nodes);
        return;
    }
    try {
        content.net_svg = draw_picture(net, {}, PictureFormat::svg, layout_time).file;
    } catch (const RenderError& error) {
        content.note_on_picture = fmt::format("No picture: {}.", error.what());
    }
}

/// If none of the first runs ends, no more are made, because a net without an end would take all steps in
/// each.
ReportedRuns reported_runs(const Net& net, ManyOptions many, const ProgressHook& progress) {
    std::atomic<std::uint64_t> finished = 0;
    many.finished = &finished;
    const auto part = begin_part(progress, {"runs", many.runs, &finished});
    ReportedRuns runs{.semantics = std::string(to_string(many.run.semantics)),
                      .policy = std::string(to_string(many.run.policy)),
                      .seed = many.run.seed,
                      .steps = {}};
    constexpr std::uint64_t tried = 3;
    ManyOptions few = many;
    few.runs = std::min(tried, many.runs);
    std::vector<RunResult> results = run_many(compile(net), few);
    const auto ends = [](const RunResult& result) { return result.reason == StopReason::dead; };
    if (std::ranges::any_of(results, ends)) {
        finished = 0;
        results = run_many(compile(net), many);
    }
    for (const RunResult& result : results) {
        if (ends(result))
            runs.steps.push_back(result.steps);
        else
            ++runs.unfinished;
    }
    return runs;
}

void add_search(const Net& net, const worst::WorstCaseOptions& search, ReportContent& content) {
    worst::WorstCase worst = worst::worst_case(net, search);
    content.search = {.longest = search.objective == worst::Objective::longest,
                      .found = worst.found,
                      .bound = worst.bound,
                      .exact = worst.exact,
                      .no_worst_case = worst::no_worst_case(worst),
                      .method = worst.method,
                      .arguments = worst.arguments,
                      .log = {},
                      .iterations = worst.iterations / std::max(1U, worst.chains),
                      .machine = to_text(worst.machine)};
    for (const worst::WorstCaseImprovement& row : worst.log)
        content.search->log.push_back({row.seconds, row.chain, row.iteration, row.value});
    if (worst.has_schedule() && !content.schedule) content.schedule = std::move(worst.schedule);
}

}  // namespace

ReportContent report_study(const Net& net, const ReportQuestions& questions) {
    ReportContent content{
        .title = net.name().empty() ? net.id() : net.name(), .net = &net, .schedule = questions.schedule};
    const WorkLimits& limits = questions.runs.run.limits;
    if (questions.search) add_search(net, *questions.search, content);
    if (questions.runs.runs > 0 && !limits.interrupted())
        content.runs = reported_runs(net, questions.runs, questions.progress);
    const auto picture = begin_part(questions.progress, {"picture"});
    if (limits.interrupted())
        content.note_on_picture = "No picture: interrupted.";
    else
        add_picture(net, content);
    return content;
}

}  // namespace warpnet::pictures
