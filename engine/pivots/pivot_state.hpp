#pragma once

#include "engine/general/running_delays.hpp"
#include "engine/pivots/pivot_net.hpp"

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace warpnet {

/// A marking and what follows from it, kept up to date: which transitions are *called* (their pivot is
/// marked), which of these are *candidates* (all holds but that hubs serve them), and which classes of
/// candidates hubs may be able to serve. What a step takes and gives is noted first, and told to those who
/// depend on it by settle_step(): until then everybody is judged by the marking before the step.
///
/// While a delay gadget runs, its places keep the tokens they had when it was started. A second token in it
/// ends this: it is then executed like the rest of the net.
class PivotState {
  public:
    PivotState(const CompiledNet& net, const PivotNet& pivots, std::vector<std::uint64_t>* counts);
    PivotState(const PivotState&) = delete;
    PivotState& operator=(const PivotState&) = delete;
    ~PivotState() = default;

    Tokens tokens(std::uint32_t place) const noexcept { return reach_.places[place].tokens; }
    RunningDelays& delays() noexcept { return delays_; }

    std::uint64_t now() const noexcept { return now_; }
    void advance_to(std::uint64_t now) noexcept { now_ = now; }
    /// The next step in which a gadget ends, or RunningDelays::nothing_due.
    std::uint64_t next_due() noexcept { return delays_.next_due(now_); }

    // --- candidates

    /// Calls visit(class, how many wait) for the classes of [first, last) in which somebody waits whom the
    /// hubs can serve, ascending.
    template <class Visit>
    void for_each_served(std::uint32_t first, std::uint32_t last, Visit&& visit);
    /// Whether the hubs have what a member of a class wants.
    bool hubs_serve(std::uint32_t number) noexcept { return reach_.hubs_serve(number, scarce_); }
    /// Whether they have what a member of any class wants, of those that this class wants something of.
    bool hubs_have_plenty(const PivotClass& one) const noexcept { return (one.hubs & scarce_) == 0; }
    std::uint32_t* members(const PivotClass& one) noexcept { return reach_.members + one.first_member; }
    /// Exchanges two members of a class.
    void swap_members(std::uint32_t* members, std::uint32_t a, std::uint32_t b) noexcept {
        std::swap(members[a], members[b]);
        reach_.called[members[a]].position = a;
        reach_.called[members[b]].position = b;
    }
    /// Whether a candidate finds its tokens in the places that are no hubs.
    bool finds_tokens(std::uint32_t transition) const noexcept {
        for (const auto [place, weight] : pivots_.contested_of(transition)) {
            if (reach_.places[place].tokens < weight) return false;
        }
        return true;
    }

    // --- a step

    void take(std::uint32_t transition) {
        const Reach reach = reach_;
        std::uint64_t scarce = scarce_;
        const PivotClass& one = reach.classes[reach.transitions[transition].number];
        const HubDemand* const demands_end = reach.demands + one.first_demand + one.demands;
        for (const HubDemand* demand = demands_end - one.demands; demand != demands_end; ++demand) {
            const Tokens left = reach.places[demand->place].tokens -= demand->weight;
            if (left < demand->most) scarce |= PivotNet::hub_bit(demand->hub);
        }
        scarce_ = scarce;
        Touched* end = touched_end_;
        for (const auto [place, weight] : pivots_.takes_of(transition)) {
            PlaceState& state = reach.places[place];
            end = touch(place, state, end);
            state.tokens -= weight;
        }
        touched_end_ = end;
    }
    /// False on overflow.
    bool give(std::uint32_t transition);
    bool give(const PivotCredit& credit) noexcept {
        PlaceState& state = reach_.places[credit.place];
        touched_end_ = touch(credit.place, state, touched_end_);
        if (__builtin_add_overflow(state.tokens, credit.gives, &state.tokens)) return false;
        note_hub(state);
        return true;
    }
    /// Ends the gadgets due at now(); false on overflow.
    bool end_delays();
    /// Tells everybody what has changed.
    void settle_step();
    /// The step has changed nothing.
    void forget_step() noexcept;

    /// Puts the tokens of running gadgets where they are now. The state must not be used for execution
    /// afterwards.
    void settle_delays();

  private:
    static constexpr std::uint8_t touched = 64;  // beside PivotNet::Kind
    static constexpr std::uint32_t none = 0xffffffff;
    static constexpr std::uint32_t not_called = 0xffffffff;

    struct PlaceState {
        Tokens tokens;
        std::uint32_t first_link = none;  // the first condition in its list
        std::uint8_t kind;
        std::uint8_t hub = 0;  // the bit of its number
    };
    struct Touched {
        std::uint32_t place;
        Tokens before;
    };
    /// A condition of a called transition stands in the list of its place.
    struct Link {
        std::uint32_t next, previous;  // conditions; `previous` of the first: none
    };
    /// Of a transition.
    struct Called {
        std::uint32_t unmet = not_called;  // conditions
        std::uint32_t position;            // of a candidate: among the members of its class
    };
    /// Those who wait in a class, and a hub that could not serve them when it was asked last.
    struct Waiting {
        std::uint32_t size = 0;
        PlaceWeight short_of = {0, 0};
    };

    /// What the loops need, to be kept in local variables, which the compiler knows nobody else to change.
    struct Reach {
        const PivotTransition* transitions;
        const PivotCondition* conditions;
        const PivotClass* classes;
        const HubDemand* demands;
        PlaceState* places;
        Link* links;
        Called* called;
        std::uint32_t* members;
        Waiting* waiting;
        std::uint64_t* occupied;

        bool hubs_serve(std::uint32_t number, std::uint64_t scarce) const noexcept;
        void call(std::uint32_t transition) const noexcept;
        void dismiss(std::uint32_t transition) const noexcept;
        void enter(std::uint32_t transition) const noexcept;
        void leave(std::uint32_t transition) const noexcept;
        void tell_watchers(const PlaceState& state, Tokens before) const noexcept;
    };
    /// A hub of PivotNet::looked_at: with so many tokens, from `least` to `most`, all conditions on it are as
    /// they were found last.
    struct LookedAt {
        std::uint32_t place;
        Tokens least, most;
    };

    static Touched* touch(std::uint32_t place, PlaceState& state, Touched* end) noexcept {
        if ((state.kind & ~PivotNet::hub) != 0 && (state.kind & touched) == 0) {
            state.kind |= touched;
            *end++ = {place, state.tokens};
        }
        return end;
    }
    /// A hub has got tokens.
    void note_hub(const PlaceState& hub) noexcept {
        if (hub.hub < PivotNet::last_hub && hub.tokens >= pivots_.hubs[hub.hub].most)
            scarce_ &= ~PivotNet::hub_bit(hub.hub);
    }
    bool arrive(std::uint32_t place, Tokens weight);
    void wake(std::uint32_t gadget);
    void settle_gadget(std::uint32_t gadget);
    void look_at(std::size_t i);

    const CompiledNet& net_;
    const PivotNet& pivots_;
    std::vector<PlaceState> places_;
    std::unique_ptr<Link[]> links_;             // per condition
    std::vector<Called> called_;                // per transition
    std::unique_ptr<std::uint32_t[]> members_;  // of the classes
    std::vector<Waiting> waiting_;              // per class
    std::vector<std::uint64_t> occupied_;       // a bit per class: somebody waits in it
    Reach reach_;                               // of all these
    std::uint64_t scarce_;                // a bit per hub: it may have less than a member of some class wants
    std::unique_ptr<Touched[]> touched_;  // room for all places, and those of gadgets once more
    Touched* touched_end_;
    std::vector<LookedAt> looked_at_;
    std::unique_ptr<std::uint32_t[]> marked_;  // room for the pivots that have got their first token
    RunningDelays delays_;
    std::uint64_t now_ = 0;
};

inline bool PivotState::Reach::hubs_serve(std::uint32_t number, std::uint64_t scarce) const noexcept {
    const PivotClass& one = classes[number];
    if ((one.hubs & scarce) == 0) return true;
    const HubDemand* const end = demands + one.first_demand + one.demands;
    for (const HubDemand* demand = end - one.demands; demand != end; ++demand) {
        if (places[demand->place].tokens >= demand->weight) continue;
        waiting[number].short_of = {demand->place, demand->weight};
        return false;
    }
    return true;
}

template <class Visit>
void PivotState::for_each_served(std::uint32_t first, std::uint32_t last, Visit&& visit) {
    const Reach reach = reach_;
    for (std::uint32_t word = first / 64; word * 64 < last; ++word) {
        std::uint64_t bits = reach.occupied[word];
        if (word == first / 64) bits &= ~std::uint64_t{0} << (first % 64);
        if (last - word * 64 < 64) bits &= (std::uint64_t{1} << (last % 64)) - 1;
        for (; bits != 0; bits &= bits - 1) {
            const std::uint32_t number = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
            const Waiting waiting = reach.waiting[number];
            if (reach.places[waiting.short_of.place].tokens >= waiting.short_of.weight &&
                reach.hubs_serve(number, scarce_))
                visit(number, waiting.size);
        }
    }
}

}  // namespace warpnet
