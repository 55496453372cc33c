#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpnet {

/// What ends an exact computation before it is complete.
struct ExactLimits {
    /// Units of work, about half a microsecond each: an effort that depends on no clock. 0: any amount.
    std::uint64_t effort = 0;
    std::uint64_t memory = std::uint64_t{4} << 30;  ///< bytes, about
    std::optional<std::chrono::steady_clock::time_point> deadline = {};
    const std::atomic<bool>* interrupt = nullptr;
};

/// Why an exact computation ended.
enum class ExactStop : std::uint8_t {
    complete,
    endless,         ///< a run can go on for ever
    not_applicable,  ///< the net does not have the shape that is needed
    effort_limit,    ///< ExactLimits::effort
    memory_limit,
    time_limit,
    interrupted,
};

std::string_view to_string(ExactStop stop);

/// time_limit or interrupted where they are, else complete. Looks at the clock.
ExactStop stop_asked_for(const ExactLimits& limits);

}  // namespace warpnet
