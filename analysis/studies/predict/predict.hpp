#pragma once

#include "analysis/studies/predict/closed_form.hpp"
#include "analysis/worst/bounds/rate_bound.hpp"
#include "analysis/worst/bounds/step_bound.hpp"
#include "engine/base/progress_hook.hpp"
#include "netgen/sm/sm.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::studies {

/// The SM that gets the next block of a launch.
enum class Dispatcher : std::uint8_t {
    in_order,  ///< in turn: no SM gets two blocks more than another SM
    any,       ///< any SM with room for it
};

constexpr std::string_view to_string(Dispatcher dispatcher) noexcept {
    return dispatcher == Dispatcher::any ? "any" : "in-order";
}

/// The effort of a prediction by the net of an SM, and the device and dispatcher of its certificate. With an
/// interrupt, predictions are left out.
struct SmPredictOptions {
    std::uint64_t seed = 1;
    std::uint64_t seeds = 5;  ///< runs, each with its own draws
    netgen::SmProgramOptions program;
    /// Blocks are simulated one by one up to this number of waves (sets of blocks that fill the SM); further
    /// waves are extrapolated from the steady state.
    std::int64_t waves = 8;
    std::int64_t first_wave = 3;  ///< the slope is taken from here to `waves`
    std::int64_t trips = 2;  ///< simulated repetitions of the body of a warp; further ones are extrapolated
    bool full = false;       ///< extrapolate nothing: as many firings as the kernel has operations
    bool worst = false;      ///< also certify a bound on all runs of the net of the whole kernel
    Dispatcher dispatcher = Dispatcher::in_order;  ///< of the launches that `worst` certifies
    /// The device at the pessimistic end of its facts, and the kernel with the longest warps, for the
    /// certificate; absent: those of the prediction.
    std::optional<netgen::SmDevice> worst_device = {};
    std::optional<netgen::KernelProfile> worst_kernel = {};
    int threads = 0;  ///< 0: all cores
    const std::atomic<bool>* interrupt = nullptr;
    ProgressHook progress = {};  ///< of the runs and of the certificate
};

/// A premise of the time of a kernel that is not in the net of its SM.
struct Assumption {
    std::string about;  ///< one word: "clock"
    std::string text;
};

/// The worst case of the net with all blocks and trips: certified for the model, and not for a GPU.
struct SmWorstCase {
    double us = 0;  ///< upper bound on all runs (rate_bounds()), with launch and total traffic
    worst::StepBound bound = {};
    std::uint64_t sum_of_rates = 0;  ///< the bound that counts each operation for each of its rates, in steps
    double clock_mhz = 0;            ///< of the SMs, which is assumed
    /// The longest run that is known, of the whole kernel (longest_run() and the simulated ones); nothing
    /// if the kernel is too long to be followed.
    std::optional<std::uint64_t> found_steps = {};
    std::optional<double> found_us = {};  ///< its time
};

/// Upper bounds on all runs of a launch, in steps of the program, for the given numbers of blocks and of
/// equal SMs. Each SM runs sm_net() of the blocks that the dispatcher gives it. Nothing if rate_bounds()
/// proves none.
std::optional<worst::RateBounds> launch_bounds(const netgen::SmProgram& program, std::int64_t blocks,
                                               std::int64_t sms, Dispatcher dispatcher);

/// The time of a kernel on a device, from the net of its busiest SM.
struct SmPrediction {
    double us = 0;      ///< the median over the seeds, launch included
    double low_us = 0;  ///< the least and the largest over the seeds
    double high_us = 0;
    double steps = 0;  ///< of the net, without launch and total traffic (median)
    std::int64_t step_cycles = 8;
    std::uint64_t firings = 0;  ///< over all seeds: the cost of the prediction
    bool extrapolated = false;
    bool warm_caches = false;   ///< data that counters show as DRAM traffic are assumed to be in L2
    bool traffic = false;       ///< the total DRAM traffic takes longer than the net, and is the result
    std::int64_t resident = 1;  ///< blocks on an SM at a time
    Occupancy occupancy = {};   ///< the same with its limits
    std::int64_t blocks = 1;    ///< of the busiest SM
    Dispatcher dispatcher = Dispatcher::in_order;
    SmClosedForm closed;
    std::optional<SmWorstCase> worst = {};  ///< if requested and proved
    /// Why this prediction cannot be precise: properties of such a kernel that the model does not cover.
    /// Empty: none known.
    std::vector<std::string> outside;
};

/// Builds the net of the kernel and runs it. Nothing if it was interrupted. Throws InputError if the kernel
/// is invalid or does not fit. At most about 10^6 firings per seed unless `full`. The result depends only on
/// the seeds, not on the threads.
std::optional<SmPrediction> predict_sm(const netgen::SmDevice& device, const netgen::KernelProfile& kernel,
                                       const SmPredictOptions& options = {});

}  // namespace warpnet::studies
