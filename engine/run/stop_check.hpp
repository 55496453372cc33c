#pragma once

#include "engine/run/run.hpp"

#include <cstdint>
#include <optional>

namespace warpnet {

/// Why the time limits end a run; empty if it may continue.
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

/// Between two checks within a multiset step, which can have as many firings as there are tokens.
inline constexpr std::uint64_t firings_between_looks = 4096;

/// Decides before each step whether a limit forbids it. Checks the clock and the interrupt flag at its first
/// call and at every 256th call after that.
class StopCheck {
  public:
    explicit StopCheck(const RunOptions& options) noexcept : options_(options) {}

    /// `steps` timed steps have been made. If the next step is immediate, `immediate_rounds` consecutive
    /// immediate steps have been made.
    std::optional<StopReason> reached(std::uint64_t steps, bool immediate, std::uint64_t immediate_rounds) {
        if (!immediate && steps >= options_.max_steps) return StopReason::step_limit;
        if (immediate && immediate_rounds > max_immediate_rounds) return StopReason::immediate_loop;
        return calls_++ % 256 == 0 ? asked_to() : std::nullopt;
    }

    /// Whether the time limits end the run.
    std::optional<StopReason> asked_to() const { return asked_to_stop(options_.limits); }

    /// Whether reached() must be called before the next timed step. To be called instead of it otherwise.
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
