// Predictions of several models against measured times. Every family predicts every measurement, and the
// errors are summarised with bootstrap intervals over the launches. For each family, one scale from steps to
// the measured unit is fitted: the scale with the least mean absolute relative error, which is a weighted
// median. The family `warps` predicts steps and needs this scale; the remaining families predict times
// without a parameter. A function is also predicted with the scale of all other functions, to judge the fit
// on kernels that it has not seen.
//
// Launches of one function with nearly equal numbers of threads are a sweep of block sizes. A sweep is judged
// by the measured rank of its predicted best. Cost: one prediction per family and measurement, and the
// resamples of the statistics.

#include "analysis/studies/compare/compare.hpp"

#include "engine/base/text.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/error.hpp"
#include "engine/plan.hpp"
#include "netgen/code/launch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace warpnet::studies {

namespace {

constexpr std::array<std::string_view, model_family_count> family_names = {"sm", "warps", "closed-form",
                                                                           "throughput"};
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

const netgen::SmDevice& needed_device(const CompareOptions& options, ModelFamily family) {
    if (!options.device)
        throw InputError(fmt::format("family {} needs a device (--device NAME)", to_string(family)));
    return *options.device;
}

const netgen::KernelProfile& needed_profile(const Measurement& measurement, ModelFamily family) {
    if (!measurement.profile) {
        throw InputError(
            fmt::format("{}: family {} needs the launch shape (blocks, threads) in addition to the counts",
                        measurement.kernel, to_string(family)));
    }
    return *measurement.profile;
}

/// The clocks of the measured runs in MHz, by measurement, and their source.
struct RunClocks {
    std::vector<double> mhz;
    std::string source;
};

RunClocks run_clocks(const std::vector<Measurement>& measurements, const CompareOptions& options) {
    RunClocks clocks;
    if (!options.device) return clocks;
    const netgen::SmDevice& device = *options.device;
    const auto all = [&](double mhz, std::string source) {
        clocks.mhz.assign(measurements.size(), mhz);
        clocks.source = std::move(source);
    };
    if (options.clock_mhz) {
        all(*options.clock_mhz, "given");
        return clocks;
    }
    all(device.clock_mhz, "of the preset");
    if (!device.mechanisms.run_clock) return clocks;
    constexpr double least_us = 20;  // shorter runs are mostly launch, whose cycles are not counted alike
    std::vector<double> counted;
    std::size_t own = 0;
    std::string owners;
    for (const Measurement& measurement : measurements) {
        if (measurement.clock_mhz > 0) {
            ++own;
            if (owners.find(measurement.clock_source) == std::string::npos)
                owners += fmt::format("{}{}", owners.empty() ? "" : " and ", measurement.clock_source);
        }
        if (measurement.elapsed_cycles > 0 && measurement.measured >= least_us)
            counted.push_back(measurement.elapsed_cycles / static_cast<double>(device.sms) /
                              measurement.measured);
    }
    if (!counted.empty()) {
        // Cycles and time come from different runs, so they determine only one clock for all.
        all(sample::median(counted),
            fmt::format("median of elapsed cycles / SMs / time of {}", plural(counted.size(), "kernel")));
    }
    if (own > 0)
        clocks.source = fmt::format("of {}, for {} of {}", owners.empty() ? "the run" : owners, own,
                                    plural(measurements.size(), "kernel"));
    for (std::size_t i = 0; i < measurements.size(); ++i) {
        if (measurements[i].clock_mhz > 0) clocks.mhz[i] = measurements[i].clock_mhz;
    }
    return clocks;
}

/// Nothing if it was interrupted.
std::optional<ComparePoint> predict(const Measurement& measurement, ModelFamily family,
                                    const CompareOptions& options) {
    ComparePoint point;
    switch (family) {
        case ModelFamily::sm: {
            const netgen::SmDevice& device = needed_device(options, family);
            point.prediction = predict_sm(device, needed_profile(measurement, family), options.predict);
            if (!point.prediction) return std::nullopt;
            point.predicted = point.prediction->us;
            // Includes the time outside the net, so that a scale is fitted to the whole time.
            point.steps =
                point.predicted * device.clock_mhz / static_cast<double>(point.prediction->step_cycles);
            break;
        }
        case ModelFamily::warps:
            if (const auto steps = warps_steps(measurement, options)) {
                point.steps = *steps;
                break;
            }
            return std::nullopt;
        case ModelFamily::closed_form: {
            const netgen::SmDevice& device = needed_device(options, family);
            point.predicted = sm_closed_form(device, needed_profile(measurement, family)).us;
            point.steps = point.predicted * device.clock_mhz;
            break;
        }
        case ModelFamily::throughput: {
            const netgen::SmDevice& device = needed_device(options, family);
            point.predicted = throughput_estimate(device, needed_profile(measurement, family));
            point.steps = point.predicted * device.clock_mhz;
            break;
        }
    }
    return point;
}

using Points = std::vector<ComparePoint>;

template <class Get>
std::vector<double> column(const Points& points, Get get) {
    std::vector<double> values;
    for (const ComparePoint& point : points) values.push_back(get(point));
    return values;
}

ErrorSummary errors(const std::vector<double>& predicted, const std::vector<double>& measured,
                    const CompareOptions& options) {
    std::vector<double> absolute;
    for (std::size_t i = 0; i < predicted.size(); ++i) {
        if (!std::isnan(predicted[i])) absolute.push_back(100 * std::abs(predicted[i] / measured[i] - 1));
    }
    if (absolute.empty()) return {no_number, no_number, {no_number, no_number}, {no_number, no_number}};
    const auto resampled = [&](auto statistic) {
        return [&absolute, statistic](std::span<const std::size_t> positions) {
            std::vector<double> drawn;
            for (const std::size_t position : positions) drawn.push_back(absolute[position]);
            return statistic(drawn);
        };
    };
    const auto interval = [&](auto statistic) {
        return sample::bootstrap(absolute.size(), resampled(statistic), options.predict.seed,
                                 options.resamples);
    };
    return {sample::mean(absolute), sample::median(absolute),
            interval([](const auto& v) { return sample::mean(v); }),
            interval([](const auto& v) { return sample::median(v); })};
}

Correlation correlate(double (*coefficient)(std::span<const double>, std::span<const double>),
                      const std::vector<double>& x, const std::vector<double>& y,
                      const CompareOptions& options) {
    const auto resampled = [&](std::span<const std::size_t> positions) {
        std::vector<double> drawn_x, drawn_y;
        for (const std::size_t position : positions) {
            drawn_x.push_back(x[position]);
            drawn_y.push_back(y[position]);
        }
        return coefficient(drawn_x, drawn_y);
    };
    return {coefficient(x, y),
            sample::bootstrap(x.size(), resampled, options.predict.seed, options.resamples)};
}

/// The factor from steps to the measured unit with the least mean absolute error over the points of other
/// functions. It is the median of measured / steps weighted with steps / measured, since |f s/m - 1| = (s/m)
/// |f - m/s|. Not a number if there are no such points.
double best_factor(const Points& points, const std::vector<Measurement>& measurements,
                   const std::string* without) {
    std::vector<double> factors;
    double weight = 0;
    for (const ComparePoint& point : points) {
        const Measurement& measurement = measurements[point.measurement];
        if (without != nullptr && measurement.function == *without) continue;
        factors.push_back(measurement.measured / point.steps);
        weight += 1 / factors.back();
    }
    std::sort(factors.begin(), factors.end());
    double below = 0;
    for (const double factor : factors) {
        below += 1 / factor;
        if (below * 2 >= weight) return factor;
    }
    return no_number;
}

std::vector<FunctionTrend> function_trends(const std::vector<Measurement>& measurements,
                                           const FamilyComparison& family) {
    std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> functions;
    for (const ComparePoint& point : family.points) {
        const Measurement& measurement = measurements[point.measurement];
        auto& [steps, times] = functions[measurement.function];
        steps.push_back(family.absolute ? point.predicted : point.steps);
        times.push_back(measurement.measured);
    }
    std::vector<FunctionTrend> trends;
    for (const auto& [function, values] : functions) {
        const auto& [steps, times] = values;
        if (steps.size() < 3) continue;
        const double steps_mean = sample::mean(steps), times_mean = sample::mean(times);
        double both = 0, square = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            both += (steps[i] - steps_mean) * (times[i] - times_mean);
            square += (steps[i] - steps_mean) * (steps[i] - steps_mean);
        }
        trends.push_back({function, steps.size(), sample::pearson(steps, times),
                          sample::spearman(steps, times), square > 0 ? both / square : no_number});
    }
    return trends;
}

FamilyComparison summarise(const std::vector<Measurement>& measurements, ModelFamily family, Points points,
                           const CompareOptions& options) {
    FamilyComparison result;
    result.family = family;
    result.absolute = family != ModelFamily::warps;
    result.points = std::move(points);
    const double factor = best_factor(result.points, measurements, nullptr);
    result.steps_per_unit = 1 / factor;
    std::map<std::string, double> factor_without;
    for (ComparePoint& point : result.points) {
        const Measurement& measurement = measurements[point.measurement];
        auto [found, added] = factor_without.try_emplace(measurement.function, 0.0);
        if (added) found->second = best_factor(result.points, measurements, &measurement.function);
        point.fitted = point.steps * factor;
        point.left_out = point.steps * found->second;
        if (!result.absolute) point.predicted = point.fitted;
        point.error = point.predicted / measurement.measured - 1;
    }
    const auto measured =
        column(result.points, [&](const ComparePoint& p) { return measurements[p.measurement].measured; });
    const auto predicted = column(result.points, [](const ComparePoint& p) { return p.predicted; });
    for (const ComparePoint& point : result.points)
        result.total += point.predicted * static_cast<double>(measurements[point.measurement].launches);
    result.predicted = errors(predicted, measured, options);
    result.fitted =
        errors(column(result.points, [](const ComparePoint& p) { return p.fitted; }), measured, options);
    result.left_out =
        errors(column(result.points, [](const ComparePoint& p) { return p.left_out; }), measured, options);
    result.pearson = correlate(sample::pearson, predicted, measured, options);
    result.spearman = correlate(sample::spearman, predicted, measured, options);
    result.kendall = correlate(sample::kendall, predicted, measured, options);
    result.log = correlate(sample::log_correlation, predicted, measured, options);
    result.trends = function_trends(measurements, result);
    return result;
}

BlockSweep judge(std::string function, std::vector<std::size_t> sweep,
                 const std::vector<Measurement>& measurements, const Points& points) {
    std::sort(sweep.begin(), sweep.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(measurements[a].profile->threads, a) <
               std::pair(measurements[b].profile->threads, b);
    });
    BlockSweep result;
    result.function = std::move(function);
    result.measurements = sweep;
    result.best_predicted = sweep.front();
    result.measured_rank = 1;
    for (const std::size_t i : sweep) {
        if (points[i].predicted < points[result.best_predicted].predicted) result.best_predicted = i;
    }
    const auto least = [&](std::size_t i) {
        return measurements[i].least > 0 ? measurements[i].least : measurements[i].measured;
    };
    const auto most = [&](std::size_t i) { return std::max(measurements[i].most, measurements[i].measured); };
    const std::size_t best = result.best_predicted;
    for (const std::size_t i : sweep) {
        result.measured_rank += most(i) < least(best) ? 1U : 0U;
        if (i == best) continue;
        const bool spread = most(i) > least(i) || most(best) > least(best);
        if (spread && least(i) <= most(best) && least(best) <= most(i)) result.measured_alike.push_back(i);
        const auto& own = points[best].prediction;
        const auto& other = points[i].prediction;
        if (own && other && other->low_us <= own->high_us && own->low_us <= other->high_us)
            result.predicted_alike.push_back(i);
    }
    return result;
}

std::vector<BlockSweep> block_sweeps(const std::vector<Measurement>& measurements, const Points& points) {
    constexpr double alike = 1.02;
    std::vector<BlockSweep> sweeps;
    std::vector<bool> done(measurements.size());
    for (std::size_t i = 0; i < measurements.size(); ++i) {
        if (done[i] || !measurements[i].profile) continue;
        const auto threads = [&](std::size_t k) {
            return static_cast<double>(measurements[k].profile->blocks) *
                   static_cast<double>(measurements[k].profile->threads);
        };
        std::vector<std::size_t> sweep;
        for (std::size_t k = i; k < measurements.size(); ++k) {
            if (done[k] || !measurements[k].profile || measurements[k].function != measurements[i].function)
                continue;
            const double ratio = threads(k) / threads(i);
            if (ratio > alike || ratio < 1 / alike) continue;
            done[k] = true;
            sweep.push_back(k);
        }
        const bool differ = std::any_of(sweep.begin(), sweep.end(), [&](std::size_t k) {
            return measurements[k].profile->threads != measurements[i].profile->threads;
        });
        // If a block size occurs twice, the launches differ in something else, such as a stride.
        std::map<std::pair<std::int64_t, std::int64_t>, int> shapes;
        const bool twice = std::any_of(sweep.begin(), sweep.end(), [&](std::size_t k) {
            return ++shapes[{measurements[k].profile->threads, measurements[k].profile->blocks}] > 1;
        });
        if (differ && !twice)
            sweeps.push_back(judge(measurements[i].function, std::move(sweep), measurements, points));
    }
    return sweeps;
}

}  // namespace

std::string_view to_string(ModelFamily family) { return family_names[static_cast<std::size_t>(family)]; }

bool needs_shapes(const CompareOptions& options) {
    return std::any_of(options.families.begin(), options.families.end(),
                       [](ModelFamily family) { return family != ModelFamily::warps; });
}

Comparison compare(std::vector<Measurement> measurements, const CompareOptions& options) {
    if (measurements.empty()) throw InputError("expected at least one measurement, found none");
    if (options.families.empty()) throw InputError("expected at least one family, found none");
    for (const Measurement& measurement : measurements) {
        if (!(measurement.measured > 0))
            throw InputError(fmt::format("{}: expected a measured time above 0", measurement.kernel));
    }
    Comparison comparison;
    comparison.unit = options.unit;
    const RunClocks clocks = run_clocks(measurements, options);
    if (!clocks.mhz.empty()) {
        comparison.clock_mhz = sample::median(clocks.mhz);
        comparison.clock_source = clocks.source;
    }
    if (options.device && comparison.unit != "us") {
        for (std::size_t i = 0; i < measurements.size(); ++i) measurements[i].measured /= clocks.mhz[i];
        comparison.unit = "us";
    }
    std::vector<Points> points(options.families.size());
    std::atomic<std::uint64_t> finished = 0;
    const auto progress = begin_part(options.progress, {"kernels", measurements.size(), &finished});
    for (std::size_t i = 0; i < measurements.size() && !comparison.interrupted; ++i) {
        CompareOptions own = options;
        if (own.device) {
            own.device->clock_mhz = clocks.mhz[i];
            if (options.between_events) own.device->launch_us += own.device->event_us;
        }
        for (std::size_t f = 0; f < points.size() && !comparison.interrupted; ++f) {
            if (auto point = predict(measurements[i], options.families[f], own)) {
                point->measurement = i;
                points[f].push_back(std::move(*point));
            } else {
                comparison.interrupted = true;
            }
        }
        ++finished;
    }
    if (comparison.interrupted) {
        measurements.resize(points.back().size());
        for (Points& of_family : points) of_family.resize(measurements.size());
        if (measurements.empty()) return comparison;
    }
    comparison.measurements = std::move(measurements);
    for (const Measurement& measurement : comparison.measurements)
        comparison.total += (measurement.mean > 0 ? measurement.mean : measurement.measured) *
                            static_cast<double>(measurement.launches);
    for (std::size_t f = 0; f < points.size(); ++f) {
        comparison.families.push_back(
            summarise(comparison.measurements, options.families[f], std::move(points[f]), options));
    }
    comparison.sweeps = block_sweeps(comparison.measurements, comparison.families.front().points);
    return comparison;
}

namespace {

constexpr double most_instructions = 2000;   // of a warp, in the net
constexpr std::int64_t most_warps = 65'536;  // on one SM: a thousand times those of any GPU

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
    const netgen::KernelProfile& kernel = *measurement.profile;
    const netgen::LaunchOnSm launch = netgen::launch_on_sm(kernel, *options.device);
    load.schedulers = options.device->schedulers;
    load.warps = launch.warps();
    load.waves = static_cast<double>(launch.blocks) / static_cast<double>(launch.resident);
    load.counts = netgen::warp_classes(kernel);
    return load;
}

}  // namespace

std::optional<double> warps_steps(const Measurement& measurement, const CompareOptions& options) {
    const Load load = load_of(measurement, options);
    if (load.warps > most_warps)
        throw InputError(fmt::format("{}: expected at most {} warps on an SM, found {}", measurement.kernel,
                                     most_warps, load.warps));
    const double instructions = load.counts[0] + load.counts[1] + load.counts[2];
    const double scale = std::max(1.0, instructions / most_instructions);
    const auto scaled = [&](double count) { return static_cast<Tokens>(std::llround(count / scale)); };
    netgen::WarpsSpec spec;
    spec.warps.assign(static_cast<std::size_t>(load.warps),
                      {scaled(load.counts[0]), scaled(load.counts[1]), scaled(load.counts[2])});
    spec.schedulers = load.schedulers;
    spec.shared_latency = options.shared_latency;
    spec.global_latency = options.global_latency;
    RunOptions run_options;
    run_options.seed = options.predict.seed;
    run_options.limits.interrupt = options.predict.interrupt;
    run_options.max_steps = std::numeric_limits<std::int64_t>::max();
    const RunResult result = run(compile(netgen::warps_net(spec)), run_options);
    if (result.reason == StopReason::interrupted) return std::nullopt;
    if (result.reason != StopReason::dead)
        throw std::logic_error(fmt::format("{}: the net reaches no dead marking: {}", measurement.kernel,
                                           to_string(result.reason)));
    return static_cast<double>(result.steps) * scale * load.waves;
}

}  // namespace warpnet::studies
