#include "engine/pivots/pivot_state.hpp"

#include <algorithm>

namespace warpnet {

PivotState::PivotState(const CompiledNet& net, const PivotNet& pivots, std::vector<std::uint64_t>* counts)
    : net_(net),
      pivots_(pivots),
      sequences_(pivots.sequences.size),
      links_(pivots.conditions.size()),
      called_(net.transition_count()),
      members_(net.transition_count(), 0),
      waiting_(pivots.classes.size(), 0),
      occupied_(pivots.levels.words(), 0),
      served_(pivots.levels.words(), 0),
      touched_(std::make_unique_for_overwrite<Touched[]>(net.place_count() + net.gadgets.size())),
      touched_end_(touched_.get()),
      touched_sequences_(std::make_unique_for_overwrite<std::uint32_t[]>(pivots.sequences.size)),
      touched_sequences_end_(touched_sequences_.get()),
      marked_(std::make_unique_for_overwrite<std::uint32_t[]>(net.place_count())),
      delays_(net, true) {
    places_.reserve(net.place_count());
    for (std::uint32_t place = 0; place < net.place_count(); ++place)
        places_.push_back({net.initial[place], none, pivots.kind[place]});
    for (std::uint32_t hub = 0; hub < pivots.hubs.size(); ++hub) {
        PlaceState& state = places_[pivots.hubs[hub]];
        state.number = static_cast<std::uint16_t>(hub);
        rows_.push_back(pivots.levels.row_of(hub, state.tokens));
    }
    reach_ = {pivots.transitions.data(),
              pivots.conditions.data(),
              pivots.classes.data(),
              pivots.sequences.stations.data(),
              pivots.sequences.operations.data(),
              places_.data(),
              sequences_.data(),
              links_.data(),
              called_.data(),
              members_.data(),
              waiting_.data(),
              occupied_.data(),
              rows_.data(),
              &ready_,
              pivots.class_of_refills()};
    for (std::uint32_t i = 0; i < pivots.refills.size(); ++i) {
        called_[pivots.refills[i].transition].position = i;
        low_ |= std::uint64_t{1} << i;
    }
    delays_.count_in(counts);
    delays_.start_initial(net.initial);
    for (const std::uint32_t t : pivots.always) reach_.call(t);
    for (std::uint32_t place = 0; place < net.place_count(); ++place) {
        const PlaceState& state = places_[place];
        if (state.tokens == 0 || (state.kind & (PivotNet::pivot | PivotNet::wait)) != PivotNet::pivot)
            continue;
        for (const std::uint32_t t : pivots.called[place]) reach_.call(t);
    }
    for (std::size_t i = 0; i < pivots.looked_at.size(); ++i) {
        looked_at_.push_back({pivots.looked_at[i], 0, 0});
        look_at(i);
    }
    set_up_sequences();
}

void PivotState::set_up_sequences() {
    const Sequences& sequences = pivots_.sequences;
    for (std::uint32_t i = 0; i < sequences.stations.size(); ++i) {
        const Sequences::Station& station = sequences.stations[i];
        places_[station.place].first_link = i;
        if (net_.initial[station.place] > 0) sequences_[station.sequence].station = i;
    }
    for (const auto& [place, sequence, bit] : sequences.owned) {
        places_[place].first_link = sequence;
        places_[place].number = bit;
        if (net_.initial[place] > 0) sequences_[sequence].holds |= std::uint64_t{1} << bit;
    }
    for (std::uint32_t place = 0; place < net_.place_count(); ++place) {
        for (const auto& [sequence, threshold, bit] : sequences.told[place]) {
            if (meets(net_.initial[place], threshold)) sequences_[sequence].holds |= std::uint64_t{1} << bit;
        }
    }
    for (SequenceState& sequence : sequences_) reach_.settle(sequence);
}

// --- candidates

inline void PivotState::Reach::enter(std::uint32_t transition) const noexcept {
    const std::uint32_t number = transitions[transition].number;
    if (number == class_of_refills) {
        *ready |= std::uint64_t{1} << called[transition].position;
        return;
    }
    const std::uint32_t position = waiting[number]++;
    called[transition].position = position;
    members[classes[number].first_member + position] = transition;
    occupied[number / 64] |= std::uint64_t{1} << (number % 64);
}

inline void PivotState::Reach::leave(std::uint32_t transition) const noexcept {
    const std::uint32_t number = transitions[transition].number;
    if (number == class_of_refills) {
        *ready &= ~(std::uint64_t{1} << called[transition].position);
        return;
    }
    const std::uint32_t last = --waiting[number];
    std::uint32_t* const all = members + classes[number].first_member;
    const std::uint32_t at = called[transition].position;
    all[at] = all[last];
    called[all[at]].position = at;
    if (last == 0) occupied[number / 64] &= ~(std::uint64_t{1} << (number % 64));
}

/// The pivot of a transition is marked.
inline void PivotState::Reach::call(std::uint32_t transition) const noexcept {
    std::uint32_t unmet = 0;
    const PivotTransition* const row = transitions + transition;
    for (std::uint32_t i = row[0].first_condition; i < row[1].first_condition; ++i) {
        PlaceState& state = places[conditions[i].place];
        const std::uint32_t next = state.first_link;
        links[i] = {next, none};
        if (next != none) links[next].previous = i;
        state.first_link = i;
        unmet += meets(state.tokens, conditions[i].threshold) ? 0U : 1U;
    }
    called[transition].unmet = unmet;
    if (unmet == 0) enter(transition);
}

/// It is not any more.
inline void PivotState::Reach::dismiss(std::uint32_t transition) const noexcept {
    if (called[transition].unmet == 0) leave(transition);
    called[transition].unmet = not_called;
    const PivotTransition* const row = transitions + transition;
    for (std::uint32_t i = row[0].first_condition; i < row[1].first_condition; ++i) {
        const auto [next, previous] = links[i];
        if (previous == none) {
            places[conditions[i].place].first_link = next;
        } else {
            links[previous].next = next;
        }
        if (next != none) links[next].previous = previous;
    }
}

/// A place has other tokens than those who have conditions on it know.
inline void PivotState::Reach::tell_watchers(const PlaceState& state, Tokens before) const noexcept {
    for (std::uint32_t i = state.first_link; i != none; i = links[i].next) {
        const PivotCondition condition = conditions[i];
        const bool met = meets(state.tokens, condition.threshold);
        if (met == meets(before, condition.threshold)) continue;
        std::uint32_t& unmet = called[condition.transition].unmet;
        if (!met) {
            if (unmet++ == 0) leave(condition.transition);
        } else if (--unmet == 0) {
            enter(condition.transition);
        }
    }
}

/// The conditions of a sequence, or the station with its token, may have changed.
inline void PivotState::Reach::settle(SequenceState& sequence) const noexcept {
    std::uint32_t candidates = 0;
    const Sequences::Operation* operation = nullptr;
    if (sequence.station != none) {
        const Sequences::Station& station = stations[sequence.station];
        operation = operations + station.first_operation;
        if ((station.common & ~sequence.holds) == 0) {
            for (std::uint32_t i = 0; i < station.operations; ++i) {
                const bool holds = (sequence.holds & operation[i].asked) == operation[i].held;
                candidates |= std::uint32_t{holds} << i;
            }
        }
    }
    std::uint32_t gone = sequence.candidates, come = candidates;
    if (sequence.listed == sequence.station) {
        gone &= ~candidates;
        come &= ~sequence.candidates;
    }
    if (gone != 0) {
        const Sequences::Operation* const before = operations + stations[sequence.listed].first_operation;
        for_each_bit(gone, [&](std::uint32_t i) { leave(before[i].transition); });
    }
    for_each_bit(come, [&](std::uint32_t i) { enter(operation[i].transition); });
    sequence.listed = sequence.station;
    sequence.candidates = candidates;
}

// --- a step

inline bool PivotState::arrive(std::uint32_t place, Tokens weight) {
    PlaceState& state = reach_.places[place];
    if ((state.kind & PivotNet::owned) != 0) {
        reach_.sequences[state.first_link].holds |= std::uint64_t{1} << state.number;
        touch_sequence(state.first_link);
        return true;
    }
    if ((state.kind & PivotNet::station) != 0) {
        const std::uint32_t sequence = reach_.stations[state.first_link].sequence;
        reach_.sequences[sequence].station = state.first_link;
        touch_sequence(sequence);
        return true;
    }
    if ((state.kind & PivotNet::wait) != 0) {
        state.tokens += weight;
        const std::uint32_t gadget = delays_.at(place);
        if (!delays_.enter(gadget, state.tokens, now_)) wake(gadget);
        return true;
    }
    touched_end_ = touch(place, state, touched_end_);
    if (__builtin_add_overflow(state.tokens, weight, &state.tokens)) return false;
    if ((state.kind & PivotNet::hub) != 0) raise(state.number, state.tokens);
    return true;
}

bool PivotState::give(std::uint32_t transition) {
    const std::uint32_t number = reach_.transitions[transition].operation;
    if (number != none) {
        const Sequences::Operation& operation = reach_.operations[number];
        SequenceState& sequence = reach_.sequences[operation.sequence];
        sequence.holds = (sequence.holds & ~operation.ended) | operation.begun;
        sequence.station = operation.to;
    }
    for (const auto [place, weight] : pivots_.gives_of(transition)) {
        if (!arrive(place, weight)) return false;
    }
    return true;
}

std::uint64_t PivotState::find_refills() noexcept {
    std::uint64_t full = 0;
    for_each_bit(ready_ & low_, [&](std::uint32_t i) {
        const PivotRefill& refill = pivots_.refills[i];
        full |= std::uint64_t{tokens(refill.place) >= refill.cap} << i;
    });
    low_ &= ~full;
    return ready_ & low_;
}

void PivotState::refill(std::uint64_t refills) noexcept {
    for_each_bit(refills, [&](std::uint32_t i) {
        const PivotRefill& refill = pivots_.refills[i];
        PlaceState& state = reach_.places[refill.place];
        touched_end_ = touch(refill.place, state, touched_end_);
        state.tokens += refill.gives;
        raise(refill.hub, state.tokens);
    });
}

bool PivotState::end_delays() {
    const auto ended = delays_.end_due(now_);
    // First all of them stop, then their tokens arrive: one may arrive in another that ends in this step too.
    for (const std::uint32_t g : ended) {
        const DelayGadget& gadget = net_.gadgets[g];
        delays_.reset(g, places_[gadget.wait].tokens, places_[gadget.timer].tokens);
    }
    for (const std::uint32_t g : ended) {
        const DelayGadget& gadget = net_.gadgets[g];
        for (const auto [place, weight] : net_.outputs[gadget.done]) {
            if (place != gadget.timer && !arrive(place, weight)) return false;
        }
    }
    return true;
}

/// Moves the tokens of a running gadget to where they are after step now().
void PivotState::settle_gadget(std::uint32_t g) {
    const DelayGadget& gadget = net_.gadgets[g];
    delays_.settle(g, now_, places_[gadget.wait].tokens, places_[gadget.timer].tokens);
}

void PivotState::wake(std::uint32_t g) {
    const DelayGadget& gadget = net_.gadgets[g];
    if (delays_.is_running(g)) {
        settle_gadget(g);
        delays_.stop(g);
    }
    // Nobody of the gadget has been called yet.
    std::uint8_t& kind = places_[gadget.wait].kind;
    kind = static_cast<std::uint8_t>((kind & ~PivotNet::wait) | touched);
    *touched_end_++ = {gadget.wait, 0};
}

/// Finds between which numbers of tokens the conditions on a hub are what they are.
void PivotState::look_at(std::size_t i) {
    LookedAt& hub = looked_at_[i];
    hub.least = 0;
    hub.most = max_tokens;
    for (const std::int32_t threshold : pivots_.thresholds[i]) {
        if (tokens(hub.place) < threshold) {
            hub.most = threshold - 1;
            break;
        }
        hub.least = threshold;
    }
}

/// A place has other tokens than those who depend on it know.
void PivotState::tell(std::uint32_t place, Tokens before) {
    const PlaceState& state = reach_.places[place];
    reach_.tell_watchers(state, before);
    for (const auto& [number, threshold, bit] : pivots_.sequences.told[place]) {
        const bool met = meets(state.tokens, threshold);
        if (met == meets(before, threshold)) continue;
        reach_.sequences[number].holds ^= std::uint64_t{1} << bit;
        touch_sequence(number);
    }
}

void PivotState::settle_step() {
    const Reach reach = reach_;
    std::uint32_t* marked_end = marked_.get();
    for (const Touched* one = touched_.get(); one != touched_end_; ++one) {
        const Tokens before = one->before;
        PlaceState& state = reach.places[one->place];
        const std::uint8_t kind = state.kind = static_cast<std::uint8_t>(state.kind & ~touched);
        const Tokens after = state.tokens;
        if (after == before) continue;
        const bool crosses_zero = before == 0 || after == 0;
        if ((kind & PivotNet::watched) != 0 && (crosses_zero || (kind & PivotNet::graded) != 0))
            tell(one->place, before);
        if ((kind & PivotNet::pivot) == 0 || !crosses_zero) continue;
        if (after == 0) {
            for (const std::uint32_t t : pivots_.called[one->place]) reach.dismiss(t);
        } else {
            *marked_end++ = one->place;
        }
    }
    touched_end_ = touched_.get();
    for (std::size_t i = 0; i < looked_at_.size(); ++i) {
        const auto [place, least, most] = looked_at_[i];
        const PlaceState& state = reach.places[place];
        if (state.tokens >= least && state.tokens <= most) continue;
        tell(place, least);
        look_at(i);
    }
    for (const std::uint32_t* number = touched_sequences_.get(); number != touched_sequences_end_; ++number) {
        SequenceState& sequence = reach.sequences[*number];
        sequence.is_touched = sequence.has_moved = false;
        reach.settle(sequence);
    }
    touched_sequences_end_ = touched_sequences_.get();
    // Those who are called are judged by the marking as it is now, of which all others must have been told.
    for (const std::uint32_t* place = marked_.get(); place != marked_end; ++place) {
        for (const std::uint32_t t : pivots_.called[*place]) reach.call(t);
    }
}

void PivotState::forget_step() noexcept {
    for (const Touched* one = touched_.get(); one != touched_end_; ++one)
        places_[one->place].kind &= static_cast<std::uint8_t>(~touched);
    touched_end_ = touched_.get();
    for (const std::uint32_t* number = touched_sequences_.get(); number != touched_sequences_end_; ++number)
        sequences_[*number].is_touched = sequences_[*number].has_moved = false;
    touched_sequences_end_ = touched_sequences_.get();
}

// --- between steps

void PivotState::become(const PivotState& other) {
    // Everything has its size already, so that what reach_ points to stays where it is.
    known_to(*this) = known_to(other);
    places_ = other.places_;
    delays_ = other.delays_;
    now_ = other.now_;
}

bool PivotState::repeats(const PivotState& earlier, std::size_t most, std::vector<Drift>& drifts) const {
    if (known_to(*this) != known_to(earlier) || !delays_.repeats(earlier.delays_, now_ - earlier.now_))
        return false;
    for (std::uint32_t place = 0; place < places_.size(); ++place) {
        PlaceState before = earlier.places_[place];
        const PlaceState& state = places_[place];
        if (before == state) continue;
        drifts.push_back({place, state.tokens - before.tokens});
        before.tokens = state.tokens;
        if (before != state || drifts.size() > most) return false;
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
    for (const PlaceState& state : places_) {
        const bool in_sequence = (state.kind & (PivotNet::station | PivotNet::owned)) != 0;
        result.push_back(in_sequence ? 0 : state.tokens);
    }
    const Sequences& sequences = pivots_.sequences;
    for (const SequenceState& sequence : sequences_) {
        if (sequence.station != none) result[sequences.stations[sequence.station].place] = 1;
    }
    for (const auto& [place, number, bit] : sequences.owned) {
        result[place] = static_cast<Tokens>(sequences_[number].holds >> bit & 1);
    }
    return result;
}

}  // namespace warpnet
