// Removes immediate transitions with the help of the reachable markings (timed_by_reachable()). All reachable
// stable markings are enumerated. A *situation* is the vector of tokens in the places that immediate
// transitions test, before a timed transition fires; the situation decides which immediate transitions
// follow. For each timed transition and each total effect, boxes cover the situations with that effect and
// contain no situation with another one. They are boxes because arcs can test only bounds of single places.
// Boxes are grown greedily, so there may be more than necessary. Limits of markings and effort end the
// attempt.

#include "analysis/states/steps/possible_steps.hpp"
#include "analysis/states/structure/timed_net.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpnet::states {

namespace {

/// Counts work; throws LimitReached if it exceeds the limit.
class Work {
  public:
    explicit Work(const WorkLimits& limits) : limits_(limits) {
        constexpr std::uint64_t usual_effort = 2'000'000'000;
        if (limits_.effort == 0) limits_.effort = usual_effort;
    }
    void spend(std::uint64_t units) {
        spent_ += units;
        if (spent_ > limits_.effort) throw LimitReached(WorkEnd::effort_limit);
        constexpr std::uint64_t between_looks = 1'000'000;
        if (spent_ < next_look_) return;
        next_look_ = spent_ + between_looks;
        if (const WorkEnd end = limits_.asked_to_end(); end != WorkEnd::complete) throw LimitReached(end);
    }
    std::uint64_t memory() const noexcept { return limits_.memory; }

  private:
    WorkLimits limits_;
    std::uint64_t spent_ = 0, next_look_ = 0;
};

/// The tokens of the places that immediate transitions test, before a timed transition fires, by number.
using Situation = std::uint32_t;

/// The total effects of a timed transition and the immediate ones after it, each with its situations.
using Ways = std::map<TokenChange, std::set<Situation>>;

[[noreturn]] void refuse(const std::string& what) {
    throw InputError("immediate transitions cannot be replaced: " + what);
}

/// The reachable stable markings, and the effects of timed steps between them.
class StableSteps {
  public:
    StableSteps(const Net& net, std::uint64_t max_markings, Work& work)
        : net_(net), compiled_(compile(net)), max_markings_(max_markings), work_(work) {
        std::vector<std::uint8_t> looked_at(net.places().size(), 0);
        for (const Arc& arc : net.arcs())
            if (net[arc.transition].immediate) looked_at[index(arc.place)] = 1;
        for (std::uint32_t p = 0; p < looked_at.size(); ++p)
            if (looked_at[p] != 0) places_.push_back(p);
        ways_.resize(net.transitions().size());
        all_.resize(net.transitions().size());
    }

    void explore() {
        const std::set<Marking> first =
            stable_after(net_.initial_marking(), "from the initial marking they ");
        if (first.size() > 1) {
            refuse("from the initial marking they lead to " + std::to_string(first.size()) +
                   " stable ones, and a net has one" +
                   first_difference(net_, *first.begin(), *std::next(first.begin())));
        }
        initial_ = *first.begin();
        std::set<Marking> seen = first;
        std::vector<Marking> open = {initial_};
        while (!open.empty()) {
            const Marking marking = std::move(open.back());
            open.pop_back();
            expand(marking, seen, open);
        }
    }

    const Marking& initial() const noexcept { return initial_; }
    const std::vector<std::uint32_t>& places() const noexcept { return places_; }
    const Ways& ways(std::uint32_t transition) const noexcept { return ways_[transition]; }
    /// All situations in which a transition fires.
    const std::set<Situation>& situations(std::uint32_t transition) const noexcept {
        return all_[transition];
    }
    const Marking& tokens(Situation situation) const noexcept { return *by_number_[situation]; }

  private:
    void expand(const Marking& marking, std::set<Marking>& seen, std::vector<Marking>& open) {
        const Situation situation = situation_of(marking);
        for_each_possible_step(compiled_, marking, Semantics::interleaving, [&](const ScheduledStep& step) {
            const std::uint32_t timed = step.transitions.front();
            Marking next = marking;
            if (!fire_step(compiled_, step, next)) refuse("a place would hold too many tokens");
            for (const Marking& after :
                 stable_after(next, "after transition '" + net_.transitions()[timed].id + "' they ")) {
                TokenChange change;
                for (std::uint32_t p = 0; p < after.size(); ++p)
                    if (after[p] != marking[p]) change[p] = after[p] - marking[p];
                ways_[timed][std::move(change)].insert(situation);
                all_[timed].insert(situation);
                if (!seen.insert(after).second) continue;
                count_marking();
                open.push_back(after);
            }
            return true;
        });
    }

    /// The stable markings to which immediate transitions lead, by a search through the markings between.
    std::set<Marking> stable_after(const Marking& first, const std::string& whence) {
        struct Open {
            Marking marking;
            std::vector<Marking> next;
        };
        std::set<Marking> stable, left;  // left: everything after it is known
        std::set<Marking> on_way;
        std::vector<Open> way;
        const auto enter = [&](const Marking& marking) {
            work_.spend(net_.places().size() + net_.transitions().size());
            std::vector<Marking> next = after_immediate(marking);
            if (next.empty()) {
                stable.insert(marking);
                return;
            }
            if (left.size() + on_way.size() > max_markings_) throw LimitReached(WorkEnd::state_limit);
            on_way.insert(marking);
            way.push_back({marking, std::move(next)});
        };
        enter(first);
        while (!way.empty()) {
            if (way.back().next.empty()) {
                on_way.erase(way.back().marking);
                left.insert(std::move(way.back().marking));
                way.pop_back();
                continue;
            }
            const Marking marking = std::move(way.back().next.back());
            way.back().next.pop_back();
            if (on_way.contains(marking)) refuse(whence + "can fire forever without a timed step");
            if (!left.contains(marking)) enter(marking);
        }
        return stable;
    }

    /// Empty if no immediate transition can fire.
    std::vector<Marking> after_immediate(const Marking& marking) {
        std::vector<Marking> next;
        for_each_possible_step(compiled_, marking, Semantics::interleaving, [&](const ScheduledStep& step) {
            if (!step.immediate) return false;
            next.push_back(marking);
            if (!fire_step(compiled_, step, next.back())) refuse("a place would hold too many tokens");
            return true;
        });
        return next;
    }

    Situation situation_of(const Marking& marking) {
        Marking seen;
        for (const std::uint32_t p : places_) seen.push_back(marking[p]);
        const auto [known, is_new] =
            numbers_.emplace(std::move(seen), static_cast<Situation>(numbers_.size()));
        if (is_new) by_number_.push_back(&known->first);
        return known->second;
    }

    void count_marking() {
        constexpr std::uint64_t of_a_node = 100;  // of a set or a map
        bytes_ += 3 * net_.places().size() * sizeof(Tokens) + 3 * of_a_node;
        if (++markings_ > max_markings_) throw LimitReached(WorkEnd::state_limit);
        if (bytes_ > work_.memory()) throw LimitReached(WorkEnd::memory_limit);
    }

    const Net& net_;
    CompiledNet compiled_;
    std::uint64_t max_markings_;
    Work& work_;
    std::vector<std::uint32_t> places_;  // tested by immediate transitions
    Marking initial_;
    std::vector<Ways> ways_;
    std::vector<std::set<Situation>> all_;
    std::map<Marking, Situation> numbers_;
    std::vector<const Marking*> by_number_;
    std::uint64_t markings_ = 1, bytes_ = 0;
};

/// A bound on the tokens of the `place`th tested place.
struct Side {
    std::size_t place;
    bool upper;  // an upper bound, else a lower bound
    Tokens limit;
    bool holds(const Marking& tokens) const {
        return upper ? tokens[place] <= limit : tokens[place] >= limit;
    }
};
using Box = std::vector<Side>;

bool in_box(const Box& box, const Marking& tokens) {
    return std::ranges::all_of(box, [&](const Side& side) { return side.holds(tokens); });
}

/// Boxes that contain all wanted situations and no unwanted ones.
class Boxes {
  public:
    Boxes(const StableSteps& steps, Work& work) : steps_(steps), work_(work) {}

    std::vector<Box> around(const std::set<Situation>& wanted, const std::set<Situation>& all) {
        std::vector<const Marking*> inside, outside;
        for (const Situation situation : all)
            (wanted.contains(situation) ? inside : outside).push_back(&steps_.tokens(situation));
        std::vector<Box> boxes;
        while (!inside.empty()) {
            boxes.push_back(box_of(*inside.front(), inside, outside));
            work_.spend(inside.size());
            std::erase_if(inside, [&](const Marking* tokens) { return in_box(boxes.back(), *tokens); });
        }
        return boxes;
    }

  private:
    using Markings = std::vector<const Marking*>;

    /// A box around `seed`: sides that exclude as many outside situations and as few inside ones as possible.
    /// They are then moved outwards as far as allowed.
    Box box_of(const Marking& seed, Markings inside, const Markings& outside) {
        Box box;
        for (Markings out = outside; !out.empty();) {
            box.push_back(best_side(seed, inside, out));
            const Side side = box.back();
            const auto kept_out = [&](const Marking* tokens) { return !side.holds(*tokens); };
            std::erase_if(inside, kept_out);
            std::erase_if(out, kept_out);
        }
        for (std::size_t i = 0; i < box.size();) {
            if (move_out(box, i, outside)) {
                ++i;
            } else {
                box.erase(box.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
        return box;
    }

    Side best_side(const Marking& seed, const Markings& inside, const Markings& outside) {
        Side best{0, false, 0};
        std::uint64_t best_out = 0, best_lost = 0;
        for (std::size_t place = 0; place < seed.size(); ++place) {
            for (const bool upper : {false, true}) {
                work_.spend(inside.size() + outside.size());
                // The side nearest to the seed that excludes everything beyond it, moved as far out as that
                // permits.
                Tokens next = seed[place];
                std::uint64_t out = 0, lost = 0;
                bool any = false;
                for (const Marking* tokens : outside) {
                    const Tokens there = (*tokens)[place];
                    if (upper ? there <= seed[place] : there >= seed[place]) continue;
                    next = !any ? there : upper ? std::min(next, there) : std::max(next, there);
                    any = true;
                    ++out;
                }
                if (!any) continue;
                const Side side{place, upper, upper ? next - 1 : next + 1};
                for (const Marking* tokens : inside) lost += side.holds(*tokens) ? 0u : 1u;
                if (best_out == 0 || out * (1 + best_lost) > best_out * (1 + lost)) {
                    best = side;
                    best_out = out;
                    best_lost = lost;
                }
            }
        }
        return best;
    }

    /// Moves a side outwards as far as the situations that only it excludes permit; false if there are none.
    bool move_out(Box& box, std::size_t at, const Markings& outside) {
        bool any = false;
        Side& side = box[at];
        Tokens nearest = 0;
        work_.spend(outside.size() * box.size());
        for (const Marking* tokens : outside) {
            if (side.holds(*tokens)) continue;
            bool others = false;
            for (std::size_t i = 0; i < box.size() && !others; ++i)
                others = i != at && !box[i].holds(*tokens);
            if (others) continue;
            const Tokens there = (*tokens)[side.place];
            nearest = !any ? there : side.upper ? std::min(nearest, there) : std::max(nearest, there);
            any = true;
        }
        if (any) side.limit = side.upper ? nearest - 1 : nearest + 1;
        return any;
    }

    const StableSteps& steps_;
    Work& work_;
};

/// The bounds that the arcs of a transition itself require.
TokenRanges own_ranges(const Net& net, TransitionId transition) {
    TokenRanges ranges;
    for (const Arc& arc : net.arcs_of(transition)) {
        if (arc.kind == ArcKind::output) continue;
        TokenRange& range = ranges[static_cast<std::uint32_t>(index(arc.place))];
        if (arc.kind == ArcKind::inhibitor) {
            range.most = std::min(range.most, arc.weight - 1);
        } else {
            range.least = std::max(range.least, arc.weight);
        }
    }
    return ranges;
}

TimedNet timed_net_of(const Net& net, const StableSteps& steps, Work& work) {
    TimedNet result;
    Boxes boxes(steps, work);
    TimedCopies copies(net, steps.initial());
    for (std::uint32_t t = 0; t < net.transitions().size(); ++t) {
        if (net.transitions()[t].immediate) {
            ++result.replaced;
            continue;
        }
        std::size_t of_this = 0;
        for (const auto& [change, situations] : steps.ways(t)) {
            for (const Box& box : boxes.around(situations, steps.situations(t))) {
                TokenRanges ranges = own_ranges(net, TransitionId(t));
                for (const Side& side : box) {
                    TokenRange& range = ranges[steps.places()[side.place]];
                    if (side.upper) {
                        range.most = std::min(range.most, side.limit);
                    } else {
                        range.least = std::max(range.least, side.limit);
                    }
                }
                copies.add(TransitionId(t), ranges, change);
                ++of_this;
            }
        }
        if (of_this > 0) result.copies += of_this - 1;
    }
    result.net = copies.build();
    return result;
}

}  // namespace

std::optional<TimedNet> timed_by_reachable(const Net& net, const StableStepsOptions& options) {
    Work work(options.limits);
    try {
        StableSteps steps(net, options.max_markings, work);
        steps.explore();
        return timed_net_of(net, steps, work);
    } catch (const LimitReached&) {
        return std::nullopt;
    }
}

}  // namespace warpnet::states
