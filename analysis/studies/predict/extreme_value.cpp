// Fits generalised extreme-value distributions by L-moments [Hosking85], which are robust for few maxima:
// sample L-moments are linear in the sorted values, and the shape follows from their ratio by Hosking's
// approximation. The fit is tested by the statistic of Anderson and Darling [Anderson54]. Its distribution is
// unknown for fitted parameters and for whole steps, so a parametric bootstrap samples it: 500 samples of the
// fitted distribution, rounded and fitted in the same way.

#include "analysis/studies/predict/extreme_value.hpp"

#include "engine/base/random.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace warpnet::studies {

namespace {

constexpr std::uint64_t least_blocks = 20;
constexpr std::uint64_t bootstrap_samples = 500;
constexpr double least_away = 1e-12;  // distance of a cumulative probability from 0 and 1

struct LMoments {
    double first, second, third;
};

/// Unbiased sample L-moments by probability-weighted moments.
LMoments l_moments(std::span<const double> sample) {
    std::vector<double> sorted(sample.begin(), sample.end());
    std::sort(sorted.begin(), sorted.end());
    const auto n = static_cast<double>(sorted.size());
    double b0 = 0, b1 = 0, b2 = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto rank = static_cast<double>(i);
        b0 += sorted[i] / n;
        b1 += sorted[i] * rank / (n * (n - 1));
        if (sorted.size() > 2) b2 += sorted[i] * rank * (rank - 1) / (n * (n - 1) * (n - 2));
    }
    return {b0, 2 * b1 - b0, 6 * b2 - 6 * b1 + b0};
}

using Fit = ExtremeValue (*)(std::span<const double>);

bool varies(std::span<const double> sample) {
    return std::adjacent_find(sample.begin(), sample.end(), std::not_equal_to<>()) != sample.end();
}

TailFit fitted(std::span<const double> maxima, Fit fit, CounterRandom random) {
    TailFit result;
    result.distribution = fit(maxima);
    result.anderson_darling = anderson_darling(maxima, result.distribution);
    std::uint64_t as_far = 0;
    std::vector<double> sample(maxima.size());
    for (std::uint64_t b = 0; b < bootstrap_samples; ++b) {
        for (double& x : sample)
            x = std::round(
                result.distribution.quantile(std::clamp(random.uniform(), least_away, 1 - least_away)));
        if (varies(sample) && anderson_darling(sample, fit(sample)) >= result.anderson_darling) ++as_far;
    }
    result.p = static_cast<double>(1 + as_far) / static_cast<double>(1 + bootstrap_samples);
    return result;
}

}  // namespace

double ExtremeValue::cumulative(double x) const {
    const double z = (x - location) / scale;
    if (std::abs(shape) < 1e-9) return std::exp(-std::exp(-z));
    const double base = 1 + shape * z;
    if (base <= 0) return shape > 0 ? 0 : 1;
    return std::exp(-std::pow(base, -1 / shape));
}

double ExtremeValue::quantile(double probability) const {
    const double y = -std::log(probability);
    if (std::abs(shape) < 1e-9) return location - scale * std::log(y);
    return location + scale * (std::pow(y, -shape) - 1) / shape;
}

ExtremeValue fit_gumbel(std::span<const double> maxima) {
    const LMoments moments = l_moments(maxima);
    const double scale = moments.second / std::numbers::ln2;
    return {moments.first - std::numbers::egamma * scale, scale, 0};
}

ExtremeValue fit_extreme_value(std::span<const double> maxima) {
    const LMoments moments = l_moments(maxima);
    const double c = 2 / (3 + moments.third / moments.second) - std::numbers::ln2 / std::log(3.0);
    const double k = 7.8590 * c + 2.9554 * c * c;
    if (std::abs(k) < 1e-9) return fit_gumbel(maxima);
    const double gamma = std::tgamma(1 + k);
    const double scale = moments.second * k / ((1 - std::pow(2.0, -k)) * gamma);
    return {moments.first - scale * (1 - gamma) / k, scale, -k};
}

double anderson_darling(std::span<const double> sample, const ExtremeValue& distribution) {
    std::vector<double> below;
    for (const double x : sample)
        below.push_back(std::clamp(distribution.cumulative(x), least_away, 1 - least_away));
    std::sort(below.begin(), below.end());
    const auto n = static_cast<double>(below.size());
    double sum = 0;
    for (std::size_t i = 0; i < below.size(); ++i) {
        sum += (2 * static_cast<double>(i) + 1) *
               (std::log(below[i]) + std::log(1 - below[below.size() - 1 - i]));
    }
    return -n - sum / n;
}

TailEstimate estimate_tail(std::span<const std::uint64_t> steps, std::uint64_t seed) {
    TailEstimate result;
    result.runs = steps.size();
    std::vector<std::uint64_t> sorted(steps.begin(), steps.end());
    std::sort(sorted.begin(), sorted.end());
    const auto runs = static_cast<double>(sorted.size());
    for (const double probability : {0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999}) {
        if (runs * (1 - probability) < 9.999) break;
        const auto rank = static_cast<std::size_t>(std::ceil(runs * probability - 1e-9));
        result.quantiles.push_back({probability, sorted[std::max<std::size_t>(rank, 1) - 1]});
    }
    const auto block = static_cast<std::uint64_t>(std::sqrt(runs));
    if (block < least_blocks) {
        result.why_no_fit =
            "a fit takes " + std::to_string(least_blocks * least_blocks) + " runs that ended, or more";
        return result;
    }
    std::vector<double> maxima;
    for (std::size_t first = 0; first + block <= steps.size(); first += block) {
        const auto range = steps.subspan(first, block);
        maxima.push_back(static_cast<double>(*std::max_element(range.begin(), range.end())));
    }
    if (!varies(maxima)) {
        result.why_no_fit = "the longest run is as long in every block";
        return result;
    }
    result.block = block;
    result.blocks = maxima.size();
    result.gumbel = fitted(maxima, fit_gumbel, CounterRandom(seed, 1));
    result.extreme_value = fitted(maxima, fit_extreme_value, CounterRandom(seed, 2));
    for (const double probability : {1e-3, 1e-4, 1e-5, 1e-6, 1e-9}) {
        const double block_probability = std::exp(static_cast<double>(block) * std::log1p(-probability));
        result.levels.push_back({probability, result.gumbel.distribution.quantile(block_probability),
                                 result.extreme_value.distribution.quantile(block_probability)});
    }
    return result;
}

}  // namespace warpnet::studies
