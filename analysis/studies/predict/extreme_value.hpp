#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpnet::studies {

/// A generalised extreme-value distribution; shape 0 is Gumbel's, a negative shape has an upper end, a
/// positive one a heavy tail.
struct ExtremeValue {
    double location = 0;
    double scale = 1;
    double shape = 0;

    double cumulative(double x) const;
    /// Inverse of cumulative(); 0 < probability < 1.
    double quantile(double probability) const;
};

/// Fits by L-moments [Hosking85]. `maxima` must have two different values.
ExtremeValue fit_gumbel(std::span<const double> maxima);
ExtremeValue fit_extreme_value(std::span<const double> maxima);

/// The statistic of Anderson and Darling [Anderson54] of a sample against a distribution: large for a bad
/// fit, above all in the tails.
double anderson_darling(std::span<const double> sample, const ExtremeValue& distribution);

struct TailFit {
    ExtremeValue distribution;  ///< of the largest step count of a block
    double anderson_darling = 0;
    /// The fraction of samples of the fitted distribution, rounded to whole steps and fitted in the same way,
    /// that deviate as much (parametric bootstrap). Small: reject the fit.
    double p = 0;
};

/// A step count with the estimated probability that a run exceeds it.
struct TailLevel {
    double probability;
    double gumbel, extreme_value;  ///< steps, by each fit
};

/// With `probability` a run takes at most this number of steps.
struct StepQuantile {
    double probability;
    std::uint64_t steps;
};

/// An estimate of rare runs from many runs. It is a statement about runs with these random choices, with an
/// unknown error. It bounds nothing: the worst case may be far beyond.
struct TailEstimate {
    std::uint64_t runs = 0;
    std::vector<StepQuantile> quantiles;  ///< of the runs; only those with at least ten larger runs
    std::uint64_t block = 0;              ///< runs of a block; 0: no fit
    std::uint64_t blocks = 0;
    TailFit gumbel, extreme_value;
    std::vector<TailLevel> levels;
    std::string why_no_fit;
};

/// Empirical quantiles, and fits to the maxima of blocks of runs, in the order of the runs: as many runs per
/// block as there are blocks. `steps` has one entry per run. 500 bootstrap samples, drawn by `seed`; O(runs
/// log runs).
TailEstimate estimate_tail(std::span<const std::uint64_t> steps, std::uint64_t seed);

}  // namespace warpnet::studies
