#pragma once

#include "engine/base/bits.hpp"
#include "engine/base/no_index.hpp"
#include "engine/executors/loop/running_delays.hpp"
#include "engine/executors/pivots/net.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace warpnet {

/// The hubs of a run: their tokens, the classes that all hubs serve, and the refills whose hubs are below
/// their caps. A hub that loses tokens removes the classes that it no longer serves at once. The classes that
/// a hub serves again after a gain are computed on demand. The token count of a hub is unpredictable, so this
/// code avoids branches that would be mispredicted.
class Hubs {
  public:
    /// A change of a hub that has not been passed on to the conditions on it yet.
    struct Change {
        std::uint32_t hub;
        Tokens before;
    };

    Hubs(const PivotNet& pivots, const Marking& initial)
        : levels_(&pivots.levels), refills_(pivots.refills), words_(levels_->words()), served_(words_, 0) {
        for (std::uint32_t hub = 0; hub < pivots.hubs.size(); ++hub) {
            const std::uint32_t place = pivots.hubs[hub];
            Hub& one = hubs_.emplace_back(Hub{initial[place], levels_->of(hub)});
            one.watched = (pivots.places[place].kind & PivotNet::watched) != 0;
            update_level(one);
        }
        for (std::size_t i = 0; i < refills_.size(); ++i) {
            Hub& hub = hubs_[refills_[i].hub];
            hub.cap = refills_[i].cap;
            hub.refills |= std::uint64_t{1} << i;
            low_ |= hub.refills & mask_of(hub.tokens < hub.cap);
        }
    }

    Tokens tokens(std::uint32_t hub) const noexcept { return hubs_[hub].tokens; }
    /// REQUIRES: no condition and no demand distinguishes the two token counts.
    void shift(std::uint32_t hub, Tokens change) noexcept { hubs_[hub].tokens += change; }

    void take(std::span<const HubDemand> demands) {
        if (demands.empty()) return;
        std::uint64_t first_word = served_.front();
        for (const auto [hub, weight] : demands) {
            Hub& one = hubs_[hub];
            if (one.watched) note(hub);
            one.tokens -= weight;
            low_ |= one.refills & mask_of(one.tokens < one.cap);
            update_level(one);
            first_word &= one.served[0];
            for (std::size_t word = 1; word < words_; ++word) served_[word] &= one.served[word];
        }
        served_.front() = first_word;
    }
    /// Returns false on overflow.
    bool give(std::uint32_t hub, Tokens weight) {
        Hub& one = hubs_[hub];
        if (one.watched) note(hub);
        if (__builtin_add_overflow(one.tokens, weight, &one.tokens)) return false;
        on_gain(one);
        return true;
    }
    /// The refills whose hubs are below their caps, one bit each.
    std::uint64_t low() const noexcept { return low_; }
    /// Fires some of these refills.
    void refill(std::uint64_t refills) {
        for_each_bit(refills, [&](std::uint32_t i) {
            Hub& one = hubs_[refills_[i].hub];
            if (one.watched) note(refills_[i].hub);
            one.tokens += refills_[i].gives;
            on_gain(one);
        });
    }

    /// The classes of a word that all hubs serve. If a hub has gained tokens since the last call, it costs
    /// one step per hub on which these classes have demands.
    std::uint64_t served(std::size_t word) noexcept {
        if ((stale_ >> word & 1) == 0) return served_[word];
        stale_ &= ~(std::uint64_t{1} << word);
        std::uint64_t served = ~std::uint64_t{0};
        for (const std::uint32_t hub : levels_->hubs_of(word)) served &= hubs_[hub].served[word];
        return served_[word] = served;
    }
    /// REQUIRES: served() was called for the word of this class since a hub last gained tokens.
    bool serve(std::uint32_t number) const noexcept { return (served_[number / 64] >> number % 64 & 1) != 0; }
    /// Whether the hubs hold enough tokens for this many members of a class.
    bool serve_all(std::span<const HubDemand> demands, Tokens members) const noexcept {
        return std::all_of(demands.begin(), demands.end(), [&](const HubDemand& one) {
            return hubs_[one.hub].tokens >= one.weight * members;
        });
    }

    /// The watched hubs that have changed since forget_changes().
    std::span<const Change> changes() const noexcept { return changes_; }
    void forget_changes() noexcept {
        for (const Change& change : changes_) hubs_[change.hub].changed = false;
        changes_.clear();
    }

  private:
    struct alignas(64) Hub {
        Tokens tokens;
        HubLevels::Levels levels;
        const std::uint64_t* served = nullptr;  // at its current level: a word per 64 classes
        std::uint64_t refills = 0;
        std::int32_t cap = 0;  // of all its refills; 0 if it has none
        bool watched = false;  // a condition depends on it
        bool changed = false;  // since changes were forgotten
    };

    /// All bits set, or none.
    static std::uint64_t mask_of(bool holds) noexcept { return std::uint64_t{0} - std::uint64_t{holds}; }
    void update_level(Hub& hub) noexcept {
        hub.served = hub.levels.served + hub.levels.at(hub.tokens) * words_;
    }
    /// Updates the levels after a hub has gained tokens.
    void on_gain(Hub& hub) noexcept {
        low_ &= ~(hub.refills & mask_of(hub.tokens >= hub.cap));
        update_level(hub);
        stale_ = ~std::uint64_t{0};
    }
    void note(std::uint32_t hub) {
        if (hubs_[hub].changed) return;
        hubs_[hub].changed = true;
        changes_.push_back({hub, hubs_[hub].tokens});
    }

    const HubLevels* levels_;
    std::span<const HubRefill> refills_;
    std::vector<Hub> hubs_;
    std::size_t words_;
    std::vector<std::uint64_t> served_;        // a stale word may lack some classes
    std::uint64_t stale_ = ~std::uint64_t{0};  // a bit per word; there are at most 64 words
    std::uint64_t low_ = 0;
    std::vector<Change> changes_;
};

/// The *candidates* of a run, class by class: the *members* of a class. During a step some members are
/// *open*, which means that they may still fire. A member that fires leaves its class. A member that turns
/// out to be unable to fire is *closed* until the next step. Neither is drawn again in the step.
class ClassMembers {
  public:
    explicit ClassMembers(const PivotNet& pivots)
        : members_(pivots.transitions.size()),
          position_(pivots.transitions.size(), 0),
          occupied_(pivots.timed_classes.size(), 0) {
        for (const PivotClass& one : pivots.classes) classes_.push_back({one.first_member, 0, 0, 0});
    }

    /// The number of members of a class that may still fire in the current step.
    std::uint32_t open(std::uint32_t number) const noexcept { return classes_[number].open; }
    /// The open members, in the order in which they are drawn.
    std::span<const std::uint32_t> open_members(std::uint32_t number) const noexcept {
        return {members_.data() + classes_[number].first, classes_[number].open};
    }
    std::uint32_t member(std::uint32_t number, std::uint32_t rank) const noexcept {
        return members_[classes_[number].first + rank];
    }
    /// A bit per class, set if the class has members.
    const std::vector<std::uint64_t>& occupied() const noexcept { return occupied_; }

    // --- between steps, when no member is closed

    void enter(std::uint32_t number, std::uint32_t transition) noexcept {
        ClassState& one = classes_[number];
        place(one, one.waiting++, transition);
        one.open = one.waiting;
        occupied_[number / 64] |= bit(number);
    }

    // --- at any time

    void leave(std::uint32_t number, std::uint32_t transition) noexcept {
        ClassState& one = classes_[number];
        std::uint32_t at = position_[transition];
        if (at < one.open) {
            // The member may itself be the last one. This code does without a test for that case, because the
            // branch would be mispredicted.
            place(one, at, members_[one.first + --one.open]);
            at = one.open;
        }
        if (at != --one.waiting) place(one, at, members_[one.first + one.waiting]);
        occupied_[number / 64] &= ~(std::uint64_t{one.waiting == 0 ? 1U : 0U} << number % 64);
    }

    // --- during a step

    void close(std::uint32_t number, std::uint32_t transition) {
        ClassState& one = classes_[number];
        const std::uint32_t at = position_[transition];
        closed_.push_back({number, transition, at});
        const std::uint32_t last = --one.open;
        if (at != last) place(one, at, members_[one.first + last]);
        place(one, last, transition);
    }
    /// Reopens all closed members.
    void open_all() noexcept {
        for (const Closed& one : closed_) classes_[one.number].open = classes_[one.number].waiting;
        closed_.clear();
    }
    /// Takes back a leave(): the latest one, of a member that was open.
    void undo_leave(std::uint32_t number, std::uint32_t transition) noexcept {
        ClassState& one = classes_[number];
        const std::uint32_t at = position_[transition], open = one.open++, waiting = one.waiting++;
        if (open != waiting) place(one, waiting, members_[one.first + open]);
        if (at != open) place(one, open, members_[one.first + at]);
        place(one, at, transition);
        occupied_[number / 64] |= bit(number);
    }
    /// Reopens the member that was closed last.
    void undo_close() noexcept {
        const auto [number, transition, at] = closed_.back();
        closed_.pop_back();
        ClassState& one = classes_[number];
        const std::uint32_t open = one.open++;
        if (at != open) place(one, open, members_[one.first + at]);
        place(one, at, transition);
    }

    /// Whether both have the same members in the same order.
    bool operator==(const ClassMembers& other) const noexcept {
        for (std::uint32_t number = 0; number < classes_.size(); ++number) {
            const auto mine = open_members(number), theirs = other.open_members(number);
            if (!std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end())) return false;
        }
        return true;
    }

  private:
    struct ClassState {
        std::uint32_t first, waiting, open;  // the open members come first
        std::uint32_t unused = 0;            // pads the size to a power of two, which makes indexing faster
    };
    struct Closed {
        std::uint32_t number, transition, at;
    };

    static std::uint64_t bit(std::uint32_t number) noexcept { return std::uint64_t{1} << (number % 64); }
    void place(const ClassState& one, std::uint32_t at, std::uint32_t transition) noexcept {
        members_[one.first + at] = transition;
        position_[transition] = at;
    }

    std::vector<ClassState> classes_;
    std::vector<std::uint32_t> members_;   // the members of each class, from first_member on
    std::vector<std::uint32_t> position_;  // per transition: its current or last position in its class
    std::vector<std::uint64_t> occupied_;
    std::vector<Closed> closed_;  // in the current step
};

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
