#pragma once

#include "analysis/worst/bounds/machine.hpp"
#include "analysis/worst/bounds/run_bounds.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::cli {

/// One improvement of a search, a row of --log.
struct LogRow {
    double seconds;
    std::uint32_t chain;
    std::uint64_t iteration;
    std::uint64_t value;
};

/// Which runs of a net are endless, for certain.
enum class EndlessRuns : std::uint8_t {
    none_known,
    one,   ///< at least one
    some,  ///< and some others end
    every,
};

/// What `worst` found out, of kernels and other nets alike.
struct WorstReport {
    bool longest = true;
    std::optional<std::uint64_t> found;  ///< steps of the witness; nothing: no run ends, or none is known
    /// Certified: no run takes more (longest), or fewer (shortest), steps.
    std::optional<std::uint64_t> bound;
    std::vector<StepBound> bounds;  ///< all that were proved, the best first
    std::string no_bound;           ///< where there is none: why
    Machine machine;                ///< that all this is true of
    /// What the kernel does on a GPU and the bound does not count.
    std::vector<std::string> leaves_out;
    bool exact = false;
    std::string policy;  ///< that fixes who is served; empty: nothing does
    std::string method;
    std::vector<std::string> arguments;   ///< what proves the bound, in words
    std::vector<std::string> limits_hit;  ///< what was not tried or not finished
    std::uint32_t chains = 0;
    std::uint64_t iterations = 0;  ///< of all chains
    double seconds = 0;
    std::map<std::string, std::uint64_t> start_values;
    std::vector<LogRow> log;
    std::string order_csv;                    ///< the candidate behind `found` (order_csv.hpp); empty: none
    std::optional<std::int64_t> fermi_bound;  ///< the closed form, for the template
    Schedule schedule;                        ///< the witness
    bool witness_of_part = false;             ///< a block's schedule was replayed, not that of the grid
    bool replayed = true;                     ///< false: a limit was met before that
    bool with_schedule = false;               ///< show it in the JSON
    EndlessRuns endless = EndlessRuns::none_known;  ///< with any but none_known there is no upper bound
    bool time_stands_still = false;                 ///< immediate transitions fire for as long as was waited
    /// Of an endless run: the way to a marking, and from there back to it.
    Schedule cycle_prefix, cycle;
    bool bound_only = false;     ///< nothing was searched
    bool limit_reached = false;  ///< before the answer that was asked for
    bool interrupted = false;

    /// That there is no worst case, which settles the question.
    void set_endless(EndlessRuns which, std::string argument);
    /// Whether `schedule` is the run behind `found`: a limit may have been met before it was made.
    bool has_schedule() const { return found && !witness_of_part && (!schedule.empty() || *found == 0); }
};

/// "no finite worst case: …", or that there is no shortest run; empty where neither is known.
std::string no_worst_case(const WorstReport& report);
nlohmann::ordered_json machine_json(const Machine& machine);
std::string worst_json(const Net& net, const WorstReport& report);
std::string worst_text(const Net& net, const WorstReport& report);
ExitCode exit_code_of(const WorstReport& report);

}  // namespace warpnet::cli
