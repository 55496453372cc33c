#pragma once

#include <cstdint>

namespace warpnet {

/// Which rank keeps which shards: each has successive ones, about as many as the others, so that the order of
/// shards is that of ranks.
class ShardOwners {
  public:
    /// More ranks than shards: some have none.
    ShardOwners(std::uint32_t shards, int ranks) noexcept
        : shards_(shards), ranks_(static_cast<std::uint32_t>(ranks)) {}

    std::uint32_t first(int rank) const noexcept {
        return shards_ * static_cast<std::uint32_t>(rank) / ranks_;
    }
    std::uint32_t end(int rank) const noexcept { return first(rank + 1); }
    int owner(std::uint32_t shard) const noexcept {
        return static_cast<int>(((shard + 1) * ranks_ - 1) / shards_);
    }

  private:
    std::uint32_t shards_;
    std::uint32_t ranks_;
};

}  // namespace warpnet
