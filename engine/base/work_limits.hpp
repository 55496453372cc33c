#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpnet {

/// Why a computation ended. Runs of nets have reasons of their own beside these, see StopReason.
enum class WorkEnd : std::uint8_t {
    complete,
    answered,        ///< what was asked is known, the rest was not looked at
    target_reached,  ///< a search found as much as it was to find
    endless,         ///< a run can go on for ever
    not_applicable,  ///< the net does not have the shape that is needed
    effort_limit,    ///< WorkLimits::effort
    state_limit,     ///< as many states or candidates as were allowed
    memory_limit,
    time_limit,
    interrupted,
    overflow,  ///< a place would have held more than max_tokens, or a value more than its cell
};

/// In words, for people and scripts.
std::string_view to_string(WorkEnd end);

/// What a computation may use; it stops at the first limit that it hits, and says which.
struct WorkLimits {
    /// Bytes, about, of what grows with the work.
    std::uint64_t memory = std::uint64_t{4} << 30;
    /// Units of work, for computations that count them: a limit that depends on no clock. 0: any amount.
    std::uint64_t effort = 0;
    std::optional<std::chrono::steady_clock::time_point> deadline = {};
    /// Set by somebody else when the work is to end; not owned, may be null.
    const std::atomic<bool>* interrupt = nullptr;

    bool interrupted() const noexcept {
        return interrupt != nullptr && interrupt->load(std::memory_order_relaxed);
    }
    /// interrupted or time_limit where it is so, else complete. Looks at the clock: some tens of nanoseconds.
    WorkEnd asked_to_end() const noexcept {
        if (interrupted()) return WorkEnd::interrupted;
        if (deadline && std::chrono::steady_clock::now() >= *deadline) return WorkEnd::time_limit;
        return WorkEnd::complete;
    }
    bool must_end() const noexcept { return asked_to_end() != WorkEnd::complete; }
};

}  // namespace warpnet
