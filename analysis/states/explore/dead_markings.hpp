#pragma once

#include "analysis/states/explore/marking_watch.hpp"
#include "analysis/states/explore/state_space.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/net.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace warpnet {

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
