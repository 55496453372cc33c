#include "cli/report/explore_report.hpp"

#include "analysis/states/properties/to_json.hpp"
#include "cli/report/report_row.hpp"
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"

#include <algorithm>
#include <map>

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

std::string counted(const std::optional<MarkingCount>& count) {
    if (!count) return "2^64 or more";
    std::string digits = count->str();
    constexpr std::size_t most_digits = 30;
    if (digits.size() <= most_digits) return digits;
    return fmt::format("{}.{} x 10^{}", digits.substr(0, 1), digits.substr(1, 5), digits.size() - 1);
}

std::string steps(std::uint64_t count) { return plural(count, "step"); }

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

std::string explore_text(const Net& net, const StateFigures& figures, bool all_bounds) {
    if (!figures.known) {
        return fmt::format("{}: {} semantics, NOTHING KNOWN ({})\n", net.id(), to_string(figures.semantics),
                           to_string(figures.stop));
    }
    std::string text =
        fmt::format("{}: {} semantics{}\n", net.id(), to_string(figures.semantics),
                    figures.complete() ? ""
                                       : fmt::format(", INCOMPLETE ({}): all figures are those "
                                                     "of the part that was seen",
                                                     to_string(figures.stop)));
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
        add_row(text, "nearest deadlock", "not found in the time that was spent on it");
    }
    for (const StateFigures::DeadMarking& dead : figures.dead_markings)
        add_row(text, "dead marking",
                fmt::format("{} after {}", json_text(to_json(net, dead.marking)),
                            json_text(to_json(net, dead.path))));
    if (figures.depth) add_row(text, "depth", std::to_string(*figures.depth));
    add_row(text, "tokens in a place", fmt::format("at most {}", most_in_a_place(figures)));
    add_row(text, "tokens in a marking",
            figures.most_tokens ? fmt::format("at most {}", *figures.most_tokens) : "more than 2^63");
    if (figures.diagram_nodes)
        add_row(text, "by", fmt::format("decision diagrams, {} nodes", *figures.diagram_nodes));
    text += bounds_text(net, figures, all_bounds);
    if (figures.complete()) {
        const std::vector<std::string> dead = ids_where(net, figures.fired, false);
        add_row(text, "dead transitions", dead.empty() ? "none" : listed(dead));
    }
    if (figures.liveness) add_liveness(text, net, figures, *figures.liveness);
    if (figures.lengths) add_lengths(text, *figures.lengths);
    if (figures.graph_stop)
        add_row(text, "state graph", fmt::format("not built: {}", to_string(*figures.graph_stop)));
    return text;
}

ExitCode exit_code_of(const StateFigures& figures) {
    const WorkEnd stop = figures.complete() ? figures.graph_stop.value_or(figures.stop) : figures.stop;
    if (stop == WorkEnd::complete) return ExitCode::done;
    return stop == WorkEnd::interrupted ? ExitCode::interrupted : ExitCode::limit;
}

}  // namespace warpnet::cli
