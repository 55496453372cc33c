// The texts of `explore` and `inspect`. Long lists of nodes and steps are shortened; the JSON has them in
// full. The exit code follows from the answers: a no is 1, and a limit before the answer is 4.
//
// Counts of markings by decision diagrams can have any number of digits. Beyond 30 digits the text shows them
// with a power of ten. Bounds of places are grouped by value, unless all are requested. The first line names
// a limit that ended the exploration, because all figures below are then those of a part.

#include "analysis/states/linear/invariants.hpp"
#include "analysis/states/properties/to_json.hpp"
#include "analysis/states/structure/net_class.hpp"
#include "analysis/states/structure/net_structure.hpp"
#include "analysis/worst/worst_json.hpp"
#include "cli/report/texts.hpp"
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

constexpr std::size_t listed_transitions = 10;

std::vector<std::string> ids_where(const Net& net, const std::vector<std::uint8_t>& of_transition,
                                   bool value) {
    std::vector<std::string> ids;
    for (std::size_t t = 0; t < of_transition.size(); ++t) {
        if ((of_transition[t] != 0) == value) ids.push_back(net.transitions()[t].id);
    }
    return ids;
}

std::string listed(const std::vector<std::string>& ids) {
    const std::size_t shown = std::min(ids.size(), listed_transitions);
    std::string text = fmt::format("{}", fmt::join(ids.begin(), ids.begin() + std::ptrdiff_t(shown), " "));
    if (shown < ids.size()) text += fmt::format(" and {} more", ids.size() - shown);
    return text;
}

std::string counted(const std::optional<states::MarkingCount>& count) {
    if (!count) return "2^64 or more";
    std::string digits = count->str();
    constexpr std::size_t most_digits = 30;
    if (digits.size() <= most_digits) return with_grouped_numbers(digits);
    return fmt::format("{}.{} x 10^{}", digits.substr(0, 1), digits.substr(1, 5), digits.size() - 1);
}

std::string steps(std::uint64_t count) { return amount(count, "step"); }

std::string bounds_text(const Net& net, const std::vector<Tokens>& bounds, bool all) {
    if (all) {
        std::string text = "bounds";
        for (std::size_t p = 0; p < bounds.size(); ++p)
            text += fmt::format("\n  {:<22} {}", net.places()[p].id, bounds[p]);
        return text + "\n";
    }
    std::map<Tokens, std::size_t> places;
    for (const Tokens bound : bounds) ++places[bound];
    std::string text;
    for (const auto& [bound, count] : places)
        text += fmt::format("{}{} with bound {}", text.empty() ? "" : ", ", count,
                            bound == states::any_number ? "ω" : std::to_string(bound));
    std::string row;
    if (places.size() <= 8) add_row(row, "places", text);
    return row;
}

void add_liveness(std::string& text, const Net& net, const states::StateFigures& figures,
                  const states::Liveness& live) {
    const std::size_t count = net.transitions().size();
    const auto alive = static_cast<std::size_t>(std::count(live.live.begin(), live.live.end(), 1));
    add_row(text, "live transitions", fmt::format("{} of {}", alive, count));
    add_row(text, "components",
            fmt::format("{}, {} of them never left", live.components, live.bottom_components));
    add_row(text, "home states",
            fmt::format("{} of {}{}", live.home_states, counted(figures.markings),
                        live.reversible ? ", the initial marking is one" : ""));
}

void add_lengths(std::string& text, const states::RunLengths& lengths) {
    if (lengths.shortest) add_row(text, "shortest run", steps(*lengths.shortest));
    add_row(text, "longest run",
            lengths.longest
                ? steps(*lengths.longest)
                : fmt::format("none: a run can repeat {} forever", steps(lengths.cycle.size() - 1)));
}

ExitCode exit_code_at(WorkEnd stop) {
    if (stop == WorkEnd::complete) return ExitCode::done;
    return stop == WorkEnd::interrupted ? ExitCode::interrupted : ExitCode::limit;
}

}  // namespace

std::string explore_text(const Net& net, const states::StateFigures& figures, bool all_bounds) {
    if (!figures.known) {
        return fmt::format("{}: {} semantics, NOTHING KNOWN ({})\n", net.id(), to_string(figures.semantics),
                           to_string(figures.stop));
    }
    std::string text = fmt::format(
        "{}: {} semantics{}\n", net.id(), to_string(figures.semantics),
        figures.complete()
            ? ""
            : fmt::format(", INCOMPLETE ({}): all figures are of the visited part", to_string(figures.stop)));
    add_row(text, "states", counted(figures.markings));
    add_row(text, "edges", counted(figures.edges));
    add_row(text, "deadlocks", counted(figures.deadlocks));
    if (figures.orbits) {
        add_row(text, "orbits",
                fmt::format("{}, by {} symmetries: {}", figures.orbits->count,
                            counted(figures.orbits->symmetries), figures.orbits->parts));
    }
    if (figures.to_deadlock) {
        add_row(text, "nearest deadlock", "after " + steps(figures.to_deadlock->size()));
    } else if (figures.dead_marking) {
        add_row(text, "nearest deadlock", "not found within its time limit");
    }
    for (const states::StateFigures::DeadMarking& dead : figures.dead_markings)
        add_row(text, "dead marking",
                fmt::format("{} after {}", json_text(states::to_json(net, dead.marking)),
                            json_text(states::to_json(net, dead.path))));
    if (figures.depth) add_row(text, "depth", std::to_string(*figures.depth));
    add_row(text, "tokens in a place", fmt::format("at most {}", states::most_in_a_place(figures)));
    add_row(text, "tokens in a marking",
            figures.most_tokens ? fmt::format("at most {}", *figures.most_tokens) : "at least 2^63");
    if (figures.diagram_nodes)
        add_row(text, "by", "decision diagrams, " + amount(*figures.diagram_nodes, "node"));
    text += bounds_text(net, figures.bounds, all_bounds);
    if (figures.complete()) {
        const std::vector<std::string> dead = ids_where(net, figures.fired, false);
        add_row(text, "dead transitions", dead.empty() ? "none" : listed(dead));
    }
    if (figures.liveness) add_liveness(text, net, figures, *figures.liveness);
    if (figures.lengths) add_lengths(text, *figures.lengths);
    if (figures.stop == WorkEnd::state_limit || figures.stop == WorkEnd::memory_limit ||
        figures.stop == WorkEnd::time_limit)
        add_row(
            text, "next step",
            "--bounded decides whether the markings ever end, and --coverability shows which places grow");
    if (figures.graph_stop)
        add_row(text, "state graph", fmt::format("not built: {}", to_string(*figures.graph_stop)));
    return text;
}

std::string coverability_text(const Net& net, const states::CoverabilityGraph& graph) {
    const std::vector<Tokens> bounds = graph.bounds();
    std::vector<std::string> growing;
    for (const std::uint32_t place : states::unbounded_places(bounds))
        growing.push_back(net.places()[place].id);
    std::string text = net.id() + ": ";
    if (!growing.empty()) {
        text += fmt::format("UNBOUNDED, any number of tokens in {}\n", listed(growing));
    } else {
        text += graph.complete() ? "bounded\n" : "NOT KNOWN whether it is bounded\n";
    }
    if (!graph.complete()) add_row(text, "incomplete", std::string(to_string(graph.stop)));
    add_row(text, "nodes", counted(graph.nodes.size()));
    add_row(text, "edges", counted(graph.edges.size()));
    return graph.complete() ? text + bounds_text(net, bounds, false) : text;
}

ExitCode exit_code_of(const states::CoverabilityGraph& graph) { return exit_code_at(graph.stop); }

ExitCode exit_code_of(const states::StateFigures& figures) {
    return exit_code_at(figures.complete() ? figures.graph_stop.value_or(figures.stop) : figures.stop);
}

namespace {

constexpr std::size_t listed_steps = 20, listed_nodes = 10;

bool is_extreme(const Property& property) {
    return property.kind == Property::Kind::maximum || property.kind == Property::Kind::minimum;
}

std::string node_id(const PropertyReport& report, const Property& property, std::uint32_t node) {
    const bool place = property.kind == Property::Kind::stable || property.kind == Property::Kind::bounded ||
                       is_extreme(property);
    return place ? report.net.places()[node].id : report.net.transitions()[node].id;
}

std::string answer_word(const Property& property, const states::PropertyAnswer& answer) {
    if (is_extreme(property)) {
        if (answer.unbounded) return "unbounded";
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

std::string witness_text(const PropertyReport& report, const states::PropertyAnswer& answer) {
    std::string text = amount(answer.witness->size(), "step");
    if (answer.shortest) text += ", none is shorter";
    text += steps_text(report.net, *answer.witness);
    if (answer.repeats_from) text += fmt::format("; forever from after step {}", *answer.repeats_from);
    return text;
}

std::string nodes_text(const PropertyReport& report, const Property& property,
                       const states::PropertyAnswer& answer) {
    std::string text;
    const std::size_t shown = std::min(answer.nodes.size(), listed_nodes);
    for (std::size_t i = 0; i < shown; ++i)
        text += (i == 0 ? "" : " ") + node_id(report, property, answer.nodes[i]);
    if (shown < answer.nodes.size()) text += fmt::format(" and {} more", answer.nodes.size() - shown);
    return text;
}

std::string limit_text(const states::Answers& answers) {
    if (!answers.stop || *answers.stop == WorkEnd::complete || *answers.stop == WorkEnd::answered) return "";
    const bool countable = answers.states < std::numeric_limits<std::uint64_t>::max();
    return fmt::format("{} after {}", to_string(*answers.stop),
                       countable ? amount(answers.states, "state") : "2^64 - 1 states or more");
}

/// The witness of an unbounded net or sum: steps, and steps that add tokens each time they repeat.
void add_pump(std::string& text, const PropertyReport& report, const Property& property,
              const states::PropertyAnswer& answer) {
    const std::span all(*answer.witness);
    const auto first = all.first(*answer.repeats_from), pump = all.subspan(*answer.repeats_from);
    add_row(text, "first", amount(first.size(), "step") + steps_text(report.net, first));
    add_row(text, "again and again", amount(pump.size(), "step") + steps_text(report.net, pump));
    add_row(text, "which grows", nodes_text(report, property, answer));
}

std::string question_text(const PropertyReport& report, const Property& property,
                          const states::PropertyAnswer& answer) {
    std::string text = fmt::format("{}: {} semantics\n", report.net.id(), to_string(report.semantics));
    add_row(text, "question", property.id);
    add_row(text, "answer", answer_word(property, answer));
    if (answer.known()) {
        add_row(text, "by", std::string(to_string(answer.by)));
    } else {
        add_row(text, "stopped", limit_text(report.answers));
    }
    if (answer.unbounded || (property.kind == Property::Kind::bounded && answer.witness)) {
        add_pump(text, report, property, answer);
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
        const states::PropertyAnswer& answer = report.answers.of[i];
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
    const auto known = [](const states::PropertyAnswer& answer) { return answer.known(); };
    if (!std::all_of(answers.begin(), answers.end(), known)) {
        return report.answers.stop == WorkEnd::interrupted ? ExitCode::interrupted : ExitCode::limit;
    }
    const auto no = [](const states::PropertyAnswer& answer) { return answer.holds == false; };
    return std::any_of(answers.begin(), answers.end(), no) ? ExitCode::no : ExitCode::done;
}

namespace {

constexpr std::size_t listed_invariants = 5;
constexpr std::size_t listed_terms = 8;

std::string yes_no(std::optional<bool> answer) {
    return answer ? (*answer ? "yes" : "no") : "not known: a limit was reached";
}

template <class Nodes>
void add_invariants(std::string& text, const char* what, const Nodes& nodes,
                    const states::Invariants& invariants, bool sums) {
    add_row(text, what,
            fmt::format("{} minimal{}", invariants.all.size(),
                        invariants.complete ? "" : " found, there are more than could be enumerated"));
    for (std::size_t i = 0; i < std::min(invariants.all.size(), listed_invariants); ++i) {
        std::string line;
        Tokens sum = 0;
        bool in_range = true;
        for (std::size_t k = 0; k < invariants.all[i].size(); ++k) {
            const auto [node, weight] = invariants.all[i][k];
            if constexpr (std::is_same_v<Nodes, std::span<const Place>>) {
                Tokens part = 0;
                in_range &= !__builtin_mul_overflow(weight, nodes[node].initial, &part);
                in_range &= !__builtin_add_overflow(sum, part, &sum);
            }
            if (k >= listed_terms) continue;
            line += fmt::format("{}{}{}", k == 0 ? "" : " + ", weight == 1 ? "" : fmt::format("{} ", weight),
                                nodes[node].id);
        }
        if (invariants.all[i].size() > listed_terms)
            line += fmt::format(" + {} more", invariants.all[i].size() - listed_terms);
        if (sums && in_range) line += fmt::format(" = {}", sum);
        text += fmt::format("    {}\n", line);
    }
    if (invariants.all.size() > listed_invariants)
        text += fmt::format("    and {} more; --json lists all\n", invariants.all.size() - listed_invariants);
}

std::string places_text(const Net& net, const states::PlaceSet& places) {
    std::string text;
    for (std::size_t i = 0; i < std::min(places.size(), listed_terms); ++i)
        text += (i == 0 ? "" : " ") + net.places()[places[i]].id;
    if (places.size() > listed_terms) text += fmt::format(" and {} more", places.size() - listed_terms);
    return text;
}

void add_sets(std::string& text, const Net& net, const char* name, const states::MinimalSets& sets) {
    add_row(text, name,
            fmt::format("{} minimal{}", sets.minimal.size(),
                        sets.complete ? "" : " found, there are more than could be enumerated"));
    for (std::size_t i = 0; i < std::min(sets.minimal.size(), listed_invariants); ++i)
        text += fmt::format("    {}\n", places_text(net, sets.minimal[i]));
    if (sets.minimal.size() > listed_invariants)
        text += fmt::format("    and {} more; --json lists all\n", sets.minimal.size() - listed_invariants);
}

void add_siphons(std::string& text, const Net& net, const states::Siphons& siphons) {
    add_sets(text, net, "siphons", siphons);
    if (!siphons.without_marked_trap) {
        if (siphons.complete) add_row(text, "Commoner's property", "every siphon holds a marked trap");
        return;
    }
    add_row(text, "Commoner's property",
            "no marked trap in the siphon " + places_text(net, *siphons.without_marked_trap));
}

}  // namespace

std::string structure_text(const Net& net, const states::Structure& structure) {
    std::string text;
    add_row(text, "class", std::string(to_string(structure.net_class)));
    add_row(text, "conflict clusters",
            fmt::format(
                "{}, the largest of {}", structure.clusters.size(),
                amount(structure.clusters.empty() ? 0 : structure.clusters.front().size(), "transition")));
    if (structure.rank) add_row(text, "rank", std::to_string(*structure.rank));
    add_invariants(text, "P-invariants", net.places(), structure.of_places, true);
    add_invariants(text, "T-invariants", net.transitions(), structure.of_transitions, false);
    add_row(text, "conservative", yes_no(structure.bounded.conservative));
    add_row(text, "structurally bounded", yes_no(structure.bounded.structurally_bounded));
    if (structure.siphons) add_siphons(text, net, *structure.siphons);
    if (structure.traps) add_sets(text, net, "traps", *structure.traps);
    return text;
}

}  // namespace warpnet::cli
