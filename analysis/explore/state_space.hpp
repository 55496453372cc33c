#pragma once

#include "analysis/explore/packed_layout.hpp"
#include "analysis/explore/state_shard.hpp"
#include "engine/net/net.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace warpnet {

/// A marking of a StateSpace: its shard in the top bits, its number in the shard in the others.
enum class StateId : std::uint32_t {};

/// Distinct markings, packed, in shards by hash that can be filled in parallel. Each knows its parent: the
/// marking that it was first reached from.
class StateSpace {
  public:
    static constexpr std::uint32_t shard_count = 1u << StateHash::shard_bits;

    explicit StateSpace(PackedLayout layout) : layout_(std::move(layout)) {
        for (std::uint32_t s = 0; s < shard_count; ++s) shards_.emplace_back(layout_.words());
    }

    const PackedLayout& layout() const noexcept { return layout_; }
    StateShard& shard(std::uint32_t number) noexcept { return shards_[number]; }
    const StateShard& shard(std::uint32_t number) const noexcept { return shards_[number]; }

    static constexpr StateId id(std::uint32_t shard, std::uint32_t number) noexcept {
        return StateId{shard << in_shard_bits | number};
    }
    static constexpr std::uint32_t shard_of(StateId state) noexcept {
        return static_cast<std::uint32_t>(state) >> in_shard_bits;
    }
    static constexpr std::uint32_t number_of(StateId state) noexcept {
        return static_cast<std::uint32_t>(state) & ((1u << in_shard_bits) - 1);
    }

    std::uint64_t size() const noexcept;
    std::size_t bytes() const noexcept;

    const Word* operator[](StateId state) const noexcept {
        return shards_[shard_of(state)][number_of(state)];
    }
    Marking marking(StateId state) const;
    /// The initial marking is its own parent.
    StateId parent(StateId state) const noexcept {
        return StateId{shards_[shard_of(state)].parent(number_of(state))};
    }

    template <class Words>
    std::optional<StateId> find(const Word* packed, Words words) const noexcept {
        const StateHash hash(packed, words);
        const auto number = shards_[hash.shard()].find(hash.in_shard(), packed, words);
        return number ? std::optional(id(hash.shard(), *number)) : std::nullopt;
    }

  private:
    static constexpr unsigned in_shard_bits = 32 - StateHash::shard_bits;

    PackedLayout layout_;
    std::vector<StateShard> shards_;
};

}  // namespace warpnet
