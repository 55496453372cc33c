// Structures of a net that are probably bugs, found without a run. A place that no transition adds tokens to
// never exceeds its initial tokens, and one that no transition removes tokens from never falls below them.
// From this follow transitions that are never enabled and inhibitor arcs without effect. A token may be
// forgotten if a transition waits for an empty place while the last token is on its way. It can then disable
// the transition that needs that token. The published net of [Gogolinska17] has this bug.

#include "analysis/states/structure/net_warnings.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace warpnet::states {

namespace {

/// The transitions around each place.
struct Neighbours {
    std::vector<std::vector<TransitionId>> consumers, producers;  // per place

    explicit Neighbours(const Net& net) : consumers(net.places().size()), producers(net.places().size()) {
        for (const Arc& arc : net.arcs()) {
            if (arc.kind == ArcKind::input) consumers[index(arc.place)].push_back(arc.transition);
            if (arc.kind == ArcKind::output) producers[index(arc.place)].push_back(arc.transition);
        }
    }
};

class Inspector {
  public:
    explicit Inspector(const Net& net) : net_(net), around_(net) {}

    std::vector<NetWarning> inspect() {
        for (std::size_t i = 0; i < net_.places().size(); ++i) check_connected(PlaceId(i));
        for (std::size_t i = 0; i < net_.transitions().size(); ++i) {
            const auto transition = TransitionId(i);
            if (warn_if_source(transition) || warn_if_never_enabled(transition)) continue;
            for (const Arc& arc : net_.arcs_of(transition)) {
                if (arc.kind == ArcKind::inhibitor) check_inhibitor(arc);
            }
        }
        return std::move(warnings_);
    }

  private:
    const std::string& id(PlaceId place) const { return net_[place].id; }
    const std::string& id(TransitionId transition) const { return net_[transition].id; }

    std::optional<Tokens> weight(TransitionId transition, ArcKind kind, PlaceId place) const {
        for (const Arc& arc : net_.arcs_of(transition)) {
            if (arc.kind == kind && arc.place == place) return arc.weight;
        }
        return std::nullopt;
    }

    void warn(NetWarningKind kind, const std::string& node, std::string message) {
        warnings_.push_back({kind, node, std::move(message)});
    }

    void check_connected(PlaceId place) {
        // Read and inhibitor arcs connect nodes too, but are rarer: they are searched only if necessary.
        if (!around_.consumers[index(place)].empty() || !around_.producers[index(place)].empty()) return;
        const bool tested = std::any_of(net_.arcs().begin(), net_.arcs().end(),
                                        [&](const Arc& arc) { return arc.place == place; });
        if (!tested)
            warn(NetWarningKind::isolated, id(place), fmt::format("place {} has no arcs", id(place)));
    }

    /// Whether a transition adds tokens to the place: a self-loop that returns the tokens it took does not.
    bool can_grow(PlaceId place) const {
        const auto& producers = around_.producers[index(place)];
        return std::any_of(producers.begin(), producers.end(), [&](TransitionId producer) {
            return *weight(producer, ArcKind::output, place) >
                   weight(producer, ArcKind::input, place).value_or(0);
        });
    }

    bool can_shrink(PlaceId place) const {
        const auto& consumers = around_.consumers[index(place)];
        return std::any_of(consumers.begin(), consumers.end(), [&](TransitionId consumer) {
            return *weight(consumer, ArcKind::input, place) >
                   weight(consumer, ArcKind::output, place).value_or(0);
        });
    }

    bool warn_if_source(TransitionId transition) {
        const auto arcs = net_.arcs_of(transition);
        if (!std::all_of(arcs.begin(), arcs.end(),
                         [](const Arc& arc) { return arc.kind == ArcKind::output; })) {
            return false;
        }
        warn(NetWarningKind::source, id(transition),
             fmt::format("transition {} has no inputs: it can fire forever", id(transition)));
        return true;
    }

    bool warn_if_never_enabled(TransitionId transition) {
        for (const Arc& arc : net_.arcs_of(transition)) {
            const Tokens initial = net_[arc.place].initial;
            const bool needs = arc.kind == ArcKind::input || arc.kind == ArcKind::read;
            if (needs && initial < arc.weight && !can_grow(arc.place)) {
                warn(NetWarningKind::never_enabled, id(transition),
                     fmt::format("transition {} is never enabled: it needs {} in place {}, which never holds "
                                 "more than {}",
                                 id(transition), arc.weight, id(arc.place), initial));
                return true;
            }
            if (arc.kind == ArcKind::inhibitor && initial >= arc.weight && !can_shrink(arc.place)) {
                warn(NetWarningKind::never_enabled, id(transition),
                     fmt::format("transition {} is never enabled: place {} inhibits it from {} on and never "
                                 "holds less than {}",
                                 id(transition), id(arc.place), arc.weight, initial));
                return true;
            }
        }
        return false;
    }

    void check_inhibitor(const Arc& arc) {
        const TransitionId waiting = arc.transition;
        if (net_[arc.place].initial < arc.weight && !can_grow(arc.place)) {
            warn(NetWarningKind::idle_inhibitor, id(waiting),
                 fmt::format("the inhibitor arc from place {} to transition {} has no effect: the place "
                             "never holds {}",
                             id(arc.place), id(waiting), arc.weight));
            return;
        }
        for (const TransitionId taker : around_.consumers[index(arc.place)]) {
            if (taker != waiting && !share_input(taker, waiting)) check_forgotten(arc.place, waiting, taker);
        }
    }

    bool share_input(TransitionId a, TransitionId b) const { return shared_input(a, b).has_value(); }

    std::optional<PlaceId> shared_input(TransitionId a, TransitionId b) const {
        for (const Arc& arc : net_.arcs_of(a)) {
            if (arc.kind == ArcKind::input && weight(b, ArcKind::input, arc.place)) return arc.place;
        }
        return std::nullopt;
    }

    /// `waiting` waits until `store` is empty; `taker` moves tokens out of the store. Does it move them to a
    /// place that `waiting` does not test, although `waiting` can disable the consumer of that place for
    /// good?
    void check_forgotten(PlaceId store, TransitionId waiting, TransitionId taker) {
        for (const Arc& given : net_.arcs_of(taker)) {
            if (given.kind != ArcKind::output || weight(waiting, ArcKind::input, given.place) ||
                weight(waiting, ArcKind::inhibitor, given.place))
                continue;
            for (const TransitionId next : around_.consumers[index(given.place)]) {
                const auto contested = shared_input(next, waiting);
                if (next == waiting || !contested || weight(waiting, ArcKind::output, *contested)) continue;
                warn(NetWarningKind::may_forget_token, id(waiting),
                     fmt::format(
                         "transition {} waits until place {} is empty, but not for a token that {} has just "
                         "moved to {}; if it takes from {} before {} does, that token may stay forever",
                         id(waiting), id(store), id(taker), id(given.place), id(*contested), id(next)));
                return;
            }
        }
    }

    const Net& net_;
    const Neighbours around_;
    std::vector<NetWarning> warnings_;
};

}  // namespace

std::string_view to_string(NetWarningKind kind) {
    switch (kind) {
        case NetWarningKind::never_enabled:
            return "never_enabled";
        case NetWarningKind::source:
            return "source";
        case NetWarningKind::idle_inhibitor:
            return "idle_inhibitor";
        case NetWarningKind::isolated:
            return "isolated";
        case NetWarningKind::may_forget_token:
            return "may_forget_token";
    }
    return "";
}

std::vector<NetWarning> net_warnings(const Net& net) { return Inspector(net).inspect(); }

}  // namespace warpnet::states
