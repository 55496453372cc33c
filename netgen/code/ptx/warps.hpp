#pragma once

#include "netgen/code/ptx/structure.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

/// How often the warps of a class execute the blocks of a function.
struct PtxWarpExecutions {
    std::vector<std::int64_t> blocks;
    bool exact = true;  ///< false: no more often
};

/// A warp executes a block whenever one of its lanes does. Lanes in a loop are in the same iteration: with
/// t(l, d) trips of lane l in the loop around the block at depth d, the iterations in which the block is
/// executed are the union over the lanes of [0, t(l, 1)) x [0, t(l, 2)) x …. The union is exact if the lanes
/// differ in at most two loops; else it is bounded by the most trips of each loop.
class PtxWarpCounter {
  public:
    /// `plan` has threads, and must outlive this.
    explicit PtxWarpCounter(const PtxStructure& plan);

    /// `fewest`: with the fewest trips in place of the most where they are not exact.
    PtxWarpExecutions executions(const PtxWarpClass& warps, bool fewest = false) const;
    /// Executions of a block by a warp that does all that any warp does, with the most trips of each loop.
    double most(std::uint32_t block) const;

  private:
    /// A loop around a block, and how often an iteration of it comes to the next loop or to the block.
    struct Around {
        std::uint32_t loop;
        bool in_body;
        bool in_last;
    };
    std::int64_t trips(const PtxPath& path, std::uint32_t loop, bool fewest) const;

    const PtxStructure& plan_;
    std::vector<std::vector<Around>> around_;  // by block, outer loops last
    std::vector<bool> counts_;                 // by block: it is in the plan at all
};

/// By block: executions of the mean warp as a share of those of a warp that does all that any warp does.
std::vector<double> mean_shares(const PtxStructure& plan);

}  // namespace warpnet
