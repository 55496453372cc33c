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

/// What one streaming multiprocessor can hold at a time.
struct StreamingMultiprocessor {
    std::int64_t threads = 2048;
    std::int64_t blocks = 32;
    std::int64_t shared = 65536;     ///< bytes of shared memory
    std::int64_t registers = 65536;  ///< 32-bit registers
    bool operator==(const StreamingMultiprocessor&) const = default;
};

/// SMs may differ. The defaults are a Jetson TX2 ([Paredes19] section 2.2): threads in whole warps (Fig. 2.4:
/// a block of 140 occupies 160), registers as given. Hardware hands out registers in units per warp as well.
struct Gpu {
    std::vector<StreamingMultiprocessor> sms = std::vector<StreamingMultiprocessor>(2);
    std::int64_t warp_size = 32;     ///< threads of a block are rounded up to a multiple of this
    std::int64_t register_unit = 1;  ///< registers of a warp are rounded up to a multiple of this
    /// Whose limits a block has, of warps of 32 threads. With a `register_unit` above 1 an SM hands out
    /// registers and shared memory as it does (resident_blocks()). Empty: any block that fits, and all as
    /// given.
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
    /// Each release is so much later than the period says, at most. Only sporadic_bounds() counts it.
    Time jitter = 0;
    std::optional<Time> deadline = {};  ///< relative to the release; absent: none
    /// Jobs of one stream run one after the other (G2, G4); absent: every job has a stream of its own.
    std::optional<std::int64_t> stream = {};
    /// Of its stream, a CPU segment's own on its core; a larger number is served first.
    std::int32_t priority = 0;
    std::int64_t shared = 0;     ///< bytes of shared memory per block
    std::int64_t registers = 0;  ///< 32-bit registers per thread
    std::int64_t core = 0;       ///< of a CPU segment
    /// A CPU segment that waits actively for the operations behind it: it keeps its core, at its priority and
    /// its place among equals, until the next segment of its stream, on the same core, begins.
    bool keeps_core = false;
    /// The operation is a part of one of several variants of this choice, such as a computation on the GPU or
    /// on a core; only one variant of each choice is part of a schedule. Empty: there is no choice.
    std::string choice = {};
    std::string variant = {};
    bool operator==(const Operation&) const = default;
};

/// What a program asks of a GPU: operations in launch order ([Paredes19] section 3.2).
struct TaskSet {
    Gpu gpu;
    std::vector<Operation> operations;
    std::string unit = "step";  ///< of all times
    bool operator==(const TaskSet&) const = default;
};

/// Which SM takes the next block: the sources do not say, and it matters once block sizes are mixed.
enum class SmPolicy : std::uint8_t {
    first_fit,  ///< the first SM with room
    most_free,  ///< of the SMs with room the one with most free threads, ties to the first
};

/// "first" or "free".
std::string_view to_string(SmPolicy policy);

/// What one block takes from an SM, besides one of its block slots.
struct BlockDemand {
    std::int64_t threads = 0;
    std::int64_t shared = 0;
    std::int64_t registers = 0;
    bool operator==(const BlockDemand&) const = default;
};

BlockDemand block_demand(const Gpu& gpu, const Operation& kernel);

/// Blocks of that demand that fit into what is free of an SM (rules R1-R3). Constant time.
std::int64_t room_for(const BlockDemand& demand, const StreamingMultiprocessor& free);

/// Throws InputError if the set cannot run or be counted: no SM, no operation, a duplicate or empty name,
/// numbers out of range, a block that fits on no SM, streams of mixed priority, a core that is kept for no
/// segment, work whose end no Time holds, a choice that is open.
void validate(const TaskSet& tasks);

/// What a task set leaves open.
struct Choice {
    std::string name;
    std::vector<std::string> variants;  ///< in the order of the set
    bool operator==(const Choice&) const = default;
};

/// The choices of a set, in its order.
std::vector<Choice> choices_of(const TaskSet& tasks);

/// The set in which each choice has the variant of that position in Choice::variants, without any choice
/// left.
TaskSet with_variants(const TaskSet& tasks, const std::vector<std::size_t>& chosen);

/// validate() of what was read, with its name before the message. A set with choices is valid if each has two
/// variants or more, and the set with the first variants as well as each one that has another variant of one
/// choice passes validate().
void validate_from(const TaskSet& tasks, const std::string& source);

/// Throws InputError for a set with a jitter, whose releases have no one schedule. `source` is the name of
/// what was read; may be empty.
void refuse_jitter(const TaskSet& tasks, const std::string& source = "");

/// Throws InputError for a set with choices. `source` as in refuse_jitter().
void refuse_choices(const TaskSet& tasks, const std::string& source = "");

/// The same set on a single SM with the resources of all ([Paredes19] section 3.3.2). Optimistic where a
/// block does not divide an SM.
TaskSet one_big_sm(TaskSet tasks);

/// Least common multiple of all periods; absent: nothing is periodic. Throws InputError if no Time holds
/// it.
std::optional<Time> hyperperiod(const TaskSet& tasks);

/// One release of an operation.
struct Job {
    std::uint32_t operation = 0;  ///< position in TaskSet::operations
    std::int64_t index = 0;       ///< 0 for the first job
    Time release = 0;
    bool operator==(const Job&) const = default;
};

/// Where the releases of a finite analysis end: one hyperperiod after the last first release. Everything
/// launched once lies before it. Throws InputError on overflow.
Time release_horizon(const TaskSet& tasks);

/// Jobs released before `horizon`, everything launched once included. Where release_horizon() holds.
std::int64_t job_count(const TaskSet& tasks, Time horizon);

/// All jobs released before `horizon` (all operations launched once, whenever), in launch order: by release,
/// then by position in the set. Throws InputError if there are more than `max_jobs`.
std::vector<Job> jobs_before(const TaskSet& tasks, Time horizon, std::int64_t max_jobs = 1'000'000);

/// Dense numbers 0, 1, ... of the streams, in order of first use; one entry an operation, `own_stream` where
/// every job has its own.
std::vector<std::uint32_t> dense_streams(const TaskSet& tasks);
inline constexpr std::uint32_t own_stream = 0xffffffff;

/// The distinct priorities of the kernels, highest first: one execution-engine queue each (rule A1).
std::vector<std::int32_t> kernel_priorities(const TaskSet& tasks);

/// The cores of the CPU segments, ascending.
std::vector<std::int64_t> cores_of(const TaskSet& tasks);

/// Per operation whether its core has been kept for it by the CPU segment before it in its stream.
std::vector<bool> kept_cores(const TaskSet& tasks);

/// The blocks and the certified block time of a kernel that a task set gives by its code.
struct KernelByCode {
    std::int64_t blocks = 1;
    std::int64_t threads = 1;
    std::int64_t shared = 0;
    std::int64_t registers = 0;
    double us = 0;  ///< of one block
};

/// Reads what a kernel has in place of blocks, threads and time: its members `ptx` or `predict`, and those
/// that belong to them. `device`: the preset of the set; empty: none.
using KernelByCodeReader =
    std::function<KernelByCode(const JsonValue& kernel, const std::string& name, const std::string& device)>;

/// Reads TASKS.json (fields, units and defaults: netgen/blocks/README.md). `source` names the text in errors.
/// Throws InputError with line and column where the JSON is malformed, with the path to the value where its
/// content is wrong; the result has passed validate(). Without `by_code`, kernels given by code are rejected.
TaskSet read_tasks_json(std::string_view text, const std::string& source,
                        const KernelByCodeReader& by_code = {});

/// Microseconds in so many units of a set, rounded up. Throws InputError unless the unit is ns, us, ms or s.
Time time_of_us(double us, const TaskSet& tasks);
/// Units of a set in microseconds. Throws InputError for the same units.
double us_of_time(Time time, const TaskSet& tasks);

/// The same set as TASKS.json, every field spelled out; read_tasks_json() gives it back.
std::string write_tasks_json(const TaskSet& tasks);

}  // namespace warpnet::netgen
