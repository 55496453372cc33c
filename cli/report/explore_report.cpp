#include "cli/report/explore_report.hpp"

#include "cli/report/report_row.hpp"
#include "cli/report/schedule_json.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t listed_transitions = 10;

Tokens most_in_a_place(const Exploration& explored) {
    return explored.bounds.empty() ? 0 : *std::max_element(explored.bounds.begin(), explored.bounds.end());
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

/// Counts of markings end at 2^64-1.
constexpr std::uint64_t most_counted = std::numeric_limits<std::uint64_t>::max();
std::string counted(std::uint64_t count) {
    return count == most_counted ? "2^64 or more" : std::to_string(count);
}
Json counted_json(std::uint64_t count) { return count == most_counted ? Json() : Json(count); }

std::string steps(std::uint64_t count) { return fmt::format("{} step{}", count, count == 1 ? "" : "s"); }

std::string bounds_text(const Net& net, const Exploration& explored, bool all) {
    if (all) {
        std::string text = "bounds";
        for (std::size_t p = 0; p < explored.bounds.size(); ++p)
            text += fmt::format("\n  {:<22} {}", net.places()[p].id, explored.bounds[p]);
        return text + "\n";
    }
    std::map<Tokens, std::size_t> places;
    for (const Tokens bound : explored.bounds) ++places[bound];
    std::string text;
    for (const auto& [bound, count] : places)
        text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, bound);
    std::string row;
    if (places.size() <= 8) add_row(row, "places x bound", text);
    return row;
}

void add_liveness(std::string& text, const Net& net, const Exploration& explored, const Liveness& live) {
    const std::size_t count = net.transitions().size();
    const auto alive = static_cast<std::size_t>(std::count(live.live.begin(), live.live.end(), 1));
    add_row(text, "live transitions", fmt::format("{} of {}", alive, count));
    add_row(text, "components",
            fmt::format("{}, {} of them never left", live.components, live.bottom_components));
    add_row(text, "home states",
            fmt::format("{} of {}{}", live.home_states, explored.space.size(),
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

std::string explore_json(const Net& net, const Exploration& explored, const ExploreReport& report) {
    const Tokens most = most_in_a_place(explored);
    Json json = {{"net", net.id()},
                 {"semantics", to_string(report.semantics)},
                 {"states", counted_json(explored.markings)},
                 {"edges", counted_json(explored.edges)},
                 {"deadlocks", counted_json(explored.deadlocks)},
                 {"max_tokens_in_place", most},
                 {"max_tokens_in_marking", nullptr},
                 {"complete", explored.complete()},
                 {"safe", nullptr}};
    if (explored.most_tokens <= static_cast<std::uint64_t>(max_tokens))
        json["max_tokens_in_marking"] = explored.most_tokens;
    if (explored.complete() || most > 1) json["safe"] = most <= 1;
    if (!explored.complete()) json["stop"] = json_name(explored.stop);
    json["depth"] = explored.depth;
    if (report.orbits) {
        json["orbits"] = report.orbits->count;
        json["symmetries"] = counted_json(report.orbits->symmetries);
        json["equal_parts"] = report.orbits->parts;
    }
    if (report.lengths) {
        json["longest_run"] = report.lengths->longest ? Json(*report.lengths->longest) : Json();
        json["shortest_run"] = report.lengths->shortest ? Json(*report.lengths->shortest) : Json();
    }
    if (report.to_deadlock) {
        json["deadlock"] = {{"steps", report.to_deadlock->size()},
                            {"path", schedule_json(net, *report.to_deadlock)},
                            {"marking", marking_json(net, *report.dead_marking)}};
    }
    if (explored.complete()) json["dead_transitions"] = ids_where(net, explored.fired, false);
    if (report.liveness) {
        json["live_transitions"] = ids_where(net, report.liveness->live, true);
        json["home_states"] = report.liveness->home_states;
        json["reversible"] = report.liveness->reversible;
        json["components"] = report.liveness->components;
        json["bottom_components"] = report.liveness->bottom_components;
    }
    Json bounds = Json::object();
    for (std::size_t p = 0; p < explored.bounds.size(); ++p) bounds[net.places()[p].id] = explored.bounds[p];
    json["bounds"] = std::move(bounds);
    json["packed_bytes_per_state"] = explored.space.layout().words() * sizeof(Word);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string explore_text(const Net& net, const Exploration& explored, const ExploreReport& report) {
    std::string text =
        fmt::format("{}: {} semantics{}\n", net.id(), to_string(report.semantics),
                    explored.complete() ? ""
                                        : fmt::format(", INCOMPLETE ({}): all figures are those "
                                                      "of the part that was seen",
                                                      to_string(explored.stop)));
    add_row(text, "states", counted(explored.markings));
    add_row(text, "edges", counted(explored.edges));
    add_row(text, "deadlocks", counted(explored.deadlocks));
    if (report.orbits) {
        add_row(text, "orbits",
                fmt::format("{}, by {} symmetries: {}", report.orbits->count,
                            counted(report.orbits->symmetries), report.orbits->parts));
    }
    if (report.to_deadlock) add_row(text, "nearest deadlock", "after " + steps(report.to_deadlock->size()));
    add_row(text, "depth", std::to_string(explored.depth));
    add_row(text, "tokens in a place", fmt::format("at most {}", most_in_a_place(explored)));
    add_row(text, "tokens in a marking",
            explored.most_tokens <= static_cast<std::uint64_t>(max_tokens)
                ? fmt::format("at most {}", explored.most_tokens)
                : "more than 2^63");
    text += bounds_text(net, explored, report.all_bounds);
    if (explored.complete()) {
        const std::vector<std::string> dead = ids_where(net, explored.fired, false);
        add_row(text, "dead transitions", dead.empty() ? "none" : listed(dead));
    }
    if (report.liveness) add_liveness(text, net, explored, *report.liveness);
    if (report.lengths) add_lengths(text, *report.lengths);
    if (report.graph_stop)
        add_row(text, "state graph", fmt::format("not built: {}", to_string(*report.graph_stop)));
    return text;
}

ExitCode exit_code_of(const Exploration& explored, const ExploreReport& report) {
    const WorkEnd stop = explored.complete() ? report.graph_stop.value_or(explored.stop) : explored.stop;
    if (stop == WorkEnd::complete) return ExitCode::done;
    return stop == WorkEnd::interrupted ? ExitCode::interrupted : ExitCode::limit;
}

}  // namespace warpnet::cli
