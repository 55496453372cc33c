#pragma once

#include "analysis/states/explore/packed_layout.hpp"
#include "analysis/states/explore/state_space.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/net.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpnet {

/// Sees every marking that an exploration finds, once.
class MarkingWatch {
  public:
    virtual ~MarkingWatch() = default;

    /// A new marking of a shard. Shards are filled by several threads; a shard by one at a time, in an order
    /// that does not depend on them.
    virtual void see(std::uint32_t shard, const PackedLayout& layout, const Word* packed) = 0;

    /// Asked between rounds, while no thread is in see(): whether nothing more has to be seen. All markings
    /// nearer to the initial one than the farthest seen have been seen then.
    virtual bool satisfied() = 0;

    /// Among ranks each sees the markings of its own shards. What has been seen here since this was last
    /// asked, as bytes; and what all ranks have, by rank, before satisfied() is asked. Only then can it end
    /// the exploration.
    virtual std::string news() { return {}; }
    virtual void take(const std::vector<std::string>& news_of_ranks) { (void)news_of_ranks; }
};

/// Keeps the dead markings of an exploration that are nearest to the initial one: the same ones on any number
/// of threads. O(transitions) per marking.
class DeadMarkings : public MarkingWatch {
  public:
    /// Keeps at most `most`.
    DeadMarkings(const CompiledNet& net, std::size_t most) : net_(net), most_(most) {}

    void see(std::uint32_t shard, const PackedLayout& layout, const Word* packed) override;
    bool satisfied() override;

    /// Those found, nearest first; to be asked when the exploration has ended.
    std::vector<Marking> nearest();

  private:
    void gather();

    const CompiledNet& net_;
    std::size_t most_;
    std::vector<Marking> found_;
    std::array<std::vector<Marking>, StateSpace::shard_count> seen_;  ///< in this round
};

}  // namespace warpnet
