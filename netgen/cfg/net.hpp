#pragma once

#include "engine/net/net.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/cfg/annotation.hpp"
#include "netgen/cfg/cfg.hpp"
#include "netgen/cfg/unit_pool.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpnet::netgen {

/// Lays the blocks of a graph as a net, in program order. When a block is laid, the enclosing sequence has
/// already determined the place that follows it. Derived classes define the split branches.
class CfgLayout {
  public:
    CfgLayout(const StructuredCfg& cfg, SplitSet splits);
    CfgLayout(const CfgLayout&) = delete;
    CfgLayout& operator=(const CfgLayout&) = delete;
    virtual ~CfgLayout() = default;

    /// REQUIRES: not called before.
    Net build();

  protected:
    /// Lays a split branch. Control then goes to `after`.
    virtual void split(BlockId at, PlaceId after) = 0;
    /// Lays the block of an unsplit branch. Its sides begin at `sides`.
    virtual void begin_sides(BlockId at, PlaceId sides);
    /// Adds the output arc by which control reaches a place.
    virtual void go(TransitionId from, PlaceId to);
    /// Called for each transition that moves control out of a place at once.
    virtual void at_once(PlaceId from, TransitionId transition);

    /// The place at which control enters a sequence that continues at `after`.
    PlaceId enter(std::span<const BlockId> sequence, PlaceId after);
    /// A delay gadget ([Gogolinska17] section 4): exactly e(b) steps from the arrival of the token until it
    /// is in `out`.
    void delay(BlockId at, PlaceId out);
    /// A new immediate transition that takes control out of `from`.
    TransitionId add_immediate(const std::string& id, PlaceId from);

    const StructuredCfg& cfg_;
    const SplitSet splits_;
    NetBuilder net_;
    std::vector<PlaceId> run_;  ///< per block

  private:
    void lay(BlockId at);

    std::vector<std::optional<PlaceId>> after_;
};

/// The net of a graph whose branches take units from a pool, first come, first served
/// (netgen/cfg/unit_pool.hpp). Its number of steps is PoolRun::wcet. Blocks and unsplit branches are those of
/// cfg_net(). The free units are tokens of `units`. A branch of the set leaves `b_ready` by the immediate
/// `b_fork` if there is a free unit, and otherwise by `b_serial`, which `units` inhibits. `b_true_first` and
/// `b_false_first` return the unit of the side that ends first, and `b_true_last` and `b_false_last` continue
/// after the join. In sequence, `b_true_next` and `b_false_next` take their place.
///
/// `moving` counts the tokens that an immediate transition will move on without a choice. It inhibits forks,
/// so that everything that can end does so first. Forks then share the token of `turn` and have falling
/// priorities in program order. If a plain block takes no time, unsplit branches take turns in this way, too.
/// O(blocks) nodes.
///
/// Throws InputError like run_pool().
Net pool_net(const StructuredCfg& cfg, const SplitSet& splits, Units units);

/// The net of the same graph with a fixed hand-over. Only the branches of `hand_overs` split, each with the
/// unit that its entry names, through `b_unit`. The net has no conflicts, inhibitors or priorities. The graph
/// may have other times than the graph of the hand-over. If no block takes longer, the net takes no more
/// steps.
///
/// REQUIRES: the hand-over is a result of run_pool() for a graph of the same shape; with another one the net
/// may block. Throws InputError if a block is no branch or splits already, or if a unit comes from a branch
/// that does not split before, or was handed over before.
Net hand_over_net(const StructuredCfg& cfg, std::span<const HandOver> hand_overs);

/// The net of an annotated graph. The number of steps to its dead marking is the worst-case execution time of
/// the annotation, in which every branch diverges.
///
/// Block b with e(b) >= 1 steps is a delay gadget: `b_run` (waits), `b_timer` (e - 1 tokens), `b_tick` and
/// `b_done`. A block of 0 steps has `b_run` and an immediate `b_done`. An unsplit branch runs its true side,
/// then its false side. A split branch continues through `b_ready` and the immediate transitions `b_fork` and
/// `b_join`; its sides end in `b_true_end` and `b_false_end`. The token of the running wavefront is one unit.
/// The other units of a part of the graph are tokens of `units` (top level), `b_true_units` and
/// `b_false_units`: a fork takes them from the enclosing part, and the join returns them. A finished run has
/// one token in `end` and the spare units in `units`.
///
/// Throws InputError like check_annotation(). O(blocks) nodes and time.
Net cfg_net(const StructuredCfg& cfg, const CfgAnnotation& annotation);

}  // namespace warpnet::netgen
