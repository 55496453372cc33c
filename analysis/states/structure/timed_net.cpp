// Removes immediate transitions by their arcs alone (without_immediates()). A *way* is a timed transition and
// the immediate ones after it, followed symbolically: a range of tokens per place before the timed
// transition, and the change so far. If a range does not decide whether an immediate transition is enabled,
// the way is divided in two. When no immediate transition is enabled in any marking of a way, it becomes a
// copy of the timed transition, with read and inhibitor arcs for the ranges. A way that recurs while it is
// followed is an endless sequence of immediate firings, which is an error. The number of ways depends on the
// arcs and not on the markings, but can be exponential; stable_steps.cpp needs the reachable markings
// instead.

#include "analysis/states/structure/timed_net.hpp"

#include "analysis/states/linear/invariants.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpnet::states {

TokenChange taken_by(const Net& net, TransitionId transition) {
    TokenChange taken;
    for (const Arc& arc : net.arcs_of(transition))
        if (arc.kind == ArcKind::input) taken[static_cast<std::uint32_t>(index(arc.place))] = arc.weight;
    return taken;
}

std::string first_difference(const Net& net, const Marking& a, const Marking& b) {
    const auto differ = std::mismatch(a.begin(), a.end(), b.begin());
    if (differ.first == a.end()) return {};
    const auto place = static_cast<std::size_t>(differ.first - a.begin());
    return ": " + std::to_string(*differ.first) + " or " + std::to_string(*differ.second) +
           " tokens in place '" + net.places()[place].id + "'";
}

TimedCopies::TimedCopies(const Net& net, const Marking& initial) : net_(net), builder_(net.id(), net.name()) {
    for (std::size_t p = 0; p < net.places().size(); ++p) {
        const Place& place = net.places()[p];
        const PlaceId id = builder_.add_place(place.id, initial[p], place.name);
        if (place.position) builder_.set_position(id, *place.position);
        ids_.insert(place.id);
    }
    for (const Transition& transition : net.transitions())
        if (!transition.immediate) ids_.insert(transition.id);
}

void TimedCopies::add(TransitionId transition, const TokenRanges& before, const TokenChange& change) {
    const Transition& old = net_[transition];
    const bool first = copied_.insert(static_cast<std::uint32_t>(index(transition))).second;
    std::string id = old.id;
    for (std::size_t number = 2; !first && !ids_.insert(id).second; ++number)
        id = old.id + "_" + std::to_string(number);
    const TransitionId copy = builder_.add_transition(id, old.name);
    if (first && old.position) builder_.set_position(copy, *old.position);
    builder_.set_priority(copy, old.priority);
    const TokenChange taken = taken_by(net_, transition);
    std::set<std::uint32_t> places;
    for (const auto& [place, range] : before) places.insert(place);
    for (const auto& [place, tokens] : change) places.insert(place);
    for (const std::uint32_t p : places) {
        const PlaceId place{p};
        const auto own = taken.find(p);
        const auto changed = change.find(p);
        const Tokens gain = changed == change.end() ? 0 : changed->second;
        const Tokens input = std::max(own == taken.end() ? 0 : own->second, -gain);
        if (input > 0) builder_.add_input(place, copy, input);
        if (input + gain > 0) builder_.add_output(copy, place, input + gain);
        const auto range = before.find(p);
        if (range == before.end()) continue;
        if (range->second.least > input) builder_.add_read(place, copy, range->second.least);
        if (range->second.most < max_tokens) builder_.add_inhibitor(place, copy, range->second.most + 1);
    }
}

namespace {

constexpr Tokens unlimited = max_tokens;
constexpr Tokens min_change = std::numeric_limits<Tokens>::min();
constexpr std::size_t most_initial_tokens = 10'000'000;  // between the initial and a stable one
constexpr std::size_t most_firings = 1000;  // of immediate transitions after a timed one; recursion depth

/// The conditions of one transition on one place, and its effect there.
struct Use {
    Tokens least = 0;         // required tokens
    Tokens most = unlimited;  // no more tokens than this are allowed
    Tokens change = 0;        // by all arcs
};
using Uses = std::map<std::uint32_t, Use>;

Uses uses_of(const Net& net, TransitionId transition) {
    Uses uses;
    for (const Arc& arc : net.arcs_of(transition)) {
        Use& use = uses[static_cast<std::uint32_t>(index(arc.place))];
        switch (arc.kind) {
            case ArcKind::input:
                use.least = std::max(use.least, arc.weight);
                use.change -= arc.weight;
                break;
            case ArcKind::output:
                use.change += arc.weight;
                break;
            case ArcKind::read:
                use.least = std::max(use.least, arc.weight);
                break;
            case ArcKind::inhibitor:
                use.most = std::min(use.most, arc.weight - 1);
                break;
        }
    }
    return uses;
}

/// A set of markings, and the change since.
struct Way {
    TokenRanges before;                            // before the timed transition
    TokenChange change;                            // by everything that has fired
    auto operator<=>(const Way&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
};

/// A condition that holds in some of the markings of a way: a lower bound on the tokens of a place before it.
struct Split {
    std::uint32_t place;
    Tokens least;
};

/// Immediate transitions of one priority.
using Level = std::vector<std::uint32_t>;

class Replacement {
  public:
    Replacement(const Net& net, std::span<const std::optional<Tokens>> bounds, std::size_t most_copies)
        : net_(net), bounds_(bounds), most_copies_(most_copies) {
        std::map<std::int32_t, Level, std::greater<>> levels;
        for (std::uint32_t t = 0; t < net.transitions().size(); ++t) {
            uses_.push_back(uses_of(net, TransitionId(t)));
            if (net.transitions()[t].immediate) levels[net.transitions()[t].priority].push_back(t);
        }
        for (auto& [priority, level] : levels) levels_.push_back(std::move(level));
    }

    TimedNet run() {
        TimedNet result;
        for (const Level& level : levels_) result.replaced += level.size();
        TimedCopies copies(net_, stable_initial());
        for (std::uint32_t t = 0; t < net_.transitions().size(); ++t) {
            if (net_.transitions()[t].immediate) continue;
            find_ways(t);
            if (!ways_.empty()) copies_ += ways_.size() - 1;
            for (const Way& way : ways_) copies.add(TransitionId(t), asked(way), way.change);
        }
        result.copies = copies_;
        result.net = copies.build();
        return result;
    }

  private:
    TokenRange range(const Way& way, std::uint32_t place) const {
        const auto known = way.before.find(place);
        return known != way.before.end() ? known->second : TokenRange{0, bounds_[place].value_or(unlimited)};
    }
    static Tokens change(const Way& way, std::uint32_t place) {
        const auto known = way.change.find(place);
        return known != way.change.end() ? known->second : 0;
    }

    /// Whether a transition is enabled in all markings of a way (true), in none (false), or the deciding
    /// condition.
    struct Enabled {
        bool enabled = false;
        std::optional<Split> undecided = {};
    };
    Enabled enabled(const Way& way, std::uint32_t transition) const {
        std::optional<Split> undecided;
        for (const auto& [place, use] : uses_[transition]) {
            const TokenRange before = range(way, place);
            const Tokens since = change(way, place);
            const Tokens least = use.least - since;
            if (before.most < least) return {};
            if (before.least < least) undecided = {place, least};
            if (use.most == unlimited) continue;
            const Tokens most = use.most - since;
            if (before.least > most) return {};
            if (before.most > most) undecided = {place, most + 1};
        }
        return {!undecided, undecided};
    }

    void add(TokenChange& changes, const Uses& uses) const {
        for (const auto& [place, use] : uses) {
            if (use.change == 0) continue;
            Tokens& change = changes[place];
            if (__builtin_add_overflow(change, use.change, &change) || change == min_change)
                fail("put too many tokens into place '" + net_.places()[place].id + "'");
            if (change == 0) changes.erase(place);
        }
    }

    /// Adds the ways of a timed transition to ways_.
    void find_ways(std::uint32_t transition) {
        ways_.clear();
        seen_.clear();
        timed_ = transition;
        Way way;
        for (const auto& [place, use] : uses_[transition]) {
            TokenRange before = range(way, place);
            before.least = std::max(before.least, use.least);
            before.most = std::min(before.most, use.most);
            if (before.least > before.most) return;  // never enabled
            way.before[place] = before;
        }
        split_before(way);
    }

    /// Ways begin in markings in which no immediate transition is enabled. Unstable markings that are not
    /// excluded do no harm.
    void split_before(const Way& way) {
        for (const Level& level : levels_)
            for (const std::uint32_t t : level)
                if (enabled(way, t).enabled) return;
        Way after = way;
        add(after.change, uses_[timed_]);
        enter(after);
    }

    void enter(const Way& way) {
        if (depth_ == most_firings) fail("fire more than " + std::to_string(most_firings) + " times");
        const auto [known, is_new] = seen_.emplace(way, true);
        if (!is_new) {
            if (known->second) fail("can fire forever without a timed step");
            return;
        }
        if (copies_ + seen_.size() > most_copies_) {
            fail("can fire in more than " + std::to_string(most_copies_) +
                 " ways (is there a place without a bound, or a very large one?)");
        }
        ++depth_;
        follow(way);
        --depth_;
        seen_[way] = false;
    }

    void follow(const Way& way) {
        if (impossible(way)) return;
        for (const Level& level : levels_) {
            std::vector<std::uint32_t> firing;
            for (const std::uint32_t t : level) {
                const Enabled is = enabled(way, t);
                if (is.undecided) return split(way, *is.undecided);
                if (is.enabled) firing.push_back(t);
            }
            for (const std::uint32_t t : firing) {
                Way after = way;
                add(after.change, uses_[t]);
                last_ = t;
                enter(after);
            }
            if (!firing.empty()) return;
        }
        ways_.insert(way);
    }

    /// Whether the markings in which a way begins were not stable.
    bool impossible(const Way& way) const {
        const Way beginning{way.before, {}};
        for (const Level& level : levels_)
            for (const std::uint32_t t : level)
                if (enabled(beginning, t).enabled) return true;
        return false;
    }

    void split(const Way& way, const Split& by) {
        const TokenRange all = range(way, by.place);
        Way part = way;
        part.before[by.place] = {all.least, by.least - 1};
        enter(part);
        part.before[by.place] = {by.least, all.most};
        enter(part);
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw InputError("immediate transitions cannot be replaced: after transition '" +
                         net_.transitions()[timed_].id + "' they " + what + ", with '" +
                         net_.transitions()[last_].id + "'");
    }

    /// Redundant bounds are left out.
    TokenRanges asked(const Way& way) const {
        TokenRanges ranges = way.before;
        for (auto& [place, range] : ranges)
            if (range.most >= bounds_[place].value_or(unlimited)) range.most = unlimited;
        return ranges;
    }

    /// The only marking to which immediate transitions lead from the initial one. Depth first: if they lead
    /// to several, two of them are found soon.
    Marking stable_initial() const {
        const std::size_t most_seen =
            1 + std::min(most_timed_copies, most_initial_tokens / (1 + net_.places().size()));
        std::set<Marking> seen = {net_.initial_marking()};
        std::vector<Marking> open(seen.begin(), seen.end());
        std::optional<Marking> stable;
        while (!open.empty()) {
            const Marking marking = std::move(open.back());
            open.pop_back();
            const std::vector<std::uint32_t> firing = first_enabled(marking);
            if (firing.empty()) {
                if (stable)
                    refuse_initial("lead to several stable ones, and a net has one" +
                                   first_difference(net_, *stable, marking));
                stable = marking;
            }
            for (const std::uint32_t t : firing) {
                Marking after = marking;
                for (const auto& [place, use] : uses_[t]) after[place] += use.change;
                if (seen.insert(after).second) open.push_back(std::move(after));
            }
            if (seen.size() > most_seen)
                refuse_initial("go through more than " + std::to_string(most_seen) + " others");
        }
        if (!stable) refuse_initial("go on forever");
        return *stable;
    }

    [[noreturn]] static void refuse_initial(const std::string& what) {
        throw InputError("immediate transitions cannot be replaced: from the initial marking they " + what);
    }

    /// Of the immediate transitions that can fire, those of the highest priority.
    std::vector<std::uint32_t> first_enabled(const Marking& marking) const {
        std::vector<std::uint32_t> firing;
        for (const Level& level : levels_) {
            for (const std::uint32_t t : level)
                if (enabled_in(marking, t)) firing.push_back(t);
            if (!firing.empty()) break;
        }
        return firing;
    }

    bool enabled_in(const Marking& marking, std::uint32_t transition) const {
        return std::ranges::all_of(uses_[transition], [&](const auto& of) {
            return marking[of.first] >= of.second.least && marking[of.first] <= of.second.most;
        });
    }

    const Net& net_;
    std::span<const std::optional<Tokens>> bounds_;
    std::size_t most_copies_;
    std::vector<Uses> uses_;
    std::vector<Level> levels_;  // of immediate transitions, highest priority first
    std::size_t copies_ = 0;
    std::uint32_t timed_ = 0, last_ = 0;
    std::size_t depth_ = 0;
    std::set<Way> ways_;
    std::map<Way, bool> seen_;  // and whether it is still being followed
};

}  // namespace

TimedNet without_immediates(const Net& net, std::span<const std::optional<Tokens>> bounds,
                            std::size_t most_copies) {
    return Replacement(net, bounds, most_copies).run();
}

namespace {

TimedNet by_arcs(const Net& net, const ExploreOptions& options, std::size_t most_copies) {
    std::vector<std::uint8_t> looked_at(net.places().size(), 0);
    for (const Arc& arc : net.arcs())
        if (net[arc.transition].immediate) looked_at[index(arc.place)] = 1;
    return without_immediates(net, bounds_of(net, looked_at, options).of, most_copies);
}

}  // namespace

FoundTimedNet timed_net(const Net& net, const ExploreOptions& options) {
    const std::size_t few_copies = std::min(most_timed_copies, 2 * net.transitions().size());
    try {
        ExploreOptions invariants_alone = options;
        invariants_alone.max_states = 1;
        return {by_arcs(net, invariants_alone, few_copies), false};
    } catch (const InputError&) {  // if this fails too, the next call reports the reason
    }
    StableStepsOptions reachable;
    reachable.max_markings = std::min(most_markings_of_timed_net, options.max_states);
    reachable.limits = options.limits;
    if (auto timed = timed_by_reachable(net, reachable)) return {std::move(*timed), true};
    try {
        return {by_arcs(net, options, most_timed_copies), false};
    } catch (const InputError& error) {
        throw InputError(std::string(error.what()) +
                         "; nor by its reachable markings, which are too many (more than " +
                         std::to_string(reachable.max_markings) + ", or large ones)");
    }
}

// Bounds from cheap to expensive, each only if a wanted place has none yet: the initial tokens of places to
// which nothing adds, P-invariants, sums that never grow, and an exploration.

namespace {

template <typename Condition>
std::vector<std::uint8_t> places_with_arcs(const Net& net, Condition condition) {
    std::vector<std::uint8_t> places(net.places().size(), 0);
    for (const Arc& arc : net.arcs()) {
        if (condition(arc)) places[index(arc.place)] = 1;
    }
    return places;
}

}  // namespace

PlaceBounds bounds_of_inhibitors(const Net& net, const ExploreOptions& options) {
    return bounds_of(
        net, places_with_arcs(net, [](const Arc& arc) { return arc.kind == ArcKind::inhibitor; }), options);
}

PlaceBounds bounds_of_weights(const Net& net, const ExploreOptions& options) {
    return bounds_of(net, places_with_arcs(net, [](const Arc& arc) { return arc.weight > 1; }), options);
}

PlaceBounds bounds_of(const Net& net, std::span<const std::uint8_t> wanted, const ExploreOptions& options) {
    PlaceBounds bounds;
    bounds.of.resize(net.places().size());
    const std::vector<SparseRow> effects = incidence_matrix(net);
    for (std::size_t p = 0; p < effects.size(); ++p) {
        const bool grows = std::any_of(effects[p].begin(), effects[p].end(),
                                       [](const SparseEntry& e) { return e.value > 0; });
        if (!grows) bounds.of[p] = net.places()[p].initial;
    }
    const auto any_missing = [&] {
        for (std::size_t p = 0; p < wanted.size(); ++p) {
            if (wanted[p] != 0 && !bounds.of[p]) return true;
        }
        return false;
    };
    const auto fill_in = [&](const auto& others) {
        for (std::size_t p = 0; p < wanted.size(); ++p) {
            if (!bounds.of[p]) bounds.of[p] = others[p];
        }
    };
    if (any_missing()) fill_in(invariant_bounds(net, p_invariants(net)));
    if (any_missing()) fill_in(invariant_bounds(net, p_subinvariants(net, {.max_rows = 2000})));
    if (!any_missing()) return bounds;
    ExploreOptions interleaving = options;
    interleaving.semantics = Semantics::interleaving;
    const Exploration explored = explore(compile(net), interleaving);
    if (!explored.complete()) return bounds;
    fill_in(explored.bounds);
    bounds.structural = false;
    return bounds;
}

}  // namespace warpnet::states
