// The search grows a set from one place, against the arcs. Initially the set holds at most one token.
// Whenever a transition gives the set more tokens than it takes from it, the set needs a further input of
// this transition. The search ends with a proof when all producers are balanced, and without a result when a
// transition has no usable input left or the set would hold two tokens.
//
// The choice of the input decides whether the search stays within one process. choose_input() explains its
// preferences. There is no backtracking: a wrong choice costs a sequence, but never a wrong result, since the
// balance of all producers is the proof.

#include "engine/executors/pivots/exclusive_places.hpp"

#include "engine/base/no_index.hpp"

#include <algorithm>
#include <limits>

namespace warpnet {

namespace {

Rows<std::uint32_t> consumers_of(const CompiledNet& net) {
    return Rows<std::uint32_t>::sorted(net.place_count(), [&](auto put) {
        for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
            for (const PlaceWeight input : net.inputs[t]) put(input.place, t);
        }
    });
}

Rows<std::uint32_t> producers_of(const CompiledNet& net) {
    std::vector<std::uint8_t> is_tick(net.transition_count(), 0);
    for (const DelayGadget& gadget : net.gadgets) is_tick[gadget.tick] = 1;
    return Rows<std::uint32_t>::sorted(net.place_count(), [&](auto put) {
        for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
            if (is_tick[t] != 0) continue;
            for (const PlaceWeight output : net.outputs[t]) put(output.place, t);
        }
    });
}

}  // namespace

ExclusivePlaces::ExclusivePlaces(const CompiledNet& net)
    : net_(net),
      consumers_(consumers_of(net)),
      producers_(producers_of(net)),
      is_done_(net.transition_count(), 0),
      is_wait_(net.place_count(), 0),
      set_of_(net.place_count(), 0),
      hopeless_in_(net.place_count(), 0),
      unbalanced_(net.place_count(), 0),
      reached_in_(net.place_count(), 0),
      distance_(net.place_count(), 0),
      work_left_(64 * (net.transition_count() + net.place_count())) {
    for (const DelayGadget& gadget : net.gadgets) {
        is_done_[gadget.done] = 1;
        is_wait_[gadget.wait] = net.initial[gadget.wait] > 0 ? 1 : 0;
    }
}

/// places_ grows while this loop runs, so each new place has its producers balanced, too.
std::vector<std::uint32_t> ExclusivePlaces::around(std::uint32_t place) {
    ++set_;
    tokens_ = 0;
    places_.clear();
    reached_.clear();
    expanded_ = 0;
    reach(place);
    if (!add(place)) return {};
    for (std::size_t i = 0; i < places_.size(); ++i) {
        for (const std::uint32_t t : producers_[places_[i]]) {
            if (!balance(t)) return {};
        }
    }
    std::sort(places_.begin(), places_.end());
    return places_;
}

/// Returns false if the set would then hold two tokens initially.
bool ExclusivePlaces::add(std::uint32_t place) {
    tokens_ += tokens_in(place);
    if (tokens_ > 1) return false;
    set_of_[place] = set_;
    places_.push_back(place);
    return true;
}

/// Adds inputs of a transition to the set until the transition gives the set no more than it takes from it.
bool ExclusivePlaces::balance(std::uint32_t transition) {
    while (given(transition) > taken(transition)) {
        const std::uint32_t input = choose_input(transition);
        if (input == no_index || work_left_ == 0 || !add(input)) return false;
    }
    return true;
}

/// Prefers an input whose producers all take from the set already. Next it prefers the input with the fewest
/// consumers, which is the program counter rather than a place that all operations need. Ties go to the input
/// nearest to the first place of the set, since that one belongs to the same process.
std::uint32_t ExclusivePlaces::choose_input(std::uint32_t transition) {
    for (;;) {
        candidates_.clear();
        bool balanced = false;
        for (const PlaceWeight input : net_.inputs[transition]) {
            const std::uint32_t place = input.place;
            if (is_inside(place) || hopeless_in_[place] == set_ || tokens_ + tokens_in(place) > 1) continue;
            const bool is_balanced = is_balanced_with(place);
            if (!candidates_.empty()) {
                const std::size_t fewest = consumers_[candidates_.front()].size();
                const std::size_t consumers = consumers_[place].size();
                if (is_balanced == balanced ? consumers > fewest : balanced) continue;
                if (is_balanced != balanced || consumers < fewest) candidates_.clear();
            }
            candidates_.push_back(place);
            balanced = is_balanced;
        }
        if (candidates_.empty()) return no_index;
        const std::uint32_t best =
            balanced || candidates_.size() == 1 ? candidates_.front() : nearest_candidate();
        if (balanced || !is_hopeless(best)) return best;
        hopeless_in_[best] = set_;
    }
}

/// Whether some producer could not be balanced with this place in the set, even if all of its inputs were in
/// the set.
bool ExclusivePlaces::is_hopeless(std::uint32_t place) {
    const auto producers = producers_[place];
    set_of_[place] = set_;
    const bool hopeless = std::any_of(producers.begin(), producers.end(), [&](std::uint32_t t) {
        Tokens most = 0;
        for (const PlaceWeight input : net_.inputs[t]) most += taken_by(t, input.weight);
        return given(t) > most;
    });
    set_of_[place] = 0;
    return hopeless;
}

/// Searches forward along the arcs.
std::uint32_t ExclusivePlaces::nearest_candidate() {
    const auto is_reached = [&](std::uint32_t place) { return reached_in_[place] == set_; };
    while (expanded_ < reached_.size() && std::none_of(candidates_.begin(), candidates_.end(), is_reached)) {
        for (const std::uint32_t t : consumers_[reached_[expanded_]]) {
            if (work_left_ == 0) return candidates_.front();
            --work_left_;
            for (const PlaceWeight output : net_.outputs[t]) reach(output.place);
        }
        ++expanded_;
    }
    const auto distance = [&](std::uint32_t place) {
        return is_reached(place) ? distance_[place] : std::numeric_limits<std::size_t>::max();
    };
    return *std::min_element(candidates_.begin(), candidates_.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return distance(a) < distance(b); });
}

/// Notes that the forward search has reached a place.
void ExclusivePlaces::reach(std::uint32_t place) {
    if (reached_in_[place] == set_) return;
    reached_in_[place] = set_;
    distance_[place] = reached_.size();
    reached_.push_back(place);
}

/// Whether the set needs no further place once this one is added.
bool ExclusivePlaces::is_balanced_with(std::uint32_t place) {
    const auto is_balanced = [&](std::uint32_t t) {
        if (work_left_ == 0) return false;
        --work_left_;
        return given(t) <= taken(t);
    };
    const auto producers = producers_[place];
    if (producers.empty()) return true;
    set_of_[place] = set_;
    std::uint32_t& last = unbalanced_[place];
    bool balanced = is_balanced(producers[last]);
    for (std::uint32_t i = 0; balanced && i < producers.size(); ++i) {
        balanced = is_balanced(producers[i]);
        if (!balanced) last = i;
    }
    set_of_[place] = 0;
    return balanced;
}

/// The tokens that a firing takes from the set.
Tokens ExclusivePlaces::taken(std::uint32_t transition) const {
    Tokens sum = 0;
    for (const auto [place, weight] : net_.inputs[transition]) {
        if (is_inside(place)) sum += taken_by(transition, weight);
    }
    return sum;
}

/// The tokens that a firing gives to the set.
Tokens ExclusivePlaces::given(std::uint32_t transition) const {
    Tokens sum = 0;
    for (const auto [place, weight] : net_.outputs[transition]) {
        if (is_inside(place)) sum += weight;
    }
    return sum;
}

}  // namespace warpnet
