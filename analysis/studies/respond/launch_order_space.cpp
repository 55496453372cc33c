#include "analysis/studies/respond/launch_order_space.hpp"

#include "analysis/studies/respond/block_schedule.hpp"
#include "engine/base/no_index.hpp"

#include <map>

namespace warpnet {

namespace {

bool same_but_name(Operation a, const Operation& b) {
    a.name = b.name;
    return a == b;
}

}  // namespace

LaunchOrderSpace::LaunchOrderSpace(const TaskSet& tasks, const LaunchOrderOptions& options)
    : tasks_(tasks),
      options_(options),
      predecessor_(tasks.operations.size(), no_index),
      twin_(tasks.operations.size(), no_index) {
    std::map<std::int64_t, std::uint32_t> last_in_stream;
    for (std::uint32_t i = 0; i < size(); ++i) {
        const Operation& operation = tasks.operations[i];
        if (operation.stream) {
            const auto [last, first] = last_in_stream.emplace(*operation.stream, i);
            if (!first) predecessor_[i] = std::exchange(last->second, i);
            continue;
        }
        for (std::uint32_t j = i; j-- > 0 && twin_[i] == no_index;)
            if (same_but_name(operation, tasks.operations[j])) twin_[i] = j;
    }
}

LaunchOutcome LaunchOrderSpace::evaluate(const LaunchOrder& order) const {
    ScheduleOptions options;
    options.policy = options_.policy;
    options.max_jobs = options_.max_jobs;
    const BlockSchedule schedule = schedule_blocks(reorder(tasks_, order), options);
    LaunchOutcome outcome{std::vector<Time>(size()), schedule.makespan,
                          schedule.end == HorizonEnd::job_limit};
    for (const JobResponse& job : schedule.jobs) {
        Time& response = outcome.response[order[job.operation]];
        response = std::max(response, job.response());
    }
    return outcome;
}

void LaunchOrderSpace::repair(LaunchOrder& order) const {
    std::map<std::int64_t, std::vector<std::size_t>> positions;
    for (std::size_t i = 0; i < order.size(); ++i)
        if (const auto& stream = tasks_.operations[order[i]].stream) positions[*stream].push_back(i);
    for (auto& [stream, places] : positions) {
        std::vector<std::uint32_t> members;
        for (const std::size_t place : places) members.push_back(order[place]);
        std::sort(members.begin(), members.end());
        for (std::size_t i = 0; i < places.size(); ++i) order[places[i]] = members[i];
    }
}

void LaunchOrderSpace::share_among_twins(std::vector<WorstResponse>& worst) const {
    const auto copy = [&](std::uint32_t from, std::uint32_t to) {
        if (worst[from].response <= worst[to].response) return;
        worst[to] = worst[from];
        for (std::uint32_t& operation : worst[to].order)
            if (operation == from || operation == to) operation = operation == from ? to : from;
    };
    for (std::uint32_t i = 0; i < size(); ++i)
        if (twin_[i] != no_index) copy(twin_[i], i);
    for (std::uint32_t i = static_cast<std::uint32_t>(size()); i-- > 0;)
        if (twin_[i] != no_index) copy(i, twin_[i]);
    for (std::uint32_t i = 0; i < size(); ++i)
        if (twin_[i] != no_index) copy(twin_[i], i);
}

void keep_worst(WorstOrders& worst, const LaunchOutcome& outcome, const LaunchOrder& order) {
    worst.limit_reached |= outcome.limit_reached;
    for (std::size_t i = 0; i < outcome.response.size(); ++i)
        if (worst.operations[i].order.empty() || outcome.response[i] > worst.operations[i].response) {
            worst.operations[i].response = outcome.response[i];
            worst.operations[i].order = order;
        }
    if (worst.makespan_order.empty() || outcome.makespan > worst.makespan) {
        worst.makespan = outcome.makespan;
        worst.makespan_order = order;
    }
}

}  // namespace warpnet
