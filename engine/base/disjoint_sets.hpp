#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace warpnet {

/// A partition of the elements 0, 1, … into sets that can be joined (union-find with path halving).
class DisjointSets {
  public:
    explicit DisjointSets(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0U); }

    /// The least element of the set.
    std::uint32_t root(std::uint32_t i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    /// Joins the sets of two elements.
    void join(std::uint32_t a, std::uint32_t b) {
        if (parent_[a] == parent_[b]) return;
        a = root(a), b = root(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

  private:
    std::vector<std::uint32_t> parent_;
};

}  // namespace warpnet
