#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {
class JsonValue;
}  // namespace warpnet

namespace warpnet::netgen {

/// A point in time or a duration, in whole units of TaskSet::unit.
using Time = std::int64_t;

/// The resources of one streaming multiprocessor.
struct StreamingMultiprocessor {
    std::int64_t threads = 2048;
    std::int64_t blocks = 32;
    std::int64_t shared = 65536;     ///< bytes of shared memory
    std::int64_t registers = 65536;  ///< 32-bit registers
    bool operator==(const StreamingMultiprocessor&) const = default;
};

/// SMs may differ. The defaults are a Jetson TX2 ([Paredes19] section 2.2), with threads in whole warps (Fig.
/// 2.4: a block of 140 occupies 160) and registers as given. Hardware also allocates registers in units per
/// warp.
struct Gpu {
    std::vector<StreamingMultiprocessor> sms = std::vector<StreamingMultiprocessor>(2);
    std::int64_t warp_size = 32;     ///< threads of a block are rounded up to a multiple of this
    std::int64_t register_unit = 1;  ///< registers of a warp are rounded up to a multiple of this
    /// The compute capability that limits blocks, with warps of 32 threads. If `register_unit` is above 1, an
    /// SM also allocates registers and shared memory in its units (resident_blocks()). Empty: any block that
    /// fits, and all values as given.
    std::string compute_capability = {};
    bool operator==(const Gpu&) const = default;
};

enum class OperationKind : std::uint8_t {
    kernel,  ///< blocks on SMs, fed by the execution-engine queue of its stream's priority
    copy,    ///< one transfer on the copy engine, fed by the copy-engine queue
    cpu,     ///< a segment of code on a CPU core, before, between or after operations of the GPU
};

/// "kernel", "copy" or "CPU segment".
std::string_view to_string(OperationKind kind);

/// A kernel, a copy or a CPU segment, released once or periodically into one stream.
struct Operation {
    std::string name;
    OperationKind kind = OperationKind::kernel;
    std::int64_t blocks = 1;          ///< g, at least 1; 1 for all but kernels
    std::int64_t threads = 1;         ///< per block
    Time time = 1;                    ///< C: of one block, or of the copy or segment; at least 1
    Time release = 0;                 ///< of the first job
    std::optional<Time> period = {};  ///< absent: launched once
    /// The largest delay of a release after its period. Only sporadic_bounds() uses it.
    Time jitter = 0;
    std::optional<Time> deadline = {};  ///< relative to the release; absent: none
    /// Jobs of one stream run one after the other (G2, G4); absent: each job has its own stream.
    std::optional<std::int64_t> stream = {};
    /// Of the stream, or of a CPU segment on its core. Larger numbers are served first.
    std::int32_t priority = 0;
    std::int64_t shared = 0;     ///< bytes of shared memory per block
    std::int64_t registers = 0;  ///< 32-bit registers per thread
    std::int64_t core = 0;       ///< of a CPU segment
    /// A CPU segment that waits actively for the operations behind it. It keeps its core, at its priority and
    /// its position among equals, until the next segment of its stream begins on the same core.
    bool keeps_core = false;
    /// The operation is a part of one of several variants of this choice, such as a computation on the GPU or
    /// on a core. Only one variant of each choice is part of a schedule. Empty: there is no choice.
    std::string choice = {};
    std::string variant = {};
    bool operator==(const Operation&) const = default;
};

/// The operations that a program launches on a GPU, in launch order ([Paredes19] section 3.2).
struct TaskSet {
    Gpu gpu;
    std::vector<Operation> operations;
    std::string unit = "step";  ///< of all times
    bool operator==(const TaskSet&) const = default;
};

/// The choice of the SM for the next block. The sources leave it open, and it matters if block sizes are
/// mixed.
enum class SmPolicy : std::uint8_t {
    first_fit,  ///< the first SM with room
    most_free,  ///< the SM with room that has most free threads, ties to the first
};

/// "first" or "free".
std::string_view to_string(SmPolicy policy);

/// The resources that one block takes from an SM, besides one of its block slots.
struct BlockDemand {
    std::int64_t threads = 0;
    std::int64_t shared = 0;
    std::int64_t registers = 0;
    bool operator==(const BlockDemand&) const = default;
};

BlockDemand block_demand(const Gpu& gpu, const Operation& kernel);

/// The number of blocks with this demand that fit into the free resources of an SM (rules R1-R3). O(1).
std::int64_t room_for(const BlockDemand& demand, const StreamingMultiprocessor& free);

/// Throws InputError if the set cannot run or be counted: no SM, no operation, a duplicate or empty name,
/// numbers out of range, a block that fits on no SM, streams of mixed priority, a core that is kept for no
/// segment, an end that exceeds the range of Time, an open choice.
void validate(const TaskSet& tasks);

/// A choice that a task set leaves open.
struct Choice {
    std::string name;
    std::vector<std::string> variants;  ///< in the order of the set
    bool operator==(const Choice&) const = default;
};

/// The choices of a set, in its order.
std::vector<Choice> choices_of(const TaskSet& tasks);

/// The set without choices: each choice has the variant at the given position in Choice::variants.
TaskSet with_variants(const TaskSet& tasks, const std::vector<std::size_t>& chosen);

/// validate() for a set that was read, with the name of its source before the message. Each choice of a valid
/// set has at least two variants. The set with the first variants passes validate(), and so does each set
/// that differs from it in one choice.
void validate_from(const TaskSet& tasks, const std::string& source);

/// Throws InputError for a set with a jitter, because its releases have no unique schedule. `source` is the
/// name of the file; may be empty.
void refuse_jitter(const TaskSet& tasks, const std::string& source = "");

/// Throws InputError for a set with choices. `source` as in refuse_jitter().
void refuse_choices(const TaskSet& tasks, const std::string& source = "");

/// The same set on a single SM with the resources of all SMs ([Paredes19] section 3.3.2). Optimistic if a
/// block does not divide an SM.
TaskSet one_big_sm(TaskSet tasks);

/// Least common multiple of all periods; absent if nothing is periodic. Throws InputError on overflow of
/// Time.
std::optional<Time> hyperperiod(const TaskSet& tasks);

/// One release of an operation.
struct Job {
    std::uint32_t operation = 0;  ///< position in TaskSet::operations
    std::int64_t index = 0;       ///< 0 for the first job
    Time release = 0;
    bool operator==(const Job&) const = default;
};

/// The end of the releases in a finite analysis: one hyperperiod after the last first release. All operations
/// launched once are released before it. Throws InputError on overflow.
Time release_horizon(const TaskSet& tasks);

/// The number of jobs released before `horizon`, including all operations launched once. Needs a horizon for
/// which release_horizon() does not throw.
std::int64_t job_count(const TaskSet& tasks, Time horizon);

/// All jobs released before `horizon`, and all operations launched once at any time. In launch order: by
/// release, then by position in the set. Throws InputError if there are more than `max_jobs`.
std::vector<Job> jobs_before(const TaskSet& tasks, Time horizon, std::int64_t max_jobs = 1'000'000);

/// Dense numbers 0, 1, ... of the streams, in order of first use. One entry per operation; `own_stream` if
/// each of its jobs has its own stream.
std::vector<std::uint32_t> dense_streams(const TaskSet& tasks);
inline constexpr std::uint32_t own_stream = 0xffffffff;

/// The distinct priorities of the kernels, highest first: one execution-engine queue each (rule A1).
std::vector<std::int32_t> kernel_priorities(const TaskSet& tasks);

/// The cores of the CPU segments, ascending.
std::vector<std::int64_t> cores_of(const TaskSet& tasks);

/// Per operation whether the preceding CPU segment in its stream has kept the core for it.
std::vector<bool> kept_cores(const TaskSet& tasks);

/// The blocks and the certified block time of a kernel whose code a task set gives.
struct KernelByCode {
    std::int64_t blocks = 1;
    std::int64_t threads = 1;
    std::int64_t shared = 0;
    std::int64_t registers = 0;
    double us = 0;  ///< of one block
};

/// Reads the members of a kernel that replace blocks, threads and time: `ptx` or `predict`, and their
/// options. `device`: the preset of the set; empty: none.
using KernelByCodeReader =
    std::function<KernelByCode(const JsonValue& kernel, const std::string& name, const std::string& device)>;

/// Reads TASKS.json (fields, units and defaults: docs/reference/task-sets.md). `source` names the text in
/// errors. Throws InputError with line and column if the JSON is malformed, and with the path to the value if
/// its content is wrong. The result has passed validate(). Without `by_code`, kernels given by code are
/// rejected.
TaskSet read_tasks_json(std::string_view text, const std::string& source,
                        const KernelByCodeReader& by_code = {});

/// Microseconds in units of a set, rounded up. Throws InputError unless the unit is ns, us, ms or s.
Time time_of_us(double us, const TaskSet& tasks);
/// Units of a set in microseconds. Throws InputError like time_of_us().
double us_of_time(Time time, const TaskSet& tasks);

/// The same set as TASKS.json with all fields. read_tasks_json() reads it back.
std::string write_tasks_json(const TaskSet& tasks);

}  // namespace warpnet::netgen
