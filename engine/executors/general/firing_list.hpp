#pragma once

#include "engine/executors/general/run_state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The firings of a step. Each transition occurs at most once.
class FiringList {
  public:
    explicit FiringList(std::size_t transitions) : items_(transitions), end_(items_.data()) {}

    void clear() noexcept { end_ = items_.data(); }
    void add(std::uint32_t transition, Tokens times = 1) noexcept { *end_++ = {transition, times}; }
    std::span<Firing> all() noexcept { return {items_.data(), end_}; }
    std::span<const Firing> all() const noexcept { return {items_.data(), end_}; }

    /// Calls add() for each transition that `each(add)` passes on. The end of the list stays in a register.
    template <class Each>
    void add_each(Each&& each) {
        Firing* end = end_;
        each([&end](std::uint32_t transition) { *end++ = {transition, 1}; });
        end_ = end;
    }
    void drop_those_without_times() noexcept {
        end_ = std::remove_if(items_.data(), end_, [](const Firing& firing) { return firing.times == 0; });
    }

  private:
    std::vector<Firing> items_;
    Firing* end_;
};

}  // namespace warpnet
