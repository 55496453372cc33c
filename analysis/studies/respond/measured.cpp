// A predicted schedule compared with the logs of cuda_scheduling_examiner [Otterness17]. Logs and benchmarks
// are matched by label, and everything that a log states is checked against the configuration. The launches
// of the log are then sorted by time, and this order is simulated from the first measured block on.
//
// The rules of the scheduler are also checked on the log alone: capacities of SMs (R1 to R3), streams (G4),
// queues (X1) and priorities (A2). Two times within the tolerance count as one instant. Cost: one simulation,
// and O(kernels * blocks) for the rules.

#include "analysis/studies/respond/measured.hpp"

#include "analysis/studies/respond/launch_orders.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

namespace warpnet::studies {
namespace {

/// A kernel of the configuration and its record in the log.
struct Observation {
    const netgen::Operation* operation = nullptr;
    const netgen::MeasuredKernel* measured = nullptr;
    netgen::Time launched = 0;  // or the first block's start if the log has no launch time
    netgen::Time entered = 0;   // its engine queue: launched, and its predecessor in the stream done
    netgen::Time first_start = 0;
    netgen::Time last_start = 0;
    netgen::Time end = 0;
};

constexpr netgen::Time microsecond = 1'000;  // the log's resolution

/// Throws InputError if a log is of another configuration.
void check_same(const std::string& name, std::string_view what, std::optional<std::int64_t> logged,
                std::int64_t configured, std::int64_t tolerance = 0) {
    if (!logged || std::abs(*logged - configured) <= tolerance) return;
    throw InputError(fmt::format("log of '{}': {}: expected {} as in the configuration, found {}", name, what,
                                 configured, *logged));
}

std::vector<Observation> observe(const netgen::ExaminerConfig& config,
                                 const std::vector<netgen::MeasuredLog>& logs) {
    std::vector<Observation> observations(config.tasks.operations.size());
    std::vector<bool> used(logs.size());
    for (const netgen::ExaminerConfig::Benchmark& benchmark : config.benchmarks) {
        std::size_t number = 0;
        while (number < logs.size() && (used[number] || logs[number].label != benchmark.label)) ++number;
        if (number == logs.size())
            throw InputError(
                fmt::format("benchmark '{}': expected a log with this label, found none", benchmark.label));
        used[number] = true;
        const netgen::MeasuredLog& log = logs[number];
        if (log.kernels.size() != benchmark.operations.size())
            throw InputError(fmt::format("log of '{}': expected {} kernels, found {}", benchmark.label,
                                         benchmark.operations.size(), log.kernels.size()));
        check_same(log.label, "release_time", log.release, benchmark.release, microsecond);
        if (log.data_size && benchmark.data_size && *log.data_size != *benchmark.data_size)
            throw InputError(
                fmt::format("log of '{}': data_size: expected {} as in the configuration, found {}",
                            log.label, *benchmark.data_size, *log.data_size));
        netgen::Time stream_done = 0;
        for (std::size_t i = 0; i < log.kernels.size(); ++i) {
            Observation& seen = observations[benchmark.operations[i]];
            seen.operation = &config.tasks.operations[benchmark.operations[i]];
            seen.measured = &log.kernels[i];
            const std::vector<netgen::MeasuredBlock>& blocks = log.kernels[i].blocks;
            if (static_cast<std::int64_t>(blocks.size()) != seen.operation->blocks)
                throw InputError(fmt::format("log of '{}': expected {} blocks, found {}",
                                             seen.operation->name, seen.operation->blocks, blocks.size()));
            check_same(seen.operation->name, "thread_count", seen.measured->threads, seen.operation->threads);
            if (seen.measured->shared != seen.operation->shared / 4)
                check_same(seen.operation->name, "shared_memory", seen.measured->shared,
                           seen.operation->shared);
            seen.first_start = std::numeric_limits<netgen::Time>::max();
            for (const netgen::MeasuredBlock& block : blocks) {
                seen.first_start = std::min(seen.first_start, block.start);
                seen.last_start = std::max(seen.last_start, block.start);
                seen.end = std::max(seen.end, block.end);
            }
            seen.launched = seen.measured->launched.value_or(seen.first_start);
            seen.entered = std::max(seen.launched, stream_done);
            stream_done = seen.end;
        }
    }
    for (std::size_t i = 0; i < logs.size(); ++i)
        if (!used[i])
            throw InputError(
                fmt::format("log of '{}': expected a benchmark with this label, found none", logs[i].label));
    return observations;
}

std::vector<std::uint32_t> measured_launch_order(const std::vector<Observation>& observations) {
    std::vector<std::uint32_t> order(observations.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return observations[a].launched < observations[b].launched;
    });
    return order;
}

double seconds(netgen::Time time) { return static_cast<double>(time) * 1e-9; }

/// Checks the rules of the scheduler on the log alone.
class RuleCheck {
  public:
    RuleCheck(const netgen::TaskSet& tasks, const std::vector<Observation>& observations,
              netgen::Time tolerance)
        : tasks_(tasks), observations_(observations), tolerance_(tolerance) {}

    std::vector<std::string> violations() {
        check_streams();
        check_queues();
        check_sms();
        return std::move(violations_);
    }

  private:
    void check_streams() {
        std::map<std::int64_t, const Observation*> last;
        for (const Observation& seen : observations_) {
            const Observation*& before = last[seen.operation->stream.value_or(0)];
            if (before != nullptr && seen.operation->stream && seen.first_start < before->end - tolerance_)
                report("G4: '{}' starts at {:.6f} s, before '{}' of its stream ends at {:.6f} s", seen,
                       seen.first_start, *before, before->end);
            before = &seen;
        }
    }

    void check_queues() {
        for (const Observation& later : observations_)
            for (const Observation& first : observations_) {
                const std::int32_t above = first.operation->priority - later.operation->priority;
                if (above == 0 && first.entered + tolerance_ < later.entered &&
                    later.first_start < first.last_start - tolerance_)
                    report(
                        "X1: '{}' starts at {:.6f} s, before '{}', queued earlier, has its last block "
                        "assigned at "
                        "{:.6f} s",
                        later, later.first_start, first, first.last_start);
                if (above <= 0) continue;
                for (const netgen::MeasuredBlock& block : later.measured->blocks) {
                    if (block.start <= first.entered + tolerance_ ||
                        block.start >= first.last_start - tolerance_)
                        continue;
                    report(
                        "A2: a block of '{}' starts at {:.6f} s while '{}' of a higher priority waits until "
                        "{:.6f} s",
                        later, block.start, first, first.last_start);
                    break;
                }
            }
    }

    void check_sms() {
        struct Change {
            netgen::Time time;
            std::int64_t sign;  // an end goes before a start
            const Observation* kernel;
        };
        std::map<std::int64_t, std::vector<Change>> by_sm;
        for (const Observation& seen : observations_)
            for (const netgen::MeasuredBlock& block : seen.measured->blocks) {
                if (!block.sm) continue;
                // Shortened by the tolerance, so that one block may follow another at the same reading.
                if (block.end - block.start <= tolerance_) continue;
                by_sm[*block.sm].push_back({block.start, 1, &seen});
                by_sm[*block.sm].push_back({block.end - tolerance_, -1, &seen});
            }
        for (auto& [sm, changes] : by_sm) {
            if (sm >= static_cast<std::int64_t>(tasks_.gpu.sms.size())) {
                violations_.push_back(
                    fmt::format("R2: blocks on SM {}, but the GPU has {} SMs", sm, tasks_.gpu.sms.size()));
                continue;
            }
            std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
                return std::tie(a.time, a.sign) < std::tie(b.time, b.sign);
            });
            netgen::StreamingMultiprocessor free = tasks_.gpu.sms[static_cast<std::size_t>(sm)];
            for (const Change& change : changes) {
                const netgen::BlockDemand demand =
                    netgen::block_demand(tasks_.gpu, *change.kernel->operation);
                free.threads -= change.sign * demand.threads;
                free.shared -= change.sign * demand.shared;
                free.registers -= change.sign * demand.registers;
                free.blocks -= change.sign;
                const char* short_of = free.threads < 0     ? "R2: threads"
                                       : free.shared < 0    ? "R3: shared memory"
                                       : free.registers < 0 ? "R3: registers"
                                       : free.blocks < 0    ? "R1: block slots"
                                                            : nullptr;
                if (short_of == nullptr || change.sign < 0) continue;
                violations_.push_back(fmt::format("{} of SM {} exceeded at {:.6f} s by a block of '{}'",
                                                  short_of, sm, seconds(change.time),
                                                  change.kernel->operation->name));
                break;
            }
        }
    }

    void report(const char* text, const Observation& first, netgen::Time first_time,
                const Observation& second, netgen::Time second_time) {
        violations_.push_back(fmt::format(fmt::runtime(text), first.operation->name, seconds(first_time),
                                          second.operation->name, seconds(second_time)));
    }

    const netgen::TaskSet& tasks_;
    const std::vector<Observation>& observations_;
    netgen::Time tolerance_;
    std::vector<std::string> violations_;
};

/// Predicted blocks one by one, in order of start.
std::vector<BlockGroup> single_blocks(const RespondResult& predicted, std::uint32_t job) {
    std::vector<BlockGroup> blocks;
    for (const BlockGroup& group : predicted.groups)
        if (group.job == job)
            for (std::int64_t i = 0; i < group.blocks; ++i) blocks.push_back(group);
    return blocks;
}

void note_gpu(MeasuredComparison& comparison, const netgen::TaskSet& tasks,
              const std::vector<netgen::MeasuredLog>& logs) {
    std::int64_t threads = 0;
    for (const netgen::StreamingMultiprocessor& sm : tasks.gpu.sms) threads += sm.threads;
    for (const netgen::MeasuredLog& log : logs)
        if (log.resident_threads && *log.resident_threads != threads) {
            comparison.notes.push_back(
                fmt::format("the log of '{}' names {} resident threads, the GPU modelled has {}", log.label,
                            *log.resident_threads, threads));
            return;
        }
}

}  // namespace

MeasuredComparison compare_measured(const netgen::ExaminerConfig& config,
                                    const std::vector<netgen::MeasuredLog>& logs,
                                    const MeasuredBlockOptions& options) {
    for (const netgen::Operation& operation : config.tasks.operations)
        if (operation.kind != netgen::OperationKind::kernel)
            throw InputError(
                fmt::format("'{}': logs cannot be compared with a configuration whose launches "
                            "depend on kernels before them",
                            operation.name));
    const std::vector<Observation> observations = observe(config, logs);
    MeasuredComparison comparison;
    comparison.launch_order = measured_launch_order(observations);

    RespondOptions respond_options;
    respond_options.policy = options.policy;
    respond_options.max_groups = std::numeric_limits<std::size_t>::max();
    comparison.predicted = respond(reorder(config.tasks, comparison.launch_order), respond_options);

    netgen::Time predicted_first = std::numeric_limits<netgen::Time>::max();
    netgen::Time measured_first = std::numeric_limits<netgen::Time>::max();
    for (const JobResponse& job : comparison.predicted.jobs)
        predicted_first = std::min(predicted_first, job.start);
    for (const Observation& seen : observations) measured_first = std::min(measured_first, seen.first_start);
    comparison.offset = measured_first - predicted_first;

    comparison.operations.resize(observations.size());
    for (std::uint32_t number = 0; number < comparison.predicted.jobs.size(); ++number) {
        const JobResponse& job = comparison.predicted.jobs[number];
        const std::uint32_t operation = comparison.launch_order[job.operation];
        const Observation& seen = observations[operation];
        const auto predicted = static_cast<double>(job.completion);
        OperationComparison& it = comparison.operations[operation];
        it.predicted_completion = job.completion;
        it.measured_completion = seen.end;
        it.error = static_cast<double>(seen.end - job.completion) / predicted;
        it.error_less_offset = static_cast<double>(seen.end - comparison.offset - job.completion) / predicted;
        comparison.max_error = std::max(comparison.max_error, std::abs(it.error));
        comparison.max_error_less_offset =
            std::max(comparison.max_error_less_offset, std::abs(it.error_less_offset));

        std::vector<netgen::MeasuredBlock> measured = seen.measured->blocks;
        std::stable_sort(
            measured.begin(), measured.end(),
            [](const netgen::MeasuredBlock& a, const netgen::MeasuredBlock& b) { return a.start < b.start; });
        const std::vector<BlockGroup> blocks = single_blocks(comparison.predicted, number);
        for (std::size_t i = 0; i < measured.size(); ++i)
            comparison.blocks.push_back({operation, blocks[i].start, blocks[i].end,
                                         measured[i].start - comparison.offset,
                                         measured[i].end - comparison.offset, blocks[i].sm, measured[i].sm});
    }
    std::stable_sort(comparison.blocks.begin(), comparison.blocks.end(),
                     [](const BlockComparison& a, const BlockComparison& b) {
                         return a.measured_start < b.measured_start;
                     });
    comparison.violations = RuleCheck(config.tasks, observations, options.tolerance).violations();
    note_gpu(comparison, config.tasks, logs);
    return comparison;
}

}  // namespace warpnet::studies
