#pragma once

#include "analysis/studies/predict/predict_json.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::studies {

/// One launch of a space: its values in the order of the axes, and the predicted time.
struct TunedLaunch {
    std::vector<std::string> values;
    PredictedLaunch predicted;
    std::optional<double> measured_us = {};
    /// Its interval over the seeds overlaps with that of the best one: the order of the two is open.
    bool ties_with_best = false;
};

/// The quality of the predicted ranking of launches whose times are known.
struct TuneQuality {
    std::size_t launches = 0;
    double spearman = 0;  ///< not a number for less than two different times
    double mape = 0;      ///< mean absolute error in per cent
    /// Of the launch predicted as the best, 1: the fastest. Equal times share the first place.
    std::size_t measured_rank_of_best = 0;
    double loss = 0;  ///< its measured time over the least, minus 1
};

/// Launches of one kernel, or of several that do the same, and their predicted times.
struct TunedSpace {
    std::vector<std::string> axes;
    std::vector<TunedLaunch> launches;  ///< the fastest first
    std::vector<std::string> left_out;  ///< launches that the device rejects, and why
    std::size_t not_predicted = 0;      ///< launches behind an interruption
    std::optional<TuneQuality> quality = {};
};

/// Sorts the launches by predicted time (equal ones keep their order), marks those that tie with the best,
/// and judges the order if two measured times are known. O(n log n).
void rank_launches(TunedSpace& space);

nlohmann::ordered_json to_json(const netgen::Device& device, const TunedSpace& space);
/// A header and a row per launch, the fastest first.
std::string to_csv(const TunedSpace& space);

}  // namespace warpnet::studies
