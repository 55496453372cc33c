#pragma once

#include "netgen/blocks/task_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::studies {

/// The course of one job. Times are absolute.
struct JobResponse {
    std::uint32_t operation = 0;  ///< position in TaskSet::operations
    std::int64_t index = 0;       ///< 0 for the operation's first job
    netgen::Time release = 0;     ///< enters its stream (G1)
    netgen::Time enqueued = 0;    ///< heads its stream and enters an engine queue (G2, C1)
    netgen::Time start = 0;       ///< its first block, or the copy, is assigned; a CPU segment first runs
    netgen::Time dispatched = 0;  ///< its last block is assigned (G3, C3); of a CPU segment its start
    netgen::Time completion = 0;  ///< its last block ends (G4, C4)
    netgen::Time response() const noexcept { return completion - release; }
    bool operator==(const JobResponse&) const = default;
};

/// Blocks of one job that one SM took at the same time, or a stretch of a CPU segment without preemption.
struct BlockGroup {
    std::uint32_t job = 0;  ///< position in BlockSchedule::jobs
    std::uint32_t sm = 0;   ///< `copy_engine` for a copy, from `first_core` on the cores in ascending order
    std::int64_t blocks = 0;
    netgen::Time start = 0;
    netgen::Time end = 0;
    bool operator==(const BlockGroup&) const = default;
    static constexpr std::uint32_t copy_engine = 0xffffffff;
    static constexpr std::uint32_t first_core = 0x80000000;
    bool on_core() const noexcept { return sm >= first_core && sm != copy_engine; }
};

/// Why no more jobs were released.
enum class HorizonEnd : std::uint8_t {
    launched_once,  ///< nothing is periodic: every job was judged
    repeats,        ///< the GPU is in the state of one hyperperiod before, so the schedule repeats
    deadline_miss,  ///< it did not, but a deadline was missed already
    given,          ///< the requested horizon
    hyperperiods,   ///< ScheduleOptions::max_hyperperiods without repetition: responses may grow on
    job_limit,      ///< ScheduleOptions::max_jobs
};

/// In words, for people.
std::string describe(HorizonEnd end);

struct ScheduleOptions {
    netgen::SmPolicy policy = netgen::SmPolicy::first_fit;
    /// Jobs released before it are judged; absent: hyperperiods until the schedule repeats.
    std::optional<netgen::Time> horizon = {};
    int max_hyperperiods = 8;
    std::int64_t max_jobs = 1'000'000;
    std::size_t max_groups = 0;  ///< block groups kept for a picture; the rest is counted, not kept
};

struct BlockSchedule {
    std::vector<JobResponse> jobs;   ///< in launch order: by release, then by position in the set
    std::vector<BlockGroup> groups;  ///< the first ScheduleOptions::max_groups, by start
    std::int64_t group_count = 0;    ///< of all
    HorizonEnd end = HorizonEnd::launched_once;
    netgen::Time horizon = 0;  ///< every job released before it was judged
    netgen::Time makespan = 0;
    std::vector<double> sm_thread_time;  ///< per SM: thread units in use, summed over time
    double copy_time = 0;                ///< time the copy engine was in use
    bool deadline_missed = false;
};

/// Runs the rules of the GPU's scheduler ([Paredes19] section 2.3: G1-G4, X1, R1-R3 with registers alike,
/// C1-C4, A1-A2), all jobs until the schedule repeats. At one instant: completions; releases in launch order;
/// stream heads enter their queues in launch order; the cores; the copy engine; the execution-engine queues
/// from the highest priority down.
///
/// Event driven: blocks that start together on one SM are one event, so time goes with the number of such
/// groups (times the SMs that freed something), memory with jobs and running groups; neither with durations.
/// Throws InputError if validate() does.
BlockSchedule schedule_blocks(const netgen::TaskSet& tasks, const ScheduleOptions& options = {});

}  // namespace warpnet::studies
