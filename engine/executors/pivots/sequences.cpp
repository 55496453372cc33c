// Finds the sequences of a net in three passes. For each pivot that all its consumers share, ExclusivePlaces
// grows a set of places around it that hold at most one token. The stations are chosen from this set, so that
// the conditions of their operations fit into one word of 64 bits. Last, a place is owned by the sequence if
// only its operations depend on it; the token of an owned place is then stored in the word alone. Any other
// place notifies the sequences that depend on it.
//
// An operation that fires stops being a candidate at once, and its effects within the sequence are applied at
// once, because no other transition depends on them. A delay gadget that gives tokens to one sequence only is
// stored as running or not running, without tokens.
//
// Cost: growing all sets takes at most 64 * (transitions + places) looks at rows of the net, the budget of
// ExclusivePlaces. Beyond it no further set is found. The conditions of a station are sorted, O(c log c) for
// c of them. Memory is O(arcs).
//
// The limit of 64 conditions makes the test of an operation one comparison of words. No sequence is added if
// it tests a place on which most_external conditions depend already, because each change of the place would
// visit too many. The page docs/internals/performance.md has the speed without sequences, and the variants
// that were measured and left.

#include "engine/executors/pivots/sequences.hpp"

#include "engine/base/no_index.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace warpnet {

namespace {

constexpr std::size_t most_conditions = 64;
/// At most this many conditions may depend on a place that no sequence owns. A change of the place visits all
/// of them, whether their sequence waits for the place or not.
constexpr std::size_t most_external = 64;

/// The conditions of all transitions by place, including their inputs.
Rows<Watch> conditions_on_places(const CompiledNet& net) {
    return Rows<Watch>::sorted(net.place_count(), [&](auto put) {
        for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
            for (const auto [place, weight] : net.inputs[t]) put(place, Watch{t, weight});
            for (const auto [place, weight] : net.reads[t]) put(place, Watch{t, weight});
            for (const auto [place, weight] : net.inhibitors[t]) put(place, Watch{t, -weight});
        }
    });
}

class SequenceFinder {
  public:
    SequenceFinder(const CompiledNet& net, std::span<const std::uint32_t> pivots,
                   std::span<const std::uint32_t> hubs)
        : net_(net),
          pivots_(pivots.begin(), pivots.end()),
          hubs_(hubs),
          exclusive_(net),
          conditions_on_(conditions_on_places(net)),
          in_gadget_(net.place_count(), 0),
          is_exclusive_(net.place_count()),
          external_count_(net.place_count(), 0),
          station_of_(net.place_count(), no_index),
          bit_of_(net.place_count(), 0) {
        for (const DelayGadget& gadget : net.gadgets) in_gadget_[gadget.wait] = in_gadget_[gadget.timer] = 1;
        found_.sequence_of.assign(net.place_count(), no_index);
        found_.operation_of.assign(net.transition_count(), no_index);
    }

    Sequences find() {
        for (std::uint32_t place = 0; place < net_.place_count(); ++place) {
            if (can_be_station(place)) add_sequence(exclusive_.around(place));
        }
        find_delays();
        note_starts();
        found_.external = Rows<Sequences::ExternalCondition>::sorted(net_.place_count(), [&](auto put) {
            for (const auto& [place, external] : external_) put(place, external);
        });
        find_begin();
        return std::move(found_);
    }

  private:
    /// A condition of an operation on a place other than its station and its hub inputs.
    struct Condition {
        std::uint32_t place;
        std::int32_t threshold;
        auto operator<=>(const Condition&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
    };

    bool is_exclusive(std::uint32_t place);
    bool can_be_station(std::uint32_t place);
    std::vector<std::uint32_t> choose_stations(const std::vector<std::uint32_t>& exclusive);
    bool can_be_owned(std::uint32_t place);
    void add_sequence(const std::vector<std::uint32_t>& exclusive);
    void number_conditions();
    void add_operation(std::uint32_t transition);
    /// Applies a token that arrives at a place of a sequence: it marks a station or makes a condition true.
    void arrive(std::uint32_t place, std::uint32_t& to, std::uint64_t& begun) const {
        if (station_of_[place] != no_index) {
            to = station_of_[place];
        } else {
            begun |= std::uint64_t{1} << bit_of_[place];
        }
    }
    Sequences::Delay delay_of(const DelayGadget& gadget);
    void find_delays();
    void note_starts();
    void find_begin();

    template <class Put>
    void each_condition(std::uint32_t transition, std::uint32_t station, Put&& put) const {
        for (const auto [place, weight] : net_.inputs[transition]) {
            if (hubs_[place] == 0 && place != station) put(Condition{place, weight});
        }
        for (const auto [place, weight] : net_.reads[transition]) put(Condition{place, weight});
        for (const auto [place, weight] : net_.inhibitors[transition]) put(Condition{place, -weight});
    }

    const CompiledNet& net_;
    std::vector<std::uint32_t> pivots_;  // per transition; for operations their stations
    std::span<const std::uint32_t> hubs_;
    ExclusivePlaces exclusive_;
    Rows<Watch> conditions_on_;                      // per place
    std::vector<std::uint8_t> in_gadget_;            // per place
    std::vector<std::optional<bool>> is_exclusive_;  // per place, if computed
    std::vector<std::uint32_t> external_count_;      // per place
    std::vector<std::uint32_t> station_of_;          // per place
    std::vector<std::uint8_t> bit_of_;               // per owned place
    std::vector<std::pair<std::uint32_t, Sequences::ExternalCondition>> external_;
    std::vector<Condition> conditions_;  // of the current sequence, ascending
    std::vector<std::uint64_t> bits_;    // of each condition
    std::map<Sequences::Rule, std::uint32_t> rules_;
    Sequences found_;
};

bool SequenceFinder::is_exclusive(std::uint32_t place) {
    if (!is_exclusive_[place]) {
        is_exclusive_[place] = false;
        for (const std::uint32_t one : exclusive_.around(place)) is_exclusive_[one] = true;
    }
    return *is_exclusive_[place];
}

/// Whether the place is the pivot of all its consumers, and no other transition tests it.
bool SequenceFinder::can_be_station(std::uint32_t place) {
    const auto conditions = conditions_on_[place];
    return hubs_[place] == 0 && in_gadget_[place] == 0 && found_.sequence_of[place] == no_index &&
           !conditions.empty() && conditions.size() <= Sequences::most_operations &&
           conditions.size() == exclusive_.consumers(place).size() &&
           std::all_of(conditions.begin(), conditions.end(), [&](Watch one) {
               const std::uint32_t pivot = pivots_[one.transition];
               return one.threshold == 1 && (pivot == place || (pivot != no_index && !is_exclusive(pivot)));
           });
}

/// Chooses places of an exclusive set as stations such that their operations have at most 64 conditions in
/// total.
std::vector<std::uint32_t> SequenceFinder::choose_stations(const std::vector<std::uint32_t>& exclusive) {
    std::vector<std::uint32_t> stations;
    conditions_.clear();
    for (const std::uint32_t place : exclusive) is_exclusive_[place] = true;
    for (const std::uint32_t place : exclusive) {
        if (!can_be_station(place)) continue;
        const std::size_t before = conditions_.size();
        for (const std::uint32_t t : exclusive_.consumers(place)) {
            each_condition(t, place, [&](Condition one) {
                const auto known = conditions_.begin() + static_cast<std::ptrdiff_t>(before);
                if (!std::binary_search(conditions_.begin(), known, one)) conditions_.push_back(one);
            });
        }
        const auto middle = conditions_.begin() + static_cast<std::ptrdiff_t>(before);
        std::sort(middle, conditions_.end());
        const auto end = std::unique(middle, conditions_.end());
        if (end - conditions_.begin() > static_cast<std::ptrdiff_t>(most_conditions)) {
            conditions_.resize(before);
            continue;
        }
        conditions_.erase(end, conditions_.end());
        std::inplace_merge(conditions_.begin(), middle, conditions_.end());
        stations.push_back(place);
        for (const std::uint32_t t : exclusive_.consumers(place)) pivots_[t] = place;
    }
    return stations;
}

/// Whether only operations of the current sequence, the last one, depend on a place, and depend only on
/// whether it has a token.
bool SequenceFinder::can_be_owned(std::uint32_t place) {
    if (hubs_[place] != 0 || found_.sequence_of[place] != no_index) return false;
    const auto conditions = conditions_on_[place];
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](Watch one) {
                           const std::uint32_t pivot = pivots_[one.transition];
                           return (one.threshold == 1 || one.threshold == -1) && pivot != no_index &&
                                  found_.sequence_of[pivot] == found_.size;
                       }) &&
           is_exclusive(place);
}

/// Adds a sequence with the stations of an exclusive set, unless it has fewer than two stations or too many
/// conditions depend on a place.
void SequenceFinder::add_sequence(const std::vector<std::uint32_t>& exclusive) {
    const std::vector<std::uint32_t> stations = choose_stations(exclusive);
    if (stations.size() < 2 || std::any_of(conditions_.begin(), conditions_.end(), [&](Condition one) {
            return external_count_[one.place] >= most_external;
        }))
        return;
    for (const std::uint32_t place : stations) {
        found_.sequence_of[place] = found_.size;
        station_of_[place] = static_cast<std::uint32_t>(found_.stations.size());
        found_.stations.push_back({place, found_.size});
    }
    number_conditions();
    for (const std::uint32_t place : stations) {
        Sequences::Station& station = found_.stations[station_of_[place]];
        station.first_operation = static_cast<std::uint32_t>(found_.operations.size());
        for (const std::uint32_t t : exclusive_.consumers(place)) add_operation(t);
        station.operations = static_cast<std::uint16_t>(exclusive_.consumers(place).size());
        const auto operations = found_.operations_at(station);
        station.common = ~std::uint64_t{0};
        for (const Sequences::Operation& one : operations) station.common &= found_.rule_of(one).held;
        station.plain = std::all_of(operations.begin(), operations.end(), [&](const auto& one) {
            return found_.rule_of(one).asked == station.common;
        });
    }
    ++found_.size;
}

/// Gives each condition of the current sequence a bit. A place that the sequence can own has one bit for both
/// of its states; any other place has a bit per threshold.
void SequenceFinder::number_conditions() {
    bits_.clear();
    std::uint8_t bits = 0;
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
        const auto [place, threshold] = conditions_[i];
        if (i > 0 && conditions_[i - 1].place == place && found_.sequence_of[place] == found_.size) {
            bits_.push_back(bits_.back());  // a token, and no token
            continue;
        }
        bits_.push_back(std::uint64_t{1} << bits);
        if (can_be_owned(place)) {
            found_.sequence_of[place] = found_.size;
            bit_of_[place] = bits;
            found_.owned.push_back({place, found_.size, bits});
        } else {
            external_.push_back({place, {found_.size, threshold, bits}});
            ++external_count_[place];
        }
        ++bits;
    }
}

/// Derives the rule of an operation from its arcs: the conditions that it requires, those that its inputs
/// end, and those that its outputs begin.
void SequenceFinder::add_operation(std::uint32_t transition) {
    const auto is_own = [&](std::uint32_t place) { return found_.sequence_of[place] == found_.size; };
    Sequences::Operation operation{.transition = transition, .sequence = found_.size};
    Sequences::Rule rule;
    each_condition(transition, pivots_[transition], [&](Condition one) {
        const auto found = std::lower_bound(conditions_.begin(), conditions_.end(), one);
        const std::uint64_t bit = bits_[static_cast<std::size_t>(found - conditions_.begin())];
        rule.asked |= bit;
        if (one.threshold > 0 || !is_own(one.place)) rule.held |= bit;
    });
    for (const auto [place, weight] : net_.inputs[transition]) {
        if (is_own(place) && place != pivots_[transition]) rule.ended |= std::uint64_t{1} << bit_of_[place];
    }
    for (const auto [place, weight] : net_.outputs[transition]) {
        if (is_own(place)) arrive(place, operation.to, rule.begun);
    }
    found_.operation_of[transition] = static_cast<std::uint32_t>(found_.operations.size());
    const auto next = static_cast<std::uint32_t>(found_.rules.size());
    const auto [known, added] = rules_.try_emplace(rule, next);
    if (added) found_.rules.push_back(rule);
    operation.rule = known->second;
    found_.operations.push_back(operation);
}

/// The effect of a gadget on a sequence, if that is its only effect.
Sequences::Delay SequenceFinder::delay_of(const DelayGadget& gadget) {
    Sequences::Delay delay{.length = static_cast<std::uint32_t>(gadget.length)};
    if (net_.initial[gadget.wait] != 0 || net_.initial[gadget.timer] != gadget.length - 1) return {};
    for (const auto [place, weight] : net_.outputs[gadget.done]) {
        if (place == gadget.timer) continue;
        const std::uint32_t sequence = found_.sequence_of[place];
        if (sequence == no_index || (delay.sequence != no_index && delay.sequence != sequence)) return {};
        delay.sequence = sequence;
        arrive(place, delay.to, delay.begun);
    }
    return delay.sequence != no_index && is_exclusive(gadget.wait) ? delay : Sequences::Delay{};
}

void SequenceFinder::find_delays() {
    for (const DelayGadget& gadget : net_.gadgets) found_.delays.push_back(delay_of(gadget));
}

/// Records the delays that operations start, and whether a sequence rests after an operation.
void SequenceFinder::note_starts() {
    std::vector<std::uint32_t> delay_at(net_.place_count(), no_index);
    for (std::uint32_t gadget = 0; gadget < found_.delays.size(); ++gadget) {
        if (found_.delays[gadget].sequence != no_index) delay_at[net_.gadgets[gadget].wait] = gadget;
    }
    for (Sequences::Operation& operation : found_.operations) {
        operation.first_start = static_cast<std::uint32_t>(found_.starts.size());
        for (const PlaceWeight output : net_.outputs[operation.transition]) {
            if (delay_at[output.place] == no_index) continue;
            found_.starts.push_back(delay_at[output.place]);
            ++operation.start_count;
        }
        if (operation.to != no_index) operation.next = found_.stations[operation.to].first_operation;
        const Sequences::Rule& rule = found_.rule_of(operation);
        const std::uint64_t needed = operation.to == no_index ? 0 : found_.stations[operation.to].common;
        operation.rests = operation.to == no_index || (needed & rule.ended & ~rule.begun) != 0;
    }
}

void SequenceFinder::find_begin() {
    found_.initially.resize(found_.size);
    for (std::uint32_t i = 0; i < found_.stations.size(); ++i) {
        const Sequences::Station& station = found_.stations[i];
        if (net_.initial[station.place] > 0) found_.initially[station.sequence].station = i;
    }
    const auto holds = [&](std::uint32_t sequence, std::uint8_t bit) {
        found_.initially[sequence].holds |= std::uint64_t{1} << bit;
    };
    for (const auto& [place, sequence, bit] : found_.owned) {
        if (net_.initial[place] > 0) holds(sequence, bit);
    }
    for (const auto& [place, external] : external_) {
        if (meets(net_.initial[place], external.threshold)) holds(external.sequence, external.bit);
    }
}

}  // namespace

Sequences find_sequences(const CompiledNet& net, std::span<const std::uint32_t> pivots,
                         std::span<const std::uint32_t> hubs) {
    return SequenceFinder(net, pivots, hubs).find();
}

// The search grows a set from one place, against the arcs. Initially the set holds at most one token.
// Whenever a transition gives the set more tokens than it takes from it, the set needs a further input of
// this transition. The search ends with a proof when all producers are balanced, and without a result when a
// transition has no usable input left or the set would hold two tokens.
//
// The choice of the input decides whether the search stays within one process. choose_input() explains its
// preferences. There is no backtracking: a wrong choice costs a sequence, but never a wrong result, since the
// balance of all producers is the proof.

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
