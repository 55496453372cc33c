// Nets with fewer kinds of arcs. Complement places replace inhibitor arcs, loops replace read arcs, and a
// place per number of tokens replaces weights. The first two are linear. The last is a product of token
// counts per transition, so it has a limit. Each result names the places at which maximal steps may differ.
//
// Bounds of places come from the caller. This library does not compute them, since it knows nets and no
// analyses. Without a bound there is no complement, and no list of token counts, so a missing one is an
// error. A guess that is too low would give a net with fewer firings, and nothing in the file would show it.
// Loops for read arcs and complements make transitions compete that did not compete before. This is reported
// in `contested` and not prevented, because under interleaving it makes no difference.

#include "pnml/rewrite.hpp"

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/dialect/exact.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

namespace {

// Maximal steps as sequences of single firings.
//
// A token walks through the transitions. In a marking M between two steps it is in `start`. For each
// priority, from the highest on, it walks twice through the transitions of that priority:
// 1. Offer: a transition that competes with another one fires or is skipped, at will.
// 2. Demand: a transition that has not fired fires if it still can. Otherwise one of its conditions fails,
//    and a transition for that condition lets the token pass: an input place with too few tokens, a read
//    place with too few, or an inhibiting place with enough. Under multiset steps a transition that has fired
//    is asked again, until it cannot.
// A firing takes its input tokens at once and is noted in a place of the transition; the outputs wait. Then
// the token walks through all transitions and produces their outputs, and it remembers whether any has fired.
// If so, the step is over and the token returns to `start`. If not, it enters `end`, or does the same with
// the timed transitions after the immediate ones.
//
// Read and inhibitor arcs test M, although some places have already lost tokens to inputs. Each such place
// has a copy that holds M during the step and then changes with the outputs.
//
// Proof. (a) A sequence makes a step. After the demands of a priority no transition of it can join, because
// each has fired or one of its conditions has failed. Failed conditions stay failed: the remaining tokens
// only decrease, and the copies do not change. (b) Each step S is made by a sequence. Offers fire exactly the
// competing transitions of S, as often as S contains them. Their tokens suffice, because they are together in
// S. A competing transition outside S then fails, by maximality. A transition that does not compete is in S
// if it is enabled, because nothing else takes its tokens, and the demand fires it. (c) The token never stops
// before the end: a demand has a failing condition if the transition cannot fire.
//
// Transitions that do not compete are not offered, which limits the number of markings: between two steps
// there are as many sequences as there are choices.
//
// Rejected: timed nets with urgency (a tool for each dialect, and no inhibitor arcs in many), and one
// transition for each possible step (exponential).

class Sequencer {
  public:
    Sequencer(const Net& net, const SequentialOptions& options)
        : net_(net), options_(options), builder_(builder_with_places(net)) {
        add_copies();
    }

    SequentialNet make() && {
        std::vector<TransitionId> immediate, timed;
        for (std::size_t t = 0; t < net_.transitions().size(); ++t)
            (net_.transitions()[t].immediate ? immediate : timed).push_back(TransitionId(t));
        SequentialNet result;
        const PlaceId start = place("step.start", result.start, 1);
        const PlaceId end = place("step.end", result.end);
        std::optional<PlaceId> count;
        if (options_.count_steps) count = place("step.count", result.steps);
        PlaceId from = place("step.begun");
        move("step.begin", start, from);
        if (!immediate.empty()) from = walk(immediate, from, start, std::nullopt);
        from = walk(timed, from, start, count);
        move("step.none", from, end);
        result.net = builder_.build();
        return result;
    }

  private:
    std::string free_id(std::string id) const {
        while (builder_.find(id)) id += '_';
        return id;
    }
    PlaceId place(const std::string& wanted, std::string& id, Tokens initial = 0) {
        id = free_id(wanted);
        return builder_.add_place(id, initial);
    }
    PlaceId place(const std::string& wanted, Tokens initial = 0) {
        return builder_.add_place(free_id(wanted), initial);
    }
    TransitionId move(const std::string& id, PlaceId from, PlaceId to) {
        const TransitionId made = builder_.add_transition(free_id(id));
        builder_.add_input(from, made);
        builder_.add_output(made, to);
        return made;
    }
    const std::string& id_of(TransitionId t) const { return net_[t].id; }

    template <class Use>
    void for_arcs(TransitionId t, ArcKind kind, const Use& use) {
        for (const Arc& arc : net_.arcs_of(t))
            if (arc.kind == kind) use(arc.place, arc.weight);
    }

    /// Places that are tested and also taken from.
    void add_copies() {
        std::set<PlaceId> tested, taken;
        for (const Arc& arc : net_.arcs()) {
            if (arc.kind == ArcKind::read || arc.kind == ArcKind::inhibitor) tested.insert(arc.place);
            if (arc.kind == ArcKind::input) taken.insert(arc.place);
        }
        for (const PlaceId p : tested)
            if (taken.contains(p)) copies_.emplace(p, place(net_[p].id + ".at_start", net_[p].initial));
    }
    PlaceId at_start(PlaceId p) const {
        const auto copy = copies_.find(p);
        return copy == copies_.end() ? p : copy->second;
    }

    /// For one kind of transitions, immediate or timed. Returns the place of the token if none has fired.
    PlaceId walk(const std::vector<TransitionId>& all, PlaceId from, PlaceId start,
                 std::optional<PlaceId> count) {
        std::map<std::int32_t, std::vector<TransitionId>, std::greater<>> by_priority;
        for (const TransitionId t : all) by_priority[net_[t].priority].push_back(t);
        for (const auto& [priority, members] : by_priority) from = choose(members, from);
        return put_out(all, from, start, count);
    }

    PlaceId choose(const std::vector<TransitionId>& members, PlaceId from) {
        std::map<PlaceId, std::size_t> takers;
        for (const TransitionId t : members)
            for_arcs(t, ArcKind::input, [&](PlaceId p, Tokens) { ++takers[p]; });
        for (const TransitionId t : members) {
            fired_.emplace(t, place(id_of(t) + ".fired"));
            bool competes = false;
            for_arcs(t, ArcKind::input, [&](PlaceId p, Tokens) { competes = competes || takers[p] > 1; });
            if (competes) from = offer(t, from);
        }
        for (const TransitionId t : members) from = demand(t, from);
        return from;
    }

    PlaceId offer(TransitionId t, PlaceId from) {
        const PlaceId next = place(id_of(t) + ".offered");
        fire(t, ".take", from, options_.multiset ? from : next);
        move(id_of(t) + ".leave", from, next);
        return next;
    }

    PlaceId demand(TransitionId t, PlaceId from) {
        const PlaceId next = place(id_of(t) + ".settled");
        const TransitionId must = fire(t, ".must", from, options_.multiset ? from : next);
        bool takes = false;
        std::size_t conditions = 0;
        const auto pass = [&] { return move(id_of(t) + ".pass" + std::to_string(++conditions), from, next); };
        if (!options_.multiset) {
            builder_.add_inhibitor(fired_.at(t), must);
            builder_.add_read(fired_.at(t), move(id_of(t) + ".done", from, next));
        }
        const auto without_firing = [&] {
            const TransitionId made = pass();
            if (!options_.multiset) builder_.add_inhibitor(fired_.at(t), made);
            return made;
        };
        for_arcs(t, ArcKind::input, [&](PlaceId p, Tokens weight) {
            builder_.add_inhibitor(p, without_firing(), weight);
            takes = true;
        });
        for_arcs(t, ArcKind::read, [&](PlaceId p, Tokens weight) {
            builder_.add_inhibitor(at_start(p), without_firing(), weight);
        });
        for_arcs(t, ArcKind::inhibitor,
                 [&](PlaceId p, Tokens weight) { builder_.add_read(at_start(p), without_firing(), weight); });
        if (options_.multiset && !takes)
            throw InputError("transition '" + id_of(t) +
                             "': a multiset step can be infinite: expected an input arc, found none");
        return next;
    }

    TransitionId fire(TransitionId t, const char* suffix, PlaceId from, PlaceId to) {
        const TransitionId made = move(id_of(t) + suffix, from, to);
        for_arcs(t, ArcKind::input, [&](PlaceId p, Tokens weight) { builder_.add_input(p, made, weight); });
        for_arcs(t, ArcKind::read,
                 [&](PlaceId p, Tokens weight) { builder_.add_read(at_start(p), made, weight); });
        for_arcs(t, ArcKind::inhibitor,
                 [&](PlaceId p, Tokens weight) { builder_.add_inhibitor(at_start(p), made, weight); });
        builder_.add_output(made, fired_.at(t));
        return made;
    }

    /// The outputs of the fired transitions, and the changes of the copies.
    PlaceId put_out(const std::vector<TransitionId>& all, PlaceId none, PlaceId start,
                    std::optional<PlaceId> count) {
        if (all.empty()) return none;
        PlaceId some = place(id_of(all.front()) + ".some");
        for (const TransitionId t : all) {
            give(t, none, some);
            give(t, some, some);
            const PlaceId none_after = place(id_of(t) + ".no_more");
            const PlaceId some_after = place(id_of(t) + ".given");
            builder_.add_inhibitor(fired_.at(t), move(id_of(t) + ".idle", none, none_after));
            builder_.add_inhibitor(fired_.at(t), move(id_of(t) + ".next", some, some_after));
            none = none_after;
            some = some_after;
        }
        const TransitionId over = move(count ? "step.timed" : "step.over", some, start);
        if (count) builder_.add_output(over, *count);
        return none;
    }

    void give(TransitionId t, PlaceId from, PlaceId to) {
        const TransitionId made = move(id_of(t) + ".give", from, to);
        builder_.add_input(fired_.at(t), made);
        for_arcs(t, ArcKind::output, [&](PlaceId p, Tokens weight) {
            builder_.add_output(made, p, weight);
            if (at_start(p) != p) builder_.add_output(made, at_start(p), weight);
        });
        for_arcs(t, ArcKind::input, [&](PlaceId p, Tokens weight) {
            if (at_start(p) != p) builder_.add_input(at_start(p), made, weight);
        });
    }

    const Net& net_;
    const SequentialOptions& options_;
    NetBuilder builder_;
    std::map<PlaceId, PlaceId> copies_;
    std::map<TransitionId, PlaceId> fired_;
};

}  // namespace

SequentialNet sequential_net(const Net& net, const SequentialOptions& options) {
    return Sequencer(net, options).make();
}

}  // namespace warpnet::pnml
