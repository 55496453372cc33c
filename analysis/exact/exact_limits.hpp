#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpnet {

/// What ends an exact computation before it is complete.
struct ExactLimits {
    std::uint64_t memory = std::uint64_t{4} << 30;  ///< bytes, about
    std::optional<std::chrono::steady_clock::time_point> deadline = {};
    const std::atomic<bool>* interrupt = nullptr;
};

/// Why an exact computation ended.
enum class ExactStop : std::uint8_t {
    complete,
    endless,         ///< a run can go on for ever
    not_applicable,  ///< the net does not have the shape that is needed
    effort_limit,    ///< ExactOptions::effort
    memory_limit,
    time_limit,
    interrupted,
};

std::string_view to_string(ExactStop stop);

/// time_limit or interrupted where they are, else complete. Looks at the clock.
ExactStop stop_asked_for(const ExactLimits& limits);

}  // namespace warpnet
