// A net under reduction is stored as its uses: per transition, a sorted list of places with the tokens that
// it needs, its change, and the number that the place must stay below. So a read arc and a loop are the same,
// which is right under interleaving. Rules apply in rounds until none applies. Each removed or merged
// transition keeps the sequence of original transitions that it represents, so that witnesses of the reduced
// net can be expanded.
//
// Dead transitions are found by a fixpoint. It assumes any number of tokens in places that a fired transition
// adds to, and none in places that it takes from, and fires everything that can then fire. The remaining
// transitions can never fire.

#include "analysis/states/reductions/reduce.hpp"

#include "engine/net/net_builder.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace warpnet::states {

namespace {

constexpr Tokens largest_number = 1'000'000'000;

PlaceUses uses_of(const Net& net, TransitionId transition) {
    PlaceUses uses;
    const auto at = [&](PlaceId place) -> PlaceUse& {
        for (PlaceUse& use : uses)
            if (use.place == index(place)) return use;
        return uses.emplace_back(PlaceUse{.place = static_cast<std::uint32_t>(index(place))});
    };
    for (const Arc& arc : net.arcs_of(transition)) {
        PlaceUse& use = at(arc.place);
        if (arc.kind == ArcKind::input || arc.kind == ArcKind::read)
            use.needs = std::max(use.needs, arc.weight);
        if (arc.kind == ArcKind::input) use.change -= arc.weight;
        if (arc.kind == ArcKind::output) use.change += arc.weight;
        if (arc.kind == ArcKind::inhibitor) use.below = std::min(use.below, arc.weight);
    }
    std::erase_if(uses, [](const PlaceUse& use) { return use.change == 0 && !use.tests(); });
    std::ranges::sort(uses, {}, &PlaceUse::place);
    return uses;
}

}  // namespace

std::optional<PlaceUses> one_after_the_other(const PlaceUses& first, const PlaceUses& second) {
    PlaceUses both;
    auto a = first.begin(), b = second.begin();
    while (a != first.end() || b != second.end()) {
        PlaceUse one{}, two{};
        const bool take_first = b == second.end() || (a != first.end() && a->place <= b->place);
        const bool take_second = a == first.end() || (b != second.end() && b->place <= a->place);
        if (take_first) one = *a++;
        if (take_second) two = *b++;
        PlaceUse use{take_first ? one.place : two.place};
        use.needs = std::max(one.needs, two.needs - one.change);
        use.change = one.change + two.change;
        use.below = one.below;
        if (two.below != PlaceUse::any_number) use.below = std::min(use.below, two.below - one.change);
        if (use.below <= use.needs) return std::nullopt;
        if (use.needs > largest_number || use.change > largest_number || -use.change > largest_number)
            return std::nullopt;
        if (use.change != 0 || use.tests()) both.push_back(use);
    }
    return both;
}

ReducedNet::ReducedNet(const Net& net, std::span<const std::uint32_t> visible)
    : initial_(net.initial_marking()),
      visible_(initial_.size(), 0),
      place_there_(initial_.size(), 1),
      transition_there_(net.transitions().size(), 1),
      users_(initial_.size()),
      inhibitors_(initial_.size(), 0),
      originals_(net.transitions().size()) {
    for (const std::uint32_t place : visible) visible_[place] = 1;
    for (std::uint32_t t = 0; t < originals_; ++t) {
        uses_.push_back(uses_of(net, TransitionId(t)));
        for (const PlaceUse& use : uses_.back()) users_[use.place].push_back(t);
        count(t, 1);
    }
}

PlaceUse ReducedNet::use(std::uint32_t transition, std::uint32_t place) const {
    const PlaceUses& uses = uses_[transition];
    const auto found = std::ranges::lower_bound(uses, place, {}, &PlaceUse::place);
    return found != uses.end() && found->place == place ? *found : PlaceUse{.place = place};
}

void ReducedNet::count(std::uint32_t transition, int sign) {
    for (const PlaceUse& use : uses_[transition])
        if (use.below != PlaceUse::any_number) inhibitors_[use.place] += sign;
}

void ReducedNet::remove_transition(std::uint32_t transition) {
    ++changes_;
    transition_there_[transition] = 0;
    count(transition, -1);
    for (const PlaceUse& use : uses_[transition]) std::erase(users_[use.place], transition);
    uses_[transition].clear();
}

void ReducedNet::remove_place(std::uint32_t place) {
    ++changes_;
    place_there_[place] = 0;
    for (const std::uint32_t t : users_[place])
        std::erase_if(uses_[t], [&](const PlaceUse& use) { return use.place == place; });
    users_[place].clear();
    inhibitors_[place] = 0;
}

void ReducedNet::set_use(std::uint32_t transition, PlaceUse use) {
    ++changes_;
    count(transition, -1);
    PlaceUses& uses = uses_[transition];
    const auto found = std::ranges::lower_bound(uses, use.place, {}, &PlaceUse::place);
    *found = use;
    count(transition, 1);
    if (use.change != 0 || use.tests()) return;
    uses.erase(found);
    std::erase(users_[use.place], transition);
}

std::uint32_t ReducedNet::add_sequence(std::uint32_t first, Tokens first_times, std::uint32_t second,
                                       Tokens second_times, PlaceUses uses) {
    ++changes_;
    const auto number = static_cast<std::uint32_t>(uses_.size());
    for (const PlaceUse& use : uses) users_[use.place].push_back(number);
    uses_.push_back(std::move(uses));
    count(number, 1);
    transition_there_.push_back(1);
    sequences_.push_back({first, second, first_times, second_times});
    return number;
}

void ReducedNet::fire_at_start(std::uint32_t transition, Tokens times) {
    ++changes_;
    for (const PlaceUse& use : uses_[transition]) initial_[use.place] += times * use.change;
    at_start_.emplace_back(transition, times);
}

namespace {

/// Ids of the nodes of a reduced net: those of the original net, or numbers.
class NodeIds {
  public:
    explicit NodeIds(const Net* original) : original_(original) {
        if (original == nullptr) return;
        for (const Place& place : original->places()) taken_.insert(place.id);
        for (const Transition& transition : original->transitions()) taken_.insert(transition.id);
    }
    std::string of_place(std::uint32_t place) const {
        return original_ != nullptr ? original_->places()[place].id : "p" + std::to_string(place);
    }
    std::string of_transition(std::uint32_t transition) const {
        if (original_ != nullptr && transition < original_->transitions().size())
            return original_->transitions()[transition].id;
        std::string id = "t" + std::to_string(transition);
        while (taken_.contains(id)) id += "_";
        return id;
    }

  private:
    const Net* original_;
    std::set<std::string> taken_;
};

}  // namespace

Net ReducedNet::net(std::vector<std::uint32_t>& place_of, std::vector<std::uint32_t>& transitions,
                    const Net* original) const {
    const NodeIds ids(original);
    NetBuilder builder(original != nullptr ? original->id() : "reduced",
                       original != nullptr ? original->name() : "");
    place_of.assign(initial_.size(), std::numeric_limits<std::uint32_t>::max());
    transitions.clear();
    for (std::uint32_t p = 0; p < initial_.size(); ++p) {
        if (!has_place(p) || (users_[p].empty() && !visible(p))) continue;
        place_of[p] = static_cast<std::uint32_t>(index(builder.add_place(ids.of_place(p), initial_[p])));
    }
    for (std::uint32_t t = 0; t < uses_.size(); ++t) {
        if (!has_transition(t)) continue;
        transitions.push_back(t);
        const TransitionId transition = builder.add_transition(ids.of_transition(t));
        for (const PlaceUse& use : uses_[t]) {
            const PlaceId place{place_of[use.place]};
            if (use.change < 0) builder.add_input(place, transition, -use.change);
            if (use.change > 0) builder.add_output(transition, place, use.change);
            if (use.needs > 0 && use.needs > -use.change) builder.add_read(place, transition, use.needs);
            if (use.below != PlaceUse::any_number) builder.add_inhibitor(place, transition, use.below);
        }
    }
    return builder.build();
}

std::optional<std::vector<std::uint32_t>> ReducedNet::expanded(std::span<const std::uint32_t> transitions,
                                                               std::size_t most) const {
    std::vector<std::uint32_t> all;
    for (const auto& [transition, times] : at_start_)
        if (!expand(transition, times, most, all)) return std::nullopt;
    for (const std::uint32_t transition : transitions)
        if (!expand(transition, 1, most, all)) return std::nullopt;
    return all;
}

/// False if there are too many. The top of the stack comes next.
bool ReducedNet::expand(std::uint32_t transition, Tokens times, std::size_t most,
                        std::vector<std::uint32_t>& all) const {
    std::vector<std::pair<std::uint32_t, Tokens>> stack = {{transition, times}};
    while (!stack.empty()) {
        auto& [next, left] = stack.back();
        if (left == 0) {
            stack.pop_back();
            continue;
        }
        --left;
        if (next < originals_) {
            if (all.size() >= most) return false;
            all.push_back(next);
            continue;
        }
        const Sequence& sequence = sequences_[next - originals_];
        stack.emplace_back(sequence.second, sequence.second_times);
        stack.emplace_back(sequence.first, sequence.first_times);
    }
    return true;
}

/// Fires everything that can fire if places to which a fired transition adds hold any number, and places from
/// which it takes hold none.
void remove_dead_transitions(ReducedNet& net) {
    std::vector<std::uint8_t> grows(net.place_numbers(), 0), shrinks(net.place_numbers(), 0);
    std::vector<std::uint8_t> fires(net.transition_numbers(), 0);
    std::vector<std::uint32_t> open;
    const auto possible = [&](const PlaceUse& use) {
        const Tokens tokens = net.initial()[use.place];
        return (tokens >= use.needs || grows[use.place] != 0) &&
               (tokens < use.below || shrinks[use.place] != 0);
    };
    for (std::uint32_t t = 0; t < net.transition_numbers(); ++t)
        if (net.has_transition(t)) open.push_back(t);
    while (!open.empty()) {
        const std::uint32_t transition = open.back();
        open.pop_back();
        if (fires[transition] != 0 || !std::ranges::all_of(net.uses(transition), possible)) continue;
        fires[transition] = 1;
        for (const PlaceUse& use : net.uses(transition)) {
            if (use.change == 0) continue;
            std::uint8_t& known = use.change > 0 ? grows[use.place] : shrinks[use.place];
            if (known != 0) continue;
            known = 1;
            for (const std::uint32_t t : net.users(use.place))
                if (fires[t] == 0) open.push_back(t);
        }
    }
    for (std::uint32_t t = 0; t < fires.size(); ++t)
        if (net.has_transition(t) && fires[t] == 0) net.remove_transition(t);
}

ReducedNet reduce(const Net& net, std::span<const std::uint32_t> visible, Kept kept,
                  const ReductionOptions& options) {
    ReducedNet reduced(net, visible);
    for (std::uint64_t before = 1, after = 0; before != after;) {
        before = reduced.changes();
        if (options.dead_transitions) remove_dead_transitions(reduced);
        if (options.needless_places) remove_needless_places(reduced);
        if (options.parallel_places) remove_parallel_places(reduced);
        if (options.covered_transitions) remove_covered_transitions(reduced, kept);
        if (options.irrelevant_transitions && kept == Kept::reachability)
            remove_irrelevant_transitions(reduced);
        if (options.irrelevant_transitions && kept == Kept::deadlocks) keep_endless_transition(reduced);
        if (options.agglomerate_after && kept != Kept::steps) agglomerate_after(reduced, kept);
        if (options.agglomerate_before && kept != Kept::steps) agglomerate_before(reduced, kept);
        after = reduced.changes();
    }
    return reduced;
}

}  // namespace warpnet::states
