#pragma once

#include "analysis/studies/compare/tune.hpp"
#include "cli/input/command.hpp"
#include "cli/input/sm_input.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warpnet::cli {

/// A space of launches as flags: axes, all combinations of whose values are launches, or a table with one
/// launch per row. An axis sets the shape of the launch (block, block_x, grid, …), the code (ptx, kernel,
/// resources), fields of a profile (registers, shared_bytes, …) or elements per thread (tile_x, …). An axis
/// with any other name sets a parameter of the kernel, and other columns of a table only name its rows.
struct TuneInput {
    std::vector<std::string> texts;         ///< the values of --tune
    std::array<std::int64_t, 3> work = {};  ///< elements that the grid covers; 0: not given

    bool given() const { return !texts.empty(); }
};

/// --tune and --work.
void add_tune_input(Command& command, TuneInput& tune);

/// Predicts every launch of the space; `input` has the kernel and the device. Launches that the device
/// rejects are left out. Throws UsageError for axes that contradict each other or the flags, and InputError
/// if no launch is left.
studies::TunedSpace predict_space(const SmInput& input, const TuneInput& tune,
                                  const studies::SmPredictOptions& options);

}  // namespace warpnet::cli
