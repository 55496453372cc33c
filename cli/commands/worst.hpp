#pragma once

#include "analysis/worst/worst_case.hpp"
#include "cli/input/kernel_input.hpp"
#include "cli/input/options.hpp"
#include "cli/input/predict_input.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

/// What the flags of `worst` say.
struct WorstFlags {
    CommonOptions common;
    std::string net;
    KernelInput kernel;
    worst::WorstCaseOptions options;
    PredictInput launch;            ///< --dispatcher, --margin and --deadline; the rest is that of `kernel`
    std::vector<Option> of_launch;  ///< --dispatcher and --margin
    bool bound = false;
    bool paper = false;
    bool best = false;
    std::optional<std::chrono::milliseconds> time_limit;  ///< of the whole command
    std::string schedule_file;
    std::string order_file;        ///< at which the search begins; empty: --start
    std::string write_order_file;  ///< of the best candidate of the search
    std::string log_file;
    std::string resume_file;
    std::chrono::milliseconds save_every{2000};
};

void add_worst_flags(Command& command, WorstFlags& flags);
/// Throws UsageError for flags that do not go together.
void check(const WorstFlags& flags);

}  // namespace warpnet::cli
