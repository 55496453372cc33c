// The critical scaling factor of a task set [Lehoczky89]: how much execution times may grow before a deadline
// is missed. Bisection over thousandths, with the whole analysis at each of them, so the factor is that of
// the question that was asked. Its two ends are judged: met at the factor, not proved to be met one
// thousandth above.
//
// Responses need not grow with execution times: a block that ends later may let another one go first. So a
// schedule may miss a deadline at a smaller factor. Rejected: all thousandths one by one, which takes
// hundreds of analyses per operation. Bounds of sporadic jobs do grow with execution times.

#include "analysis/studies/respond/scaling.hpp"

#include "engine/base/to_json.hpp"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

namespace warpnet::studies {

namespace {

constexpr std::int64_t unchanged = 1000;  // thousandths
constexpr std::int64_t most_scale = 10'000;

netgen::Time scaled(netgen::Time time, std::int64_t scale) {
    const netgen::Time whole = time / unchanged, rest = time % unchanged;
    return std::max<netgen::Time>(1, whole * scale + (rest * scale + unchanged - 1) / unchanged);
}

/// The largest scale at which no time leaves a range that validate() accepts, with room for sums.
std::int64_t largest_scale(const netgen::TaskSet& tasks) {
    netgen::Time longest = 1;
    for (const netgen::Operation& operation : tasks.operations) longest = std::max(longest, operation.time);
    const netgen::Time room = std::numeric_limits<netgen::Time>::max() / (netgen::Time{1} << 20) / longest;
    return std::clamp(room, netgen::Time{1}, most_scale / unchanged) * unchanged;
}

/// The upper end of the bisection is not met, or is one above `most`.
template <class Met>
TimeScale bisected(bool met_unchanged, std::int64_t most, const Met& met) {
    std::int64_t low = met_unchanged ? unchanged : 0, high = met_unchanged ? most + 1 : unchanged;
    if (met_unchanged && met(most)) return most;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (middle <= most && met(middle) ? low : high) = middle;
    }
    return low > 0 ? TimeScale(low) : std::nullopt;
}

}  // namespace

netgen::TaskSet with_scaled_times(netgen::TaskSet tasks, std::int64_t scale,
                                  std::optional<std::size_t> operation) {
    for (std::size_t i = 0; i < tasks.operations.size(); ++i)
        if (!operation || *operation == i) tasks.operations[i].time = scaled(tasks.operations[i].time, scale);
    return tasks;
}

TaskScaling time_scaling(const netgen::TaskSet& tasks, bool met_unchanged, const MeetsDeadlines& meets) {
    const std::int64_t most = largest_scale(tasks);
    const auto scale_of = [&](std::optional<std::size_t> operation) {
        return bisected(met_unchanged, most, [&](std::int64_t scale) {
            return meets(with_scaled_times(tasks, scale, operation));
        });
    };
    TaskScaling scaling{.largest = most, .all = scale_of({}), .alone = {}, .deadlines = {}};
    for (std::size_t i = 0; i < tasks.operations.size(); ++i) scaling.alone.push_back(scale_of(i));
    return scaling;
}

nlohmann::ordered_json to_json(const netgen::TaskSet& tasks, const TaskScaling& scaling) {
    const auto factor = [](const TimeScale& scale) {
        return scale ? nlohmann::ordered_json(static_cast<double>(*scale) / unchanged)
                     : nlohmann::ordered_json();
    };
    nlohmann::ordered_json json = {{"all", factor(scaling.all)},
                                   {"alone", nlohmann::ordered_json::array()},
                                   {"deadlines", or_null(scaling.deadlines)},
                                   {"largest_tried", static_cast<double>(scaling.largest) / unchanged}};
    for (std::size_t i = 0; i < tasks.operations.size(); ++i)
        json["alone"].push_back({{"name", tasks.operations[i].name}, {"factor", factor(scaling.alone[i])}});
    return json;
}

}  // namespace warpnet::studies
