// Nets with fewer kinds of arcs. Complement places replace inhibitor arcs, loops replace read arcs, and a
// place per number of tokens replaces weights. The first two are linear. The last is a product of token
// counts per transition, so it has a limit. Each result names the places at which maximal steps may differ.

#include "pnml/rewrite.hpp"

#include "engine/net/error.hpp"
#include "pnml/dialect/exact.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace warpnet::pnml {

NetBuilder builder_with_places(const Net& net) {
    NetBuilder builder(net.id(), net.name());
    for (const Place& place : net.places()) {
        const PlaceId id = builder.add_place(place.id, place.initial, place.name);
        if (place.position) builder.set_position(id, *place.position);
    }
    return builder;
}

namespace {

struct Flow {
    Tokens input = 0;
    Tokens output = 0;
};

/// A builder with the nodes of a net, for other arcs. The ids stay the same.
NetBuilder builder_with_nodes(const Net& net) {
    NetBuilder builder = builder_with_places(net);
    for (const Transition& transition : net.transitions()) {
        const TransitionId id = builder.add_transition(transition.id, transition.name);
        if (transition.immediate) builder.set_immediate(id);
        builder.set_priority(id, transition.priority);
        if (transition.position) builder.set_position(id, *transition.position);
    }
    return builder;
}

/// The tokens that a transition takes from and gives to each place.
std::map<PlaceId, Flow> flows_of(const Net& net, TransitionId transition) {
    std::map<PlaceId, Flow> flows;
    for (const Arc& arc : net.arcs_of(transition)) {
        if (arc.kind == ArcKind::input) flows[arc.place].input = arc.weight;
        if (arc.kind == ArcKind::output) flows[arc.place].output = arc.weight;
    }
    return flows;
}

/// The given places that several transitions take from.
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

/// The bound of a place, which is required to replace `what`.
Tokens bound_of(const Net& net, PlaceId id, std::span<const std::optional<Tokens>> bounds,
                const std::string& what) {
    const Place& place = net[id];
    const std::optional<Tokens> bound = bounds[index(id)];
    if (!bound) throw InputError(what + " cannot be replaced: no bound is known for the tokens in the place");
    if (*bound < place.initial) {
        throw InputError("place '" + place.id + "' begins with " + std::to_string(place.initial) +
                         " tokens, more than its bound of " + std::to_string(*bound));
    }
    return *bound;
}

/// Per inhibiting place its bound, if some arc can take effect.
std::map<PlaceId, Tokens> complemented(const Net& net, std::span<const std::optional<Tokens>> bounds) {
    std::map<PlaceId, Tokens> result;
    for (const Arc& arc : net.arcs()) {
        if (arc.kind != ArcKind::inhibitor) continue;
        const Tokens bound = bound_of(net, arc.place, bounds,
                                      "the inhibitor arc from place '" + net[arc.place].id +
                                          "' to transition '" + net[arc.transition].id + "'");
        if (arc.weight <= bound) result[arc.place] = bound;
    }
    return result;
}

/// Generates ids that a net does not have yet.
class FreshIds {
  public:
    explicit FreshIds(const Net& net) {
        for (const Place& place : net.places()) ids_.insert(place.id);
        for (const Transition& transition : net.transitions()) ids_.insert(transition.id);
    }
    std::string operator()(std::string id) {
        while (!ids_.insert(id).second) id += "_";
        return id;
    }

  private:
    std::set<std::string> ids_;
};

/// The token counts of one place that enable a transition, and the change of the place.
struct Window {
    Tokens least = 0;
    Tokens most = 0;
    Tokens gain = 0;
};

Window window_at(const Net& net, TransitionId transition, PlaceId place, Tokens bound) {
    Window window{.least = 0, .most = bound, .gain = 0};
    for (const Arc& arc : net.arcs_of(transition)) {
        if (arc.place != place) continue;
        if (arc.kind == ArcKind::input || arc.kind == ArcKind::read)
            window.least = std::max(window.least, arc.weight);
        if (arc.kind == ArcKind::inhibitor) window.most = std::min(window.most, arc.weight - 1);
        if (arc.kind == ArcKind::input) window.gain -= arc.weight;
        if (arc.kind == ArcKind::output) window.gain += arc.weight;
    }
    window.most = std::min(window.most, bound - window.gain);
    return window;
}

}  // namespace

RewrittenNet without_inhibitors(const Net& net, std::span<const std::optional<Tokens>> bounds) {
    const std::map<PlaceId, Tokens> with_complement = complemented(net, bounds);
    NetBuilder builder = builder_with_nodes(net);
    FreshIds fresh(net);
    std::map<PlaceId, PlaceId> complement_of;
    std::set<PlaceId> complements;
    for (const auto& [place, bound] : with_complement) {
        complement_of[place] = builder.add_place(fresh(net[place].id + "_free"), bound - net[place].initial);
        complements.insert(complement_of[place]);
    }
    RewrittenNet result;
    result.added_places = complements.size();
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const TransitionId transition{static_cast<std::uint32_t>(t)};
        std::map<PlaceId, Tokens> needs;  // of complements, for inhibitor arcs
        for (const Arc& arc : net.arcs_of(transition)) {
            if (arc.kind != ArcKind::inhibitor) {
                builder.add_arc(arc.kind, arc.place, arc.transition, arc.weight);
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

RewrittenNet with_capacities(const Net& net, const std::map<std::string, Tokens>& capacities) {
    NetBuilder builder = builder_with_nodes(net);
    FreshIds fresh(net);
    std::map<PlaceId, PlaceId> complement_of;
    std::set<PlaceId> complements;
    for (std::size_t p = 0; p < net.places().size(); ++p) {
        const Place& place = net.places()[p];
        const auto capacity = capacities.find(place.id);
        if (capacity == capacities.end()) continue;
        if (place.initial > capacity->second)
            throw InputError("place '" + place.id + "' begins with " + std::to_string(place.initial) +
                             " tokens, more than its capacity of " + std::to_string(capacity->second));
        const PlaceId complement =
            builder.add_place(fresh(place.id + "_free"), capacity->second - place.initial);
        complement_of.emplace(PlaceId{static_cast<std::uint32_t>(p)}, complement);
        complements.insert(complement);
    }
    RewrittenNet result;
    result.added_places = complements.size();
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const TransitionId transition{static_cast<std::uint32_t>(t)};
        for (const Arc& arc : net.arcs_of(transition))
            builder.add_arc(arc.kind, arc.place, arc.transition, arc.weight);
        for (const auto& [place, flow] : flows_of(net, transition)) {
            const auto complement = complement_of.find(place);
            if (complement == complement_of.end() || flow.output == flow.input) continue;
            if (flow.output > flow.input)
                builder.add_input(complement->second, transition, flow.output - flow.input);
            else
                builder.add_output(transition, complement->second, flow.input - flow.output);
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
            if (arc.kind == ArcKind::inhibitor)
                builder.add_arc(arc.kind, arc.place, arc.transition, arc.weight);
            if (arc.kind != ArcKind::read) continue;
            Flow& flow = flows[arc.place];
            const xml::LoopWeights weights = xml::loop_weights(arc.weight, flow.input, flow.output);
            // A transition that takes as much as it reads stays the same.
            if (weights.input > flow.input) read.insert(arc.place);
            flow = {weights.input, weights.output};
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

RewrittenNet without_weights(const Net& net, std::span<const std::optional<Tokens>> bounds) {
    std::set<PlaceId> weighted;
    RewrittenNet result;
    for (const Arc& arc : net.arcs()) {
        if (arc.weight > 1) weighted.insert(arc.place);
    }
    for (const Arc& arc : net.arcs()) result.replaced_arcs += weighted.contains(arc.place);

    NetBuilder builder(net.id(), net.name());
    FreshIds fresh(net);
    std::map<PlaceId, PlaceId> kept;                  // the new place of one that is not replaced
    std::map<PlaceId, std::vector<PlaceId>> holding;  // [number of tokens], for replaced places
    std::set<PlaceId> unfolded;
    for (std::size_t p = 0; p < net.places().size(); ++p) {
        const PlaceId old{static_cast<std::uint32_t>(p)};
        const Place& place = net[old];
        if (!weighted.contains(old)) {
            kept[old] = builder.add_place(place.id, place.initial, place.name);
            continue;
        }
        const Tokens bound = bound_of(net, old, bounds, "place '" + place.id + "' with arc weights above 1");
        if (std::cmp_greater(bound, most_unfolded_transitions))
            throw InputError("place '" + place.id + "' can hold " + std::to_string(bound) +
                             " tokens: too many for a place each");
        for (Tokens tokens = 0; tokens <= bound; ++tokens) {
            holding[old].push_back(
                builder.add_place(fresh(place.id + "_" + std::to_string(tokens)), tokens == place.initial));
            unfolded.insert(holding[old].back());
        }
        result.added_places += holding[old].size();
    }

    std::size_t transitions = 0;
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const TransitionId old{static_cast<std::uint32_t>(t)};
        const Transition& transition = net[old];
        std::map<PlaceId, Window> windows;
        for (const Arc& arc : net.arcs_of(old)) {
            if (weighted.contains(arc.place))
                windows[arc.place] =
                    window_at(net, old, arc.place, static_cast<Tokens>(holding[arc.place].size()) - 1);
        }
        std::vector<std::pair<PlaceId, Tokens>>
            tokens;  // one combination of token counts of the weighted places
        tokens.reserve(windows.size());
        for (const auto& [place, window] : windows) tokens.emplace_back(place, window.least);
        if (std::any_of(windows.begin(), windows.end(),
                        [](const auto& w) { return w.second.least > w.second.most; }))
            continue;  // never enabled
        for (bool more = true; more;) {
            if (++transitions > most_unfolded_transitions)
                throw InputError("without weights above 1 the net would have more than " +
                                 std::to_string(most_unfolded_transitions) + " transitions, at '" +
                                 transition.id + "'");
            std::string id = transition.id;
            for (const auto& [place, count] : tokens) id += "_" + std::to_string(count);
            const TransitionId copy =
                builder.add_transition(tokens.empty() ? id : fresh(id), transition.name);
            if (transition.immediate) builder.set_immediate(copy);
            builder.set_priority(copy, transition.priority);
            for (Arc arc : net.arcs_of(old)) {
                if (weighted.contains(arc.place)) continue;
                arc.place = kept[arc.place];
                arc.transition = copy;
                builder.add_arc(arc.kind, arc.place, arc.transition, arc.weight);
            }
            for (const auto& [place, count] : tokens) {
                const std::vector<PlaceId>& of = holding[place];
                builder.add_input(of[static_cast<std::size_t>(count)], copy);
                builder.add_output(copy, of[static_cast<std::size_t>(count + windows[place].gain)]);
            }
            // The next combination: counts up, with the first place as the fastest digit.
            more = false;
            for (auto& [place, count] : tokens) {
                more = count < windows[place].most;
                count = more ? count + 1 : windows[place].least;
                if (more) break;
            }
        }
    }
    result.net = builder.build();
    result.contested = with_several_consumers(result.net, unfolded);
    return result;
}

namespace {

[[noreturn]] void fail(std::string_view format, const std::string& what, const std::string& why) {
    throw InputError(std::string(format) + " has no " + what + ": " + why);
}

}  // namespace

void require_no_order(const Net& net, std::string_view format) {
    for (const Transition& transition : net.transitions()) {
        const Transition& first = net.transitions().front();
        if (transition.immediate != first.immediate) {
            fail(format, "immediate transitions",
                 "'" + (transition.immediate ? transition : first).id +
                     "' fires before the others (convert --timed-only replaces them)");
        }
        if (transition.priority != first.priority) {
            fail(format, "priorities", "'" + first.id + "' and '" + transition.id + "' have different ones");
        }
    }
}

void require_plain(const Net& net, std::string_view format) {
    for (const Arc& arc : net.arcs()) {
        if (arc.kind != ArcKind::inhibitor) continue;
        throw InputError(std::string(format) + " has no inhibitor arcs: the one from place '" +
                         net[arc.place].id + "' to transition '" + net[arc.transition].id +
                         "' must be eliminated first (by a complement place)");
    }
    require_no_order(net, format);
}

}  // namespace warpnet::pnml
