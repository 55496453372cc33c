#pragma once

#include "netgen/blocks/task_set.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// The Jetson TX2 with its real allocation of threads and registers: warps of 32, and registers of a warp in
/// units of 256.
Gpu jetson_tx2();

/// A configuration of cuda_scheduling_examiner as kernels with times in nanoseconds, and the kernels that
/// each of its benchmarks launches.
struct ExaminerConfig {
    struct Benchmark {
        std::string label;
        std::vector<std::uint32_t>
            operations;    ///< its kernels in launch order: positions in TaskSet::operations
        Time release = 0;  ///< its release_time
        std::optional<double> data_size = {};
    };
    TaskSet tasks;
    std::vector<Benchmark> benchmarks;
};

/// Whether the text is such a configuration rather than a TASKS.json: an object with a member "benchmarks".
bool is_examiner_config(std::string_view text);

struct ExaminerOptions {
    /// The end of a set that begins at 0, which `sync_every_iteration` needs; absent: rejects that option.
    std::function<Time(const TaskSet&)> makespan = {};
    std::vector<std::string>* warnings = nullptr;  ///< receives the ignored members, unless null
};

/// Reads a configuration (mapping: docs/reference/task-sets.md). `source` names the text in errors. Throws
/// InputError with line and path to the value if it is malformed, has a member that the format lacks, or
/// needs an unsupported feature: plug-ins whose time is not in the configuration, copies, masks of SMs,
/// processes in place of threads, the NULL stream, an unlimited number of iterations.
ExaminerConfig read_examiner_config(std::string_view text, const std::string& source,
                                    const ExaminerOptions& options = {}, const Gpu& gpu = jetson_tx2());

/// Nanoseconds since the zero of the log.
struct MeasuredBlock {
    Time start = 0;
    Time end = 0;
    std::optional<std::int64_t> sm = {};
};

struct MeasuredKernel {
    std::string name;
    std::optional<Time> launched = {};                      ///< when the launch call returned
    std::vector<MeasuredBlock> blocks;                      ///< by block number
    std::optional<std::int64_t> threads = {}, shared = {};  ///< of a block; shared memory in bytes or words
};

/// The result log of one benchmark.
struct MeasuredLog {
    std::string label;
    std::optional<std::int64_t> resident_threads = {};  ///< of the GPU
    std::vector<MeasuredKernel> kernels;                ///< in launch order
    std::optional<Time> release = {};                   ///< release_time of the benchmark
    std::optional<double> data_size = {};
};

/// Reads a result log. Throws InputError with the path to the value if it is malformed or inconsistent.
MeasuredLog read_examiner_log(std::string_view text, const std::string& source);

}  // namespace warpnet::netgen
