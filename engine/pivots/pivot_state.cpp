#include "engine/pivots/pivot_state.hpp"

#include <algorithm>

namespace warpnet {

PivotState::PivotState(const CompiledNet& net, const PivotNet& pivots, std::vector<std::uint64_t>* counts)
    : net_(net),
      pivots_(pivots),
      links_(std::make_unique_for_overwrite<Link[]>(pivots.conditions.size())),
      called_(net.transition_count()),
      members_(std::make_unique_for_overwrite<std::uint32_t[]>(net.transition_count())),
      waiting_(pivots.classes.size()),
      occupied_((pivots.classes.size() + 63) / 64, 0),
      touched_(std::make_unique_for_overwrite<Touched[]>(net.place_count() + net.gadgets.size())),
      touched_end_(touched_.get()),
      marked_(std::make_unique_for_overwrite<std::uint32_t[]>(net.place_count())),
      delays_(net, true) {
    places_.reserve(net.place_count());
    for (std::uint32_t place = 0; place < net.place_count(); ++place)
        places_.push_back({net.initial[place], none, pivots.kind[place], 0});
    reach_ = {pivots.transitions.data(),
              pivots.conditions.data(),
              pivots.classes.data(),
              pivots.demands.data(),
              places_.data(),
              links_.get(),
              called_.data(),
              members_.get(),
              waiting_.data(),
              occupied_.data()};
    scarce_ = PivotNet::hub_bit(PivotNet::last_hub);
    for (std::uint32_t h = 0; h < pivots.hubs.size(); ++h) {
        const auto [place, most] = pivots.hubs[h];
        places_[place].hub = static_cast<std::uint8_t>(std::min(h, PivotNet::last_hub));
        if (places_[place].tokens < most) scarce_ |= PivotNet::hub_bit(h);
    }
    delays_.count_in(counts);
    delays_.start_initial(net.initial);
    for (const std::uint32_t t : pivots.always) reach_.call(t);
    for (std::uint32_t place = 0; place < net.place_count(); ++place) {
        const auto& [tokens, first_link, kind, hub] = places_[place];
        if (tokens == 0 || (kind & PivotNet::pivot) == 0 || (kind & PivotNet::wait) != 0) continue;
        for (const std::uint32_t t : pivots.called[place]) reach_.call(t);
    }
    for (std::size_t i = 0; i < pivots.looked_at.size(); ++i) {
        looked_at_.push_back({pivots.looked_at[i], 0, 0});
        look_at(i);
    }
}

// --- candidates

inline void PivotState::Reach::enter(std::uint32_t transition) const noexcept {
    const std::uint32_t number = transitions[transition].number;
    const std::uint32_t position = waiting[number].size++;
    called[transition].position = position;
    members[classes[number].first_member + position] = transition;
    occupied[number / 64] |= std::uint64_t{1} << (number % 64);
}

inline void PivotState::Reach::leave(std::uint32_t transition) const noexcept {
    const std::uint32_t number = transitions[transition].number;
    const std::uint32_t last = --waiting[number].size;
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

// --- a step

inline bool PivotState::arrive(std::uint32_t place, Tokens weight) {
    PlaceState& state = reach_.places[place];
    if ((state.kind & PivotNet::wait) != 0) {
        state.tokens += weight;
        const std::uint32_t gadget = delays_.at(place);
        if (!delays_.enter(gadget, state.tokens, now_)) wake(gadget);
        return true;
    }
    touched_end_ = touch(place, state, touched_end_);
    if (__builtin_add_overflow(state.tokens, weight, &state.tokens)) return false;
    if ((state.kind & PivotNet::hub) != 0) note_hub(state);
    return true;
}

bool PivotState::give(std::uint32_t transition) {
    for (const auto [place, weight] : pivots_.gives_of(transition)) {
        if (!arrive(place, weight)) return false;
    }
    return true;
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
            reach.tell_watchers(state, before);
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
        reach.tell_watchers(state, least);
        look_at(i);
    }
    // Those who are called are judged by the marking as it is now, of which all others must have been told.
    for (const std::uint32_t* place = marked_.get(); place != marked_end; ++place) {
        for (const std::uint32_t t : pivots_.called[*place]) reach.call(t);
    }
}

void PivotState::forget_step() noexcept {
    for (const Touched* one = touched_.get(); one != touched_end_; ++one)
        places_[one->place].kind &= static_cast<std::uint8_t>(~touched);
    touched_end_ = touched_.get();
}

void PivotState::settle_delays() {
    for (std::uint32_t g = 0; g < delays_.size(); ++g) {
        if (delays_.is_running(g)) settle_gadget(g);
    }
}

}  // namespace warpnet
