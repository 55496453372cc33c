#include "analysis/studies/compare/warps_steps.hpp"

#include "engine/compile/compiled_net.hpp"
#include "engine/net/error.hpp"
#include "engine/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace warpnet {

namespace {

constexpr double most_instructions = 2000;   // of a warp, in the net
constexpr std::int64_t most_warps = 65'536;  // on one SM: a thousand times what any has

struct Load {
    std::array<double, 3> counts = {};  // arith, shared, global of a warp
    std::int64_t warps = 1;
    double waves = 1;
    Tokens schedulers = 4;
};

Load load_of(const Measurement& measurement, const CompareOptions& options) {
    Load load;
    load.schedulers = options.schedulers;
    if (measurement.counts) {
        load.counts = {static_cast<double>(measurement.counts->arith),
                       static_cast<double>(measurement.counts->shared),
                       static_cast<double>(measurement.counts->global)};
        load.warps = measurement.warps;
        return load;
    }
    if (!measurement.profile || !options.device) {
        throw InputError(fmt::format(
            "{}: family warps needs counts (warps, arith, shared, global), or a device and the launch shape",
            measurement.kernel));
    }
    const KernelProfile& kernel = *measurement.profile;
    const std::int64_t blocks = blocks_of_busiest_sm(*options.device, kernel);
    const std::int64_t resident = std::min(blocks, resident_blocks(*options.device, kernel));
    load.schedulers = options.device->schedulers;
    load.warps = resident * kernel.warps_per_block();
    load.waves = static_cast<double>(blocks) / static_cast<double>(resident);
    load.counts = warp_classes(kernel);
    return load;
}

}  // namespace

std::array<double, 3> warp_classes(const KernelProfile& kernel) {
    const double shared = kernel.shared_loads + kernel.shared_stores;
    const double global = kernel.loads.requests + kernel.stores.requests;
    return {kernel.instructions() - shared - global, shared, global};
}

std::optional<double> warps_steps(const Measurement& measurement, const CompareOptions& options) {
    const Load load = load_of(measurement, options);
    if (load.warps > most_warps)
        throw InputError(fmt::format("{}: expected at most {} warps on an SM, found {}", measurement.kernel,
                                     most_warps, load.warps));
    const double instructions = load.counts[0] + load.counts[1] + load.counts[2];
    const double scale = std::max(1.0, instructions / most_instructions);
    const auto scaled = [&](double count) { return static_cast<Tokens>(std::llround(count / scale)); };
    WarpsSpec spec;
    spec.warps.assign(static_cast<std::size_t>(load.warps),
                      {scaled(load.counts[0]), scaled(load.counts[1]), scaled(load.counts[2])});
    spec.schedulers = load.schedulers;
    spec.shared_latency = options.shared_latency;
    spec.global_latency = options.global_latency;
    RunOptions run_options;
    run_options.seed = options.predict.seed;
    run_options.limits.interrupt = options.predict.interrupt;
    run_options.max_steps = std::numeric_limits<std::int64_t>::max();
    const RunResult result = run(compile(warps_net(spec)), run_options);
    if (result.reason == StopReason::interrupted) return std::nullopt;
    if (result.reason != StopReason::dead)
        throw std::logic_error(
            fmt::format("{}: the net does not die: {}", measurement.kernel, to_string(result.reason)));
    return static_cast<double>(result.steps) * scale * load.waves;
}

}  // namespace warpnet
