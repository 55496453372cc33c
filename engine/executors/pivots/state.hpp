#pragma once

#include "engine/base/bits.hpp"
#include "engine/base/no_index.hpp"
#include "engine/executors/loop/running_delays.hpp"
#include "engine/executors/pivots/class_members.hpp"
#include "engine/executors/pivots/hubs.hpp"
#include "engine/executors/pivots/net.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace warpnet {

/// The change of the tokens of a place since an earlier state.
struct Drift {
    std::uint32_t place;
    Tokens change;
    bool operator==(const Drift&) const = default;
};

/// A marking and the facts derived from it, kept up to date. A transition is *active* if its pivot is marked.
/// Active transitions and operations of sequences are *candidates* if all their conditions hold; demands on
/// hubs are checked later. The state also knows the classes with candidates that hubs may be able to serve.
/// The changes of a step are first recorded. settle_step() then updates the conditions that depend on them,
/// because all transitions of a step are judged by the marking before the step.
///
/// While a delay gadget runs, its places keep the tokens from its start. A second token that enters a gadget
/// ends the skipping of that gadget, which is then executed like the rest of the net.
class PivotState {
  public:
    PivotState(const CompiledNet& net, const PivotNet& pivots, std::vector<std::uint64_t>* counts);
    PivotState(const PivotState&) = delete;
    PivotState& operator=(const PivotState&) = delete;
    ~PivotState() = default;

    /// REQUIRES: the place belongs to no sequence.
    Tokens tokens(std::uint32_t place) const noexcept {
        const PivotPlace& state = places_[place];
        return (state.kind & PivotNet::hub) != 0 ? hubs_.tokens(state.number) : state.tokens;
    }
    RunningDelays& delays() noexcept { return delays_; }
    const RunningDelays& delays() const noexcept { return delays_; }

    std::uint64_t now() const noexcept { return now_; }
    void advance_to(std::uint64_t now) noexcept { now_ = now; }
    /// The next step in which a gadget ends, or RunningDelays::nothing_due.
    std::uint64_t next_due() noexcept { return delays_.next_due(now_); }

    // --- candidates

    ClassMembers& members() noexcept { return members_; }
    /// Finds the classes, of those given by one bit each, that have open members and that all hubs can serve,
    /// ascending. Afterwards hubs_serve() may be called for them. The result is written to `room`, which
    /// needs space for all classes.
    std::span<std::uint32_t> find_open(const std::vector<std::uint64_t>& classes, std::uint32_t* room);
    /// Whether the hubs hold the demand of one member of a class found by find_open().
    bool hubs_serve(std::uint32_t number) const noexcept { return hubs_.serve(number); }
    /// Whether the hubs hold the demands of this many members.
    bool hubs_serve_all(std::uint32_t number, std::uint32_t members) const noexcept {
        return hubs_.serve_all(pivots_.demands[number], members);
    }
    /// Whether a candidate finds its tokens in the places that are no hubs.
    bool finds_tokens(std::uint32_t transition) const noexcept {
        const std::uint32_t operation = operation_of_[transition];
        if (operation != no_index && sequence_of(operation).candidates == 0) return false;
        for (const auto [place, weight] : pivots_.contested_of(transition)) {
            if (places_[place].tokens < weight) return false;
        }
        return true;
    }

    // --- a step

    /// Begins the choice of a step.
    void begin_step(bool immediate) noexcept { step_ = immediate ? now_ : now_ + 1; }
    /// Fires a candidate of this class: takes its tokens and removes it from the candidates of this step. The
    /// effects of an operation within its sequence are applied at once, since no other transition depends on
    /// them before the step is settled. Returns whether further transitions stop being candidates.
    bool take(std::uint32_t its_class, std::uint32_t transition);
    /// The refills enabled in the current marking, one bit each.
    std::uint64_t refills() const noexcept { return ready_ & hubs_.low(); }
    /// Fires these refills.
    void refill(std::uint64_t refills) { hubs_.refill(refills); }
    /// Gives the tokens of all firings to places and hubs. Returns false on overflow.
    bool give();
    /// Ends the gadgets due at now(). Returns false on overflow.
    bool end_delays();
    /// Updates all conditions after the changes of a step.
    void settle_step();
    /// Restores the state before a step whose winners were the only possible ones and have given back all
    /// tokens that they had taken.
    void undo_step(std::span<const std::uint32_t> winners) noexcept;

    // --- between steps

    /// Copies another state of the same net.
    void assign(const PivotState& other);
    /// Whether the run continues from here as it did from an earlier state, if no choice was made since then.
    /// Some places may have different tokens than earlier if no transition distinguishes them. Appends these
    /// places to `drifts`, at most `most` of them.
    bool repeats(const PivotState& earlier, std::size_t most, std::vector<Drift>& drifts) const;
    /// Applies drifts this many times. REQUIRES: no transition distinguishes the token counts.
    void drift(std::span<const Drift> drifts, std::uint64_t times) noexcept {
        for (const auto [place, change] : drifts) {
            PivotPlace& state = places_[place];
            const Tokens more = change * static_cast<Tokens>(times);
            if ((state.kind & PivotNet::hub) != 0) {
                hubs_.shift(state.number, more);
            } else {
                state.tokens += more;
            }
        }
    }

    /// The current marking, with the tokens of running gadgets at their current places. The state must not be
    /// used for execution afterwards.
    Marking marking();

  private:
    static constexpr std::uint16_t touched = 256;  // in addition to PivotNet::Kind

    struct SequenceState {
        std::uint64_t holds = 0;           // conditions
        std::uint32_t station = no_index;  // that has the token
        std::uint32_t candidates = 0;      // the operations at the station that are candidates, one bit each
        bool is_touched = false;
        bool operator==(const SequenceState&) const = default;
    };
    struct Touched {
        std::uint32_t place;
        Tokens before;
    };
    /// An entry for a condition of an active transition in the list of its place.
    struct Link {
        std::uint32_t next = no_index, previous = no_index;  // conditions; no_index at the ends
        bool operator==(const Link&) const = default;
    };
    void touch(std::uint32_t place, PivotPlace& state) noexcept {
        if (state.kind != 0 && (state.kind & touched) == 0) {
            state.kind |= touched;
            *touched_end_++ = {place, state.tokens};
        }
    }
    void touch_sequence(std::uint32_t number) noexcept {
        SequenceState& sequence = sequences_[number];
        if (sequence.is_touched) return;
        sequence.is_touched = true;
        *touched_sequences_end_++ = number;
    }
    /// Between steps: everything but the tokens of places and hubs, the delays and the time. It includes the
    /// order of the members of a class and of the lists of places, because later draws depend on it.
    template <class State>
    static auto known_to(State& state) noexcept {
        return std::tie(state.members_, state.sequences_, state.ready_, state.unmet_, state.links_);
    }
    SequenceState& sequence_of(std::uint32_t operation) noexcept {
        return sequences_[operations_[operation].sequence];
    }
    const SequenceState& sequence_of(std::uint32_t operation) const noexcept {
        return sequences_[operations_[operation].sequence];
    }
    bool is_own(std::uint32_t gadget) const noexcept { return own_delays_[gadget].sequence != no_index; }
    std::uint64_t refill_bit(std::uint32_t transition) const noexcept;
    void enter(std::uint32_t transition) noexcept;
    void leave(std::uint32_t transition) noexcept;
    void activate(std::uint32_t transition) noexcept;
    void deactivate(std::uint32_t transition) noexcept;
    void settle(SequenceState& sequence) noexcept;
    void take_from_places(std::uint32_t transition);
    void leave_all(std::uint32_t first_operation, std::uint32_t candidates) noexcept;
    bool deliver(std::span<const std::uint32_t> ended);
    bool arrive(std::uint32_t place, Tokens weight);
    void notify(std::uint32_t place, Tokens before, Tokens after);
    void wake(std::uint32_t gadget);
    void settle_gadget(std::uint32_t gadget);

    const CompiledNet& net_;
    const PivotNet& pivots_;
    const Sequences::Station* stations_;  // of pivots_
    const Sequences::Operation* operations_;
    const Sequences::Rule* rules_;
    const std::uint32_t* operation_of_;
    const Sequences::Delay* own_delays_;  // of pivots_
    std::vector<PivotPlace> places_;
    std::vector<SequenceState> sequences_;
    std::vector<Link> links_;           // per condition
    std::vector<std::uint32_t> unmet_;  // per transition that is no operation; no_index: inactive
    ClassMembers members_;              // the candidates
    Hubs hubs_;
    std::uint64_t ready_ = 0;             // a bit per refill: everything holds, the cap is not checked
    std::unique_ptr<Touched[]> touched_;  // space for all places, and a second time for those of gadgets
    Touched* touched_end_;
    std::unique_ptr<std::uint32_t[]> touched_sequences_;  // space for all sequences
    std::uint32_t* touched_sequences_end_;
    std::unique_ptr<std::uint32_t[]> marked_;  // space for the pivots that have become marked
    RunningDelays delays_;
    std::vector<std::uint32_t> givers_;  // in the current step; without operations that give to no place
    std::uint64_t now_ = 0;
    std::uint64_t step_ = 0;  // the step in which the current firings start delays
};

inline std::span<std::uint32_t> PivotState::find_open(const std::vector<std::uint64_t>& classes,
                                                      std::uint32_t* room) {
    const std::vector<std::uint64_t>& occupied = members_.occupied();
    std::uint32_t* end = room;
    for (std::uint32_t word = 0; word < classes.size(); ++word) {
        const std::uint64_t bits = classes[word] & occupied[word];
        if (bits == 0) continue;
        for_each_bit(bits & hubs_.served(word), [&](std::uint32_t bit) { *end++ = word * 64 + bit; });
    }
    return {room, end};
}

inline bool PivotState::take(std::uint32_t its_class, std::uint32_t transition) {
    // The hubs come first, because the next draw waits for them.
    hubs_.take(pivots_.demands[its_class]);
    const std::uint32_t number = operation_of_[transition];
    if (number == no_index) {
        members_.close(its_class, transition);
        take_from_places(transition);
        return false;
    }
    members_.leave(its_class, transition);
    const Sequences::Operation& operation = operations_[number];
    SequenceState& sequence = sequences_[operation.sequence];
    const std::uint32_t candidates = sequence.candidates;
    sequence.candidates = 0;
    const bool alternatives = (candidates & (candidates - 1)) != 0;
    if (alternatives) {
        const std::uint32_t first = stations_[sequence.station].first_operation;
        leave_all(first, candidates & ~(std::uint32_t{1} << (number - first)));
    }
    const Sequences::Rule& rule = rules_[operation.rule];
    sequence.holds = (sequence.holds & ~rule.ended) | rule.begun;
    sequence.station = operation.to;
    if (operation.to != no_index) {
        __builtin_prefetch(stations_ + operation.to);
        __builtin_prefetch(operations_ + operation.next);
    }
    if (!operation.rests) touch_sequence(operation.sequence);
    for (const std::uint32_t gadget : pivots_.sequences.starts_of(operation))
        delays_.start(gadget, step_, step_ + own_delays_[gadget].length);
    if (!operation.apart) take_from_places(transition);
    return alternatives;
}

}  // namespace warpnet
