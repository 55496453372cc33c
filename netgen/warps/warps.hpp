#pragma once

#include "engine/net/net.hpp"
#include "netgen/warps/assignment.hpp"

#include <optional>
#include <vector>

namespace warpnet::netgen {

/// Instructions that one warp executes, by class.
struct WarpCounts {
    Tokens arith = 0;
    Tokens shared = 0;  ///< shared-memory accesses
    Tokens global = 0;  ///< global-memory accesses
    bool operator==(const WarpCounts&) const = default;
};

/// A kernel as instruction counts and latencies ([Gogolinska17] section 4, repaired:
/// docs/reference/family-warps.md). It runs on one SM, as in the paper, or on a GPU of equal SMs that execute
/// a grid of equal blocks, which is an extension by this project.
struct WarpsSpec {
    std::vector<WarpCounts> warps;  ///< of one block, which is the content of an SM at a time; at least one
    /// The number of warps that run, the first ones, at least 1; empty: all. The remaining warps have their
    /// nodes and counts but never start: `active`, `ready` and `fetch` are empty. Only for one SM and one
    /// block, and schedulers that are shared or fixed.
    std::optional<std::size_t> active = {};
    std::size_t sms = 1;  ///< N, at least 1
    /// B, the blocks of the grid; 0: one per SM. An SM starts with a block if there is one for it, and takes
    /// the next block when all warps of its block have ended.
    Tokens blocks = 0;
    Tokens schedulers = 2;  ///< S of each SM, at least 1
    Assignment assignment = Assignment::shared;
    /// d, the instructions per step that a scheduler with its own warps issues, at least 1; 1 if the
    /// schedulers are shared.
    Tokens dispatch_units = 1;
    Tokens shared_latency = 2;   ///< l_s, steps, at least 1
    Tokens global_latency = 20;  ///< l_g, steps, at least 1
    /// The net as printed, with its three flaws. A warp can end before its last instruction is executed. The
    /// net has no dead marking. A warp that is not active still executes its instructions, since only
    /// `active` is empty, and its `ready` stops `idle`. Only for one SM and one block. In the repaired net,
    /// the default, `terminate` also takes `fetch`, and each warp that ends takes a token from a place
    /// `alive`, which then stops `idle`. Its schedulers are shared.
    bool published = false;
};

/// The net of a WarpsSpec: places `sm`, `alive` and per warp w1_active … w1_shared_timer; transitions
/// w1_issue … and `idle`. There are 2 + 18 W places and 1 + 15 W transitions (repaired). A warp without
/// instructions of a class keeps the places of this class.
///
/// If warps are fixed to schedulers, scheduler k has its own `sm_<k>` with d tokens, `alive_<k>` with its
/// warps, and `idle_<k>`. A scheduler without warps has no nodes. So each scheduler with its warps is the net
/// of an SM with d shared schedulers, and only a grid connects them.
///
/// If the run chooses the assignment, each scheduler k has a place `slots_<k>` with a token for each warp
/// that it takes. Each warp has a copy per scheduler, with the prefix s<k>_ (s2_w1_issue) and with tokens
/// only in its timers. An immediate transition w<i>_assign_<k> takes the token of w<i>_unassigned and a slot,
/// and gives warp i of scheduler k its tokens. That is W S times the nodes of a warp.
///
/// With several SMs, the nodes of SM k have the prefix sm<k>_ (sm2_sm, sm2_w1_issue). An SM without any block
/// has no nodes. If blocks wait (B > N), there is also a place `blocks` with B - N tokens. Each SM then has a
/// place `ended`, which gets a token from every `terminate`, and a timed transition `dispatch`. It takes W
/// tokens from `ended` and one from `blocks`, and restores the initial tokens of all places of the SM's warps
/// and of every `alive`. The schedulers and timers have their initial tokens by then. A dispatch costs a
/// step, in which its SM does nothing else.
///
/// Throws InputError if a parameter is out of range. O(W min(N, B)).
Net warps_net(const WarpsSpec& spec);

/// The WarpsSpec of this net, if the net equals its net node by node and id by id; otherwise empty. `blocks`
/// is 0 for a grid without waiting blocks, and schedulers without warps are not counted. O(nodes).
std::optional<WarpsSpec> recognise_warps(const Net& net);

/// The number of steps of one warp that is alone on the SM, whatever the draws: 4 x_a + (5 + l_s) x_s + (5 +
/// l_g) x_g + 1. Throws InputError on overflow.
Tokens lone_warp_steps(const WarpCounts& counts, Tokens shared_latency, Tokens global_latency);

/// One block of a grid on one SM: the same spec without `sms` and `blocks`.
WarpsSpec one_block(const WarpsSpec& spec);

/// The steps of a run of the whole grid in which every block takes `block` steps: (w - 1) (block + 1) +
/// block, where w = ceil(B / N) and a dispatch takes a step. If `block` is an upper (lower) bound for every
/// block, the result is an upper (lower) bound for the grid.
///
/// Upper bound: let the last block be dispatched in step t. Until then no SM has paused between blocks, so
/// each SM has made at least floor((t - 1) / (block + 1)) of the B - N dispatches, and all of them but one
/// come before t. Hence floor((t - 1) / (block + 1)) <= floor((B - N - 1) / N) = w - 2. (This is Graham's
/// argument for list schedules, in whole blocks.) Lower bound: some SM runs at least w blocks. Throws
/// InputError on overflow.
Tokens grid_steps(const WarpsSpec& spec, Tokens block);

/// The steps for which a warp holds a scheduler: 3 x_a + (4 + l_s) x_s + 2 x_g. Throws InputError on
/// overflow.
Tokens scheduler_steps(const WarpCounts& counts, Tokens shared_latency);

/// Bounds on the steps of any run of the repaired net. For a block, the lower bound is the longest warp alone
/// or the work of the schedulers, and the upper bound is all warps that share schedulers, one after the
/// other. For a grid, both are lifted by grid_steps(). Throws InputError like warps_net(), and on overflow.
/// analysis/worst/bounds contains tighter bounds.
struct StepBounds {
    Tokens lower = 0;
    Tokens upper = 0;
};
StepBounds warps_step_bounds(const WarpsSpec& spec);

}  // namespace warpnet::netgen
