#pragma once

#include "engine/net/net.hpp"
#include "netgen/cfg/unit_pool.hpp"

#include <span>

namespace warpnet {

/// The net of a graph whose branches take units from a pool, first come, first served (netgen/cfg/
/// unit_pool.hpp): its steps are PoolRun::wcet. Blocks and unsplit branches are those of cfg_net(). The free
/// units are tokens of `units`. A branch of the set goes from `b_ready` by the immediate `b_fork` if there is
/// a free unit, else by `b_serial` (`units` inhibits it). `b_true_first` and `b_false_first` return the unit
/// of the side that ends first, `b_true_last` and `b_false_last` go on behind the join; `b_true_next` and
/// `b_false_next` do so in sequence.
///
/// `moving` counts the tokens that an immediate transition will move on without a choice; it inhibits forks,
/// so that everything ends first. Forks then share the token of `turn` and have falling priorities in program
/// order; if a plain block takes no time, unsplit branches take turns like this as well. O(blocks) nodes.
///
/// Throws InputError as run_pool() does.
Net pool_net(const StructuredCfg& cfg, const SplitSet& splits, Units units);

/// The net of the same graph with a fixed hand-over: only the branches of `hand_overs` split, each with the
/// unit that it names, through `b_unit`. Without conflicts, inhibitors or priorities. The graph may have
/// other times than the one that the hand-over was made for: if no block takes longer, the net takes no more
/// steps.
///
/// REQUIRES: the hand-over is one of run_pool() for a graph of the same shape; with another one the net may
/// block. Throws InputError where a block splits that is no branch or splits already, or where a unit comes
/// from a branch that does not split before, or was handed over before.
Net hand_over_net(const StructuredCfg& cfg, std::span<const HandOver> hand_overs);

}  // namespace warpnet
