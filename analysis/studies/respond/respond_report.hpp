#pragma once

#include "analysis/studies/respond/launch_orders.hpp"
#include "analysis/studies/respond/measured.hpp"
#include "analysis/studies/respond/respond.hpp"
#include "analysis/studies/respond/scaling.hpp"
#include "analysis/studies/respond/sporadic_bound.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::studies {

/// The questions about a set.
struct RespondQuestions {
    RespondOptions schedule;
    std::optional<LaunchOrderOptions> orders = {};  ///< the worst over all launch orders, by this policy
    std::optional<SporadicOptions> sporadic = {};   ///< bounds for sporadic jobs; not together with `orders`
    bool steps = false;                             ///< of Algorithm 2
    bool net = false;                               ///< the makespan of the net of the set
    bool scaling = false;                           ///< how far execution times and deadlines may change
    const netgen::ExaminerConfig* examiner = nullptr;  ///< the configuration that the set is, with logs of it
    std::vector<netgen::MeasuredLog> logs = {};
};

/// The answers; those to questions that were not asked are absent.
struct RespondReport {
    RespondResult result;  ///< for the order of the file; of the worst order of each operation with `orders`
    std::optional<WorstOrders> orders = {};
    std::optional<MeasuredComparison> measured = {};
    std::optional<netgen::Time> net_makespan = {};
    bool all_met = true;
    bool conclusive = true;
    std::optional<SporadicBounds> sporadic = {};
    netgen::Time launch_offset = 0;                         ///< in these bounds
    std::optional<std::vector<AllocationStep>> steps = {};  ///< of Algorithm 2
    std::optional<TaskScaling> scaling = {};                ///< absent, too, if nothing has a deadline

    /// Without deadlines there is no verdict.
    bool any_deadline() const {
        return std::ranges::any_of(result.operations,
                                   [](const auto& one) { return one.deadline.has_value(); });
    }
};

/// Answers all questions. Launch orders are judged in parallel. A set with a jitter needs
/// RespondQuestions::sporadic. Throws InputError if respond() and compare_measured() do.
RespondReport respond_report(const netgen::TaskSet& tasks, const RespondQuestions& questions);

/// The object of `respond --json`; with `jobs` every job and every group of blocks.
nlohmann::ordered_json to_json(const netgen::TaskSet& tasks, const RespondReport& report, bool jobs = false);

}  // namespace warpnet::studies
