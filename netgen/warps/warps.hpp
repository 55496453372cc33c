#pragma once

#include "engine/net/net.hpp"

#include <optional>
#include <vector>

namespace warpnet {

/// Instructions that one warp executes, by class.
struct WarpCounts {
    Tokens arith = 0;
    Tokens shared = 0;  ///< shared-memory accesses
    Tokens global = 0;  ///< global-memory accesses
    bool operator==(const WarpCounts&) const = default;
};

/// A kernel as instruction counts and latencies ([Gogolinska17] section 4, repaired: netgen/warps/README.md):
/// on one SM, as in the paper, or on a GPU of equal SMs that work through a grid of equal blocks, which is
/// ours.
struct WarpsSpec {
    std::vector<WarpCounts> warps;  ///< of one block: what an SM holds at a time; at least one
    std::size_t sms = 1;            ///< N, at least 1
    /// B, blocks of the grid; 0: one for each SM. An SM starts with a block where there is one for it, and
    /// takes the next when all warps of its block have ended.
    Tokens blocks = 0;
    Tokens schedulers = 2;       ///< S of each SM, at least 1
    Tokens shared_latency = 2;   ///< l_s, steps, at least 1
    Tokens global_latency = 20;  ///< l_g, steps, at least 1
    /// The net as printed, with its two flaws: a warp can end before its last instruction is executed, and
    /// the net has no dead marking. Default: the repaired net, in which `terminate` also takes `fetch` and a
    /// place `alive`, from which every warp that ends takes a token, stops `idle`. Of one SM and one block
    /// only.
    bool published = false;
};

/// The net of a WarpsSpec: places `sm`, `alive` and per warp w1_active … w1_shared_timer; transitions
/// w1_issue … and `idle`. 2 + 18 W places and 1 + 15 W transitions (repaired). A warp without instructions of
/// a class keeps its places.
///
/// Of several SMs, the nodes of SM k have the prefix sm<k>_ (sm2_sm, sm2_w1_issue). An SM that no block is
/// left for has no nodes. Where blocks wait (B > N) there are also a place `blocks` with B - N tokens and per
/// SM a place `ended`, which gets a token from every `terminate`, and a timed transition `dispatch`: takes W
/// from `ended` and one from `blocks`, and fills all places of the SM's warps and `alive` as at the
/// beginning. All else is then as at the beginning by itself: the schedulers and timers are back. A dispatch
/// costs a step, in which its SM does nothing.
///
/// Throws InputError where a parameter is out of range. O(W min(N, B)).
Net warps_net(const WarpsSpec& spec);

/// The WarpsSpec whose net this is, node for node by id, in whatever file it was; nothing where it is none.
/// Of a grid that no block waits for, `blocks` is 0. O(nodes).
std::optional<WarpsSpec> recognise_warps(const Net& net);

/// Steps until one warp that is alone on the SM has ended, whatever the draws:
/// 4 x_a + (5 + l_s) x_s + (5 + l_g) x_g + 1. Throws InputError on overflow.
Tokens lone_warp_steps(const WarpCounts& counts, Tokens shared_latency, Tokens global_latency);

/// One block of a grid on one SM: the same without `sms` and `blocks`.
WarpsSpec one_block(const WarpsSpec& spec);

/// The steps of a run of the whole grid in which every block takes `block` steps: (w - 1) (block + 1) +
/// block, where w = ceil(B / N) and a dispatch takes a step. If no block ever takes more (fewer) steps, no
/// run of the grid does.
///
/// From above: let the last block be dispatched in step t. Until then every SM has gone from block to block
/// without a pause, so each has made at least floor((t - 1) / (block + 1)) of the B - N dispatches, all of
/// which but one come before t; so floor((t - 1) / (block + 1)) <= floor((B - N - 1) / N) = w - 2. (Graham's
/// argument for list schedules, in whole blocks.) From below: some SM runs at least w blocks. Throws
/// InputError on overflow.
Tokens grid_steps(const WarpsSpec& spec, Tokens block);

/// Bounds on the steps of any run of the repaired net. Of a block: the longest
/// warp alone or the work that the schedulers must do, and all warps one after the other. Of a grid:
/// grid_steps() of these. Throws InputError as warps_net does, and on overflow. analysis/worst/bounds has
/// sharper ones.
struct StepBounds {
    Tokens lower = 0;
    Tokens upper = 0;
};
StepBounds warps_step_bounds(const WarpsSpec& spec);

}  // namespace warpnet
