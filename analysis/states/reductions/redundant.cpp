// Redundant places and transitions, by rules of [Bonneland19] with weights and inhibitor arcs.
//
// *Needless places.* The initial tokens of a place from which nothing takes suffice forever. An inhibitor arc
// above the initial tokens of a place to which nothing adds never inhibits. Invisible places without a test
// go.
//
// *Parallel places* [Berthelot87]. If every transition changes p by a/b times its change of q, then p holds
// a/b times the tokens of q plus a constant. If every transition that finds its tokens in q then finds them
// in p, p goes. p has no inhibitor arcs and is not visible.
//
// *Covered transitions.* t goes if another transition has its effect and is enabled whenever t is.
// Transitions without effect go too. If dead markings matter, they go only if another transition is enabled
// whenever they are. If paths matter, they stay, because such a transition can fire forever.
//
// *Irrelevant transitions* (not for dead markings or paths). A transition is relevant if it changes a visible
// place. It is also relevant if it adds to a place that a relevant transition takes from or reads, or takes
// from a place that inhibits a relevant one. Without the other transitions of a run, needed places hold no
// fewer tokens, inhibiting places no more, and visible places the same.
//
// At most 8 places and 32 transitions are compared with each, so that nets with many equal
// nodes stay O(arcs log arcs).

#include "analysis/states/reductions/reduce.hpp"
#include "engine/formula/formula.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace warpnet::states {

namespace {

constexpr std::size_t most_parallel = 8;  // candidates per place

/// The changes of every transition in a place, divided by their greatest common divisor.
struct ChangeRow {
    std::vector<std::pair<std::uint32_t, Tokens>> changes;  // by transition
    Tokens divisor = 0;
};

ChangeRow changes_of(const ReducedNet& net, std::uint32_t place) {
    ChangeRow row;
    for (const std::uint32_t t : net.users(place)) {
        const Tokens change = net.use(t, place).change;
        if (change == 0) continue;
        row.changes.emplace_back(t, change);
        row.divisor = std::gcd(row.divisor, change);
    }
    for (auto& [transition, change] : row.changes) change /= row.divisor;
    return row;
}

/// Whether `place` always holds a/b times the tokens of `other` plus c/b, such that a transition that finds
/// its tokens in `other` finds enough here.
bool implied(const ReducedNet& net, std::uint32_t place, Tokens a, std::uint32_t other, Tokens b) {
    const WideSum c = WideSum{b} * net.initial()[place] - WideSum{a} * net.initial()[other];
    return std::ranges::all_of(net.users(place), [&](std::uint32_t t) {
        const PlaceUse use = net.use(t, place);
        if (use.below != PlaceUse::any_number) return false;
        return use.needs == 0 || WideSum{b} * use.needs <= WideSum{a} * net.use(t, other).needs + c;
    });
}

}  // namespace

void remove_needless_places(ReducedNet& net) {
    for (std::uint32_t p = 0; p < net.place_numbers(); ++p) {
        if (!net.has_place(p)) continue;
        bool grows = false, shrinks = false, tested = false;
        for (const std::uint32_t t : net.users(p)) {
            grows = grows || net.use(t, p).change > 0;
            shrinks = shrinks || net.use(t, p).change < 0;
        }
        const std::vector<std::uint32_t> users = net.users(p);
        for (const std::uint32_t t : users) {
            const PlaceUse old = net.use(t, p);
            PlaceUse use = old;
            if (!shrinks && use.needs <= net.initial()[p]) use.needs = 0;
            if (!grows && net.initial()[p] < use.below) use.below = PlaceUse::any_number;
            tested = tested || use.tests();
            if (use != old) net.set_use(t, use);
        }
        if (!tested && !net.visible(p)) net.remove_place(p);
    }
}

void remove_parallel_places(ReducedNet& net) {
    std::map<std::vector<std::pair<std::uint32_t, Tokens>>, std::vector<std::pair<std::uint32_t, Tokens>>>
        alike;  // places and their divisors
    for (std::uint32_t p = 0; p < net.place_numbers(); ++p) {
        if (!net.has_place(p) || net.users(p).empty()) continue;
        ChangeRow row = changes_of(net, p);
        if (!row.changes.empty()) alike[std::move(row.changes)].emplace_back(p, row.divisor);
    }
    for (auto& [changes, places] : alike) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            const auto [place, a] = places[i];
            if (net.visible(place)) continue;
            for (std::size_t j = 0; j < std::min(places.size(), most_parallel); ++j) {
                const auto [other, b] = places[j];
                if (other == place || !implied(net, place, a, other, b)) continue;
                net.remove_place(place);
                places.erase(places.begin() + static_cast<std::ptrdiff_t>(i--));
                break;
            }
        }
    }
}

namespace {

constexpr std::size_t most_alike = 32;  // candidates per transition

using PlaceChanges = std::vector<std::pair<std::uint32_t, Tokens>>;

PlaceChanges place_changes(const PlaceUses& uses) {
    PlaceChanges changes;
    for (const PlaceUse& use : uses)
        if (use.change != 0) changes.emplace_back(use.place, use.change);
    return changes;
}

/// Whether a transition is enabled whenever `other` is.
bool enabled_with(const ReducedNet& net, std::uint32_t transition, std::uint32_t other) {
    return std::ranges::all_of(net.uses(transition), [&](const PlaceUse& use) {
        if (!use.tests()) return true;
        const PlaceUse theirs = net.use(other, use.place);
        return use.needs <= theirs.needs && use.below >= theirs.below;
    });
}

void remove_covered(ReducedNet& net, std::vector<std::uint32_t> alike) {
    for (std::size_t i = 0; i < alike.size(); ++i) {
        const std::size_t first = i < most_alike / 2 ? 0 : i - most_alike / 2;
        for (std::size_t j = first; j < std::min(alike.size(), first + most_alike); ++j) {
            if (i == j || !enabled_with(net, alike[j], alike[i])) continue;
            net.remove_transition(alike[i]);
            alike.erase(alike.begin() + static_cast<std::ptrdiff_t>(i--));
            break;
        }
    }
}

/// A transition that changes nothing keeps a marking from being dead, unless another transition does so
/// anyway.
bool another_is_enabled(const ReducedNet& net, std::uint32_t transition) {
    for (const PlaceUse& use : net.uses(transition)) {
        std::size_t compared = 0;
        for (const std::uint32_t t : net.users(use.place)) {
            if (t == transition) continue;
            if (enabled_with(net, t, transition)) return true;
            if (++compared == most_alike) break;
        }
    }
    return false;
}

}  // namespace

void remove_covered_transitions(ReducedNet& net, Kept kept) {
    std::map<PlaceChanges, std::vector<std::uint32_t>> alike;
    for (std::uint32_t t = 0; t < net.transition_numbers(); ++t)
        if (net.has_transition(t)) alike[place_changes(net.uses(t))].push_back(t);
    for (auto& [changes, transitions] : alike) remove_covered(net, std::move(transitions));
    if (keeps_paths(kept)) return;
    for (std::uint32_t t = 0; t < net.transition_numbers(); ++t) {
        if (!net.has_transition(t) || !place_changes(net.uses(t)).empty()) continue;
        if (kept == Kept::reachability || another_is_enabled(net, t)) net.remove_transition(t);
    }
}

void keep_endless_transition(ReducedNet& net) {
    for (std::uint32_t p = 0; p < net.place_numbers(); ++p)
        if (net.visible(p)) return;
    const auto endless = [&](std::uint32_t t) {
        return net.has_transition(t) &&
               std::ranges::none_of(net.uses(t), [](const PlaceUse& use) { return use.tests(); });
    };
    std::uint32_t kept = 0;
    while (kept < net.transition_numbers() && !endless(kept)) ++kept;
    if (kept == net.transition_numbers()) return;
    for (std::uint32_t t = 0; t < net.transition_numbers(); ++t)
        if (t != kept && net.has_transition(t)) net.remove_transition(t);
}

/// The dependencies of a visible place or of a test of a relevant transition: a place that must hold enough
/// depends on the transitions that add to it, a place that must hold little on those that take from it.
void remove_irrelevant_transitions(ReducedNet& net) {
    std::vector<std::uint8_t> matters(net.transition_numbers(), 0);
    std::vector<std::uint8_t> more(net.place_numbers(), 0), fewer(net.place_numbers(), 0);
    std::vector<std::uint32_t> open;
    const auto need = [&](std::vector<std::uint8_t>& needed, std::uint32_t place, int sign) {
        if (needed[place] != 0) return;
        needed[place] = 1;
        for (const std::uint32_t t : net.users(place)) {
            const Tokens change = net.use(t, place).change;
            if ((sign > 0 ? change <= 0 : change >= 0) || matters[t] != 0) continue;
            matters[t] = 1;
            open.push_back(t);
        }
    };
    for (std::uint32_t p = 0; p < net.place_numbers(); ++p) {
        if (!net.visible(p)) continue;
        need(more, p, 1);
        need(fewer, p, -1);
    }
    while (!open.empty()) {
        const std::uint32_t transition = open.back();
        open.pop_back();
        for (const PlaceUse& use : net.uses(transition)) {
            if (use.needs > 0) need(more, use.place, 1);
            if (use.below != PlaceUse::any_number) need(fewer, use.place, -1);
        }
    }
    for (std::uint32_t t = 0; t < matters.size(); ++t)
        if (net.has_transition(t) && matters[t] == 0) net.remove_transition(t);
}

}  // namespace warpnet::states
