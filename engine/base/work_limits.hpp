#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace warpnet {

/// The reason for the end of a computation. Runs of nets have further reasons, see StopReason.
enum class WorkEnd : std::uint8_t {
    complete,
    answered,        ///< the answer is known, and the rest was not computed
    target_reached,  ///< a search found the value requested
    endless,         ///< a run can continue forever
    not_applicable,  ///< the net lacks the required structure
    effort_limit,    ///< WorkLimits::effort
    state_limit,     ///< the allowed number of states or candidates
    memory_limit,
    time_limit,
    interrupted,
    overflow,  ///< a place exceeded max_tokens, or a value exceeded its storage
};

/// As text, for messages and scripts.
std::string_view to_string(WorkEnd end);

/// The limits of a computation. It stops at the first limit reached and reports it.
struct WorkLimits {
    /// The approximate number of bytes that may be used for data that grows with the work.
    std::uint64_t memory = std::uint64_t{4} << 30;
    /// Units of work, for computations that count them. This limit does not depend on a clock. 0: no limit.
    std::uint64_t effort = 0;
    std::optional<std::chrono::steady_clock::time_point> deadline = {};
    /// Set from outside to end the work. Not owned, may be null.
    const std::atomic<bool>* interrupt = nullptr;

    bool interrupted() const noexcept {
        return interrupt != nullptr && interrupt->load(std::memory_order_relaxed);
    }
    /// interrupted or time_limit if one of them applies, otherwise complete. Reads the clock, which takes
    /// some tens of nanoseconds.
    WorkEnd asked_to_end() const noexcept {
        if (interrupted()) return WorkEnd::interrupted;
        if (deadline && std::chrono::steady_clock::now() >= *deadline) return WorkEnd::time_limit;
        return WorkEnd::complete;
    }
    bool must_end() const noexcept { return asked_to_end() != WorkEnd::complete; }
};

/// Thrown deep within a computation at one of its WorkLimits. A library function whose result has a WorkEnd
/// catches it and stores why() there. The comments of functions that throw it state this.
class LimitReached : public std::runtime_error {
  public:
    explicit LimitReached(WorkEnd why) : LimitReached(why, std::string(to_string(why))) {}
    LimitReached(WorkEnd why, const std::string& what) : std::runtime_error(what), why_(why) {}
    WorkEnd why() const noexcept { return why_; }

  private:
    WorkEnd why_;
};

}  // namespace warpnet
