#pragma once

#include "analysis/studies/predict/closed_form.hpp"
#include "netgen/sm/sm.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet {

struct SmPredictOptions {
    std::uint64_t seed = 1;
    std::uint64_t seeds = 5;  ///< runs, each with draws of its own
    SmProgramOptions program;
    /// Blocks are simulated one by one up to so many waves (sets of blocks that fill the SM); beyond them the
    /// steady state is extrapolated.
    std::int64_t waves = 8;
    std::int64_t first_wave = 3;  ///< the slope is taken from here to `waves`
    std::int64_t trips = 2;       ///< repetitions of the body of a warp; more are extrapolated
    bool full = false;            ///< extrapolate nothing: costs as many firings as the kernel has operations
    int threads = 0;              ///< 0: all cores
    const std::atomic<bool>* interrupt = nullptr;
};

/// How long a kernel takes on a device, from the net of its busiest SM.
struct SmPrediction {
    double us = 0;      ///< the median over the seeds, launch included
    double low_us = 0;  ///< the least and the largest over the seeds
    double high_us = 0;
    double steps = 0;  ///< of the net, without launch and total traffic (median)
    std::int64_t step_cycles = 8;
    std::uint64_t firings = 0;  ///< over all seeds: what it cost
    bool extrapolated = false;
    bool traffic = false;       ///< the total DRAM traffic takes longer than the net: that time is given
    std::int64_t resident = 1;  ///< blocks on an SM at a time
    std::int64_t blocks = 1;    ///< of the busiest SM
    SmClosedForm closed;
    /// Why this prediction cannot be precise: what the model does not know about such a kernel. Empty:
    /// nothing known.
    std::vector<std::string> outside;
};

/// Builds the net of the kernel and runs it. Nothing where it was interrupted. Throws InputError where the
/// kernel is invalid or does not fit. At most about 10^6 firings a seed unless `full`. The result depends on
/// the seeds alone, not on the threads.
std::optional<SmPrediction> predict_sm(const SmDevice& device, const KernelProfile& kernel,
                                       const SmPredictOptions& options = {});

}  // namespace warpnet
