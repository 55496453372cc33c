// The state of a pivot run. A step has two phases. In the first phase, winners take their tokens, and all
// changed places, hubs and sequences are recorded. The conditions of other transitions keep their values from
// before the step. In the second phase, settle_step() visits the recorded places once each and updates the
// conditions that depend on them. So a place that changes several times in a step costs one update.
//
// The conditions of active transitions are linked into a list per place. Activation and deactivation insert
// and remove the conditions of one transition; a doubly linked list makes both constant in the length of the
// list. The order of these lists influences later draws, which is why the comparison of states includes it.

#include "engine/executors/pivots/state.hpp"

#include "engine/base/no_index.hpp"

#include <algorithm>

namespace warpnet {

PivotState::PivotState(const CompiledNet& net, const PivotNet& pivots, std::vector<std::uint64_t>* counts)
    : net_(net),
      pivots_(pivots),
      stations_(pivots.sequences.stations.data()),
      operations_(pivots.sequences.operations.data()),
      rules_(pivots.sequences.rules.data()),
      operation_of_(pivots.sequences.operation_of.data()),
      own_delays_(pivots.sequences.delays.data()),
      places_(pivots.places),
      sequences_(pivots.sequences.size),
      links_(pivots.conditions.size()),
      unmet_(net.transition_count(), no_index),
      members_(pivots),
      hubs_(pivots, net.initial),
      touched_(std::make_unique_for_overwrite<Touched[]>(net.place_count() + net.gadgets.size())),
      touched_end_(touched_.get()),
      touched_sequences_(std::make_unique_for_overwrite<std::uint32_t[]>(pivots.sequences.size)),
      touched_sequences_end_(touched_sequences_.get()),
      marked_(std::make_unique_for_overwrite<std::uint32_t[]>(net.place_count())),
      delays_(net, true) {
    delays_.count_in(counts);
    delays_.start_initial(net.initial);
    for (const std::uint32_t t : pivots.always) activate(t);
    for (const std::uint32_t place : pivots.marked) {
        for (const std::uint32_t t : pivots.activates[place]) activate(t);
    }
    for (std::uint32_t number = 0; number < sequences_.size(); ++number) {
        SequenceState& sequence = sequences_[number];
        sequence.holds = pivots.sequences.initially[number].holds;
        sequence.station = pivots.sequences.initially[number].station;
        settle(sequence);
    }
}

// --- candidates

/// Refills keep the order of the net.
std::uint64_t PivotState::refill_bit(std::uint32_t transition) const noexcept {
    const auto found = std::lower_bound(
        pivots_.refills.begin(), pivots_.refills.end(), transition,
        [](const HubRefill& refill, std::uint32_t sought) { return refill.transition < sought; });
    return std::uint64_t{1} << (found - pivots_.refills.begin());
}

/// Adds a transition to the candidates: all of its conditions hold, demands on hubs excluded.
void PivotState::enter(std::uint32_t transition) noexcept {
    const std::uint32_t number = pivots_.transitions[transition].number;
    if (number == pivots_.class_of_refills) {
        ready_ |= refill_bit(transition);
    } else {
        members_.enter(number, transition);
    }
}

/// Removes a transition from the candidates.
void PivotState::leave(std::uint32_t transition) noexcept {
    const std::uint32_t number = pivots_.transitions[transition].number;
    if (number == pivots_.class_of_refills) {
        ready_ &= ~refill_bit(transition);
    } else {
        members_.leave(number, transition);
    }
}

/// The pivot of a transition has become marked: counts its other conditions and lists them at their places.
void PivotState::activate(std::uint32_t transition) noexcept {
    std::uint32_t unmet = 0;
    const PivotTransition* const row = pivots_.transitions.data() + transition;
    for (std::uint32_t i = row[0].first_condition; i < row[1].first_condition; ++i) {
        PivotPlace& state = places_[pivots_.conditions[i].place];
        const std::uint32_t next = state.first_link;
        links_[i] = {next, no_index};
        if (next != no_index) links_[next].previous = i;
        state.first_link = i;
        const PivotCondition& condition = pivots_.conditions[i];
        unmet += meets(tokens(condition.place), condition.threshold) ? 0U : 1U;
    }
    unmet_[transition] = unmet;
    if (unmet == 0) enter(transition);
}

/// The pivot has become empty.
void PivotState::deactivate(std::uint32_t transition) noexcept {
    if (unmet_[transition] == 0) leave(transition);
    unmet_[transition] = no_index;
    const PivotTransition* const row = pivots_.transitions.data() + transition;
    for (std::uint32_t i = row[0].first_condition; i < row[1].first_condition; ++i) {
        const auto [next, previous] = links_[i];
        if (previous == no_index) {
            places_[pivots_.conditions[i].place].first_link = next;
        } else {
            links_[previous].next = next;
        }
        if (next != no_index) links_[next].previous = previous;
    }
}

/// Removes some operations of a station, one bit each, from the candidates.
void PivotState::leave_all(std::uint32_t first_operation, std::uint32_t candidates) noexcept {
    for_each_bit(candidates, [&](std::uint32_t i) {
        const Sequences::Operation& operation = operations_[first_operation + i];
        members_.leave(operation.number, operation.transition);
    });
}

/// Finds the candidates of a sequence anew after a change of its conditions or of its station.
inline void PivotState::settle(SequenceState& sequence) noexcept {
    if (sequence.station == no_index) return;
    const Sequences::Station& station = stations_[sequence.station];
    const Sequences::Operation* const operations = operations_ + station.first_operation;
    std::uint32_t candidates = 0;
    if ((station.common & ~sequence.holds) == 0) {
        for (std::uint32_t i = 0; i < station.operations; ++i) {
            if (!station.plain) {
                const Sequences::Rule& rule = rules_[operations[i].rule];
                if ((sequence.holds & rule.asked) != rule.held) continue;
            }
            candidates |= std::uint32_t{1} << i;
            if ((sequence.candidates >> i & 1) == 0)
                members_.enter(operations[i].number, operations[i].transition);
        }
    }
    const std::uint32_t gone = sequence.candidates & ~candidates;
    sequence.candidates = candidates;
    if (gone != 0) leave_all(station.first_operation, gone);
}

// --- a step

/// Gives tokens to a place of any kind. A token on an owned place or a station changes the word of its
/// sequence. A token on `wait` starts the delay, or wakes its gadget if it runs already. Returns false on
/// overflow.
inline bool PivotState::arrive(std::uint32_t place, Tokens weight) {
    PivotPlace& state = places_[place];
    if ((state.kind & PivotNet::owned) != 0) {
        sequences_[state.first_link].holds |= std::uint64_t{1} << state.number;
        touch_sequence(state.first_link);
        return true;
    }
    if ((state.kind & PivotNet::station) != 0) {
        const std::uint32_t sequence = stations_[state.first_link].sequence;
        sequences_[sequence].station = state.first_link;
        touch_sequence(sequence);
        return true;
    }
    if ((state.kind & PivotNet::wait) != 0) {
        const std::uint32_t gadget = delays_.at(place);
        if (is_own(gadget)) {
            delays_.start(gadget, now_);
            return true;
        }
        state.tokens += weight;
        if (!delays_.enter(gadget, state.tokens, now_)) wake(gadget);
        return true;
    }
    if ((state.kind & PivotNet::hub) != 0) return hubs_.give(state.number, weight);
    touch(place, state);
    return !__builtin_add_overflow(state.tokens, weight, &state.tokens);
}

/// Takes the tokens of a firing from places that are no hubs. The outputs follow in give(), when all winners
/// are known.
void PivotState::take_from_places(std::uint32_t transition) {
    for (const auto [place, weight] : pivots_.takes_of(transition)) {
        PivotPlace& state = places_[place];
        touch(place, state);
        state.tokens -= weight;
    }
    givers_.push_back(transition);
}

bool PivotState::give() {
    for (const std::uint32_t transition : givers_) {
        for (const auto [place, weight] : pivots_.gives_of(transition)) {
            if (!arrive(place, weight)) return false;
        }
    }
    givers_.clear();
    return true;
}

bool PivotState::end_delays() {
    bool all_own = true;
    // All gadgets stop before their tokens arrive, because a token may arrive in another gadget that ends in
    // this step.
    const auto ended = delays_.end_due(now_, [&](std::uint32_t g) {
        const Sequences::Delay& own = own_delays_[g];
        if (own.sequence == no_index) {
            const DelayGadget& gadget = net_.gadgets[g];
            delays_.reset(g, places_[gadget.wait].tokens, places_[gadget.timer].tokens);
            all_own = false;
            return;
        }
        delays_.count_whole(g, own.length);
        SequenceState& sequence = sequences_[own.sequence];
        sequence.holds |= own.begun;
        if (own.to != no_index) sequence.station = own.to;
        touch_sequence(own.sequence);
    });
    return all_own || deliver(ended);
}

/// Delivers the tokens of gadgets that have ended.
bool PivotState::deliver(std::span<const std::uint32_t> ended) {
    for (const std::uint32_t g : ended) {
        if (is_own(g)) continue;
        const DelayGadget& gadget = net_.gadgets[g];
        for (const auto [place, weight] : net_.outputs[gadget.done]) {
            if (place != gadget.timer && !arrive(place, weight)) return false;
        }
    }
    return true;
}

/// Moves the tokens of a running gadget to their places after step now().
void PivotState::settle_gadget(std::uint32_t g) {
    const DelayGadget& gadget = net_.gadgets[g];
    if (is_own(g)) places_[gadget.wait].tokens = 1;
    delays_.settle(g, now_, places_[gadget.wait].tokens, places_[gadget.timer].tokens);
}

/// Ends the skipping of a gadget: its tokens are moved to their current places, and its transitions become
/// ordinary ones.
void PivotState::wake(std::uint32_t g) {
    const DelayGadget& gadget = net_.gadgets[g];
    if (delays_.is_running(g)) {
        settle_gadget(g);
        delays_.stop(g);
    }
    // No transition of the gadget has been activated yet.
    std::uint16_t& kind = places_[gadget.wait].kind;
    kind = static_cast<std::uint16_t>((kind & ~PivotNet::wait) | touched);
    *touched_end_++ = {gadget.wait, 0};
}

/// Updates the conditions on a place after its tokens have changed.
void PivotState::notify(std::uint32_t place, Tokens before, Tokens after) {
    for (std::uint32_t i = places_[place].first_link; i != no_index; i = links_[i].next) {
        const PivotCondition condition = pivots_.conditions[i];
        const bool met = meets(after, condition.threshold);
        if (met == meets(before, condition.threshold)) continue;
        std::uint32_t& unmet = unmet_[condition.transition];
        if (!met) {
            if (unmet++ == 0) leave(condition.transition);
        } else if (--unmet == 0) {
            enter(condition.transition);
        }
    }
    for (const auto& [number, threshold, bit] : pivots_.sequences.external[place]) {
        const bool met = meets(after, threshold);
        if (met == meets(before, threshold)) continue;
        sequences_[number].holds ^= std::uint64_t{1} << bit;
        touch_sequence(number);
    }
}

/// Deactivations and changed conditions come first. Newly marked pivots follow at the end, because their
/// activation counts conditions in the marking after the step.
void PivotState::settle_step() {
    members_.open_all();
    std::uint32_t* marked_end = marked_.get();
    for (const Touched* one = touched_.get(); one != touched_end_; ++one) {
        const Tokens before = one->before;
        PivotPlace& state = places_[one->place];
        const std::uint16_t kind = state.kind = static_cast<std::uint16_t>(state.kind & ~touched);
        const Tokens after = state.tokens;
        if (after == before) continue;
        const bool crosses_zero = before == 0 || after == 0;
        if ((kind & PivotNet::watched) != 0 && (crosses_zero || (kind & PivotNet::graded) != 0))
            notify(one->place, before, after);
        if ((kind & PivotNet::pivot) == 0 || !crosses_zero) continue;
        if (after == 0) {
            for (const std::uint32_t t : pivots_.activates[one->place]) deactivate(t);
        } else {
            *marked_end++ = one->place;
        }
    }
    touched_end_ = touched_.get();
    for (const auto [hub, before] : hubs_.changes()) notify(pivots_.hubs[hub], before, hubs_.tokens(hub));
    hubs_.forget_changes();
    for (const std::uint32_t* number = touched_sequences_.get(); number != touched_sequences_end_; ++number) {
        SequenceState& sequence = sequences_[*number];
        sequence.is_touched = false;
        settle(sequence);
    }
    touched_sequences_end_ = touched_sequences_.get();
    // Activation evaluates conditions in the current marking, so all conditions must have been updated
    // before.
    for (const std::uint32_t* place = marked_.get(); place != marked_end; ++place) {
        for (const std::uint32_t t : pivots_.activates[*place]) activate(t);
    }
}

/// The winners are restored in reverse order, so that the lists of members have the same order as before the
/// step.
void PivotState::undo_step(std::span<const std::uint32_t> winners) noexcept {
    for (std::size_t i = winners.size(); i-- > 0;) {
        const std::uint32_t number = operation_of_[winners[i]];
        if (number == no_index) {
            members_.undo_close();
            continue;
        }
        members_.undo_leave(operations_[number].number, winners[i]);
        SequenceState& sequence = sequence_of(number);
        sequence.candidates = std::uint32_t{1} << (number - stations_[sequence.station].first_operation);
    }
    for (const Touched* one = touched_.get(); one != touched_end_; ++one)
        places_[one->place].kind &= static_cast<std::uint16_t>(~touched);
    touched_end_ = touched_.get();
    for (const std::uint32_t* number = touched_sequences_.get(); number != touched_sequences_end_; ++number)
        sequences_[*number].is_touched = false;
    touched_sequences_end_ = touched_sequences_.get();
    hubs_.forget_changes();
}

// --- between steps

void PivotState::assign(const PivotState& other) {
    known_to(*this) = known_to(other);
    places_ = other.places_;
    hubs_ = other.hubs_;
    delays_ = other.delays_;
    now_ = other.now_;
}

/// The tokens of gadgets must not drift, since a delay depends on their exact number.
bool PivotState::repeats(const PivotState& earlier, std::size_t most, std::vector<Drift>& drifts) const {
    if (known_to(*this) != known_to(earlier) || !delays_.repeats(earlier.delays_, now_ - earlier.now_))
        return false;
    for (std::uint32_t place = 0; place < places_.size(); ++place) {
        const Tokens before = earlier.tokens(place), after = tokens(place);
        if (before != after) drifts.push_back({place, after - before});
        if (!places_[place].is_like(earlier.places_[place]) || drifts.size() > most) return false;
    }
    return std::none_of(net_.gadgets.begin(), net_.gadgets.end(), [&](const DelayGadget& gadget) {
        return std::any_of(drifts.begin(), drifts.end(), [&](const Drift& one) {
            return one.place == gadget.wait || one.place == gadget.timer;
        });
    });
}

Marking PivotState::marking() {
    for (std::uint32_t g = 0; g < delays_.size(); ++g) {
        if (delays_.is_running(g)) settle_gadget(g);
    }
    Marking result;
    result.reserve(places_.size());
    for (const PivotPlace& state : places_) result.push_back(state.tokens);
    for (std::uint32_t hub = 0; hub < pivots_.hubs.size(); ++hub)
        result[pivots_.hubs[hub]] = hubs_.tokens(hub);
    const Sequences& sequences = pivots_.sequences;
    for (const SequenceState& sequence : sequences_) {
        if (sequence.station != no_index) result[sequences.stations[sequence.station].place] = 1;
    }
    for (const auto& [place, number, bit] : sequences.owned) {
        result[place] = static_cast<Tokens>(sequences_[number].holds >> bit & 1);
    }
    return result;
}

}  // namespace warpnet
