#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace warpnet {

/// What a computation may use. It stops at the first limit that it hits, and says which.
struct WorkLimits {
    std::uint64_t memory = std::uint64_t{4} << 30;  ///< bytes
    std::optional<std::chrono::steady_clock::time_point> deadline = {};
    std::string scratch = {};  ///< a folder for what has no room in memory; empty: none

    const std::atomic<bool>* interrupt = nullptr;  ///< set by somebody else: counts as the deadline

    bool out_of_time() const {
        if (interrupt != nullptr && interrupt->load(std::memory_order_relaxed)) return true;
        return deadline && std::chrono::steady_clock::now() > *deadline;
    }
};

/// Why a computation ended.
enum class WorkEnd : std::uint8_t {
    complete,
    memory_limit,
    time_limit,
};

}  // namespace warpnet
