#pragma once

#include "analysis/studies/respond/launch_orders.hpp"
#include "analysis/studies/respond/measured.hpp"
#include "analysis/studies/respond/respond.hpp"
#include "analysis/studies/respond/sporadic_bound.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

/// What `respond` found out; what was not asked for is absent.
struct RespondReport {
    RespondResult result;  ///< for the order of the file; of the worst order of each operation with `orders`
    std::optional<WorstOrders> orders = {};
    std::optional<MeasuredComparison> measured = {};
    std::optional<Time> net_makespan = {};
    bool all_met = true;
    bool conclusive = true;

    /// Without any deadline there is nothing to be met.
    bool any_deadline() const {
        return std::ranges::any_of(result.operations,
                                   [](const auto& one) { return one.deadline.has_value(); });
    }

    bool list_jobs = false;
    std::optional<SporadicBounds> sporadic = {};
    Time launch_offset = 0;                                 ///< in these bounds
    std::optional<std::vector<AllocationStep>> steps = {};  ///< of Algorithm 2, where asked for
};

std::string respond_json(const TaskSet& tasks, const RespondReport& report);
std::string respond_text(const TaskSet& tasks, const RespondReport& report);

}  // namespace warpnet::cli
