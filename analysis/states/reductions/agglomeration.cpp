// Agglomeration [Berthelot87], rules of [Bonneland19] with weights and inhibitor arcs: the transitions that
// give to a place p and those that take from it are replaced by one transition per pair, and p goes.
//
// *After*: all transitions that take from p take the same number of tokens and nothing else; they give to
// places that are not visible and inhibit no transition. So they can fire as soon as p has its tokens. A run
// in which they are moved to that moment is a run too, because they only add tokens earlier. The initial
// tokens of p are taken at the start if there is one taker.
//
// *Before*: all transitions that give to p only take from places that are not visible and inhibit no
// transition, and have no inhibitor arcs. So they can wait until a taker needs their tokens, or forever. For
// dead markings no other transition may need those places. A dead marking of the net may then be one of the
// reduced net in which givers could still fire, and vice versa: their firings enable nothing.
//
// *Paths* (Kept::paths) are kept by both if p has one taker t (after) or one giver f (before), which also
// needs its places for itself, as for dead markings. A marking of the net belongs to the reduced marking in
// which t has fired as often as it can, or f has been taken back. Every firing of another transition is then
// one in both nets, since t and f neither change a visible place nor disable anything. Without other
// transitions, t and f fire only finitely often in a row. So the graphs are bisimilar up to invisible steps
// (Browne, Clarke, Grumberg, "Characterizing finite Kripke structures in propositional temporal logic", TCS
// 59, 1988). With several takers the choice among them would be made too early.
//
// Pairs are made if there are no more of them than of the transitions that they replace, or 12. Numbers above
// 10⁹ are not made. O(arcs) per place.

#include "analysis/states/reductions/reduce.hpp"

#include <algorithm>

namespace warpnet::states {

namespace {

constexpr std::size_t most_growth = 12;   // pairs, even if they replace fewer transitions
constexpr Tokens most_times = 1'000'000;  // firings of one transition for another, or at the start
constexpr Tokens most_at_start = std::numeric_limits<Tokens>::max() / 2;
constexpr std::size_t longest_row = 10'000;  // users of a place that is examined

/// The transitions around a place to which they only give and from which they only take.
struct Between {
    std::vector<std::uint32_t> givers, takers;
    Tokens unit = 0;  // that each taker takes, or that each giver gives
};

std::optional<Between> between(const ReducedNet& net, std::uint32_t place) {
    if (!net.has_place(place) || net.visible(place) || net.users(place).size() > longest_row)
        return std::nullopt;
    Between result;
    for (const std::uint32_t t : net.users(place)) {
        const PlaceUse use = net.use(t, place);
        if (use.only_gives()) {
            result.givers.push_back(t);
        } else if (use.only_takes()) {
            result.takers.push_back(t);
        } else {
            return std::nullopt;
        }
    }
    const std::size_t givers = result.givers.size(), takers = result.takers.size();
    if (takers == 0 || givers * takers > std::max(givers + takers, most_growth)) return std::nullopt;
    return result;
}

/// The total needs and changes of several firings at once, of a transition that in each place only takes or
/// only gives; nothing if a number becomes too large.
std::optional<PlaceUses> repeated(PlaceUses uses, Tokens times) {
    if (times == 1) return uses;
    for (PlaceUse& use : uses) {
        if (__builtin_mul_overflow(use.needs, times, &use.needs)) return std::nullopt;
        if (__builtin_mul_overflow(use.change, times, &use.change)) return std::nullopt;
    }
    return uses;
}

/// A pair that becomes one transition.
struct Pair {
    std::uint32_t giver, taker;
    Tokens giver_times, taker_times;
    PlaceUses uses;
};

/// Computes the needs and changes of the pairs; false if a number becomes too large.
bool combine(const ReducedNet& net, std::uint32_t place, std::vector<Pair>& pairs) {
    for (Pair& pair : pairs) {
        const auto giver = repeated(net.uses(pair.giver), pair.giver_times);
        const auto taker = repeated(net.uses(pair.taker), pair.taker_times);
        if (!giver || !taker) return false;
        auto both = one_after_the_other(*giver, *taker);
        if (!both) return false;
        std::erase_if(*both, [&](const PlaceUse& use) { return use.place == place; });
        pair.uses = std::move(*both);
    }
    return true;
}

void replace(ReducedNet& net, std::uint32_t place, const Between& around, std::vector<Pair> pairs) {
    for (Pair& pair : pairs)
        net.add_sequence(pair.giver, pair.giver_times, pair.taker, pair.taker_times, std::move(pair.uses));
    for (const std::uint32_t t : around.givers) net.remove_transition(t);
    for (const std::uint32_t t : around.takers) net.remove_transition(t);
    net.remove_place(place);
}

/// Whether a taker can fire as soon as the place holds enough, unseen, and gives only to places without
/// inhibitor arcs.
bool follows_at_once(const ReducedNet& net, std::uint32_t taker, std::uint32_t place) {
    return std::ranges::all_of(net.uses(taker), [&](const PlaceUse& use) {
        return use.place == place ||
               (use.only_gives() && !net.visible(use.place) && !net.inhibits(use.place));
    });
}

void try_after(ReducedNet& net, std::uint32_t place, Kept kept) {
    const auto around = between(net, place);
    if (!around || (kept == Kept::paths && around->takers.size() > 1)) return;
    const Tokens unit = net.use(around->takers.front(), place).needs;
    const Tokens at_start = net.initial()[place] / unit;
    if (at_start > 0 && around->takers.size() > 1) return;
    for (const std::uint32_t taker : around->takers)
        if (net.use(taker, place).needs != unit || !follows_at_once(net, taker, place)) return;
    std::vector<Pair> pairs;
    for (const std::uint32_t giver : around->givers) {
        const Tokens given = net.use(giver, place).change;
        if (given % unit != 0 || given / unit > most_times) return;
        if (given > unit && around->takers.size() > 1) return;
        for (const std::uint32_t taker : around->takers) pairs.push_back({giver, taker, 1, given / unit, {}});
    }
    if (!combine(net, place, pairs)) return;
    if (at_start > 0) {
        for (const PlaceUse& use : net.uses(around->takers.front()))
            if (net.initial()[use.place] > most_at_start) return;
        if (at_start > most_times) return;
        net.fire_at_start(around->takers.front(), at_start);
    }
    replace(net, place, *around, std::move(pairs));
}

/// Whether a giver only takes from places, unseen, that no other transition needs (for deadlocks and paths)
/// and that have no inhibitor arcs.
bool can_wait(const ReducedNet& net, std::uint32_t giver, std::uint32_t place, Kept kept) {
    if (kept != Kept::reachability && net.uses(giver).size() < 2) return false;
    return std::ranges::all_of(net.uses(giver), [&](const PlaceUse& use) {
        if (use.place == place) return true;
        if (!use.only_takes() || net.visible(use.place) || net.inhibits(use.place)) return false;
        return kept == Kept::reachability || std::ranges::all_of(net.users(use.place), [&](std::uint32_t t) {
                   return t == giver || net.use(t, use.place).needs == 0;
               });
    });
}

void try_before(ReducedNet& net, std::uint32_t place, Kept kept) {
    const auto around = between(net, place);
    if (!around || around->givers.empty() || net.initial()[place] > 0) return;
    if (kept == Kept::paths && around->givers.size() > 1) return;
    const Tokens unit = net.use(around->givers.front(), place).change;
    for (const std::uint32_t giver : around->givers)
        if (net.use(giver, place).change != unit || !can_wait(net, giver, place, kept)) return;
    std::vector<Pair> pairs;
    for (const std::uint32_t taker : around->takers) {
        const Tokens taken = net.use(taker, place).needs;
        if (taken % unit != 0 || taken / unit > most_times) return;
        if (taken > unit && around->givers.size() > 1) return;
        for (const std::uint32_t giver : around->givers) pairs.push_back({giver, taker, taken / unit, 1, {}});
    }
    if (combine(net, place, pairs)) replace(net, place, *around, std::move(pairs));
}

}  // namespace

void agglomerate_after(ReducedNet& net, Kept kept) {
    for (std::uint32_t p = 0; p < net.place_numbers(); ++p) try_after(net, p, kept);
}

void agglomerate_before(ReducedNet& net, Kept kept) {
    for (std::uint32_t p = 0; p < net.place_numbers(); ++p) try_before(net, p, kept);
}

}  // namespace warpnet::states
