#include "cli/report/property_report.hpp"

#include "cli/report/schedule_json.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t listed_steps = 20, listed_nodes = 10;

bool is_extreme(const Property& property) {
    return property.kind == Property::Kind::maximum || property.kind == Property::Kind::minimum;
}

std::string node_id(const PropertyReport& report, const Property& property, std::uint32_t node) {
    return property.kind == Property::Kind::stable ? report.net.places()[node].id
                                                   : report.net.transitions()[node].id;
}

std::string answer_word(const Property& property, const PropertyAnswer& answer) {
    if (is_extreme(property)) {
        if (!answer.value) return "not known";
        if (answer.exact) return std::to_string(*answer.value);
        return fmt::format("{} or {}", *answer.value,
                           property.kind == Property::Kind::maximum ? "more" : "less");
    }
    if (!answer.holds) return "not known";
    return *answer.holds ? "yes" : "no";
}

void add_row(std::string& text, std::string_view what, const std::string& value) {
    text += fmt::format("  {:<22} {}\n", what, value);
}

std::string step_text(const PropertyReport& report, const ScheduledStep& step) {
    std::string names;
    for (const std::uint32_t transition : step.transitions)
        names += (names.empty() ? "" : " ") + report.net.transitions()[transition].id;
    return step.transitions.size() == 1 ? names : "{" + names + "}";
}

std::string witness_text(const PropertyReport& report, const PropertyAnswer& answer) {
    const Schedule& schedule = *answer.witness;
    std::string text = fmt::format("{} step{}", schedule.size(), schedule.size() == 1 ? "" : "s");
    if (answer.shortest) text += ", none is shorter";
    const std::size_t shown = std::min(schedule.size(), listed_steps);
    for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? ": " : ", ") + step_text(report, schedule[i]);
    if (shown < schedule.size()) text += fmt::format(" and {} more", schedule.size() - shown);
    if (answer.repeats_from) text += fmt::format("; for ever from after step {}", *answer.repeats_from);
    return text;
}

std::string nodes_text(const PropertyReport& report, const Property& property, const PropertyAnswer& answer) {
    std::string text;
    const std::size_t shown = std::min(answer.nodes.size(), listed_nodes);
    for (std::size_t i = 0; i < shown; ++i)
        text += (i == 0 ? "" : " ") + node_id(report, property, answer.nodes[i]);
    if (shown < answer.nodes.size()) text += fmt::format(" and {} more", answer.nodes.size() - shown);
    return text;
}

std::string limit_text(const PropertyReport& report) {
    const auto& stop = report.summary.stop;
    if (!stop || *stop == ExploreStop::complete || *stop == ExploreStop::answered) return "";
    return fmt::format("{} after {} states", to_string(*stop), report.summary.states);
}

std::string question_text(const PropertyReport& report, const Property& property,
                          const PropertyAnswer& answer) {
    std::string text = fmt::format("{}: {} semantics\n", report.net.id(), to_string(report.semantics));
    add_row(text, "question", property.id);
    add_row(text, "answer", answer_word(property, answer));
    if (answer.known()) {
        add_row(text, "by", std::string(to_string(answer.by)));
    } else {
        add_row(text, "stopped", limit_text(report));
    }
    if (answer.witness) add_row(text, "witness", witness_text(report, answer));
    if (!answer.nodes.empty())
        add_row(text, property.kind == Property::Kind::stable ? "places" : "not live",
                nodes_text(report, property, answer));
    return text;
}

Json answer_json(const PropertyReport& report, const Property& property, const PropertyAnswer& answer) {
    Json json;
    if (is_extreme(property)) {
        json["answer"] = answer.exact ? Json(*answer.value) : Json();
        if (answer.value && !answer.exact)
            json[property.kind == Property::Kind::maximum ? "at_least" : "at_most"] = *answer.value;
    } else {
        json["answer"] = answer.holds ? Json(*answer.holds) : Json();
    }
    json["by"] = answer.known() ? Json(to_string(answer.by)) : Json();
    if (answer.witness) {
        json["steps"] = answer.witness->size();
        json["shortest"] = answer.shortest;
        json["witness"] = schedule_json(report.net, *answer.witness);
        if (answer.repeats_from) json["repeats_from"] = *answer.repeats_from;
    }
    if (!answer.nodes.empty()) {
        Json nodes = Json::array();
        for (const std::uint32_t node : answer.nodes) nodes.push_back(node_id(report, property, node));
        json[property.kind == Property::Kind::stable ? "places" : "not_live"] = std::move(nodes);
    }
    return json;
}

}  // namespace

std::string property_text(const PropertyReport& report, bool single) {
    if (single) return question_text(report, report.properties.front(), report.summary.answers.front());
    std::string text = fmt::format("{}: {} semantics\n", report.net.id(), to_string(report.semantics));
    std::size_t open = 0;
    for (std::size_t i = 0; i < report.properties.size(); ++i) {
        const PropertyAnswer& answer = report.summary.answers[i];
        text +=
            fmt::format("  {:<44} {}{}\n", report.properties[i].id, answer_word(report.properties[i], answer),
                        answer.known() ? fmt::format(", by {}", to_string(answer.by)) : "");
        if (!answer.known()) ++open;
    }
    if (open > 0) {
        const std::string limit = limit_text(report);
        text += fmt::format("{} of {} not known{}\n", open, report.properties.size(),
                            limit.empty() ? "" : ": " + limit);
    }
    return text;
}

std::string property_json(const PropertyReport& report, bool single) {
    Json json = {{"net", report.net.id()}, {"semantics", to_string(report.semantics)}};
    if (single) {
        json["question"] = report.properties.front().id;
        json.update(answer_json(report, report.properties.front(), report.summary.answers.front()));
    } else {
        Json list = Json::array();
        for (std::size_t i = 0; i < report.properties.size(); ++i) {
            Json one = {{"id", report.properties[i].id}};
            one.update(answer_json(report, report.properties[i], report.summary.answers[i]));
            list.push_back(std::move(one));
        }
        json["properties"] = std::move(list);
    }
    json["states"] = report.summary.states;
    if (report.summary.stop) json["stop"] = to_string(*report.summary.stop);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

ExitCode exit_code_of(const PropertyReport& report) {
    const auto& answers = report.summary.answers;
    const auto known = [](const PropertyAnswer& answer) { return answer.known(); };
    if (!std::all_of(answers.begin(), answers.end(), known)) {
        return report.summary.stop == ExploreStop::interrupted ? ExitCode::interrupted : ExitCode::limit;
    }
    const auto no = [](const PropertyAnswer& answer) { return answer.holds == false; };
    return std::any_of(answers.begin(), answers.end(), no) ? ExitCode::no : ExitCode::done;
}

}  // namespace warpnet::cli
