#pragma once

#include "analysis/studies/compare/statistics.hpp"
#include "analysis/studies/predict/predict.hpp"
#include "engine/base/progress_hook.hpp"
#include "netgen/warps/warps.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::studies {

/// A measured kernel and the facts of it that a model may use.
struct Measurement {
    std::string kernel;    ///< name and launch shape, for readers
    std::string function;  ///< launches of one function are left out together
    double measured = 0;   ///< time of one launch, in the unit of the whole comparison
    std::int64_t launches = 1;
    std::optional<netgen::WarpCounts> counts = {};  ///< of a warp; with `warps` the input of family `warps`
    std::int64_t warps = 1;                         ///< on the SM
    std::optional<netgen::KernelProfile> profile = {};
    /// The shortest and the longest of the launches that were timed; both 0 if only `measured` is known.
    double least = 0, most = 0;
    double mean = 0;                     ///< of the launches; 0: only `measured` is known
    double clock_mhz = 0;                ///< of the run; 0: not known
    std::string_view clock_source = {};  ///< the source of clock_mhz
    /// Of one launch, summed over the SMs, as a profiler counts them; 0: not known.
    double elapsed_cycles = 0;
    std::string where = {};  ///< "source:line" of its first launch; empty: not from a file
    std::string id = {};     ///< of the launch in all tables of its folder; empty: none
};

enum class ModelFamily : std::uint8_t {
    sm,           ///< the net of netgen/sm/sm.hpp, in microseconds
    warps,        ///< the net of [Gogolinska17]: steps, which need a scale
    closed_form,  ///< sm_closed_form()
    throughput,   ///< throughput_estimate()
};
inline constexpr std::size_t model_family_count = 4;

/// What is compared with measurements, and the device. Latencies are in steps of the family `warps`.
struct CompareOptions {
    std::vector<ModelFamily> families = {ModelFamily::sm};
    /// Of the measured values: "us" or "cycles". With a device cycles become microseconds, which the families
    /// predict, by the clock of the run.
    std::string unit = "us";
    std::optional<netgen::SmDevice> device = {};  ///< needed by all families but `warps` of plain counts
    SmPredictOptions predict;
    /// The times lie between two events: `event_us` of the device is part of them.
    bool between_events = false;
    /// The clock of the runs; absent: the clock of the measurements, else that of the device.
    std::optional<double> clock_mhz = {};
    Tokens schedulers = 4;  ///< of the family `warps`; with a device: those of the device
    Tokens shared_latency = 2;
    Tokens global_latency = 20;
    std::uint64_t resamples = 2000;
    ProgressHook progress = {};  ///< of the measurements
};

std::string_view to_string(ModelFamily family);

struct ComparePoint {
    std::size_t measurement = 0;  ///< index
    double steps = 0;             ///< of the net; of a closed form its cycles
    double predicted = 0;         ///< without a parameter; the fitted value if the family needs one
    double fitted = 0;            ///< with the scale that fits all points
    double left_out = 0;  ///< with the scale that fits the other functions; not a number if there are none
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

/// A correlation coefficient, -1 to 1, and its confidence interval by resampling. NaN if it is not defined.
struct Correlation {
    double value = 0;
    sample::Interval interval;
};

/// Steps of a model against measured times over the launches of one function, as [Gogolinska17] judges a
/// model.
struct FunctionTrend {
    std::string function;
    std::size_t launches = 0;
    double pearson = 0, spearman = 0;  ///< not a number if one side is constant
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
/// Launches that share a shape differ in something else and are no sweep.
struct BlockSweep {
    std::string function;
    std::vector<std::size_t> measurements;  ///< by rising block size
    std::size_t best_predicted = 0;         ///< index of the measurement
    /// Of that one among the measured, 1: the fastest. A size ranks before it only if all launches of that
    /// size were shorter.
    std::size_t measured_rank = 0;
    /// The predicted best and all sizes whose predictions overlap with its own over the seeds.
    std::vector<std::size_t> predicted_alike;
    /// The predicted best and, if the spread of launches is known, all sizes whose measured launches overlap
    /// with its own.
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
    std::string clock_source;        ///< the source of clock_mhz
};

/// Whether a family needs the launch shape of every measurement.
bool needs_shapes(const CompareOptions& options);

/// Runs every family on every measurement. Intervals are 95 % bootstrap intervals over the points; random
/// numbers depend on predict.seed alone. Throws InputError if a measurement lacks data that a family needs.
Comparison compare(std::vector<Measurement> measurements, const CompareOptions& options);

/// Steps that the family `warps` needs for a measurement: of its counts on one SM. If it has a profile, of
/// the blocks of the busiest SM, in successive sets of resident blocks. Warps of more than 2000 instructions
/// are run with fewer and the steps scaled, since they grow in proportion. One run, with the draws of
/// predict.seed. Nothing if it was interrupted. Throws InputError if the measurement has neither counts nor a
/// profile.
std::optional<double> warps_steps(const Measurement& measurement, const CompareOptions& options);

}  // namespace warpnet::studies
