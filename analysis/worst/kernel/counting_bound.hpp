#pragma once

#include "netgen/kernel/kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace warpnet {

/// A lower bound on the cycles that a state still takes, by counting: the instructions of one type that lie
/// before position b, over all warps, need their units, and whichever warp executes the last of them still
/// has I - b instructions after it. Cheap and, unlike a segment abstraction, aware of every position.
class CountingBound {
  public:
    explicit CountingBound(const KernelInstance& instance) : length_(static_cast<int>(instance.type.size())) {
        for (std::size_t type = 0; type < instance.capacity.size(); ++type) {
            std::vector<int> before{0};  // per position: instructions of this type before it
            for (const auto t : instance.type) before.push_back(before.back() + (t == type ? 1 : 0));
            for (int end = 1; end <= length_; ++end) {
                const auto e = static_cast<std::size_t>(end);
                const bool run_ends =
                    instance.type[e - 1] == type && (end == length_ || instance.type[e] != type);
                if (run_ends) windows_.push_back({end, instance.capacity[type], before});
            }
        }
    }

    /// The positions must be sorted, the least advanced warp first. O(W) a run of equal types.
    int operator()(std::span<const int> positions) const {
        int bound = length_ - positions[0];
        for (const Window& window : windows_) {
            int left = 0;
            for (const int p : positions) {
                if (p >= window.end) break;
                left += window.before[static_cast<std::size_t>(window.end)] -
                        window.before[static_cast<std::size_t>(p)];
            }
            if (left > 0)
                bound =
                    std::max(bound, length_ - window.end + (left + window.capacity - 1) / window.capacity);
        }
        return bound;
    }

  private:
    struct Window {
        int end;
        int capacity;
        std::vector<int> before;
    };

    int length_;
    std::vector<Window> windows_;
};

}  // namespace warpnet
