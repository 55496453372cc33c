// Response times by the shortest method whose assumptions the task set fulfils. The formula for equal block
// times and the response-time algorithm [Paredes19] need interchangeable block slots, one priority, and no
// kernel that waits in its stream. A method is tried on all jobs of a hyperperiod, and abandoned at the first
// job that violates an assumption. The simulation of the rules answers all other sets. All applicable methods
// give the same times. The result states the method, its assumptions, and why no shorter method applies.

#include "analysis/studies/respond/respond.hpp"

#include "analysis/studies/respond/slot_allocation.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace warpnet::studies {
namespace {

bool launched_once(const netgen::TaskSet& tasks) {
    return std::none_of(tasks.operations.begin(), tasks.operations.end(),
                        [](const netgen::Operation& operation) { return operation.period.has_value(); });
}

/// Whether all operations are periodic with one first release. If all jobs of one hyperperiod end within it,
/// it then repeats forever.
bool starts_together(const netgen::TaskSet& tasks) {
    return std::all_of(
        tasks.operations.begin(), tasks.operations.end(), [&](const netgen::Operation& operation) {
            return operation.period.has_value() && operation.release == tasks.operations.front().release;
        });
}

bool equal_times_hold(const netgen::TaskSet& tasks) {
    const netgen::Operation& first = tasks.operations.front();
    return launched_once(tasks) && std::all_of(tasks.operations.begin(), tasks.operations.end(),
                                               [&](const netgen::Operation& operation) {
                                                   return operation.time == first.time &&
                                                          operation.release == first.release;
                                               });
}

/// A shorter method's answer, or why there is none.
struct Attempt {
    std::optional<RespondResult> result;
    std::string reason;
};

class ShorterMethod {
  public:
    ShorterMethod(const netgen::TaskSet& tasks, const RespondOptions& options)
        : tasks_(tasks), options_(options) {}

    Attempt attempt() {
        const SlotModel model = slot_model(tasks_);
        if (!model.slots) return {{}, model.reason};
        if (netgen::kernel_priorities(tasks_).size() > 1) return {{}, "streams have different priorities"};
        const bool once = launched_once(tasks_);
        if (!once && !options_.horizon && !starts_together(tasks_))
            return {{}, "whether the schedule repeats is open if first releases differ"};

        const netgen::Time horizon = options_.horizon.value_or(netgen::release_horizon(tasks_));
        if (netgen::job_count(tasks_, horizon) > options_.max_jobs)
            return {{}, "there are more jobs than the limit"};
        const std::vector<netgen::Job> jobs = netgen::jobs_before(tasks_, horizon, options_.max_jobs);
        const bool equal = equal_times_hold(tasks_);
        RespondResult result;
        result.assumptions = {model.reason, "one queue in launch order"};
        result.method = equal ? RespondMethod::equal_times : RespondMethod::algorithm;
        result.assumptions.emplace_back(equal
                                            ? "equal block times, released together"
                                            : "pairs of (time, slots) removed once used, releases respected");
        SlotAllocator slots(*model.slots);
        std::int64_t blocks_before = 0;
        std::unordered_map<std::int64_t, netgen::Time> stream_free;  // since when
        for (const netgen::Job& job : jobs) {
            const netgen::Operation& operation = tasks_.operations[job.operation];
            if (operation.stream) {
                netgen::Time& free = stream_free[*operation.stream];
                if (free > job.release)
                    return {{},
                            fmt::format("'{}' has to wait in its stream for an earlier one", operation.name)};
            }
            const SlotAllocator::Allocation allocation =
                equal ? equal_time_allocation(operation.release, operation.time, *model.slots, blocks_before,
                                              operation.blocks)
                      : slots.allocate(job.release, operation.time, operation.blocks);
            blocks_before += operation.blocks;
            if (operation.stream) stream_free[*operation.stream] = allocation.completion;
            result.jobs.push_back({job.operation, job.index, job.release, job.release, allocation.start,
                                   allocation.dispatched, allocation.completion});
            result.makespan = std::max(result.makespan, allocation.completion);
        }
        result.assumptions.emplace_back("no kernel waits for another one in its stream");
        result.horizon = once ? result.makespan : horizon;
        if (once) {
            result.end = HorizonEnd::launched_once;
        } else if (options_.horizon) {
            result.end = HorizonEnd::given;
        } else if (result.makespan <= horizon) {
            result.end = HorizonEnd::repeats;
        } else {
            return {{}, "work is left at the end of the hyperperiod"};
        }
        return {std::move(result), {}};
    }

  private:
    const netgen::TaskSet& tasks_;
    const RespondOptions& options_;
};

void take_schedule(RespondResult& result, BlockSchedule&& schedule) {
    result.jobs = std::move(schedule.jobs);
    result.makespan = schedule.makespan;
    result.end = schedule.end;
    result.horizon = schedule.horizon;
}

void take_picture(RespondResult& result, const netgen::TaskSet& tasks, BlockSchedule& schedule) {
    result.groups = std::move(schedule.groups);
    result.group_count = schedule.group_count;
    for (std::size_t i = 0; i < schedule.sm_thread_time.size(); ++i)
        result.sm_occupancy.push_back(schedule.sm_thread_time[i] /
                                      static_cast<double>(tasks.gpu.sms[i].threads) /
                                      static_cast<double>(std::max<netgen::Time>(1, schedule.makespan)));
}

void summarise(RespondResult& result, const netgen::TaskSet& tasks) {
    for (const netgen::Operation& operation : tasks.operations) {
        OperationResponse response;
        response.deadline = operation.deadline;
        if (operation.period) {
            double capacity = 1;
            if (operation.kind == netgen::OperationKind::kernel) {
                capacity = 0;
                for (const netgen::StreamingMultiprocessor& sm : tasks.gpu.sms)
                    capacity +=
                        static_cast<double>(netgen::room_for(netgen::block_demand(tasks.gpu, operation), sm));
            }
            response.utilisation = static_cast<double>(operation.time) *
                                   static_cast<double>(operation.blocks) /
                                   static_cast<double>(*operation.period) / capacity;
            if (operation.kind == netgen::OperationKind::kernel) result.utilisation += *response.utilisation;
        }
        result.operations.push_back(response);
    }
    for (const JobResponse& job : result.jobs) {
        OperationResponse& response = result.operations[job.operation];
        if (response.jobs++ == 0 || job.response() > response.worst.response()) response.worst = job;
        if (response.deadline && job.response() > *response.deadline) ++response.missed;
    }
}

}  // namespace

std::string to_string(RespondMethod method) {
    switch (method) {
        case RespondMethod::equal_times:
            return "special-case formula";
        case RespondMethod::algorithm:
            return "response-time algorithm";
        case RespondMethod::simulation:
            return "simulation";
    }
    return {};
}

bool RespondResult::all_met() const noexcept {
    return std::all_of(operations.begin(), operations.end(),
                       [](const OperationResponse& operation) { return operation.met(); });
}

bool RespondResult::conclusive() const noexcept {
    return !all_met() || end == HorizonEnd::launched_once || end == HorizonEnd::repeats;
}

RespondResult respond(const netgen::TaskSet& tasks, const RespondOptions& options) {
    netgen::validate(tasks);
    if (!options.ignore_jitter) netgen::refuse_jitter(tasks);
    Attempt attempt{{}, "asked for"};
    if (!options.simulate) attempt = ShorterMethod(tasks, options).attempt();

    RespondResult result;
    if (attempt.result) result = *std::move(attempt.result);
    if (!attempt.result || options.max_groups > 0) {
        ScheduleOptions schedule_options;
        schedule_options.policy = options.policy;
        schedule_options.horizon = options.horizon;
        schedule_options.max_hyperperiods = options.max_hyperperiods;
        schedule_options.max_jobs = options.max_jobs;
        schedule_options.max_groups = options.max_groups;
        BlockSchedule schedule = schedule_blocks(tasks, schedule_options);
        take_picture(result, tasks, schedule);
        if (!attempt.result) {
            result.method = RespondMethod::simulation;
            result.assumptions = {fmt::format("no faster method: {}", attempt.reason),
                                  options.policy == netgen::SmPolicy::first_fit
                                      ? "the first SM with room takes a block"
                                      : "the SM with most free threads takes a block",
                                  "the NULL stream is not used"};
            take_schedule(result, std::move(schedule));
        }
    }
    summarise(result, tasks);
    return result;
}

std::vector<AllocationStep> allocation_steps(const netgen::TaskSet& tasks, const RespondResult& result) {
    const SlotModel model = slot_model(tasks);
    if (result.method == RespondMethod::simulation || !model.slots) return {};
    SlotAllocator slots(*model.slots);
    std::vector<AllocationStep> steps;
    for (std::size_t i = 0; i < result.jobs.size(); ++i) {
        const JobResponse& job = result.jobs[i];
        const netgen::Operation& operation = tasks.operations[job.operation];
        const netgen::Time completion =
            slots.allocate(job.release, operation.time, operation.blocks, &steps, i).completion;
        if (completion != job.completion)
            throw std::logic_error("the steps of the algorithm lead to another completion");
    }
    return steps;
}

}  // namespace warpnet::studies
