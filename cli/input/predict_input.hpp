#pragma once

#include "analysis/studies/predict/assumptions.hpp"
#include "analysis/studies/predict/predict_json.hpp"
#include "cli/input/options.hpp"
#include "cli/input/sm_input.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpnet::cli {

/// Kernels, a device, and the questions about them.
struct PredictInput {
    SmInput input;
    studies::SmPredictOptions options;
    std::vector<studies::FactMargin> margins;
    std::optional<Deadline> deadline;
    bool what_if = false;

    /// One prediction per kernel; fewer if the interrupt of the options is set.
    std::vector<studies::PredictedLaunch> predictions(
        const std::vector<studies::KernelLaunch>& launches) const;

    /// The effect of doubling each fact of the device. Throws UsageError unless there is one kernel.
    /// REQUIRES: it was predicted.
    std::vector<studies::WhatIf> doubled_facts(const std::vector<studies::KernelLaunch>& launches,
                                               double us) const;
};

/// --dispatcher and --margin: the assumptions of a certificate of a whole launch. Returns both.
std::vector<Option> add_certificate_options(Command& command, PredictInput& input);

/// --worst, and with it --dispatcher, --margin and --deadline; --what-if. Returns the first and the last.
std::pair<Option, Option> add_predict_questions(Command& command, PredictInput& input);

}  // namespace warpnet::cli
