#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/executors/general/candidates.hpp"
#include "engine/executors/general/net.hpp"
#include "engine/executors/loop/conflict_order.hpp"
#include "engine/executors/loop/running_delays.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// A marking and the facts derived from it, kept up to date: which transitions are candidates (Candidates)
/// and when delays end (RunningDelays). A change of a place costs the conditions on this place that become
/// true or false.
///
/// While a delay gadget runs, its two places keep the tokens from its start and its transitions are no
/// candidates. settle() brings the marking up to date. A second token that enters a gadget ends the skipping
/// of that gadget, which is then executed like the rest of the net.
class RunState {
  public:
    /// `order` records the firings in gadgets. `skips_delays`: skip the inside of gadgets. REQUIRES: maximal
    /// steps, if it is set.
    RunState(const CompiledNet& net, const GeneralNet& general, ConflictOrder& order, bool skips_delays);
    RunState(const RunState&) = delete;
    RunState& operator=(const RunState&) = delete;

    std::span<const Tokens> marking() const noexcept { return marking_; }
    /// Whether each of these places, such as hubs, holds the tokens demanded from it.
    bool serves(std::span<const PlaceWeight> demands) const noexcept {
        return std::all_of(demands.begin(), demands.end(),
                           [&](PlaceWeight demand) { return marking_[demand.place] >= demand.weight; });
    }
    Candidates& candidates() noexcept { return candidates_; }
    const Candidates& candidates() const noexcept { return candidates_; }
    RunningDelays& delays() noexcept { return delays_; }

    /// The number of timed steps so far. A token that arrives now can be consumed in step now()+1 at the
    /// earliest.
    std::uint64_t now() const noexcept { return now_; }
    /// The next step in which a gadget ends, or RunningDelays::nothing_due.
    std::uint64_t next_due() noexcept { return delays_.next_due(now_); }
    void advance_to(std::uint64_t now) noexcept { now_ = now; }

    /// Ends the gadgets due at now(): their last transition fires together with the next fire(). Returns
    /// false on overflow.
    bool end_delays();
    /// Applies the net effect of a step. Returns false on overflow.
    bool fire(std::span<const Firing> step);
    /// Applies a change of a place by firings elsewhere, after step now(). Returns false on overflow.
    bool arrive(std::uint32_t place, std::int32_t delta) { return change(place, delta); }

    /// Moves the tokens of running gadgets to their current places. The state must not be used for execution
    /// afterwards.
    void settle();

  private:
    /// Properties of a place. With 0, only hub groups depend on it.
    enum Kind : std::uint8_t {
        graded = 1,       // has a condition with a threshold other than 1
        contestable = 2,  // Candidates::is_contestable()
        asleep = 4,       // wait or timer of a skipped gadget
        watched = 8,      // has conditions
    };

    void begin_delays();

    bool apply(std::uint32_t transition);
    bool apply(std::uint32_t transition, Tokens times);
    bool apply_done(const DelayGadget& gadget);

    bool change(std::uint32_t place, Tokens delta);
    void change_watched(std::uint32_t place, Tokens before);
    void start_watching(std::uint32_t place);

    void token_enters(std::uint32_t place);
    void settle_gadget(std::uint32_t gadget);
    void wake(std::uint32_t gadget);

    const CompiledNet& net_;
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

/// The firings of a step. Each transition occurs at most once.
class FiringList {
  public:
    explicit FiringList(std::size_t transitions) : items_(transitions), end_(items_.data()) {}

    void clear() noexcept { end_ = items_.data(); }
    void add(std::uint32_t transition, Tokens times = 1) noexcept { *end_++ = {transition, times}; }
    std::span<Firing> all() noexcept { return {items_.data(), end_}; }
    std::span<const Firing> all() const noexcept { return {items_.data(), end_}; }

    /// Calls add() for each transition that `each(add)` passes on. The end of the list stays in a register.
    template <class Each>
    void add_each(Each&& each) {
        Firing* end = end_;
        each([&end](std::uint32_t transition) { *end++ = {transition, 1}; });
        end_ = end;
    }
    void drop_those_without_times() noexcept {
        end_ = std::remove_if(items_.data(), end_, [](const Firing& firing) { return firing.times == 0; });
    }

  private:
    std::vector<Firing> items_;
    Firing* end_;
};

}  // namespace warpnet
