#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "analysis/worst/bounds/machine.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/run_many.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

/// Of one place that parts share, such as the schedulers of an SM, over all steps of the runs.
struct SweptHub {
    std::string place;
    std::uint64_t tokens = 0;
    double in_use = 0;  ///< share of the tokens
    double idle = 0;    ///< share of the steps in which none is in use
};

/// What was found out for one value of the parameter.
struct SweepRow {
    std::int64_t value = 0;
    std::uint64_t runs = 0;              ///< that were made
    std::uint64_t ended = 0;             ///< of these, in a dead marking
    std::optional<RunStatistics> steps;  ///< of those that ended
    std::vector<SweptHub> hubs;
    std::optional<std::uint64_t> found;  ///< the longest run of a search
    std::optional<std::uint64_t> upper;  ///< no run is longer
    bool exact = false;
    Machine machine;  ///< that `found` and `upper` are true of
    bool limit_reached = false;
};

struct SweepReport {
    std::string family;
    std::string parameter;
    std::string policy;
    std::uint64_t seed = 1;
    std::uint64_t runs = 0;    ///< that were asked for, for each value
    std::uint64_t values = 0;  ///< in the range; rows may be fewer
    bool statistics = false;
    bool found = false, upper = false;  ///< which sides of the worst case were asked for
    bool multiplied = false;  ///< the values are powers of a factor: the plot has them at equal distances
    bool interrupted = false;
    std::vector<SweepRow> rows;
};

std::string sweep_text(const SweepReport& report);
std::string sweep_json(const SweepReport& report);
/// A header and a row for each value; shares from 0 to 1, nothing where a value is not known.
std::string sweep_csv(const SweepReport& report);
/// Steps over the parameter; with statistics a second picture: hubs in use, and steps without use.
std::string sweep_svg(const SweepReport& report, const PictureStyle& style);
ExitCode exit_code_of(const SweepReport& report);

}  // namespace warpnet::cli
