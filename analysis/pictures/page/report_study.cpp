// Computes the content of a report: the search first, then the runs, then the picture. The first two stop at
// an interrupt, so a page can always be written. A net with more than 1,500 nodes gets no picture, and a note
// says so.

#include "analysis/pictures/page/report_study.hpp"

#include "analysis/pictures/net/draw.hpp"
#include "engine/plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace warpnet::pictures {

namespace {

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

ReportedRuns reported_runs(const Net& net, const ManyOptions& many) {
    ReportedRuns runs{.semantics = std::string(to_string(many.run.semantics)),
                      .policy = std::string(to_string(many.run.policy)),
                      .seed = many.run.seed,
                      .steps = {}};
    for (const RunResult& result : run_many(compile(net), many)) {
        if (result.reason == StopReason::dead)
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
    if (questions.runs.runs > 0 && !limits.interrupted()) content.runs = reported_runs(net, questions.runs);
    if (limits.interrupted())
        content.note_on_picture = "No picture: interrupted.";
    else
        add_picture(net, content);
    return content;
}

}  // namespace warpnet::pictures
