#include "cli/report/explore_report.hpp"

#include "analysis/worst/worst_json.hpp"
#include "cli/report/report_row.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t listed_transitions = 10;

Tokens most_in_a_place(const StateFigures& figures) {
    return figures.bounds.empty() ? 0 : *std::max_element(figures.bounds.begin(), figures.bounds.end());
}

std::vector<std::string> ids_where(const Net& net, const std::vector<std::uint8_t>& of_transition,
                                   bool value) {
    std::vector<std::string> ids;
    for (std::size_t t = 0; t < of_transition.size(); ++t) {
        if ((of_transition[t] != 0) == value) ids.push_back(net.transitions()[t].id);
    }
    return ids;
}

std::string json_name(WorkEnd stop) {
    std::string name(to_string(stop));
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

Json marking_json(const Net& net, const Marking& marking) {
    Json object = Json::object();
    for (std::size_t p = 0; p < marking.size(); ++p) {
        if (marking[p] != 0) object[net.places()[p].id] = marking[p];
    }
    return object;
}

std::string listed(const std::vector<std::string>& ids) {
    const std::size_t shown = std::min(ids.size(), listed_transitions);
    std::string text = fmt::format("{}", fmt::join(ids.begin(), ids.begin() + std::ptrdiff_t(shown), " "));
    if (shown < ids.size()) text += fmt::format(" and {} more", ids.size() - shown);
    return text;
}

constexpr std::uint64_t most_counted = std::numeric_limits<std::uint64_t>::max();

/// Explored markings are counted up to there.
std::optional<MarkingCount> explored_count(std::uint64_t count) {
    if (count == most_counted) return std::nullopt;
    return MarkingCount(count);
}

std::string counted(const std::optional<MarkingCount>& count) {
    if (!count) return "2^64 or more";
    std::string digits = count->str();
    constexpr std::size_t most_digits = 30;
    if (digits.size() <= most_digits) return digits;
    return fmt::format("{}.{} x 10^{}", digits.substr(0, 1), digits.substr(1, 5), digits.size() - 1);
}

/// A number; a text of digits where scripts would read it wrong.
Json counted_json(const std::optional<MarkingCount>& count) {
    if (!count) return {};
    if (*count < most_counted) return count->convert_to<std::uint64_t>();
    return count->str();
}

std::string steps(std::uint64_t count) { return fmt::format("{} step{}", count, count == 1 ? "" : "s"); }

std::string bounds_text(const Net& net, const StateFigures& figures, bool all) {
    if (all) {
        std::string text = "bounds";
        for (std::size_t p = 0; p < figures.bounds.size(); ++p)
            text += fmt::format("\n  {:<22} {}", net.places()[p].id, figures.bounds[p]);
        return text + "\n";
    }
    std::map<Tokens, std::size_t> places;
    for (const Tokens bound : figures.bounds) ++places[bound];
    std::string text;
    for (const auto& [bound, count] : places)
        text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, bound);
    std::string row;
    if (places.size() <= 8) add_row(row, "places x bound", text);
    return row;
}

void add_liveness(std::string& text, const Net& net, const StateFigures& figures, const Liveness& live) {
    const std::size_t count = net.transitions().size();
    const auto alive = static_cast<std::size_t>(std::count(live.live.begin(), live.live.end(), 1));
    add_row(text, "live transitions", fmt::format("{} of {}", alive, count));
    add_row(text, "components",
            fmt::format("{}, {} of them never left", live.components, live.bottom_components));
    add_row(text, "home states",
            fmt::format("{} of {}{}", live.home_states, counted(figures.markings),
                        live.reversible ? ", the initial marking is one" : ""));
}

void add_lengths(std::string& text, const RunLengths& lengths) {
    if (lengths.shortest) add_row(text, "shortest run", steps(*lengths.shortest));
    add_row(text, "longest run",
            lengths.longest
                ? steps(*lengths.longest)
                : fmt::format("none: a run can repeat {} for ever", steps(lengths.cycle.size() - 1)));
}

}  // namespace

StateFigures figures_of(const Exploration& explored) {
    StateFigures figures{explored.stop, explored_count(explored.markings), explored_count(explored.edges),
                         explored_count(explored.deadlocks)};
    figures.depth = explored.depth;
    figures.bounds = explored.bounds;
    if (explored.most_tokens <= static_cast<std::uint64_t>(max_tokens))
        figures.most_tokens = explored.most_tokens;
    figures.fired = explored.fired;
    figures.packed_bytes = explored.space.layout().words() * sizeof(Word);
    return figures;
}

StateFigures figures_of(const CompiledNet& net, MarkingDiagram& diagram) {
    StateFigures figures;
    figures.markings = diagram.count(diagram.reachable());
    figures.deadlocks = diagram.count(diagram.dead(diagram.reachable()));
    figures.edges = 0;
    for (const MarkingCount& enabled : diagram.count_enabled()) {
        *figures.edges += enabled;
        figures.fired.push_back(enabled > 0 ? 1 : 0);
    }
    figures.bounds = diagram.bounds().most;
    LinearSum all;
    for (std::uint32_t p = 0; p < net.place_count(); ++p) all.tokens.push_back({p, 1});
    const WideSum most = diagram.maximum(all).value;
    if (most <= max_tokens) figures.most_tokens = static_cast<std::uint64_t>(most);
    figures.diagram_nodes = diagram.reachable_nodes();
    return figures;
}

std::string explore_json(const Net& net, const StateFigures& figures, const ExploreReport& report) {
    const Tokens most = most_in_a_place(figures);
    Json json = {{"net", net.id()},
                 {"semantics", to_string(report.semantics)},
                 {"states", counted_json(figures.markings)},
                 {"edges", counted_json(figures.edges)},
                 {"deadlocks", counted_json(figures.deadlocks)},
                 {"max_tokens_in_place", figures.known ? Json(most) : Json()},
                 {"max_tokens_in_marking", nullptr},
                 {"complete", figures.complete()},
                 {"safe", nullptr}};
    if (figures.most_tokens) json["max_tokens_in_marking"] = *figures.most_tokens;
    if (figures.complete() || most > 1) json["safe"] = most <= 1;
    if (!figures.complete()) json["stop"] = json_name(figures.stop);
    json["depth"] = figures.depth ? Json(*figures.depth) : Json();
    if (figures.diagram_nodes) {
        json["by"] = "decision diagrams";
        json["diagram_nodes"] = *figures.diagram_nodes;
    }
    if (report.orbits) {
        json["orbits"] = report.orbits->count;
        json["symmetries"] = counted_json(explored_count(report.orbits->symmetries));
        json["equal_parts"] = report.orbits->parts;
    }
    if (report.lengths) {
        json["longest_run"] = report.lengths->longest ? Json(*report.lengths->longest) : Json();
        json["shortest_run"] = report.lengths->shortest ? Json(*report.lengths->shortest) : Json();
    }
    if (report.dead_marking) {
        Json& deadlock = json["deadlock"] = Json::object();
        if (report.to_deadlock) {
            deadlock["steps"] = report.to_deadlock->size();
            deadlock["path"] = schedule_json(net, *report.to_deadlock);
        }
        deadlock["marking"] = marking_json(net, *report.dead_marking);
    }
    for (const ExploreReport::DeadMarking& dead : report.dead_markings)
        json["dead_markings"].push_back({{"steps", dead.way.size()},
                                         {"path", schedule_json(net, dead.way)},
                                         {"marking", marking_json(net, dead.marking)}});
    if (figures.complete()) json["dead_transitions"] = ids_where(net, figures.fired, false);
    if (report.liveness) {
        json["live_transitions"] = ids_where(net, report.liveness->live, true);
        json["home_states"] = report.liveness->home_states;
        json["reversible"] = report.liveness->reversible;
        json["components"] = report.liveness->components;
        json["bottom_components"] = report.liveness->bottom_components;
    }
    Json bounds = Json::object();
    for (std::size_t p = 0; p < figures.bounds.size(); ++p) bounds[net.places()[p].id] = figures.bounds[p];
    json["bounds"] = std::move(bounds);
    if (figures.packed_bytes) json["packed_bytes_per_state"] = *figures.packed_bytes;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string explore_text(const Net& net, const StateFigures& figures, const ExploreReport& report) {
    if (!figures.known) {
        return fmt::format("{}: {} semantics, NOTHING KNOWN ({})\n", net.id(), to_string(report.semantics),
                           to_string(figures.stop));
    }
    std::string text =
        fmt::format("{}: {} semantics{}\n", net.id(), to_string(report.semantics),
                    figures.complete() ? ""
                                       : fmt::format(", INCOMPLETE ({}): all figures are those "
                                                     "of the part that was seen",
                                                     to_string(figures.stop)));
    add_row(text, "states", counted(figures.markings));
    add_row(text, "edges", counted(figures.edges));
    add_row(text, "deadlocks", counted(figures.deadlocks));
    if (report.orbits) {
        add_row(text, "orbits",
                fmt::format("{}, by {} symmetries: {}", report.orbits->count,
                            counted(explored_count(report.orbits->symmetries)), report.orbits->parts));
    }
    if (report.to_deadlock) {
        add_row(text, "nearest deadlock", "after " + steps(report.to_deadlock->size()));
    } else if (report.dead_marking) {
        add_row(text, "nearest deadlock", "not found in the time that was spent on it");
    }
    for (const ExploreReport::DeadMarking& dead : report.dead_markings)
        add_row(text, "dead marking",
                fmt::format("{} after {}", marking_json(net, dead.marking).dump(),
                            schedule_json(net, dead.way).dump()));
    if (figures.depth) add_row(text, "depth", std::to_string(*figures.depth));
    add_row(text, "tokens in a place", fmt::format("at most {}", most_in_a_place(figures)));
    add_row(text, "tokens in a marking",
            figures.most_tokens ? fmt::format("at most {}", *figures.most_tokens) : "more than 2^63");
    if (figures.diagram_nodes)
        add_row(text, "by", fmt::format("decision diagrams, {} nodes", *figures.diagram_nodes));
    text += bounds_text(net, figures, report.all_bounds);
    if (figures.complete()) {
        const std::vector<std::string> dead = ids_where(net, figures.fired, false);
        add_row(text, "dead transitions", dead.empty() ? "none" : listed(dead));
    }
    if (report.liveness) add_liveness(text, net, figures, *report.liveness);
    if (report.lengths) add_lengths(text, *report.lengths);
    if (report.graph_stop)
        add_row(text, "state graph", fmt::format("not built: {}", to_string(*report.graph_stop)));
    return text;
}

ExitCode exit_code_of(const StateFigures& figures, const ExploreReport& report) {
    const WorkEnd stop = figures.complete() ? report.graph_stop.value_or(figures.stop) : figures.stop;
    if (stop == WorkEnd::complete) return ExitCode::done;
    return stop == WorkEnd::interrupted ? ExitCode::interrupted : ExitCode::limit;
}

}  // namespace warpnet::cli
