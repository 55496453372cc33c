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

    /// A new marking of a shard. Several threads fill shards, but only one at a time fills a given shard, in
    /// an order that does not depend on the threads.
    virtual void see(std::uint32_t shard, const PackedLayout& layout, const Word* packed) = 0;

    /// Asked between rounds, while no thread is in see(): whether nothing more has to be seen. By then all
    /// markings nearer to the initial one than the farthest marking seen have been seen.
    virtual bool satisfied() = 0;

    /// Among ranks each rank sees the markings of its own shards. Returns, as bytes, what this rank has seen
    /// since the last call; take() receives that of all ranks, by rank, before satisfied() is asked. Only
    /// then can the watch end the exploration.
    virtual std::string news() { return {}; }
    virtual void take(const std::vector<std::string>& news_of_ranks) { (void)news_of_ranks; }
};

/// Keeps the dead markings of an exploration that are nearest to the initial one. They do not depend on the
/// number of threads. O(transitions) per marking.
class DeadMarkings : public MarkingWatch {
  public:
    /// Keeps at most `most`.
    DeadMarkings(const CompiledNet& net, std::size_t most) : net_(net), most_(most) {}

    void see(std::uint32_t shard, const PackedLayout& layout, const Word* packed) override;
    bool satisfied() override;

    /// The markings found, nearest first. To be asked after the exploration has ended.
    std::vector<Marking> nearest();

  private:
    void gather();

    const CompiledNet& net_;
    std::size_t most_;
    std::vector<Marking> found_;
    std::array<std::vector<Marking>, StateSpace::shard_count> seen_;  ///< in this round
};

}  // namespace warpnet
