#include "cli/report/property_report.hpp"

#include "analysis/worst/worst_json.hpp"
#include "cli/report/report_row.hpp"

#include <algorithm>
#include <optional>

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

std::string step_text(const Net& net, const ScheduledStep& step) {
    std::string names;
    for (const std::uint32_t transition : step.transitions)
        names += (names.empty() ? "" : " ") + net.transitions()[transition].id;
    return step.transitions.size() == 1 ? names : "{" + names + "}";
}

/// ": a, b, {c d} and 3 more"
std::string steps_text(const Net& net, const Schedule& schedule) {
    std::string text;
    const std::size_t shown = std::min(schedule.size(), listed_steps);
    for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? ": " : ", ") + step_text(net, schedule[i]);
    if (shown < schedule.size()) text += fmt::format(" and {} more", schedule.size() - shown);
    return text;
}

std::string count_text(const Schedule& schedule) {
    return fmt::format("{} step{}", schedule.size(), schedule.size() == 1 ? "" : "s");
}

std::string stop_text(const std::optional<WorkEnd>& stop, std::uint64_t states) {
    if (!stop || *stop == WorkEnd::complete || *stop == WorkEnd::answered) return "";
    return fmt::format("{} after {} states", to_string(*stop), states);
}

std::string witness_text(const PropertyReport& report, const PropertyAnswer& answer) {
    std::string text = count_text(*answer.witness);
    if (answer.shortest) text += ", none is shorter";
    text += steps_text(report.net, *answer.witness);
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
    return stop_text(report.summary.stop, report.summary.states);
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
    if (report.summary.orbits > 0) json["orbits"] = report.summary.orbits;
    if (report.summary.stop) json["stop"] = to_string(*report.summary.stop);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string bounded_text(const Net& net, Semantics semantics, const BoundednessAnswer& answer) {
    std::string text = fmt::format("{}: {} semantics\n", net.id(), to_string(semantics));
    add_row(text, "question", "bounded");
    add_row(text, "answer", !answer.bounded ? "not known" : *answer.bounded ? "yes" : "no");
    if (answer.bounded) {
        add_row(text, "by", std::string(answer.by));
    } else {
        add_row(text, "stopped", stop_text(answer.stop, answer.states));
    }
    if (answer.bounded != false) return text;
    add_row(text, "first", count_text(answer.prefix) + steps_text(net, answer.prefix));
    add_row(text, "again and again", count_text(answer.pump) + steps_text(net, answer.pump));
    std::string places;
    for (std::size_t i = 0; i < std::min(answer.growing.size(), listed_nodes); ++i)
        places += (i == 0 ? "" : " ") + net.places()[answer.growing[i]].id;
    if (answer.growing.size() > listed_nodes)
        places += fmt::format(" and {} more", answer.growing.size() - listed_nodes);
    add_row(text, "which grows", places);
    return text;
}

std::string bounded_json(const Net& net, Semantics semantics, const BoundednessAnswer& answer) {
    Json json = {{"net", net.id()}, {"semantics", to_string(semantics)}, {"question", "bounded"}};
    json["answer"] = answer.bounded ? Json(*answer.bounded) : Json();
    json["by"] = answer.bounded ? Json(answer.by) : Json();
    if (answer.bounded == false) {
        json["first"] = schedule_json(net, answer.prefix);
        json["pump"] = schedule_json(net, answer.pump);
        json["growing"] = Json::array();
        for (const std::uint32_t place : answer.growing) json["growing"].push_back(net.places()[place].id);
    }
    json["states"] = answer.states;
    if (answer.stop) json["stop"] = to_string(*answer.stop);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

ExitCode exit_code_of(const PropertyReport& report) {
    const auto& answers = report.summary.answers;
    const auto known = [](const PropertyAnswer& answer) { return answer.known(); };
    if (!std::all_of(answers.begin(), answers.end(), known)) {
        return report.summary.stop == WorkEnd::interrupted ? ExitCode::interrupted : ExitCode::limit;
    }
    const auto no = [](const PropertyAnswer& answer) { return answer.holds == false; };
    return std::any_of(answers.begin(), answers.end(), no) ? ExitCode::no : ExitCode::done;
}

}  // namespace warpnet::cli
