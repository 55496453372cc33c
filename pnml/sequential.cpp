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

#include "pnml/sequential.hpp"

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/rewrite.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warpnet::pnml {

namespace {

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
