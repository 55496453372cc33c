#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/executors/loop/delay_calendar.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The delay gadgets that a run skips: their starts, their ends and the firings of their transitions. So a
/// delay costs the same whatever its length. While a gadget runs, its places keep the tokens from its start.
/// The owner of the marking passes them to settle() to bring them up to date.
class RunningDelays {
  public:
    static constexpr std::uint64_t nothing_due = DelayCalendar::nothing_due;

    /// `skipped`: whether gadgets are skipped; if not, this object contains none.
    RunningDelays(const CompiledNet& net, bool skipped);

    bool empty() const noexcept { return delays_.empty(); }
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(delays_.size()); }
    /// The gadget of a place `wait`; size() for any other place.
    std::uint32_t at(std::uint32_t place) const noexcept { return at_[place]; }

    bool is_running(std::uint32_t gadget) const noexcept { return delays_[gadget].due != 0; }
    /// Starts the gadgets with a token in `wait` in the initial marking.
    void start_initial(const Marking& initial);
    /// A token has entered a gadget in step `now`, and `wait` is the number of tokens there. Starts the
    /// gadget. Returns false if the gadget runs or holds other tokens, and must be executed like the rest of
    /// the net.
    bool enter(std::uint32_t gadget, Tokens wait, std::uint64_t now) {
        if (is_running(gadget) || wait != 1) return false;
        start(gadget, now);
        return true;
    }
    /// The same. REQUIRES: no other token is in the gadget.
    void start(std::uint32_t gadget, std::uint64_t now) {
        start(gadget, now, now + static_cast<std::uint64_t>((*gadgets_)[gadget].length));
    }
    /// The same for a gadget whose end is known. REQUIRES: due > now.
    void start(std::uint32_t gadget, std::uint64_t now, std::uint64_t due) {
        delays_[gadget] = {now, due};
        calendar_.schedule(gadget, due, now);
    }
    /// REQUIRES: the gadget runs. Linear in the number of gadgets.
    void stop(std::uint32_t gadget) {
        calendar_.cancel(gadget, delays_[gadget].due);
        delays_[gadget].due = 0;
    }
    /// The number of steps since the start.
    std::uint64_t age(std::uint32_t gadget, std::uint64_t now) const noexcept {
        return now - delays_[gadget].started;
    }
    /// Moves the tokens of a running gadget to their places after step `now`. Returns the number of ticks
    /// made.
    std::uint64_t settle(std::uint32_t gadget, std::uint64_t now, Tokens& wait, Tokens& timer) {
        const std::uint64_t ticks = std::min(age(gadget, now), static_cast<std::uint64_t>(timer));
        wait += static_cast<Tokens>(ticks);
        timer -= static_cast<Tokens>(ticks);
        count(gadget, ticks, 0);
        return ticks;
    }

    /// The first step after `now` in which a gadget ends, or nothing_due.
    std::uint64_t next_due(std::uint64_t now) noexcept { return calendar_.next_due(now); }
    /// Ends the gadgets due at `now` and calls visit(gadget) for each. visit() must not start gadgets.
    template <class Visit>
    std::span<const std::uint32_t> end_due(std::uint64_t now, Visit&& visit) {
        ended_.clear();
        calendar_.take_due(now, [&](std::uint32_t gadget) {
            delays_[gadget].due = 0;
            ended_.push_back(gadget);
            visit(gadget);
        });
        return ended_;
    }
    std::span<const std::uint32_t> end_due(std::uint64_t now) {
        return end_due(now, [](std::uint32_t) {});
    }
    /// Restores the tokens of a gadget that has ended to those before its start, without the tokens that it
    /// gives to other places.
    void reset(std::uint32_t gadget, Tokens& wait, Tokens& timer) {
        count(gadget, static_cast<std::uint64_t>(timer), 1);
        wait = 0;
        timer = (*gadgets_)[gadget].length - 1;
    }
    /// The same for a gadget whose tokens are not stored, since it never holds more than one.
    void count_whole(std::uint32_t gadget, std::uint32_t length) { count(gadget, length - 1, 1); }
    /// The gadgets that the last end_due() ended.
    std::span<const std::uint32_t> ended() const noexcept { return ended_; }

    /// Whether the same gadgets run as in `earlier`, with starts and ends that are this many steps later and
    /// with the same order within a step.
    bool repeats(const RunningDelays& earlier, std::uint64_t later) const noexcept {
        for (std::uint32_t gadget = 0; gadget < size(); ++gadget) {
            if (is_running(gadget) != earlier.is_running(gadget)) return false;
            if (!is_running(gadget)) continue;
            const Delay now = delays_[gadget], before = earlier.delays_[gadget];
            if (now.due != before.due + later || now.started != before.started + later) return false;
            if (calendar_.behind(gadget) != earlier.calendar_.behind(gadget)) return false;
        }
        return true;
    }

    /// Firings of the gadgets' transitions: the total and, on request, per transition.
    std::uint64_t firings() const noexcept { return firings_; }
    void count_in(std::vector<std::uint64_t>* counts) noexcept { counts_ = counts; }

  private:
    struct Delay {
        std::uint64_t started = 0;
        std::uint64_t due = 0;  // 0: not running
    };

    void count(std::uint32_t gadget, std::uint64_t ticks, std::uint64_t ends) {
        firings_ += ticks + ends;
        if (counts_ == nullptr) return;
        (*counts_)[(*gadgets_)[gadget].tick] += ticks;
        (*counts_)[(*gadgets_)[gadget].done] += ends;
    }

    const std::vector<DelayGadget>* gadgets_;

    DelayCalendar calendar_;
    std::vector<Delay> delays_;      // per gadget
    std::vector<std::uint32_t> at_;  // per place
    std::vector<std::uint32_t> ended_;
    std::uint64_t firings_ = 0;
    std::vector<std::uint64_t>* counts_ = nullptr;
};

inline RunningDelays::RunningDelays(const CompiledNet& net, bool skipped)
    : gadgets_(&net.gadgets),
      calendar_(skipped ? net.gadgets.size() : 0),
      delays_(skipped ? net.gadgets.size() : 0) {
    if (delays_.empty()) return;
    at_.assign(net.place_count(), size());
    for (std::uint32_t gadget = 0; gadget < size(); ++gadget) at_[net.gadgets[gadget].wait] = gadget;
}

inline void RunningDelays::start_initial(const Marking& initial) {
    for (std::uint32_t gadget = 0; gadget < size(); ++gadget) {
        const DelayGadget& one = (*gadgets_)[gadget];
        if (initial[one.wait] != 0) start(gadget, 0, static_cast<std::uint64_t>(initial[one.timer]) + 1);
    }
}

}  // namespace warpnet
