#include "pnml/rewrite.hpp"

#include "engine/error.hpp"
#include "engine/net_builder.hpp"
#include "pnml/loop_weights.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace warpnet {

namespace {

struct Flow {
    Tokens input = 0;
    Tokens output = 0;
};

/// The nodes of a net, for a builder that then gets other arcs. The ids stay the same.
NetBuilder builder_with_nodes(const Net& net) {
    NetBuilder builder(net.id(), net.name());
    for (const Place& place : net.places()) {
        const PlaceId id = builder.add_place(place.id, place.initial, place.name);
        if (place.position) builder.set_position(id, *place.position);
    }
    for (const Transition& transition : net.transitions()) {
        const TransitionId id = builder.add_transition(transition.id, transition.name);
        if (transition.immediate) builder.set_immediate(id);
        builder.set_priority(id, transition.priority);
        if (transition.position) builder.set_position(id, *transition.position);
    }
    return builder;
}

void add_arc(NetBuilder& builder, const Arc& arc) {
    switch (arc.kind) {
        case ArcKind::input:
            return builder.add_input(arc.place, arc.transition, arc.weight);
        case ArcKind::output:
            return builder.add_output(arc.transition, arc.place, arc.weight);
        case ArcKind::inhibitor:
            return builder.add_inhibitor(arc.place, arc.transition, arc.weight);
        case ArcKind::read:
            return builder.add_read(arc.place, arc.transition, arc.weight);
    }
}

/// What a transition takes from and gives to each place.
std::map<PlaceId, Flow> flows_of(const Net& net, TransitionId transition) {
    std::map<PlaceId, Flow> flows;
    for (const Arc& arc : net.arcs_of(transition)) {
        if (arc.kind == ArcKind::input) flows[arc.place].input = arc.weight;
        if (arc.kind == ArcKind::output) flows[arc.place].output = arc.weight;
    }
    return flows;
}

/// Those of the given places that several transitions take from.
std::vector<std::string> with_several_consumers(const Net& net, const std::set<PlaceId>& places) {
    std::map<PlaceId, std::size_t> consumers;
    for (const Arc& arc : net.arcs()) {
        if (arc.kind == ArcKind::input && places.contains(arc.place)) ++consumers[arc.place];
    }
    std::vector<std::string> ids;
    for (const auto& [place, count] : consumers) {
        if (count > 1) ids.push_back(net[place].id);
    }
    return ids;
}

/// Per place that inhibits: its bound, if some arc can take effect.
std::map<PlaceId, Tokens> complemented(const Net& net, std::span<const std::optional<Tokens>> bounds) {
    std::map<PlaceId, Tokens> result;
    for (const Arc& arc : net.arcs()) {
        if (arc.kind != ArcKind::inhibitor) continue;
        const Place& place = net[arc.place];
        const std::optional<Tokens> bound = bounds[index(arc.place)];
        if (!bound) {
            throw InputError("the inhibitor arc from place '" + place.id + "' to transition '" +
                             net[arc.transition].id +
                             "' cannot be replaced: no bound is known for the tokens in the place");
        }
        if (*bound < place.initial) {
            throw InputError("place '" + place.id + "' begins with " + std::to_string(place.initial) +
                             " tokens, more than its bound of " + std::to_string(*bound));
        }
        if (arc.weight <= *bound) result[arc.place] = *bound;
    }
    return result;
}

}  // namespace

RewrittenNet without_inhibitors(const Net& net, std::span<const std::optional<Tokens>> bounds) {
    const std::map<PlaceId, Tokens> with_complement = complemented(net, bounds);
    NetBuilder builder = builder_with_nodes(net);
    std::set<std::string> ids;
    for (const Place& place : net.places()) ids.insert(place.id);
    for (const Transition& transition : net.transitions()) ids.insert(transition.id);
    std::map<PlaceId, PlaceId> complement_of;
    std::set<PlaceId> complements;
    for (const auto& [place, bound] : with_complement) {
        std::string id = net[place].id + "_free";
        while (!ids.insert(id).second) id += "_";
        complement_of[place] = builder.add_place(id, bound - net[place].initial);
        complements.insert(complement_of[place]);
    }
    RewrittenNet result;
    result.added_places = complements.size();
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const TransitionId transition{static_cast<std::uint32_t>(t)};
        std::map<PlaceId, Tokens> needs;  // of a complement, from inhibitor arcs
        for (const Arc& arc : net.arcs_of(transition)) {
            if (arc.kind != ArcKind::inhibitor) {
                add_arc(builder, arc);
                continue;
            }
            ++result.replaced_arcs;
            const auto bound = with_complement.find(arc.place);
            if (bound != with_complement.end() && arc.weight <= bound->second)
                needs[arc.place] = bound->second - arc.weight + 1;
        }
        std::map<PlaceId, Flow> flows = flows_of(net, transition);
        for (const auto& [place, need] : needs) flows.try_emplace(place);
        for (const auto& [place, flow] : flows) {
            const auto complement = complement_of.find(place);
            if (complement == complement_of.end()) continue;
            const Tokens gain = flow.output - flow.input;
            const auto need = needs.find(place);
            const Tokens input = std::max({Tokens{0}, gain, need == needs.end() ? 0 : need->second});
            if (input > 0) builder.add_input(complement->second, transition, input);
            if (input - gain > 0) builder.add_output(transition, complement->second, input - gain);
        }
    }
    result.net = builder.build();
    result.contested = with_several_consumers(result.net, complements);
    return result;
}

RewrittenNet without_reads(const Net& net) {
    NetBuilder builder = builder_with_nodes(net);
    RewrittenNet result;
    std::set<PlaceId> read;
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const TransitionId transition{static_cast<std::uint32_t>(t)};
        const auto arcs = net.arcs_of(transition);
        std::map<PlaceId, Flow> flows = flows_of(net, transition);
        for (const Arc& arc : arcs) {
            if (arc.kind == ArcKind::inhibitor) add_arc(builder, arc);
            if (arc.kind != ArcKind::read) continue;
            Flow& flow = flows[arc.place];
            const xml::LoopWeights weights = xml::loop_weights(arc.weight, flow.input, flow.output);
            flow = {weights.input, weights.output};
            read.insert(arc.place);
            ++result.replaced_arcs;
        }
        for (const auto& [place, flow] : flows) {
            if (flow.input > 0) builder.add_input(place, transition, flow.input);
            if (flow.output > 0) builder.add_output(transition, place, flow.output);
        }
    }
    result.net = builder.build();
    result.contested = with_several_consumers(result.net, read);
    return result;
}

}  // namespace warpnet
