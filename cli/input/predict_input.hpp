#pragma once

#include "analysis/studies/predict/assumptions.hpp"
#include "analysis/studies/predict/predict_json.hpp"
#include "cli/input/options.hpp"
#include "cli/input/sm_input.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

/// Kernels, a device, and what is asked of them.
struct PredictInput {
    SmInput input;
    studies::SmPredictOptions options;
    std::vector<studies::FactMargin> margins;
    std::optional<Deadline> deadline;

    /// One prediction per kernel; fewer if the interrupt of the options is set.
    std::vector<studies::PredictedLaunch> predictions(const std::vector<SmLaunch>& launches) const;
};

/// --dispatcher and --margin: what a certificate of a whole launch takes for granted. Returns both.
std::vector<Option> add_certificate_options(Command& command, PredictInput& input);

/// --worst, and with it --dispatcher, --margin and --deadline. Returns the first.
Option add_predict_questions(Command& command, PredictInput& input);

}  // namespace warpnet::cli
