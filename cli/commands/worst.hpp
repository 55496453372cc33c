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

/// The values of the flags of `worst`.
struct WorstFlags {
    CommonOptions common;
    std::string net;
    KernelInput kernel;
    worst::WorstCaseOptions options;
    PredictInput launch;            ///< --dispatcher, --margin and --deadline; `kernel` has the rest
    std::vector<Option> of_launch;  ///< --dispatcher and --margin
    bool bound = false;
    bool paper = false;
    bool best = false;
    std::optional<std::chrono::milliseconds> time_limit;  ///< of the whole command
    std::string schedule_file;
    std::string order_file;        ///< an order as the start of the search; empty: --start
    std::string write_order_file;  ///< for the best candidate of the search
    std::string log_file;
    std::string resume_file;
    std::chrono::milliseconds save_every{2000};
};

void add_worst_flags(Command& command, WorstFlags& flags);
/// Throws UsageError for flags that exclude each other.
void check(const WorstFlags& flags);

}  // namespace warpnet::cli
