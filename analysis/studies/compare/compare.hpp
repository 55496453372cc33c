#pragma once

#include "analysis/studies/compare/measurement.hpp"
#include "analysis/studies/compare/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

std::string_view to_string(ModelFamily family);

struct ComparePoint {
    std::size_t measurement = 0;  ///< index
    double steps = 0;             ///< of the net; of a closed form its cycles
    double predicted = 0;  ///< without a parameter; where the family has none of that, the fitted value
    double fitted = 0;     ///< with the scale that fits all points
    double left_out = 0;  ///< with the scale that fits the other functions; not a number where there are none
    double error = 0;     ///< predicted / measured - 1
    std::optional<SmPrediction> prediction = {};  ///< family `sm`
};

/// Errors in per cent of the measured value.
struct ErrorSummary {
    double mape = 0;    ///< mean absolute error
    double median = 0;  ///< median absolute error
    sample::Interval mape_interval;
    sample::Interval median_interval;
};

struct Correlation {
    double value = 0;
    sample::Interval interval;
};

/// Steps of a model against measured times over the launches of one function, as [Gogolinska17] judges a
/// model.
struct FunctionTrend {
    std::string function;
    std::size_t launches = 0;
    double pearson = 0, spearman = 0;  ///< not a number where one side is constant
    double slope = 0;  ///< least squares: measured unit per predicted one, of family warps per step
};

struct FamilyComparison {
    ModelFamily family = ModelFamily::sm;
    bool absolute = true;  ///< the family predicts time, with no parameter
    std::vector<ComparePoint> points;
    /// One parameter: the scale with which the mean absolute error is least.
    double steps_per_unit = 0;
    ErrorSummary predicted, fitted, left_out;
    Correlation pearson, spearman, kendall, log;
    double total = 0;                   ///< predicted, of all launches of all kernels
    std::vector<FunctionTrend> trends;  ///< of the functions with three launches or more, sorted by name
};

/// Launches of one function that share the number of threads up to 2 % and differ in the block: a sweep.
/// Launches of one shape that stand twice differ in something else and are none.
struct BlockSweep {
    std::string function;
    std::vector<std::size_t> measurements;  ///< by rising block size
    std::size_t best_predicted = 0;         ///< index of the measurement
    /// Of that one among the measured, 1: the fastest. Only sizes all of whose launches were shorter rank
    /// before it.
    std::size_t measured_rank = 0;
    /// Beside it: those whose predictions overlap with its own over the seeds.
    std::vector<std::size_t> predicted_alike;
    /// Beside it: those whose measured launches overlap with its own, where the spread of launches is known.
    std::vector<std::size_t> measured_alike;
};

struct Comparison {
    std::vector<Measurement> measurements;
    std::string unit;  ///< of the measured values, "us" or "cycles"
    std::vector<FamilyComparison> families;
    std::vector<BlockSweep> sweeps;  ///< by the predictions of the first family
    bool interrupted = false;        ///< only the first measurements were compared, those listed, or none
    double total = 0;                ///< measured, of all launches of all kernels
    double clock_mhz = 0;            ///< of the predictions, the median; 0: no family needs one
    std::string clock_source;        ///< where it comes from
};

/// Runs every family on every measurement. Intervals are 95 % bootstrap intervals over the points; random
/// numbers depend on predict.seed alone. Throws InputError where a family needs what a measurement does not
/// have.
Comparison compare(std::vector<Measurement> measurements, const CompareOptions& options);

}  // namespace warpnet
