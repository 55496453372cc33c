#include "analysis/compare/compare.hpp"

#include "analysis/compare/warps_steps.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace warpnet {

namespace {

constexpr std::array<std::string_view, model_family_count> family_names = {"sm", "warps", "closed-form",
                                                                           "throughput"};
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

const SmDevice& needed_device(const CompareOptions& options, ModelFamily family) {
    if (!options.device)
        throw InputError(fmt::format("family {} needs a device (--device NAME)", to_string(family)));
    return *options.device;
}

const KernelProfile& needed_profile(const Measurement& measurement, ModelFamily family) {
    if (!measurement.profile) {
        throw InputError(
            fmt::format("{}: family {} needs the launch shape (blocks, threads) beside the counts",
                        measurement.kernel, to_string(family)));
    }
    return *measurement.profile;
}

ComparePoint predict(const Measurement& measurement, ModelFamily family, const CompareOptions& options) {
    ComparePoint point;
    switch (family) {
        case ModelFamily::sm: {
            const SmDevice& device = needed_device(options, family);
            point.prediction = predict_sm(device, needed_profile(measurement, family), options.predict);
            point.predicted = point.prediction->us;
            // With what lies outside the net, so that a scale is fitted to the whole time.
            point.steps =
                point.predicted * device.clock_mhz / static_cast<double>(point.prediction->step_cycles);
            break;
        }
        case ModelFamily::warps:
            point.steps = warps_steps(measurement, options);
            break;
        case ModelFamily::closed_form: {
            const SmDevice& device = needed_device(options, family);
            point.predicted = sm_closed_form(device, needed_profile(measurement, family)).us;
            point.steps = point.predicted * device.clock_mhz;
            break;
        }
        case ModelFamily::throughput: {
            const SmDevice& device = needed_device(options, family);
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
        return bootstrap(absolute.size(), resampled(statistic), options.predict.seed, options.resamples);
    };
    return {mean(absolute), median(absolute), interval([](const auto& v) { return mean(v); }),
            interval([](const auto& v) { return median(v); })};
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
    return {coefficient(x, y), bootstrap(x.size(), resampled, options.predict.seed, options.resamples)};
}

/// The factor from steps to the measured unit for which the mean absolute error of the points that are not of
/// the function is least: it is the median of measured / steps weighted with steps / measured, since |f s/m -
/// 1| = (s/m) |f - m/s|. Not a number where there are no such points.
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
    result.predicted = errors(predicted, measured, options);
    result.fitted =
        errors(column(result.points, [](const ComparePoint& p) { return p.fitted; }), measured, options);
    result.left_out =
        errors(column(result.points, [](const ComparePoint& p) { return p.left_out; }), measured, options);
    result.pearson = correlate(pearson, predicted, measured, options);
    result.spearman = correlate(spearman, predicted, measured, options);
    result.kendall = correlate(kendall, predicted, measured, options);
    result.log = correlate(log_correlation, predicted, measured, options);
    return result;
}

BlockSweep judge(std::string function, std::vector<std::size_t> sweep,
                 const std::vector<Measurement>& measurements, const Points& points) {
    std::sort(sweep.begin(), sweep.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(measurements[a].profile->threads, a) <
               std::pair(measurements[b].profile->threads, b);
    });
    BlockSweep result{std::move(function), sweep, sweep.front(), 1};
    for (const std::size_t i : sweep) {
        if (points[i].predicted < points[result.best_predicted].predicted) result.best_predicted = i;
    }
    for (const std::size_t i : sweep)
        result.measured_rank +=
            measurements[i].measured < measurements[result.best_predicted].measured ? 1U : 0U;
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
        if (differ) sweeps.push_back(judge(measurements[i].function, std::move(sweep), measurements, points));
    }
    return sweeps;
}

}  // namespace

std::string_view to_string(ModelFamily family) { return family_names[static_cast<std::size_t>(family)]; }

std::string function_name(std::string_view kernel) {
    if (kernel.starts_with("void ")) kernel.remove_prefix(5);
    return std::string(kernel.substr(0, kernel.find_first_of("<(")));
}

Comparison compare(std::vector<Measurement> measurements, const CompareOptions& options) {
    if (measurements.empty()) throw InputError("expected at least one measurement, found none");
    if (options.families.empty()) throw InputError("expected at least one family, found none");
    for (const Measurement& measurement : measurements) {
        if (!(measurement.measured > 0))
            throw InputError(fmt::format("{}: expected a measured time above 0", measurement.kernel));
    }
    Comparison comparison;
    std::vector<Points> points(options.families.size());
    try {
        for (std::size_t i = 0; i < measurements.size(); ++i) {
            std::vector<ComparePoint> of_families;
            for (const ModelFamily family : options.families) {
                of_families.push_back(predict(measurements[i], family, options));
                of_families.back().measurement = i;
            }
            for (std::size_t f = 0; f < points.size(); ++f) points[f].push_back(std::move(of_families[f]));
            if (options.finished != nullptr) ++*options.finished;
        }
    } catch (const Interrupted&) {
        comparison.interrupted = true;
        measurements.resize(points.front().size());
        if (measurements.empty()) throw;
    }
    comparison.measurements = std::move(measurements);
    for (std::size_t f = 0; f < points.size(); ++f) {
        comparison.families.push_back(
            summarise(comparison.measurements, options.families[f], std::move(points[f]), options));
    }
    comparison.sweeps = block_sweeps(comparison.measurements, comparison.families.front().points);
    return comparison;
}

}  // namespace warpnet
