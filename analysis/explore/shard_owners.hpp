#pragma once

#include "analysis/explore/state_space.hpp"

#include <cstdint>

namespace warpnet {

/// Which rank keeps which shards: each has successive ones, about as many as the others, so that the order of
/// shards is that of ranks.
class ShardOwners {
  public:
    /// More ranks than shards: some have none.
    explicit ShardOwners(int ranks = 1) noexcept : ranks_(static_cast<std::uint32_t>(ranks)) {}

    std::uint32_t first(int rank) const noexcept {
        return StateSpace::shard_count * static_cast<std::uint32_t>(rank) / ranks_;
    }
    std::uint32_t end(int rank) const noexcept { return first(rank + 1); }
    int owner(std::uint32_t shard) const noexcept {
        return static_cast<int>(((shard + 1) * ranks_ - 1) / StateSpace::shard_count);
    }

  private:
    std::uint32_t ranks_;
};

}  // namespace warpnet
