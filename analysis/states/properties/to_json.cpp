// The JSON of explorations and answers. Counts beyond 64 bits are strings of digits, because scripts would
// round them. An unknown answer is null, so a script cannot take it for a no.

#include "analysis/states/properties/to_json.hpp"

#include "engine/base/to_json.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace warpnet::states {

namespace {

using Json = nlohmann::ordered_json;

/// A number, or a string of digits if the number exceeds 64 bits.
Json counted_json(const std::optional<MarkingCount>& count) {
    if (!count) return {};
    if (*count < std::numeric_limits<std::uint64_t>::max()) return count->convert_to<std::uint64_t>();
    return count->str();
}

Json transitions_json(const Net& net, const std::vector<std::uint8_t>& of_transition, bool value) {
    Json ids = Json::array();
    for (std::size_t t = 0; t < of_transition.size(); ++t)
        if ((of_transition[t] != 0) == value) ids.push_back(net.transitions()[t].id);
    return ids;
}

Json places_json(const Net& net, const std::vector<std::uint32_t>& places) {
    Json ids = Json::array();
    for (const std::uint32_t place : places) ids.push_back(net.places()[place].id);
    return ids;
}

/// The witness of a place or sum that grows forever.
void add_pump(Json& json, const Net& net, const PropertyAnswer& answer) {
    const auto repeats = answer.witness->begin() + static_cast<std::ptrdiff_t>(*answer.repeats_from);
    json["first"] = to_json(net, Schedule(answer.witness->begin(), repeats));
    json["pump"] = to_json(net, Schedule(repeats, answer.witness->end()));
    json["growing"] = places_json(net, answer.nodes);
}

Json answer_json(const Net& net, const Property& property, const PropertyAnswer& answer) {
    using Kind = Property::Kind;
    Json json;
    if (property.kind == Kind::maximum || property.kind == Kind::minimum) {
        json["answer"] = answer.exact ? Json(*answer.value) : answer.unbounded ? Json("unbounded") : Json();
        if (answer.value && !answer.exact)
            json[property.kind == Kind::maximum ? "lower" : "upper"] = *answer.value;
    } else {
        json["answer"] = or_null(answer.holds);
    }
    json["by"] = answer.known() ? Json(to_string(answer.by)) : Json();
    if (answer.unbounded || (property.kind == Kind::bounded && answer.holds == false)) {
        add_pump(json, net, answer);
        return json;
    }
    if (answer.witness) {
        json["steps"] = answer.witness->size();
        json["shortest"] = answer.shortest;
        json["witness"] = to_json(net, *answer.witness);
        if (answer.repeats_from) json["repeats_from"] = *answer.repeats_from;
    }
    if (answer.nodes.empty()) return json;
    if (property.kind == Kind::stable) {
        json["places"] = places_json(net, answer.nodes);
        return json;
    }
    for (const std::uint32_t transition : answer.nodes)
        json["not_live"].push_back(net.transitions()[transition].id);
    return json;
}

}  // namespace

Json to_json(const Net& net, const Schedule& schedule) {
    Json steps = Json::array();
    for (const ScheduledStep& step : schedule) {
        Json ids = Json::array();
        for (const std::uint32_t t : step.transitions) ids.push_back(net.transitions()[t].id);
        steps.push_back(std::move(ids));
    }
    return steps;
}

Json to_json(const Net& net, const Marking& marking) {
    Json object = Json::object();
    for (std::size_t p = 0; p < marking.size(); ++p)
        if (marking[p] != 0) object[net.places()[p].id] = marking[p];
    return object;
}

Json to_json(const Net& net, const CoverabilityGraph& graph) {
    const std::vector<Tokens> bounds = graph.bounds();
    const std::vector<std::uint32_t> growing = unbounded_places(bounds);
    const bool bounded = growing.empty();
    Json json = {
        {"net", net.id()},
        {"semantics", to_string(Semantics::interleaving)},
        {"states", bounded && graph.complete() ? Json(graph.nodes.size()) : Json()},
        {"nodes", graph.nodes.size()},
        {"edges", graph.edges.size()},
        {"bounded", bounded ? or_null(graph.complete() ? std::optional(true) : std::nullopt) : Json(false)},
        {"growing", places_json(net, growing)},
        {"bounds", Json::object()}};
    for (std::size_t p = 0; p < bounds.size(); ++p)
        json["bounds"][net.places()[p].id] = bounds[p] == any_number ? Json() : Json(bounds[p]);
    return json;
}

Json to_json(const Net& net, const StateFigures& figures) {
    const Tokens most = most_in_a_place(figures);
    Json json = {{"net", net.id()},
                 {"semantics", to_string(figures.semantics)},
                 {"states", counted_json(figures.markings)},
                 {"edges", counted_json(figures.edges)},
                 {"deadlocks", counted_json(figures.deadlocks)},
                 {"max_tokens_in_place", figures.known ? Json(most) : Json()},
                 {"max_tokens_in_marking", or_null(figures.most_tokens)},
                 {"complete", figures.complete()},
                 {"safe", nullptr}};
    if (figures.complete() || most > 1) json["safe"] = most <= 1;
    if (!figures.complete()) {
        std::string stop(to_string(figures.stop));
        std::replace(stop.begin(), stop.end(), ' ', '_');
        json["stop"] = std::move(stop);
    }
    json["depth"] = or_null(figures.depth);
    if (figures.diagram_nodes) {
        json["by"] = "decision diagrams";
        json["diagram_nodes"] = *figures.diagram_nodes;
    }
    if (figures.orbits) {
        json["orbits"] = figures.orbits->count;
        json["symmetries"] = counted_json(figures.orbits->symmetries);
        json["equal_parts"] = figures.orbits->parts;
    }
    if (figures.lengths) {
        json["longest_run"] = or_null(figures.lengths->longest);
        json["shortest_run"] = or_null(figures.lengths->shortest);
    }
    if (figures.dead_marking) {
        Json& deadlock = json["deadlock"] = Json::object();
        if (figures.to_deadlock) {
            deadlock["steps"] = figures.to_deadlock->size();
            deadlock["path"] = to_json(net, *figures.to_deadlock);
        }
        deadlock["marking"] = to_json(net, *figures.dead_marking);
    }
    for (const StateFigures::DeadMarking& dead : figures.dead_markings)
        json["dead_markings"].push_back({{"steps", dead.path.size()},
                                         {"path", to_json(net, dead.path)},
                                         {"marking", to_json(net, dead.marking)}});
    if (figures.complete()) json["dead_transitions"] = transitions_json(net, figures.fired, false);
    if (figures.liveness) {
        json["live_transitions"] = transitions_json(net, figures.liveness->live, true);
        json["home_states"] = figures.liveness->home_states;
        json["reversible"] = figures.liveness->reversible;
        json["components"] = figures.liveness->components;
        json["bottom_components"] = figures.liveness->bottom_components;
    }
    Json bounds = Json::object();
    for (std::size_t p = 0; p < figures.bounds.size(); ++p) bounds[net.places()[p].id] = figures.bounds[p];
    json["bounds"] = std::move(bounds);
    if (figures.packed_bytes) json["packed_bytes_per_state"] = *figures.packed_bytes;
    return json;
}

Json to_json(const Net& net, Semantics semantics, const std::vector<Property>& properties,
             const Answers& answers, bool single) {
    Json json = {{"net", net.id()}, {"semantics", to_string(semantics)}};
    if (single) {
        json["question"] = properties.front().id;
        json.update(answer_json(net, properties.front(), answers.of.front()));
    } else {
        Json list = Json::array();
        for (std::size_t i = 0; i < properties.size(); ++i) {
            Json one = {{"id", properties[i].id}};
            one.update(answer_json(net, properties[i], answers.of[i]));
            list.push_back(std::move(one));
        }
        json["properties"] = std::move(list);
    }
    const bool countable = answers.states < std::numeric_limits<std::uint64_t>::max();
    json["states"] = countable ? Json(answers.states) : Json(nullptr);
    if (answers.orbits > 0) json["orbits"] = answers.orbits;
    if (answers.stop) json["stop"] = to_string(*answers.stop);
    return json;
}

}  // namespace warpnet::states
