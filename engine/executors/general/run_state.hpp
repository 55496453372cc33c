#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/executors/general/candidates.hpp"
#include "engine/executors/general/net.hpp"
#include "engine/executors/loop/conflict_order.hpp"
#include "engine/executors/loop/running_delays.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// A marking and what follows from it, kept up to date change by change: which transitions are candidates
/// (Candidates) and when delays end (RunningDelays). Cost of a change: the conditions on that place that it
/// makes true or false.
///
/// While a delay gadget runs, its two places keep the tokens they had when it was started and its transitions
/// are no candidates; settle() brings the marking to the present. A second token in a running gadget ends
/// this for that gadget: it is then executed like the rest of the net.
class RunState {
  public:
    /// `order` records what fires in gadgets. `skips_delays`: the inside of gadgets is skipped; for maximal
    /// steps only.
    RunState(const CompiledNet& net, const GeneralNet& general, ConflictOrder& order, bool skips_delays);
    RunState(const RunState&) = delete;
    RunState& operator=(const RunState&) = delete;

    std::span<const Tokens> marking() const noexcept { return marking_; }
    /// Whether each of some places, hubs for instance, has the tokens that are demanded of it.
    bool serves(std::span<const PlaceWeight> demands) const noexcept {
        return std::all_of(demands.begin(), demands.end(),
                           [&](PlaceWeight demand) { return marking_[demand.place] >= demand.weight; });
    }
    Candidates& candidates() noexcept { return candidates_; }
    const Candidates& candidates() const noexcept { return candidates_; }
    RunningDelays& delays() noexcept { return delays_; }

    /// Timed steps made so far; a token that arrives now can be used from step now()+1 on.
    std::uint64_t now() const noexcept { return now_; }
    /// The next step in which a gadget ends, or RunningDelays::nothing_due.
    std::uint64_t next_due() noexcept { return delays_.next_due(now_); }
    void advance_to(std::uint64_t now) noexcept { now_ = now; }

    /// Ends the gadgets due at now(): their last transition fires, as soon as fire() is called. False on
    /// overflow.
    bool end_delays();
    /// Applies the net effect of a step. False on overflow.
    bool fire(std::span<const Firing> step);
    /// Tokens come to or leave a place by firings elsewhere, after step now(). False on overflow.
    bool arrive(std::uint32_t place, std::int32_t delta) { return change(place, delta); }

    /// Puts the tokens of running gadgets where they are now. The state must not be used for execution
    /// afterwards.
    void settle();

  private:
    /// Of a place; 0: nothing depends on it but hub groups.
    enum Kind : std::uint8_t {
        graded = 1,       // has a watch with a threshold other than 1
        contestable = 2,  // Candidates::is_contestable()
        asleep = 4,       // wait or timer of a gadget that is skipped
        watched = 8,      // has watches
    };

    void begin_delays();

    bool apply(std::uint32_t transition);
    bool apply(std::uint32_t transition, Tokens times);
    bool apply_done(const DelayGadget& gadget);
    bool apply_singly(std::span<const Effect> effects);

    bool change(std::uint32_t place, Tokens delta);
    void change_watched(std::uint32_t place, Tokens before);
    void start_watching(std::uint32_t place);

    void token_enters(std::uint32_t place);
    void settle_gadget(std::uint32_t gadget);
    void wake(std::uint32_t gadget);

    const CompiledNet& net_;
    // Of net_ and of what is known about it, within easy reach.
    const Effect* effects_;
    const std::uint32_t* first_effect_;
    const std::uint8_t* binary_effects_;
    const CounterUpdate* updates_;
    const std::uint32_t* first_update_;

    ConflictOrder& order_;
    Marking marking_;
    std::vector<std::uint8_t> kind_;  // per place
    Candidates candidates_;
    RunningDelays delays_;
    std::uint64_t now_ = 0;
};

inline bool RunState::change(std::uint32_t place, Tokens delta) {
    const Tokens before = marking_[place];
    if (__builtin_add_overflow(before, delta, &marking_[place])) {
        marking_[place] = before;
        return false;
    }
    const std::uint8_t kind = kind_[place];
    const bool crosses_zero = before == 0 || marking_[place] == 0;
    if (kind != 0 && (crosses_zero || (kind & (graded | contestable | asleep)) != 0))
        change_watched(place, before);
    return true;
}

}  // namespace warpnet
