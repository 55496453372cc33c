#pragma once

#include <cstdint>
#include <optional>
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

}  // namespace warpnet::worst
