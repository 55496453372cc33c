// Bounds on the responses of sporadic jobs, as a holistic analysis in the manner of [Tindell94]. Each engine
// (the SMs, the copy engine, each core) is one queue, which queue_bounds() judges. A bound for an operation
// delays the entry of the next operation of its stream, so it adds to its jitter there. The bounds are
// computed round by round until none changes; the header has the proof.
//
// A job of a task whose bound exceeds its period might wait for the job before it. The stream of the task
// then has no bounds, and the bounds of all other streams assume only that its jobs do not overlap. Cost:
// queue_bounds() per engine and round, at most 10,000 rounds.

#include "analysis/studies/respond/sporadic_bound.hpp"

#include "analysis/studies/respond/queue_bounds.hpp"
#include "analysis/studies/respond/slot_allocation.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace warpnet::studies {
namespace {

constexpr int most_rounds = 10'000;
constexpr std::size_t no_holder = static_cast<std::size_t>(-1);

/// The server of one queue: the SMs, the copy engine or a core.
struct Engine {
    netgen::OperationKind kind = netgen::OperationKind::kernel;
    std::vector<std::size_t> operations;
    std::vector<double> weight;  // per operation of the set
    double full = 1;             // k
    bool slots = true;           // every weight is 1: interchangeable blocks, the copy engine, a core
    std::string model;
};

/// Per resource of an SM, the amount that a block takes and the amount of the SM.
std::vector<std::pair<std::int64_t, std::int64_t>> shares(const netgen::BlockDemand& demand,
                                                          const netgen::StreamingMultiprocessor& sm) {
    return {{demand.threads, sm.threads},
            {1, sm.blocks},
            {demand.shared, sm.shared},
            {demand.registers, sm.registers}};
}

double weight_of(const netgen::TaskSet& tasks, const netgen::Operation& kernel) {
    double weight = 0;
    const netgen::BlockDemand demand = netgen::block_demand(tasks.gpu, kernel);
    for (const netgen::StreamingMultiprocessor& sm : tasks.gpu.sms) {
        if (netgen::room_for(demand, sm) == 0) continue;
        for (const auto& [taken, all] : shares(demand, sm))
            if (taken > 0) weight = std::max(weight, static_cast<double>(taken) / static_cast<double>(all));
    }
    return weight;
}

/// The least weight on the GPU while a block of some kernel fits on no SM.
double blocked_weight(const netgen::TaskSet& tasks, const std::vector<std::size_t>& kernels) {
    double sum = 0;
    for (const netgen::StreamingMultiprocessor& sm : tasks.gpu.sms) {
        double least = 1;
        for (const std::size_t i : kernels) {
            for (const auto& [taken, all] : shares(netgen::block_demand(tasks.gpu, tasks.operations[i]), sm))
                if (taken > 0)
                    least = std::min(least, std::max(0.0, static_cast<double>(all - taken + 1) /
                                                              static_cast<double>(all)));
        }
        sum += least;
    }
    return sum;
}

Engine sms_of(const netgen::TaskSet& tasks) {
    Engine sms;
    netgen::TaskSet kernels{tasks.gpu, {}, tasks.unit};
    for (std::size_t i = 0; i < tasks.operations.size(); ++i) {
        if (tasks.operations[i].kind != netgen::OperationKind::kernel) continue;
        sms.operations.push_back(i);
        kernels.operations.push_back(tasks.operations[i]);
    }
    sms.weight.assign(tasks.operations.size(), 1);
    if (sms.operations.empty()) return sms;
    const SlotModel model = slot_model(kernels);
    if (model.slots) {
        sms.full = static_cast<double>(*model.slots);
        sms.model = model.reason;
    } else {
        sms.slots = false;
        for (const std::size_t i : sms.operations) sms.weight[i] = weight_of(tasks, tasks.operations[i]);
        sms.full = blocked_weight(tasks, sms.operations);
        sms.model =
            fmt::format("while a block has to wait, running blocks hold at least {:.4g} of {}, by shares",
                        sms.full, plural(tasks.gpu.sms.size(), "SM"));
    }
    if (netgen::kernel_priorities(tasks).size() > 1)
        sms.model += ", a lower priority while no higher one waits";
    return sms;
}

/// One at a time.
Engine single_server(const netgen::TaskSet& tasks, netgen::OperationKind kind, std::int64_t core,
                     std::string model) {
    Engine engine;
    engine.kind = kind;
    engine.weight.assign(tasks.operations.size(), 1);
    engine.model = std::move(model);
    for (std::size_t i = 0; i < tasks.operations.size(); ++i)
        if (tasks.operations[i].kind == kind && tasks.operations[i].core == core)
            engine.operations.push_back(i);
    return engine;
}

std::vector<Engine> engines_of(const netgen::TaskSet& tasks) {
    std::vector<Engine> engines{sms_of(tasks)};
    engines.push_back(single_server(tasks, netgen::OperationKind::copy, 0, "one copy at a time"));
    const std::vector<std::int64_t> cores = netgen::cores_of(tasks);
    for (const std::int64_t core : cores)
        engines.push_back(single_server(
            tasks, netgen::OperationKind::cpu, core,
            core == cores.front() ? "on each core the highest priority runs, equal ones by arrival" : ""));
    std::erase_if(engines, [](const Engine& engine) { return engine.operations.empty(); });
    return engines;
}

/// Operations of one task: those of a stream in their order, or one alone.
std::vector<std::vector<std::size_t>> chains_of(const netgen::TaskSet& tasks) {
    std::vector<std::vector<std::size_t>> chains;
    const std::vector<std::uint32_t> streams = netgen::dense_streams(tasks);
    std::vector<std::size_t> of_stream(tasks.operations.size(), tasks.operations.size());
    for (std::size_t i = 0; i < tasks.operations.size(); ++i) {
        if (streams[i] == netgen::own_stream) {
            chains.push_back({i});
        } else if (of_stream[streams[i]] == tasks.operations.size()) {
            of_stream[streams[i]] = chains.size();
            chains.push_back({i});
        } else {
            chains[of_stream[streams[i]]].push_back(i);
        }
    }
    return chains;
}

class Holistic {
  public:
    Holistic(const netgen::TaskSet& tasks, const SporadicOptions& options)
        : tasks_(tasks),
          options_(options),
          engines_(engines_of(tasks)),
          kept_(netgen::kept_cores(tasks)),
          chain_of_(tasks.operations.size()),
          in_queue_(tasks.operations.size()),
          response_(tasks.operations.size()),
          reason_(tasks.operations.size()) {
        for (std::size_t i = 0; i < tasks.operations.size(); ++i) in_queue_[i] = tasks.operations[i].time;
        for (std::vector<std::size_t>& operations : chains_of(tasks)) {
            chains_.push_back({std::move(operations), {}});
            Chain& chain = chains_.back();
            chain.serial = not_one_task(chain.operations);
            for (const std::size_t i : chain.operations) chain_of_[i] = chains_.size() - 1;
        }
        enter_queues();
    }

    SporadicBounds bounds() {
        SporadicBounds result;
        result.argument =
            "periods as least times between releases, any first releases, any order of what comes together";
        for (const Engine& engine : engines_)
            if (!engine.model.empty()) result.argument += "; " + engine.model;
        if (!settle()) reason_.assign(reason_.size(), "the bounds do not settle");
        for (std::size_t i = 0; i < response_.size(); ++i)
            result.response.push_back(reason_[i].empty() ? response_[i] : std::nullopt);
        result.obstacle = std::move(reason_);
        return result;
    }

  private:
    /// Operations that follow one another. `serial` is the reason to assume nothing about their release
    /// times. It is empty while all of them have bounds and are one task whose jobs do not wait for each
    /// other.
    struct Chain {
        std::vector<std::size_t> operations;
        std::string serial;
    };

    std::string not_one_task(const std::vector<std::size_t>& chain) const {
        const netgen::Operation& first = tasks_.operations[chain.front()];
        for (const std::size_t i : chain) {
            const netgen::Operation& operation = tasks_.operations[i];
            if (operation.period != first.period || operation.release != first.release ||
                operation.jitter != first.jitter)
                return fmt::format("'{}' and '{}' are in one stream, but are not released together",
                                   first.name, operation.name);
        }
        return {};
    }

    /// The remaining work of blocks that run when a busy interval of this priority begins; see the header.
    double carried_in(const Engine& engine, std::int32_t priority) const {
        if (engine.kind != netgen::OperationKind::kernel) return 0;
        netgen::Time lower = 0;  // left of a block of lower priority that began just before
        for (const std::size_t i : engine.operations)
            if (tasks_.operations[i].priority < priority)
                lower = std::max(lower, tasks_.operations[i].time - 1);
        if (engine.slots)
            return longest_left(engine, engine.operations, engine.full - 1) + static_cast<double>(lower);
        if (lower == 0) return longest_left(engine, engine.operations, engine.full);
        return longest_left(engine, engine.operations, most_weight());
    }

    /// The remaining work of blocks of lower priority that run when a job enters its queue.
    void set_running(const Engine& engine, QueuedOperation& queued) const {
        if (engine.kind != netgen::OperationKind::kernel) return;
        std::vector<std::size_t> lower = engine.operations;
        std::erase_if(lower, [&](std::size_t i) { return tasks_.operations[i].priority >= queued.priority; });
        for (const std::size_t i : lower)
            queued.running_rate += may_overlap(i)
                                       ? std::numeric_limits<double>::infinity()
                                       : static_cast<double>(tasks_.operations[i].blocks) * engine.weight[i];
        queued.running = longest_left(engine, std::move(lower), engine.slots ? engine.full : most_weight());
    }

    /// The most weight on the GPU: a block takes at most one SM of each of the four resources.
    double most_weight() const { return 4 * static_cast<double>(tasks_.gpu.sms.size()); }

    /// The most work that blocks of this total weight can have left.
    double longest_left(const Engine& engine, std::vector<std::size_t> longest_first, double weight) const {
        std::sort(longest_first.begin(), longest_first.end(), [&](std::size_t a, std::size_t b) {
            return tasks_.operations[a].time > tasks_.operations[b].time;
        });
        double sum = 0;
        for (const std::size_t i : longest_first) {
            const netgen::Operation& operation = tasks_.operations[i];
            double taken = weight;
            if (!may_overlap(i))
                taken = std::min(weight, static_cast<double>(operation.blocks) * engine.weight[i]);
            sum += taken * static_cast<double>(operation.time - 1);
            weight -= taken;
        }
        return sum;
    }

    /// The least time between two releases; may be negative.
    static netgen::Time least_distance(const netgen::Operation& operation) {
        return *operation.period - operation.jitter;
    }

    bool may_overlap(std::size_t i) const {
        const netgen::Operation& operation = tasks_.operations[i];
        if (operation.stream || !operation.period) return false;
        return !reason_[i].empty() || response_[i].value_or(0) > least_distance(operation);
    }

    QueuedOperation queued(const Engine& engine, std::size_t i) const {
        const netgen::Operation& operation = tasks_.operations[i];
        const double time = static_cast<double>(operation.time) * engine.weight[i];
        QueuedOperation result = arrivals_[i];
        if (engine.kind != netgen::OperationKind::copy) result.priority = operation.priority;
        result.carried = carried_in(engine, result.priority);
        set_running(engine, result);
        if (!may_overlap(i)) result.stream = chain_of_[i];
        if (engine.kind == netgen::OperationKind::cpu) {
            result.work = occupied_[i];
            result.rate = 1;
            result.own = time;
            result.own_rate = 1;
            result.first = kept_[i];
        } else {
            result.work = time * static_cast<double>(operation.blocks);
            result.rate = static_cast<double>(operation.blocks) * engine.weight[i];
            result.own = result.work - time;
            result.own_rate = static_cast<double>(operation.blocks - 1) * engine.weight[i];
            result.rest = operation.time;
        }
        return result;
    }

    /// Whether an operation is launched by the CPU, so that the launch offset delays it.
    bool is_launch(const Chain& chain, std::size_t position) const {
        if (tasks_.operations[chain.operations[position]].kind == netgen::OperationKind::cpu) return false;
        return position == 0 ||
               tasks_.operations[chain.operations[position - 1]].kind == netgen::OperationKind::cpu;
    }

    /// Computes when jobs enter their queues from the times of the operations before. Also computes how long
    /// a segment occupies its core: up to the end of the last segment for which the core is kept.
    void enter_queues() {
        arrivals_.assign(tasks_.operations.size(), {});
        occupied_.assign(tasks_.operations.size(), 0);
        for (const Chain& chain : chains_) {
            netgen::Time latest = tasks_.operations[chain.operations.front()].jitter, earliest = 0, least = 0;
            std::size_t holder = no_holder;
            for (const std::size_t i : chain.operations) least += tasks_.operations[i].time;
            const bool together = not_one_task(chain.operations).empty();
            for (std::size_t position = 0; position < chain.operations.size(); ++position) {
                const std::size_t i = chain.operations[position];
                const netgen::Operation& operation = tasks_.operations[i];
                const netgen::Time offset = is_launch(chain, position) ? options_.launch_offset : 0;
                latest += offset;
                if (chain.serial.empty())
                    arrivals_[i] = {.period = operation.period, .jitter = latest - earliest};
                else if (operation.period)  // jobs of one stream do not overlap, whenever they are released
                    arrivals_[i] = {.period = together ? least : operation.time};
                if (operation.kind == netgen::OperationKind::cpu) {
                    if (!kept_[i]) holder = i;
                    occupied_[holder] += static_cast<double>(operation.time);
                    if (!operation.keeps_core) holder = no_holder;
                } else if (holder != no_holder) {
                    occupied_[holder] += in_queue_[i] && together
                                             ? static_cast<double>(offset + *in_queue_[i])
                                             : std::numeric_limits<double>::infinity();
                }
                latest += in_queue_[i].value_or(0);
                earliest += operation.time;
            }
        }
    }

    /// Responses from the times in the queues; true if they are the same as before.
    bool follow_chains() {
        bool same = true;
        for (Chain& chain : chains_) {
            netgen::Time latest = 0;
            std::string reason = chain.serial;
            for (std::size_t position = 0; position < chain.operations.size(); ++position) {
                const std::size_t i = chain.operations[position];
                if (reason.empty() && !in_queue_[i]) reason = queue_obstacle_[i];
                latest +=
                    in_queue_[i].value_or(0) + (is_launch(chain, position) ? options_.launch_offset : 0);
                if (reason.empty() && latest > longest_time) reason = "times are too long";
                same &= response_[i] == latest && reason_[i] == reason;
                response_[i] = latest;
                reason_[i] = reason;
            }
            const netgen::Operation& last = tasks_.operations[chain.operations.back()];
            if (!last.stream || !last.period || !chain.serial.empty()) continue;
            if (reason.empty() && latest > least_distance(last))
                reason = fmt::format(
                    "the bound of '{}', {}, exceeds the least time between its jobs, {}: a "
                    "job might wait in its stream for the job before",
                    last.name, latest, least_distance(last));
            if (reason.empty()) continue;
            // Then even the first operation of a job may have to wait for the job before.
            same = false;
            chain.serial = reason;
        }
        return same;
    }

    bool settle() {
        queue_obstacle_.assign(tasks_.operations.size(), {});
        for (int round = 0; round < most_rounds; ++round) {
            std::vector<std::optional<netgen::Time>> next(in_queue_.size());
            for (const Engine& engine : engines_) {
                std::vector<QueuedOperation> operations;
                for (const std::size_t i : engine.operations) operations.push_back(queued(engine, i));
                const std::vector<QueueBound> bounds = queue_bounds(operations, engine.full);
                for (std::size_t n = 0; n < bounds.size(); ++n) {
                    next[engine.operations[n]] = bounds[n].time;
                    queue_obstacle_[engine.operations[n]] = bounds[n].obstacle;
                }
            }
            in_queue_ = std::move(next);
            if (follow_chains()) return true;
            enter_queues();
        }
        return false;
    }

    const netgen::TaskSet& tasks_;
    const SporadicOptions& options_;
    std::vector<Engine> engines_;
    std::vector<Chain> chains_;
    std::vector<bool> kept_;
    // All per operation.
    std::vector<std::size_t> chain_of_;                  // number of its chain
    std::vector<std::optional<netgen::Time>> in_queue_;  // from entry to completion
    std::vector<std::string> queue_obstacle_;            // why there is none
    std::vector<QueuedOperation> arrivals_;              // period and jitter alone
    std::vector<double> occupied_;                       // time on the core until it is free again
    std::vector<std::optional<netgen::Time>> response_;
    std::vector<std::string> reason_;  // why there is none
};

}  // namespace

SporadicBounds sporadic_bounds(const netgen::TaskSet& tasks, const SporadicOptions& options) {
    netgen::validate(tasks);
    return Holistic(tasks, options).bounds();
}

}  // namespace warpnet::studies
