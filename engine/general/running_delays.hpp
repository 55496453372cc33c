#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/general/delay_calendar.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The delay gadgets that a run skips: when each was started, when it ends, and how often its transitions
/// have fired. A token in a gadget waits; the marking of its places is the business of those who ask.
class RunningDelays {
  public:
    static constexpr std::uint64_t nothing_due = DelayCalendar::nothing_due;

    /// `skipped`: otherwise there are none.
    RunningDelays(const CompiledNet& net, bool skipped);

    bool empty() const noexcept { return delays_.empty(); }
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(delays_.size()); }
    /// The gadget of a place `wait`; size() for any other place.
    std::uint32_t at(std::uint32_t place) const noexcept { return at_[place]; }

    bool is_running(std::uint32_t gadget) const noexcept { return delays_[gadget].due != 0; }
    /// Needs: not running, due > now.
    void start(std::uint32_t gadget, std::uint64_t now, std::uint64_t due) {
        delays_[gadget] = {now, due};
        calendar_.schedule(gadget, due, now);
    }
    /// Needs: running. Linear in the number of gadgets.
    void stop(std::uint32_t gadget) {
        calendar_.cancel(gadget, delays_[gadget].due);
        delays_[gadget].due = 0;
    }
    /// Steps since the start.
    std::uint64_t age(std::uint32_t gadget, std::uint64_t now) const noexcept {
        return now - delays_[gadget].started;
    }

    /// The first step after `now` in which a gadget ends, or nothing_due.
    std::uint64_t next_due(std::uint64_t now) noexcept { return calendar_.next_due(now); }
    /// Ends those that are due at `now`.
    std::span<const std::uint32_t> end_due(std::uint64_t now) {
        ended_.clear();
        calendar_.take_due(now, ended_);
        for (const std::uint32_t gadget : ended_) delays_[gadget].due = 0;
        return ended_;
    }
    /// Those that the last end_due() ended.
    std::span<const std::uint32_t> ended() const noexcept { return ended_; }

    /// Firings of the gadgets' transitions: all together, and per transition where counts were asked for.
    std::uint64_t firings() const noexcept { return firings_; }
    void count_in(std::vector<std::uint64_t>* counts) noexcept { counts_ = counts; }
    void count(const DelayGadget& gadget, std::uint64_t ticks, std::uint64_t ends) {
        firings_ += ticks + ends;
        if (counts_ == nullptr) return;
        (*counts_)[gadget.tick] += ticks;
        (*counts_)[gadget.done] += ends;
    }

  private:
    struct Delay {
        std::uint64_t started = 0;
        std::uint64_t due = 0;  // 0: not running
    };

    DelayCalendar calendar_;
    std::vector<Delay> delays_;      // per gadget
    std::vector<std::uint32_t> at_;  // per place
    std::vector<std::uint32_t> ended_;
    std::uint64_t firings_ = 0;
    std::vector<std::uint64_t>* counts_ = nullptr;
};

inline RunningDelays::RunningDelays(const CompiledNet& net, bool skipped)
    : calendar_(skipped ? net.gadgets.size() : 0), delays_(skipped ? net.gadgets.size() : 0) {
    if (delays_.empty()) return;
    at_.assign(net.place_count(), size());
    for (std::uint32_t gadget = 0; gadget < size(); ++gadget) at_[net.gadgets[gadget].wait] = gadget;
}

}  // namespace warpnet
