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
    /// Finds those of some classes, a bit each, in which somebody waits whom the hubs can serve, ascending.
    /// From then on hubs_serve() knows of them. They are written to `room`, which has some for all classes.
    std::span<std::uint32_t> find_open(const std::vector<std::uint64_t>& classes, std::uint32_t* room);
    /// Whether the hubs have what a member of one of these classes wants.
    bool hubs_serve(std::uint32_t number) const noexcept { return hubs_.serve(number); }
    /// Whether they have what so many want.
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

    /// A step is about to be chosen.
    void begin_step(bool immediate) noexcept { step_ = immediate ? now_ : now_ + 1; }
    /// A candidate of this class fires: takes its tokens, and is a candidate no more in this step. An
    /// operation does all that it does in its sequence, of which nobody else knows before the step is
    /// settled. Whether others are no candidates any more because of that.
    bool take(std::uint32_t its_class, std::uint32_t transition);
    /// The refills that fire in the marking as it is, a bit each.
    std::uint64_t refills() const noexcept { return ready_ & hubs_.low(); }
    /// They fire.
    void refill(std::uint64_t refills) { hubs_.refill(refills); }
    /// Those who fire give their tokens to places and hubs; false on overflow.
    bool give();
    /// Ends the gadgets due at now(); false on overflow.
    bool end_delays();
    /// Tells everybody what has changed.
    void settle_step();
    /// The winners of a step in which nobody else could have fired have given what they had taken: all is as
    /// it was before the step.
    void undo_step(std::span<const std::uint32_t> winners) noexcept;

    // --- between steps

    /// Takes over another state of the same net.
    void assign(const PivotState& other);
    /// Whether the run goes on from here as it did from an earlier state of it, if nothing was chosen since
    /// then and no transition tells the tokens of some places from those they had. These places, `most` at
    /// most, are appended to `drifts`.
    bool repeats(const PivotState& earlier, std::size_t most, std::vector<Drift>& drifts) const;
    /// Places have changed so many times by so much more, and no transition tells the difference.
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

    /// The marking as it is now, with the tokens of running gadgets where they are. The state must not be
    /// used for execution afterwards.
    Marking marking();

  private:
    static constexpr std::uint16_t touched = 256;  // beside PivotNet::Kind

    struct SequenceState {
        std::uint64_t holds = 0;           // conditions
        std::uint32_t station = no_index;  // with the token
        std::uint32_t candidates = 0;      // of its operations, a bit each
        bool is_touched = false;
        bool operator==(const SequenceState&) const = default;
    };
    struct Touched {
        std::uint32_t place;
        Tokens before;
    };
    /// A condition of a called transition stands in the list of its place.
    struct Link {
        std::uint32_t next = no_index, previous = no_index;  // conditions; `previous` of the first: none
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
    /// Between steps: all but the tokens of places and hubs, delays and time. The order in which members of a
    /// class and who depends on a place are listed belongs to it: as it is, the next choice will be made.
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
    const Sequences::Station* stations_;  // of pivots_ …
    const Sequences::Operation* operations_;
    const Sequences::Rule* rules_;
    const std::uint32_t* operation_of_;
    const Sequences::Delay* own_delays_;  // … at hand
    std::vector<PivotPlace> places_;
    std::vector<SequenceState> sequences_;
    std::vector<Link> links_;           // per condition
    std::vector<std::uint32_t> unmet_;  // per transition that is no operation: conditions, or not_called
    ClassMembers members_;              // the candidates
    Hubs hubs_;
    std::uint64_t ready_ = 0;             // a bit per refill: all holds but that its hub is below the cap
    std::unique_ptr<Touched[]> touched_;  // room for all places, and those of gadgets once more
    Touched* touched_end_;
    std::unique_ptr<std::uint32_t[]> touched_sequences_;  // room for all
    std::uint32_t* touched_sequences_end_;
    std::unique_ptr<std::uint32_t[]> marked_;  // room for the pivots that have got their first token
    RunningDelays delays_;
    std::vector<std::uint32_t> givers_;  // in the step at hand, operations that give to no place left out
    std::uint64_t now_ = 0;
    std::uint64_t step_ = 0;  // when what the step at hand starts is started
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
    // First what the next draw waits for.
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
