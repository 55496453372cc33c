#pragma once

#include "netgen/blocks/task_set.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::studies {

/// A factor of execution times, in thousandths: all deadlines are met with it and not with one thousandth
/// more. Absent: they are not met with any.
using TimeScale = std::optional<std::int64_t>;

/// The critical scaling factors of a task set [Lehoczky89].
struct TaskScaling {
    std::int64_t largest = 0;      ///< that was tried; a factor of this size means that or more
    TimeScale all;                 ///< of all execution times together
    std::vector<TimeScale> alone;  ///< of those of one operation, in the order of the set
    /// The factor by which all deadlines may be multiplied: the largest response over its deadline. Absent
    /// without a bound of an operation with a deadline.
    std::optional<double> deadlines;
};

/// The set with the times of all operations, or of one of them, multiplied by scale / 1000 and rounded up.
netgen::TaskSet with_scaled_times(netgen::TaskSet tasks, std::int64_t scale,
                                  std::optional<std::size_t> operation = {});

/// Whether an analysis proves that all deadlines of a set are met.
using MeetsDeadlines = std::function<bool(const netgen::TaskSet&)>;

/// The scaling factors of times, without that of deadlines. `met_unchanged`: the answer for the set itself.
///
/// Cost: at most 15 analyses per operation, and 15 for the whole set.
TaskScaling time_scaling(const netgen::TaskSet& tasks, bool met_unchanged, const MeetsDeadlines& meets);

nlohmann::ordered_json to_json(const netgen::TaskSet& tasks, const TaskScaling& scaling);

}  // namespace warpnet::studies
