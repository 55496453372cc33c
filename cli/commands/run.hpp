#pragma once

#include "cli/input/options.hpp"
#include "engine/run/run.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

/// The values of the flags of `run`.
struct RunFlags {
    CommonOptions common;
    std::string net;
    RunOptions run;
    std::uint64_t runs = 1;
    std::optional<std::chrono::milliseconds> time_limit;
    std::string trace_file;
    std::string schedule_file;
    std::string replay_file;
    std::string until;
    std::string resume_file;
    std::optional<std::chrono::milliseconds> save_every;
    bool exact = false;
    std::string chain_file;
    std::uint64_t memory = std::uint64_t{4} << 30;
    bool tail = false;
    bool statistics = false;
    bool marking = false;
    bool counts = false;
    bool plain = false;
    bool all = false;
    bool all_semantics = false;
    std::vector<Option> details;  ///< flags of runs under one semantics
};

void add_run_flags(Command& command, RunFlags& flags);

/// Throws UsageError for flags that exclude each other.
void check(const RunFlags& flags);

}  // namespace warpnet::cli
