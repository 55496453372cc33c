#pragma once

#include "analysis/studies/respond/block_schedule.hpp"
#include "analysis/studies/respond/slot_allocation.hpp"
#include "netgen/blocks/task_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::studies {

enum class RespondMethod : std::uint8_t {
    equal_times,  ///< the formula for equal block times, equal_time_allocation()
    algorithm,    ///< the corrected response-time algorithm, SlotAllocator
    simulation,   ///< the scheduler's rules, schedule_blocks()
};

/// "special-case formula", "response-time algorithm", "simulation".
std::string to_string(RespondMethod method);

/// The schedule to judge, and limits of its length. HorizonEnd names the one that ended it.
struct RespondOptions {
    netgen::SmPolicy policy = netgen::SmPolicy::first_fit;
    std::optional<netgen::Time> horizon = {};  ///< as ScheduleOptions::horizon
    int max_hyperperiods = 8;
    std::int64_t max_jobs = 1'000'000;
    std::size_t max_groups = 0;  ///< block groups kept for a picture; also simulates, with any method
    bool simulate = false;       ///< by simulation even if a shorter method applies
    /// The schedule without the jitter of releases. Else a set with a jitter is an error.
    bool ignore_jitter = false;
};

/// The longest job of an operation, the first if there are several.
struct OperationResponse {
    JobResponse worst;
    std::int64_t jobs = 0;    ///< judged
    std::int64_t missed = 0;  ///< of these, later than the deadline
    std::optional<netgen::Time> deadline = {};
    /// The share of the GPU that it needs: blocks times block time per period, divided by the number of
    /// blocks of this kernel that the GPU holds (of the copy engine for a copy, of its core for a CPU
    /// segment). Absent for operations that are launched once.
    std::optional<double> utilisation = {};
    bool met() const noexcept { return missed == 0; }  ///< true if there is no deadline
};

/// The responses of one schedule. Times are in the unit of the task set, from time 0 on.
struct RespondResult {
    RespondMethod method = RespondMethod::simulation;
    std::vector<std::string> assumptions;       ///< conditions of the method that the set fulfils, or why no
                                                ///< shorter method holds
    std::vector<OperationResponse> operations;  ///< in the order of the set
    std::vector<JobResponse> jobs;              ///< every judged job, in launch order
    netgen::Time makespan = 0;
    HorizonEnd end = HorizonEnd::launched_once;
    netgen::Time horizon = 0;
    double utilisation = 0;  ///< of the SMs by all periodic kernels; above 1 the backlog grows forever
    std::vector<double> sm_occupancy;  ///< per SM: threads in use up to the makespan; only with max_groups >
                                       ///< 0 or by simulation
    std::vector<BlockGroup> groups;    ///< as BlockSchedule::groups
    std::int64_t group_count = 0;

    bool all_met() const noexcept;
    /// Whether the verdict holds forever: a miss does, and so does `all met` once the schedule repeats.
    bool conclusive() const noexcept;
};

/// Response times of all jobs, by the shortest method whose assumptions the set fulfils. All applicable
/// methods give the same times. Throws InputError if validate() does, and for a set with a jitter, whose
/// delays only sporadic_bounds() bounds.
RespondResult respond(const netgen::TaskSet& tasks, const RespondOptions& options = {});

/// The steps of SlotAllocator over all judged jobs: the table behind the response times, one row per event.
/// Nothing if the set does not fulfil the algorithm's assumptions and the result is a simulation's.
std::vector<AllocationStep> allocation_steps(const netgen::TaskSet& tasks, const RespondResult& result);

}  // namespace warpnet::studies
