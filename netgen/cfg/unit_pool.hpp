#pragma once

#include "netgen/cfg/annotation.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet::netgen {

// Pooled units. A static allotment (CfgAnnotation with UnitSharing::allotted) fixes how many units each side
// of a split holds until the join. A pool does not. The wavefront starts with one unit, and the pool holds
// all other units.
//
//  - A split branch whose block has ended takes one unit out of the pool and runs both sides at once. If the
//    pool is empty, the branch does not wait. It runs its true side, then its false side, like an unsplit
//    branch.
//  - The side that ends first returns its unit to the pool at once. The unit of the other side continues
//    behind the join.
//  - Within one instant, everything that can end ends first and returns its unit. Then the first branch in
//    program order whose block has ended continues as one side or as two. Everything that ends at once then
//    ends, and so on. A branch that is refused a unit is therefore treated as not in the set.
//
// Shorter block times than e(b) can make the same splits take longer: a unit that comes back earlier may go
// to another branch (an anomaly of list scheduling, [Graham66]). A fixed hand-over excludes that: see
// HandOver.

/// The origin of the second unit of a split branch. With a fixed hand-over the branch waits for the unit of
/// this side only. Every start is then a maximum of sums of block times. So no shorter time, including 0,
/// delays anything, and the WCET of the given times also holds for blocks that end early and for branches
/// that do not diverge.
struct HandOver {
    BlockId to;
    std::optional<CfgSide> from = {};  ///< empty: a unit that has not been used before
    bool operator==(const HandOver&) const = default;
};

/// The run in which every block takes exactly e(b).
struct PoolRun {
    std::int64_t wcet = 0;
    Units peak = 1;                    ///< most units in use at an instant
    SplitSet taken;                    ///< the branches that got a unit
    std::vector<HandOver> hand_overs;  ///< of these branches, in the order of their forks
    bool operator==(const PoolRun&) const = default;
};

/// Runs sets of splits on a graph, which must outlive it. Not thread-safe.
class UnitPool {
  public:
    explicit UnitPool(const StructuredCfg& cfg);

    /// REQUIRES: splits.size() == cfg.size(), units >= 1. O(blocks log blocks).
    const PoolRun& run(const SplitSet& splits, Units units);
    /// The same for one block and everything nested in it, alone with these units. O(n log n) in its blocks.
    const PoolRun& run(BlockId tree, const SplitSet& splits, Units units);

  private:
    struct Event {
        std::int64_t time;
        bool decides;                                    // for a branch, after all ends at this time
        std::uint32_t position;                          // in program order
        auto operator<=>(const Event&) const = default;  // NOLINT(modernize-use-nullptr): of its expansion
    };
    enum class Mode : std::uint8_t { serial, both_run, one_runs };

    const PoolRun& run_from(BlockId first, const SplitSet& splits, Units units);
    void begin(BlockId block, std::int64_t time);
    void finish(BlockId block, std::int64_t time);
    bool end_side(CfgSide side, std::int64_t time);
    void decide(BlockId branch, bool splits, std::int64_t time);

    const StructuredCfg& cfg_;
    std::vector<CfgPlace> places_;

    std::optional<BlockId> tree_;
    std::vector<Event> events_;  // a heap
    std::vector<Mode> mode_;
    Units unused_ = 0;
    std::vector<CfgSide> returned_;  // units in the pool that a side had; the first one is at first_returned_
    std::size_t first_returned_ = 0;
    Units in_use_ = 1;
    PoolRun result_;
};

/// UnitPool::run() for a single use. Throws InputError if the sizes differ or if `units` is below 1.
PoolRun run_pool(const StructuredCfg& cfg, const SplitSet& splits, Units units);

/// The least number of units with which every branch of the set splits: the peak use if none of them is
/// refused. At most unit_demand(). O(blocks log blocks).
Units pool_demand(const StructuredCfg& cfg, const SplitSet& splits);

}  // namespace warpnet::netgen
