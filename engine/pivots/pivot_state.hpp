#pragma once

#include "engine/base/bits.hpp"
#include "engine/general/running_delays.hpp"
#include "engine/pivots/pivot_net.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace warpnet {

/// A place has other tokens than some time before.
struct Drift {
    std::uint32_t place;
    Tokens change;
    bool operator==(const Drift&) const = default;
};

/// A marking and what follows from it, kept up to date: which transitions are *called* (their pivot is
/// marked), which of these and of the operations of sequences are *candidates* (all holds but that hubs
/// serve them), and which classes of candidates hubs may be able to serve. What a step takes and gives is
/// noted first, and told to those who depend on it by settle_step(): until then everybody is judged by the
/// marking before the step.
///
/// While a delay gadget runs, its places keep the tokens they had when it was started. A second token in it
/// ends this: it is then executed like the rest of the net.
class PivotState {
  public:
    PivotState(const CompiledNet& net, const PivotNet& pivots, std::vector<std::uint64_t>* counts);
    PivotState(const PivotState&) = delete;
    PivotState& operator=(const PivotState&) = delete;
    ~PivotState() = default;

    /// Of a place that is not in a sequence.
    Tokens tokens(std::uint32_t place) const noexcept { return reach_.places[place].tokens; }
    RunningDelays& delays() noexcept { return delays_; }
    const RunningDelays& delays() const noexcept { return delays_; }

    std::uint64_t now() const noexcept { return now_; }
    void advance_to(std::uint64_t now) noexcept { now_ = now; }
    /// The next step in which a gadget ends, or RunningDelays::nothing_due.
    std::uint64_t next_due() noexcept { return delays_.next_due(now_); }

    // --- candidates

    /// Calls visit(class, how many wait) for the classes of [first, last) in which somebody waits whom the
    /// hubs can serve, ascending. From then on hubs_serve() knows of these classes.
    template <class Visit>
    void for_each_served(std::uint32_t first, std::uint32_t last, Visit&& visit);
    /// Whether the hubs have what a member of a class wants.
    bool hubs_serve(std::uint32_t number) const noexcept {
        return (served_[number / 64] >> number % 64 & 1) != 0;
    }
    std::uint32_t* members(const PivotClass& one) noexcept { return reach_.members + one.first_member; }
    /// Exchanges two members of a class.
    void swap_members(std::uint32_t* members, std::uint32_t a, std::uint32_t b) noexcept {
        std::swap(members[a], members[b]);
        reach_.called[members[a]].position = a;
        reach_.called[members[b]].position = b;
    }
    /// Whether a candidate finds its tokens in the places that are no hubs.
    bool finds_tokens(std::uint32_t transition) const noexcept {
        const std::uint32_t operation = reach_.transitions[transition].operation;
        if (operation != none && reach_.sequences[reach_.operations[operation].sequence].has_moved)
            return false;
        for (const auto [place, weight] : pivots_.contested_of(transition)) {
            if (reach_.places[place].tokens < weight) return false;
        }
        return true;
    }

    // --- a step

    /// Whether the hubs cannot serve a class any more in which somebody waits.
    bool take(std::uint32_t transition) {
        const Reach reach = reach_;
        const PivotTransition& row = reach.transitions[transition];
        Touched* end = touched_end_;
        std::uint64_t lost = 0;
        for (const HubDemand& demand : pivots_.demands[row.number]) {
            PlaceState& hub = reach.places[demand.place];
            end = touch(demand.place, hub, end);
            const Tokens left = hub.tokens -= demand.weight;
            const std::uint32_t before = reach.rows[demand.hub];
            const std::uint32_t after = pivots_.levels.lowered(before, left);
            if (after != before) lost |= lower(demand.hub, after);
        }
        low_ |= reach.classes[row.number].refills;
        if (row.operation != none) {
            const std::uint32_t sequence = reach.operations[row.operation].sequence;
            reach.sequences[sequence].has_moved = true;
            touch_sequence(sequence);
        }
        for (const auto [place, weight] : pivots_.takes_of(transition)) {
            PlaceState& state = reach.places[place];
            end = touch(place, state, end);
            state.tokens -= weight;
        }
        touched_end_ = end;
        return lost != 0;
    }
    /// The refills that fire in the marking as it is, a bit each.
    std::uint64_t find_refills() noexcept;
    /// They fire.
    void refill(std::uint64_t refills) noexcept;
    /// False on overflow.
    bool give(std::uint32_t transition);
    /// Ends the gadgets due at now(); false on overflow.
    bool end_delays();
    /// Tells everybody what has changed.
    void settle_step();
    /// The step has changed nothing.
    void forget_step() noexcept;

    // --- between steps

    /// Takes over another state of the same net.
    void become(const PivotState& other);
    /// Whether the run goes on from here as it did from an earlier state of it, if nothing was chosen since
    /// then and no transition tells the tokens of some places from those they had. These places, `most` at
    /// most, are appended to `drifts`.
    bool repeats(const PivotState& earlier, std::size_t most, std::vector<Drift>& drifts) const;
    /// Places have changed so many times by so much more, and no transition tells the difference.
    void drift(std::span<const Drift> drifts, std::uint64_t times) noexcept {
        for (const auto [place, change] : drifts)
            reach_.places[place].tokens += change * static_cast<Tokens>(times);
    }

    /// The marking as it is now, with the tokens of running gadgets where they are. The state must not be
    /// used for execution afterwards.
    Marking marking();

  private:
    static constexpr std::uint8_t touched = 128;  // beside PivotNet::Kind
    static constexpr std::uint32_t none = 0xffffffff;
    static constexpr std::uint32_t not_called = 0xffffffff;

    struct PlaceState {
        Tokens tokens;  // of a place of a sequence: not kept
        /// The first condition in its list; of a station its number; of an owned place its sequence.
        std::uint32_t first_link = none;
        std::uint8_t kind;
        std::uint16_t number = 0;  // of a hub; of an owned place: its condition
        bool operator==(const PlaceState&) const = default;
    };
    struct SequenceState {
        std::uint64_t holds = 0;       // conditions
        std::uint32_t station = none;  // with the token
        std::uint32_t listed = none;   // the station some of whose operations are candidates …
        std::uint32_t candidates = 0;  // … a bit each
        bool is_touched = false;
        bool has_moved = false;  // one of its operations fires in the step at hand
        bool operator==(const SequenceState&) const = default;
    };
    struct Touched {
        std::uint32_t place;
        Tokens before;
    };
    /// A condition of a called transition stands in the list of its place.
    struct Link {
        std::uint32_t next = none, previous = none;  // conditions; `previous` of the first: none
        bool operator==(const Link&) const = default;
    };
    /// Of a transition.
    struct Called {
        std::uint32_t unmet = not_called;  // conditions
        // Of a candidate: among the members of its class; of a refill: its number.
        std::uint32_t position = 0;
        bool operator==(const Called&) const = default;
    };

    /// What the loops need, to be kept in local variables, which the compiler knows nobody else to change.
    struct Reach {
        const PivotTransition* transitions;
        const PivotCondition* conditions;
        const PivotClass* classes;
        const Sequences::Station* stations;
        const Sequences::Operation* operations;
        PlaceState* places;
        SequenceState* sequences;
        Link* links;
        Called* called;
        std::uint32_t* members;
        std::uint32_t* waiting;
        std::uint64_t* occupied;
        std::uint32_t* rows;
        std::uint64_t* ready;
        std::uint32_t class_of_refills;

        void call(std::uint32_t transition) const noexcept;
        void dismiss(std::uint32_t transition) const noexcept;
        void enter(std::uint32_t transition) const noexcept;
        void leave(std::uint32_t transition) const noexcept;
        void tell_watchers(const PlaceState& state, Tokens before) const noexcept;
        void settle(SequenceState& sequence) const noexcept;
    };
    /// A hub of PivotNet::looked_at: with so many tokens, from `least` to `most`, all conditions on it are as
    /// they were found last.
    struct LookedAt {
        std::uint32_t place;
        Tokens least, most;
        bool operator==(const LookedAt&) const = default;
    };

    static Touched* touch(std::uint32_t place, PlaceState& state, Touched* end) noexcept {
        if ((state.kind & ~PivotNet::hub) != 0 && (state.kind & touched) == 0) {
            state.kind |= touched;
            *end++ = {place, state.tokens};
        }
        return end;
    }
    void touch_sequence(std::uint32_t number) noexcept {
        SequenceState& sequence = reach_.sequences[number];
        if (sequence.is_touched) return;
        sequence.is_touched = true;
        *touched_sequences_end_++ = number;
    }
    /// A hub has got tokens.
    void raise(std::uint32_t hub, Tokens tokens) noexcept {
        reach_.rows[hub] = pivots_.levels.raised(reach_.rows[hub], tokens);
    }
    /// A hub has lost so many tokens that this is its row. The classes that lose by it and in which somebody
    /// waits, of all words together.
    std::uint64_t lower(std::uint32_t hub, std::uint32_t row) noexcept {
        reach_.rows[hub] = row;
        const std::uint64_t* const served = pivots_.levels.served(row);
        std::uint64_t lost = 0;
        for (std::size_t word = 0; word < pivots_.levels.words(); ++word) {
            lost |= served_[word] & ~served[word] & reach_.occupied[word];
            served_[word] &= served[word];
        }
        return lost;
    }
    /// Between steps: all but places, delays and time. The order in which members of a class and who depends
    /// on a place are listed belongs to it: as it is, the next choice will be made.
    template <class State>
    static auto known_to(State& state) noexcept {
        return std::tie(state.occupied_, state.waiting_, state.rows_, state.sequences_, state.ready_,
                        state.low_, state.looked_at_, state.called_, state.members_, state.links_);
    }
    void set_up_sequences();
    bool arrive(std::uint32_t place, Tokens weight);
    void tell(std::uint32_t place, Tokens before);
    void wake(std::uint32_t gadget);
    void settle_gadget(std::uint32_t gadget);
    void look_at(std::size_t i);

    const CompiledNet& net_;
    const PivotNet& pivots_;
    std::vector<PlaceState> places_;
    std::vector<SequenceState> sequences_;
    std::vector<Link> links_;              // per condition
    std::vector<Called> called_;           // per transition
    std::vector<std::uint32_t> members_;   // of the classes
    std::vector<std::uint32_t> waiting_;   // per class, how many
    std::vector<std::uint64_t> occupied_;  // a bit per class: somebody waits in it
    std::vector<std::uint64_t> served_;    // a bit per class: see for_each_served()
    std::vector<std::uint32_t> rows_;      // per hub: see HubLevels
    Reach reach_;                          // of all these
    std::uint64_t ready_ = 0;              // a bit per refill: all holds but that its hub is below the cap
    std::uint64_t low_ = 0;                // a bit per refill: its hub may be below the cap
    std::unique_ptr<Touched[]> touched_;   // room for all places, and those of gadgets once more
    Touched* touched_end_;
    std::unique_ptr<std::uint32_t[]> touched_sequences_;  // room for all
    std::uint32_t* touched_sequences_end_;
    std::vector<LookedAt> looked_at_;
    std::unique_ptr<std::uint32_t[]> marked_;  // room for the pivots that have got their first token
    RunningDelays delays_;
    std::uint64_t now_ = 0;
};

template <class Visit>
void PivotState::for_each_served(std::uint32_t first, std::uint32_t last, Visit&& visit) {
    for (std::uint32_t word = first / 64; word * 64 < last; ++word) {
        std::uint64_t bits = reach_.occupied[word];
        if (word == first / 64) bits &= ~std::uint64_t{0} << (first % 64);
        if (last - word * 64 < 64) bits &= (std::uint64_t{1} << (last % 64)) - 1;
        if (bits == 0) continue;
        const std::uint32_t* const rows = reach_.rows;
        const std::uint32_t* const waiting = reach_.waiting;
        std::uint64_t served = ~std::uint64_t{0};
        for (const std::uint32_t hub : pivots_.levels.hubs_of(word))
            served &= pivots_.levels.served(rows[hub])[word];
        served_[word] = served;
        for_each_bit(bits & served, [&](std::uint32_t bit) {
            const std::uint32_t number = word * 64 + bit;
            visit(number, waiting[number]);
        });
    }
}

}  // namespace warpnet
