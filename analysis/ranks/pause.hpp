#pragma once

#include <algorithm>
#include <chrono>

namespace warpnet {

/// Waits between two looks: short while messages come, longer while none do.
class Pause {
  public:
    explicit Pause(std::chrono::microseconds longest = std::chrono::microseconds(1000)) : longest_(longest) {}

    void reset() { pause_ = shortest; }
    std::chrono::microseconds next() {
        const auto pause = pause_;
        pause_ = std::min(2 * pause_, longest_);
        return pause;
    }

  private:
    static constexpr std::chrono::microseconds shortest{20};
    std::chrono::microseconds longest_;
    std::chrono::microseconds pause_ = shortest;
};

}  // namespace warpnet
