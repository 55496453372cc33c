#pragma once

#include "engine/net.hpp"

#include <vector>

namespace warpnet {

/// Instructions that one warp executes, by class.
struct WarpCounts {
    Tokens arith = 0;
    Tokens shared = 0;  ///< shared-memory accesses
    Tokens global = 0;  ///< global-memory accesses
    bool operator==(const WarpCounts&) const = default;
};

/// A kernel on one SM as instruction counts and latencies (seed 002; MODELS section 1).
struct WarpsSpec {
    std::vector<WarpCounts> warps;  ///< one entry a warp, at least one
    Tokens schedulers = 2;          ///< S, at least 1
    Tokens shared_latency = 2;      ///< l_s, steps, at least 1
    Tokens global_latency = 20;     ///< l_g, steps, at least 1
    /// The net as printed, with its two flaws: a warp can end before its last instruction is executed, and
    /// the net has no dead marking. Default: the repaired net, in which `terminate` also takes `fetch` and a
    /// place `alive`, from which every warp that ends takes a token, stops `idle`.
    bool published = false;
};

/// The net of a WarpsSpec: places `sm`, `alive` and per warp w1_active … w1_shared_timer; transitions
/// w1_issue … and `idle`. 2 + 18 W places and 1 + 15 W transitions (repaired). A warp without instructions of
/// a class keeps its places.
///
/// Throws InputError where a parameter is out of range. O(W).
Net warps_net(const WarpsSpec& spec);

/// Steps until one warp that is alone on the SM has ended, whatever the draws:
/// 4 x_a + (5 + l_s) x_s + (5 + l_g) x_g + 1. Throws InputError on overflow.
Tokens lone_warp_steps(const WarpCounts& counts, Tokens shared_latency, Tokens global_latency);

/// Bounds on the steps of any run of the repaired net (MODELS section 1): the longest warp alone or the work
/// the schedulers must do, and all warps one after the other.
struct StepBounds {
    Tokens lower = 0;
    Tokens upper = 0;
};
StepBounds warps_step_bounds(const WarpsSpec& spec);

}  // namespace warpnet
