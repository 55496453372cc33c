#pragma once

#include "engine/run/run.hpp"

#include <cstdint>
#include <optional>

namespace warpnet {

/// Why a run has to end within limits of time; nothing where it may go on.
inline std::optional<StopReason> asked_to_stop(const WorkLimits& limits) noexcept {
    switch (limits.asked_to_end()) {
        case WorkEnd::interrupted:
            return StopReason::interrupted;
        case WorkEnd::time_limit:
            return StopReason::time_limit;
        default:
            return std::nullopt;
    }
}

/// Of a multiset step, which can have as many firings as there are tokens.
inline constexpr std::uint64_t firings_between_looks = 4096;

/// Decides before each step whether a limit forbids it. Looks at the clock and the interrupt flag on its
/// first call and on every 256th after that.
class StopCheck {
  public:
    explicit StopCheck(const RunOptions& options) noexcept : options_(options) {}

    /// `steps` timed steps have been made, and `immediate_rounds` immediate ones in a row if the next is
    /// immediate too.
    std::optional<StopReason> reached(std::uint64_t steps, bool immediate, std::uint64_t immediate_rounds) {
        if (!immediate && steps >= options_.max_steps) return StopReason::step_limit;
        if (immediate && immediate_rounds > max_immediate_rounds) return StopReason::immediate_loop;
        return calls_++ % 256 == 0 ? asked_to() : std::nullopt;
    }

    /// Whether it is time to stop.
    std::optional<StopReason> asked_to() const { return asked_to_stop(options_.limits); }

    /// Whether reached() should be asked before the next timed step; to be called instead of it otherwise.
    bool is_near(std::uint64_t steps) noexcept {
        if (steps >= options_.max_steps || calls_ % 256 == 0) return true;
        ++calls_;
        return false;
    }

  private:
    const RunOptions& options_;
    std::uint32_t calls_ = 0;
};

}  // namespace warpnet
