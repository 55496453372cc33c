#include "analysis/studies/predict/predict.hpp"

#include "analysis/worst/bounds/rate_bound.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

// A prediction runs the net of the busiest SM of the kernel. Running all its operations would be too
// expensive, so two dimensions are extrapolated: repetitions of a warp's body from two trips, and waves of
// blocks from the slope between two numbers of waves. The last, partial wave is simulated with its real
// number of blocks. A slope from two short runs is off by some steps, which many waves multiply, so no wave
// may be faster than the closed-form limit. The median over the seeds is the prediction.

namespace warpnet {

namespace {

class Simulation {
  public:
    Simulation(SmProgram program, const SmPredictOptions& options)
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
        std::vector<double> result;
        for (const RunResult& run : run_many(compile(sm_net(program_, blocks, trips_)), many)) {
            if (run.reason == StopReason::interrupted) break;
            if (run.reason != StopReason::dead)
                throw std::logic_error(
                    fmt::format("the net of an SM does not die: {}", to_string(run.reason)));
            // The rates of the first step are available from the start, and only once.
            result.push_back((static_cast<double>(run.steps) + 1) * scale_ - 1);
            firings_ += run.firings;
        }
        return result;
    }

  private:
    SmProgram program_;
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

std::vector<std::string> outside(const SmDevice& device, const KernelProfile& kernel, double us) {
    std::vector<std::string> reasons = kernel.unknowns;
    if (kernel.blocks == 1)
        reasons.emplace_back("one block: its time is that of its slowest warp, not of the rates");
    if (kernel.uneven)
        reasons.emplace_back("its instruction count varies: means do not say what the longest warp executes");
    if (us < 2 * device.launch_us)
        reasons.emplace_back("more than half of the time is the launch, which differs from run to run");
    return reasons;
}

std::optional<SmPrediction> predict_as_counted(const SmDevice& device, const KernelProfile& kernel,
                                               const SmPredictOptions& options) {
    SmPrediction prediction;
    prediction.closed = sm_closed_form(device, kernel);
    prediction.resident = resident_blocks(device, kernel);
    prediction.blocks = blocks_of_busiest_sm(device, kernel);
    prediction.step_cycles = options.program.step_cycles;
    const SmProgram program = sm_program(device, kernel, options.program);
    Simulation simulation(program, options);
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

    const double traffic_us = dram_traffic_us(device, kernel) + device.launch_us;
    const double slice_us =
        std::max(l2_slice_us(device, kernel), one_word_atomics_us(device, kernel)) + device.launch_us;
    std::vector<double> times;
    const double step_us = static_cast<double>(options.program.step_cycles) / device.clock_mhz;
    for (const double s : steps) {
        const double net_us = s * step_us + device.launch_us;
        const bool count_traffic = traffic_us >= least_traffic_us && traffic_us > net_us;
        prediction.traffic |= count_traffic;
        times.push_back(std::max(count_traffic ? traffic_us : net_us, slice_us));
    }
    prediction.us = middle(times);
    const auto [low, high] = std::minmax_element(times.begin(), times.end());
    prediction.low_us = *low;
    prediction.high_us = *high;
    prediction.outside = outside(device, kernel, prediction.us);
    if (!options.worst) return prediction;
    if (auto bound = rate_bound({program, prediction.blocks, program.trips})) {
        const double net_us = static_cast<double>(bound->steps) * step_us + device.launch_us;
        prediction.worst = {std::max({net_us, slice_us, prediction.high_us}), *std::move(bound)};
    } else {
        prediction.outside.emplace_back("no bound of its runs is proved: its numbers are out of range");
    }
    return prediction;
}

}  // namespace

std::optional<SmPrediction> predict_sm(const SmDevice& device, const KernelProfile& kernel,
                                       const SmPredictOptions& options) {
    auto prediction = predict_as_counted(device, kernel, options);
    if (!prediction || !counts_too_much_traffic(device, kernel, prediction->us)) return prediction;
    return predict_as_counted(device, with_warm_caches(kernel), options);
}

}  // namespace warpnet
