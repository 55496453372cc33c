#include "cli/report/property_report.hpp"

#include "analysis/worst/worst_json.hpp"
#include "cli/report/report_row.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

constexpr std::size_t listed_steps = 20, listed_nodes = 10;

bool is_extreme(const Property& property) {
    return property.kind == Property::Kind::maximum || property.kind == Property::Kind::minimum;
}

std::string node_id(const PropertyReport& report, const Property& property, std::uint32_t node) {
    const bool place = property.kind == Property::Kind::stable || property.kind == Property::Kind::bounded;
    return place ? report.net.places()[node].id : report.net.transitions()[node].id;
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
std::string steps_text(const Net& net, std::span<const ScheduledStep> schedule) {
    std::string text;
    const std::size_t shown = std::min(schedule.size(), listed_steps);
    for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? ": " : ", ") + step_text(net, schedule[i]);
    if (shown < schedule.size()) text += fmt::format(" and {} more", schedule.size() - shown);
    return text;
}

std::string witness_text(const PropertyReport& report, const PropertyAnswer& answer) {
    std::string text = plural(answer.witness->size(), "step");
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

std::string limit_text(const Answers& answers) {
    if (!answers.stop || *answers.stop == WorkEnd::complete || *answers.stop == WorkEnd::answered) return "";
    return fmt::format("{} after {}", to_string(*answers.stop), plural(answers.states, "state"));
}

/// The witness of an unbounded net: steps, and steps that add tokens each time they repeat.
void add_pump(std::string& text, const PropertyReport& report, const Property& property,
              const PropertyAnswer& answer) {
    const std::span all(*answer.witness);
    const auto first = all.first(*answer.repeats_from), pump = all.subspan(*answer.repeats_from);
    add_row(text, "first", plural(first.size(), "step") + steps_text(report.net, first));
    add_row(text, "again and again", plural(pump.size(), "step") + steps_text(report.net, pump));
    add_row(text, "which grows", nodes_text(report, property, answer));
}

std::string question_text(const PropertyReport& report, const Property& property,
                          const PropertyAnswer& answer) {
    std::string text = fmt::format("{}: {} semantics\n", report.net.id(), to_string(report.semantics));
    add_row(text, "question", property.id);
    add_row(text, "answer", answer_word(property, answer));
    if (answer.known()) {
        add_row(text, "by", std::string(to_string(answer.by)));
    } else {
        add_row(text, "stopped", limit_text(report.answers));
    }
    if (property.kind == Property::Kind::bounded) {
        if (answer.witness) add_pump(text, report, property, answer);
        return text;
    }
    if (answer.witness) add_row(text, "witness", witness_text(report, answer));
    if (!answer.nodes.empty())
        add_row(text, property.kind == Property::Kind::stable ? "places" : "not live",
                nodes_text(report, property, answer));
    return text;
}

}  // namespace

std::string property_text(const PropertyReport& report, bool single) {
    if (single) return question_text(report, report.properties.front(), report.answers.of.front());
    std::string text = fmt::format("{}: {} semantics\n", report.net.id(), to_string(report.semantics));
    std::size_t open = 0;
    for (std::size_t i = 0; i < report.properties.size(); ++i) {
        const PropertyAnswer& answer = report.answers.of[i];
        text +=
            fmt::format("  {:<44} {}{}\n", report.properties[i].id, answer_word(report.properties[i], answer),
                        answer.known() ? fmt::format(", by {}", to_string(answer.by)) : "");
        if (!answer.known()) ++open;
    }
    if (open > 0) {
        const std::string limit = limit_text(report.answers);
        text += fmt::format("{} of {} not known{}\n", open, report.properties.size(),
                            limit.empty() ? "" : ": " + limit);
    }
    return text;
}

ExitCode exit_code_of(const PropertyReport& report) {
    const auto& answers = report.answers.of;
    const auto known = [](const PropertyAnswer& answer) { return answer.known(); };
    if (!std::all_of(answers.begin(), answers.end(), known)) {
        return report.answers.stop == WorkEnd::interrupted ? ExitCode::interrupted : ExitCode::limit;
    }
    const auto no = [](const PropertyAnswer& answer) { return answer.holds == false; };
    return std::any_of(answers.begin(), answers.end(), no) ? ExitCode::no : ExitCode::done;
}

}  // namespace warpnet::cli
