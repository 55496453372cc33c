#pragma once

#include "analysis/pictures/net/draw.hpp"
#include "cli/input/command.hpp"
#include "engine/run/run.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace warpnet::cli {

/// The values of the flags of `draw`.
struct DrawFlags {
    std::string net;
    std::string output = "-";
    std::string marking = "initial";
    pictures::DrawOptions picture;
    std::optional<std::chrono::milliseconds> time_limit;
    std::string schedule;  ///< draw this schedule instead of the net
    std::string heat;      ///< colour by these firings; "run": those of the simulated run
    std::string trace;     ///< show this trace as an animation
    std::optional<std::chrono::milliseconds> step_time;
    RunOptions run{.max_steps = 1'000'000, .count_firings = true};  ///< the simulated run, to its end
    std::optional<std::uint64_t> after;
};

void add_draw_flags(Command& command, DrawFlags& flags);

}  // namespace warpnet::cli
