#pragma once

#include "analysis/worst/bounds/machine.hpp"
#include "engine/base/progress_hook.hpp"
#include "engine/net/net.hpp"
#include "engine/run_many.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::studies {

/// The nets of a family over a range of one parameter.
struct SweptFamily {
    std::string name;
    std::string parameter;
    bool multiplied = false;           ///< each value is the one before times a factor
    std::vector<std::int64_t> values;  ///< ascending
    std::vector<Net> nets;             ///< one per value
};

/// The questions about each net. With all defaults nothing is computed.
struct SweepQuestions {
    /// The runs; `runs.runs` = 0: none. Its seed and threads, its policy if that serves parts, and a larger
    /// `max_steps` than that of WorstCaseOptions also apply to the worst case, and its deadline and interrupt
    /// to the whole sweep.
    ManyOptions runs = {.run = {}, .runs = 0};
    bool statistics = false;  ///< of the runs: how much of the places in which modules meet is in use
    bool worst = false;       ///< the longest run, searched and bounded
    bool bound = false;       ///< its upper bound alone
    std::optional<std::uint64_t> iterations = {};  ///< WorstCaseOptions::iterations
    ProgressHook progress = {};                    ///< of the values, and within each of its runs and search
};

/// A place in which modules meet, such as the schedulers of an SM, over all steps of the runs of one net.
struct SweptHub {
    std::string place;
    std::uint64_t tokens = 0;
    double in_use = 0;  ///< share of the tokens
    double idle = 0;    ///< share of the steps in which none is in use
};

/// The answers for one value of the parameter.
struct SweepRow {
    std::int64_t value = 0;
    bool policy_decides = true;               ///< as in RunReport
    std::uint64_t runs = 0;                   ///< made
    std::uint64_t ended = 0;                  ///< of these, in a dead marking
    std::optional<RunStatistics> steps = {};  ///< of those that ended
    std::vector<SweptHub> hubs = {};          ///< the hubs of any net of the sweep that this net has
    std::optional<std::uint64_t> found = {};  ///< the longest run of a search
    std::optional<std::uint64_t> upper = {};  ///< certified: no run is longer
    bool exact = false;
    worst::Machine machine = {};  ///< of the net, for which `found` and `upper` are valid
    bool limit_reached = false;
};

/// The rows of a sweep, in the order of the values, and the questions that they answer. If a limit or an
/// interrupt ends the sweep, the last rows are missing.
struct SweepReport {
    std::string family;
    std::string parameter;
    std::string policy;
    std::uint64_t seed = 1;
    std::uint64_t runs = 0;    ///< requested per value
    std::uint64_t values = 0;  ///< in the range; a limit or an interrupt leaves fewer rows
    bool statistics = false;
    bool found = false, upper = false;  ///< the requested sides of the worst case
    bool multiplied = false;            ///< see SweptFamily
    bool interrupted = false;
    std::vector<SweepRow> rows = {};
};

/// Runs and worst cases of the nets in order. Each net is freed after its row. Throws InputError as
/// run_study() and worst_case() do. Cost: that of these, per net.
SweepReport sweep_study(SweptFamily family, const SweepQuestions& options);

/// The object of `sweep --json`, see docs/reference/orders-and-sweeps.md.
nlohmann::ordered_json to_json(const SweepReport& report);

}  // namespace warpnet::studies
