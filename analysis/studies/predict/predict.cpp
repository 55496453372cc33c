// A prediction runs the net of the busiest SM of the kernel. Running all its operations would be too
// expensive, so two dimensions are extrapolated: repetitions of a warp's body from two trips, and waves of
// blocks from the slope between two numbers of waves. The last, partial wave is simulated with its real
// number of blocks. A slope from two short runs is off by some steps, which many waves multiply, so no wave
// may be faster than the closed-form limit. The median over the seeds is the prediction.
//
// The certificate extrapolates nothing. If the dispatcher gives blocks to the SMs in turn, it is the bound of
// the busiest SM. If it may give a block to any SM with room, let n blocks run on M SMs with R slots each,
// and let t be the time when the last block starts. Of the n - 1 blocks that start earlier, some SM has at
// most m = ⌊(n - 1)/M⌋. Blocks wait until t, so up to then that SM runs as if it had m + 1 blocks of its own.
// So t is at most the bound of m + 1 blocks. After t no block starts, and an SM has at most R blocks, each
// with a part of its work left. They take no longer than R whole blocks, except for credits, since
// rate_bounds() begins without debt. A debt is at most ⌈cap/r⌉ steps, the time to refill a cap, and the debts
// of all rates are added. If n <= M R, no block waits, and R blocks on one SM are the worst.

#include "analysis/studies/predict/predict.hpp"

#include "analysis/worst/search/sm_service.hpp"
#include "engine/base/text.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/plan.hpp"
#include "netgen/sm/costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace warpnet::studies {

namespace {

class Simulation {
  public:
    Simulation(netgen::SmProgram program, const SmPredictOptions& options)
        : program_(std::move(program)), options_(options) {
        trips_ = options.full ? program_.trips : std::min(program_.trips, options.trips);
        scale_ = static_cast<double>(program_.trips) / static_cast<double>(trips_);
        // With fewer trips a block is shorter; its launch is shortened alike, so that one factor fits both.
        program_.launch_cost =
            static_cast<std::int64_t>(std::ceil(static_cast<double>(program_.launch_cost) / scale_));
    }

    bool shortened() const { return scale_ > 1; }
    double scale() const { return scale_; }
    std::uint64_t firings() const { return firings_; }

    /// Steps of this many blocks, for each seed; fewer if it was interrupted.
    std::vector<double> steps(std::int64_t blocks) {
        ManyOptions many;
        many.run.seed = options_.seed;
        many.run.limits.interrupt = options_.interrupt;
        many.run.max_steps = std::numeric_limits<std::int64_t>::max();
        many.runs = options_.seeds;
        many.threads = options_.threads;
        std::atomic<std::uint64_t> finished = 0;
        many.finished = &finished;
        const auto part = begin_part(options_.progress, {"runs", many.runs, &finished});
        std::vector<double> result;
        for (const RunResult& run : run_many(compile(netgen::sm_net(program_, blocks, trips_)), many)) {
            if (run.reason == StopReason::interrupted) break;
            if (run.reason != StopReason::dead)
                throw std::logic_error(
                    fmt::format("the net of an SM reaches no dead marking: {}", to_string(run.reason)));
            // The rates of the first step are available from the start, and only once.
            result.push_back((static_cast<double>(run.steps) + 1) * scale_ - 1);
            firings_ += run.firings;
        }
        return result;
    }

  private:
    netgen::SmProgram program_;
    const SmPredictOptions& options_;
    std::int64_t trips_ = 1;
    double scale_ = 1;
    std::uint64_t firings_ = 0;
};

double middle(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

std::vector<std::string> outside(const netgen::SmDevice& device, const netgen::KernelProfile& kernel,
                                 double us) {
    std::vector<std::string> reasons = kernel.unknowns;
    if (kernel.blocks == 1)
        reasons.emplace_back("one block: its time is that of its slowest warp, not of the rates");
    if (kernel.uneven)
        reasons.emplace_back(
            "its instruction count varies: means do not give the instructions of the longest warp");
    if (us < 2 * netgen::launch_us(device))
        reasons.emplace_back("more than half of the time is the launch, which differs from run to run");
    return reasons;
}

/// The time of a launch whose busiest SM takes this number of steps.
double us_of(std::uint64_t steps, const netgen::SmDevice& device, const netgen::KernelProfile& kernel,
             const SmPredictOptions& options) {
    const double step_us = static_cast<double>(options.program.step_cycles) / device.clock_mhz;
    return std::max({static_cast<double>(steps) * step_us, l2_slice_us(device, kernel),
                     one_word_atomics_us(device, kernel)}) +
           netgen::launch_us(device);
}

/// The steps by which a run takes longer if it starts without credits.
std::uint64_t steps_of_empty_start(const netgen::SmProgram& program) {
    std::int64_t steps = 0;
    const auto add = [&](std::int64_t cap, std::int64_t refill, std::int64_t places) {
        if (refill > 0) steps += places * ((cap - 1) / refill + 1);
    };
    for (std::size_t c = 0; c < netgen::sm_credit_count; ++c)
        add(program.cap[c], program.refill[c],
            netgen::per_scheduler(static_cast<netgen::SmCredit>(c)) ? program.schedulers : 1);
    add(program.launch_cap, program.launch_refill, 1);
    return static_cast<std::uint64_t>(steps);
}

/// Bounds on the net of any SM, with any blocks.
std::optional<worst::RateBounds> bounds_of_any_dispatcher(const netgen::SmProgram& program,
                                                          std::int64_t blocks, std::int64_t sms) {
    const std::int64_t resident = std::min(program.resident_blocks(), blocks);
    auto last = worst::rate_bounds({program, resident, program.trips});
    if (!last || blocks <= sms * program.resident_blocks()) return last;
    const auto first = worst::rate_bounds({program, (blocks - 1) / sms + 1, program.trips});
    if (!first) return {};
    const std::uint64_t empty = steps_of_empty_start(program);
    const auto both = [&](const worst::StepBound& before, const worst::StepBound& after) {
        return worst::StepBound{
            before.steps + after.steps + empty,
            fmt::format("until the last block starts, an SM with the fewest blocks takes at most {}: "
                        "{}; after that, at most {} on an SM take at most {}, and {} more because "
                        "their rates may be used up",
                        plural(before.steps, "step"), before.argument,
                        plural(static_cast<std::uint64_t>(resident), "block"), plural(after.steps, "step"),
                        plural(empty, "step"))};
    };
    return worst::RateBounds{both(first->together, last->together), both(first->sum, last->sum)};
}

/// A bound on every launch of the kernel, from the net alone.
std::optional<SmWorstCase> certified(const netgen::SmDevice& device, const netgen::KernelProfile& kernel,
                                     const SmPredictOptions& options) {
    const netgen::SmProgram program = netgen::sm_program(device, kernel, options.program);
    const auto bounds = launch_bounds(program, kernel.blocks, device.sms, options.dispatcher);
    if (!bounds) return {};
    SmWorstCase worst;
    worst.bound = bounds->least();
    worst.sum_of_rates = bounds->sum.steps;
    worst.us = us_of(worst.bound.steps, device, kernel, options);
    worst.clock_mhz = device.clock_mhz;
    return worst;
}

/// The steps of the longest known run of the net: of the simulated runs, and of one that is made to be long.
std::optional<std::uint64_t> longest_known(const netgen::SmNet& net, const SmWorstCase& worst,
                                           std::optional<std::uint64_t> simulated) {
    constexpr std::uint64_t most_warp_steps = 300'000'000;  // that a run looks at: some seconds
    if (worst.bound.steps > most_warp_steps / net.program.bodies.size()) return simulated;
    return std::max(worst::longest_run(net).steps, simulated.value_or(0));
}

/// The certificate of a prediction: for its own device and kernel, and for the pessimistic ones.
std::optional<SmWorstCase> worst_of(const netgen::SmDevice& device, const netgen::KernelProfile& kernel,
                                    const SmPrediction& prediction, std::optional<std::uint64_t> simulated,
                                    const SmPredictOptions& options) {
    const auto part = begin_part(options.progress, {"bound"});
    std::optional<SmWorstCase> worst = certified(device, kernel, options);
    if (worst && (options.worst_device || options.worst_kernel)) {
        auto other =
            certified(options.worst_device.value_or(device), options.worst_kernel.value_or(kernel), options);
        if (!other || other->us > worst->us) worst = std::move(other);
    }
    if (!worst) return worst;
    const netgen::SmProgram program = netgen::sm_program(device, kernel, options.program);
    worst->found_steps = longest_known({program, prediction.blocks, program.trips}, *worst, simulated);
    if (!worst->found_steps) return worst;
    worst->found_us = us_of(*worst->found_steps, device, kernel, options);
    if (simulated) worst->found_us = std::max(*worst->found_us, prediction.high_us);
    return worst;
}

}  // namespace

std::optional<worst::RateBounds> launch_bounds(const netgen::SmProgram& program, std::int64_t blocks,
                                               std::int64_t sms, Dispatcher dispatcher) {
    return dispatcher == Dispatcher::any
               ? bounds_of_any_dispatcher(program, blocks, sms)
               : worst::rate_bounds({program, (blocks - 1) / sms + 1, program.trips});
}

std::optional<SmPrediction> predict_sm(const netgen::SmDevice& device, const netgen::KernelProfile& kernel,
                                       const SmPredictOptions& options) {
    SmPrediction prediction;
    prediction.closed = sm_closed_form(device, kernel);
    prediction.occupancy = occupancy(device, kernel);
    prediction.resident = prediction.occupancy.blocks;
    prediction.blocks = netgen::blocks_of_busiest_sm(device, kernel);
    prediction.step_cycles = options.program.step_cycles;
    prediction.dispatcher = options.dispatcher;
    Simulation simulation(netgen::sm_program(device, kernel, options.program), options);
    prediction.extrapolated = simulation.shortened();

    // The last wave has its real number of blocks; whole waves lie between the two counts.
    const std::int64_t few =
        prediction.blocks % prediction.resident + options.first_wave * prediction.resident;
    const std::int64_t many = few + (options.waves - options.first_wave) * prediction.resident;
    std::vector<double> steps;
    if (options.full || prediction.blocks <= few + many) {
        steps = simulation.steps(prediction.blocks);
    } else {
        steps = simulation.steps(few);
        const std::vector<double> later = simulation.steps(many);
        if (later.size() < steps.size()) return std::nullopt;
        const double waves = static_cast<double>(prediction.blocks - few) / static_cast<double>(many - few);
        // The difference of two short runs is off by some steps, and many waves multiply that. No wave is
        // faster than its limit.
        const double least = static_cast<double>(options.waves - options.first_wave) *
                             prediction.closed.wave_cycles / static_cast<double>(prediction.step_cycles);
        for (std::size_t i = 0; i < steps.size(); ++i)
            steps[i] += waves * std::max(least, later[i] - steps[i]);
        prediction.extrapolated = true;
    }
    if (steps.size() < options.seeds) return std::nullopt;
    prediction.firings = simulation.firings();
    prediction.steps = middle(steps);

    const double traffic_us = dram_traffic_us(device, kernel) + netgen::launch_us(device);
    const double slice_us = std::max(l2_slice_us(device, kernel), one_word_atomics_us(device, kernel)) +
                            netgen::launch_us(device);
    std::vector<double> times;
    const double step_us = static_cast<double>(options.program.step_cycles) / device.clock_mhz;
    for (const double s : steps) {
        const double net_us = s * step_us + netgen::launch_us(device);
        const bool count_traffic = traffic_us >= least_traffic_us && traffic_us > net_us;
        prediction.traffic |= count_traffic;
        times.push_back(std::max(count_traffic ? traffic_us : net_us, slice_us));
    }
    prediction.us = middle(times);
    if (counts_too_much_traffic(device, kernel, prediction.us)) {
        auto warm = predict_sm(device, with_warm_caches(kernel), options);  // which has no traffic
        if (warm) warm->warm_caches = true;
        return warm;
    }
    const auto [low, high] = std::minmax_element(times.begin(), times.end());
    prediction.low_us = *low;
    prediction.high_us = *high;
    prediction.outside = outside(device, kernel, prediction.us);
    if (!options.worst) return prediction;
    std::optional<std::uint64_t> simulated;
    if (!prediction.extrapolated) simulated = static_cast<std::uint64_t>(*std::ranges::max_element(steps));
    prediction.worst = worst_of(device, kernel, prediction, simulated, options);
    if (!prediction.worst)
        prediction.outside.emplace_back("no bound of its runs is proved: its numbers are out of range");
    return prediction;
}

}  // namespace warpnet::studies
