#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpnet::worst {

/// Whether every run ends by a deadline.
enum class DeadlineVerdict : std::uint8_t {
    certified,  ///< no run takes longer
    exceeded,   ///< a known run does
    open,
};

constexpr std::string_view to_string(DeadlineVerdict verdict) noexcept {
    switch (verdict) {
        case DeadlineVerdict::certified:
            return "certified";
        case DeadlineVerdict::exceeded:
            return "exceeded";
        case DeadlineVerdict::open:
            break;
    }
    return "open";
}

/// `found`: the least time of a known run; `upper`: a bound on all runs. Both in the unit of the deadline.
template <class Time>
DeadlineVerdict judge_deadline(std::optional<Time> found, std::optional<Time> upper, Time deadline) {
    if (upper && *upper <= deadline) return DeadlineVerdict::certified;
    return found && *found > deadline ? DeadlineVerdict::exceeded : DeadlineVerdict::open;
}

/// A number of steps that no run exceeds (or falls below), and the proof. An upper bound proves that every
/// run ends.
struct StepBound {
    std::uint64_t steps = 0;
    std::string argument;  ///< the proof in words, with its numbers
    bool operator==(const StepBound&) const = default;
};

/// A number of steps after which no part of a net moves any more, in any run, and the proof. It bounds the
/// runs that end. A run can continue without its parts, so a bound on every run also requires
/// EndsWithParts::every_run().
struct LastMoveBound {
    std::uint64_t steps = 0;
    std::string argument;  ///< as in StepBound
};

}  // namespace warpnet::worst
