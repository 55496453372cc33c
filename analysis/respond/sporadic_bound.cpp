#include "analysis/respond/sporadic_bound.hpp"

#include "analysis/respond/slot_allocation.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace warpnet {
namespace {

constexpr int most_rounds = 10'000;
constexpr std::size_t most_windows = 1'000'000;
constexpr Time longest_time = Time{1} << 50;  // beyond it doubles are no whole numbers

/// What one queue serves: weights of blocks, and the weight on the GPU while a block has to wait.
struct Engine {
    std::vector<std::size_t> operations;
    std::vector<double> weight;  // per operation of the set
    double full = 1;             // k
    bool slots = true;           // every weight is 1: interchangeable blocks, or the copy engine
    std::string model;
};

/// Of the resources of an SM what a block takes, and how much there is.
std::vector<std::pair<std::int64_t, std::int64_t>> shares(const BlockDemand& demand,
                                                          const StreamingMultiprocessor& sm) {
    return {{demand.threads, sm.threads},
            {1, sm.blocks},
            {demand.shared, sm.shared},
            {demand.registers, sm.registers}};
}

double weight_of(const TaskSet& tasks, const Operation& kernel) {
    double weight = 0;
    const BlockDemand demand = block_demand(tasks.gpu, kernel);
    for (const StreamingMultiprocessor& sm : tasks.gpu.sms) {
        if (room_for(demand, sm) == 0) continue;
        for (const auto& [taken, all] : shares(demand, sm))
            if (taken > 0) weight = std::max(weight, static_cast<double>(taken) / static_cast<double>(all));
    }
    return weight;
}

/// The least weight on the GPU while some kernel's block fits nowhere.
double blocked_weight(const TaskSet& tasks, const std::vector<std::size_t>& kernels) {
    double sum = 0;
    for (const StreamingMultiprocessor& sm : tasks.gpu.sms) {
        double least = 1;
        for (const std::size_t i : kernels) {
            for (const auto& [taken, all] : shares(block_demand(tasks.gpu, tasks.operations[i]), sm))
                if (taken > 0)
                    least = std::min(least, std::max(0.0, static_cast<double>(all - taken + 1) /
                                                              static_cast<double>(all)));
        }
        sum += least;
    }
    return sum;
}

std::vector<Engine> engines_of(const TaskSet& tasks) {
    Engine sms, copies;
    sms.weight.assign(tasks.operations.size(), 1);
    copies.weight = sms.weight;
    for (std::size_t i = 0; i < tasks.operations.size(); ++i)
        (tasks.operations[i].kind == OperationKind::kernel ? sms : copies).operations.push_back(i);
    TaskSet kernels = tasks;
    std::erase_if(kernels.operations,
                  [](const Operation& operation) { return operation.kind == OperationKind::copy; });
    std::vector<Engine> engines;
    if (!sms.operations.empty()) {
        const SlotModel model = slot_model(kernels);
        if (model.slots) {
            sms.full = static_cast<double>(*model.slots);
            sms.model = model.reason;
        } else {
            sms.slots = false;
            for (const std::size_t i : sms.operations) sms.weight[i] = weight_of(tasks, tasks.operations[i]);
            sms.full = blocked_weight(tasks, sms.operations);
            sms.model = fmt::format(
                "while a block has to wait, shares of SMs that add up to {:.4g} are taken", sms.full);
        }
        engines.push_back(std::move(sms));
    }
    if (!copies.operations.empty()) {
        copies.model = "one copy at a time";
        engines.push_back(std::move(copies));
    }
    return engines;
}

/// Operations of one task: those of a stream in their order, or one alone.
std::vector<std::vector<std::size_t>> chains_of(const TaskSet& tasks) {
    std::vector<std::vector<std::size_t>> chains;
    const std::vector<std::uint32_t> streams = dense_streams(tasks);
    std::vector<std::size_t> of_stream(tasks.operations.size(), tasks.operations.size());
    for (std::size_t i = 0; i < tasks.operations.size(); ++i) {
        if (streams[i] == own_stream) {
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

/// Why the analysis does not apply; empty where it does.
std::string obstacle(const TaskSet& tasks, const std::vector<std::vector<std::size_t>>& chains) {
    if (kernel_priorities(tasks).size() > 1) return "streams have different priorities";
    for (const std::vector<std::size_t>& chain : chains) {
        const Operation& first = tasks.operations[chain.front()];
        for (const std::size_t i : chain) {
            const Operation& operation = tasks.operations[i];
            if (operation.period != first.period || operation.release != first.release)
                return fmt::format("'{}' and '{}' are in one stream, but are not released together",
                                   first.name, operation.name);
        }
    }
    return {};
}

class Holistic {
  public:
    Holistic(const TaskSet& tasks, const SporadicOptions& options)
        : tasks_(tasks),
          options_(options),
          engines_(engines_of(tasks)),
          chains_(chains_of(tasks)),
          jitter_(tasks.operations.size(), 0),
          response_(tasks.operations.size(), 0),
          engine_of_(tasks.operations.size(), 0) {
        for (std::size_t e = 0; e < engines_.size(); ++e)
            for (const std::size_t i : engines_[e].operations) engine_of_[i] = e;
    }

    SporadicBounds bounds() {
        SporadicBounds result{std::vector<std::optional<Time>>(response_.size()), obstacle(tasks_, chains_)};
        if (result.argument.empty()) result.argument = fixed_point();
        if (!result.argument.empty()) {
            result.argument = "no bound: " + result.argument;
            return result;
        }
        for (std::size_t i = 0; i < response_.size(); ++i) result.response[i] = response_[i];
        result.argument =
            "periods as least times between releases, any first releases, any order of what comes together";
        for (const Engine& engine : engines_) result.argument += "; " + engine.model;
        return result;
    }

  private:
    double work(std::size_t i) const {
        const Operation& operation = tasks_.operations[i];
        return static_cast<double>(operation.blocks) * static_cast<double>(operation.time) *
               engines_[engine_of_[i]].weight[i];
    }

    bool may_overlap(std::size_t i) const {
        const Operation& operation = tasks_.operations[i];
        return operation.period && response_[i] > *operation.period;
    }

    /// Work left of blocks that ran before the GPU became full.
    double carried_in(const Engine& engine) const {
        std::vector<std::size_t> longest_first = engine.operations;
        std::sort(longest_first.begin(), longest_first.end(), [&](std::size_t a, std::size_t b) {
            return tasks_.operations[a].time > tasks_.operations[b].time;
        });
        double room = engine.slots ? engine.full - 1 : engine.full;
        double sum = 0;
        for (const std::size_t i : longest_first) {
            const Operation& operation = tasks_.operations[i];
            double taken = room;
            if (!may_overlap(i))
                taken = std::min(room, static_cast<double>(operation.blocks) * engine.weight[i]);
            sum += taken * static_cast<double>(operation.time - 1);
            room -= taken;
        }
        return sum;
    }

    /// Jobs that can enter their queue in a time of this length.
    double jobs(std::size_t i, Time length) const {
        const Operation& operation = tasks_.operations[i];
        if (!operation.period) return 1;
        const Time periods = (length + jitter_[i]) / *operation.period;
        return static_cast<double>(periods + 1);
    }

    /// Lengths of [s, r] at which one more job can enter; nothing where there are too many.
    std::optional<std::set<Time>> windows(const Engine& engine, double carried) const {
        double most = carried, utilisation = 0;
        for (const std::size_t i : engine.operations) {
            most += work(i);
            if (const auto period = tasks_.operations[i].period) {
                utilisation += work(i) / static_cast<double>(*period);
                most += work(i) * static_cast<double>(jitter_[i]) / static_cast<double>(*period);
            }
        }
        if (utilisation >= engine.full * (1 - 1e-12)) return std::nullopt;
        const double longest = most / (engine.full - utilisation) + 1;
        std::set<Time> lengths{0};
        for (const std::size_t i : engine.operations) {
            const auto period = tasks_.operations[i].period;
            if (!period) continue;
            if (longest / static_cast<double>(*period) > static_cast<double>(most_windows))
                return std::nullopt;
            for (Time x = *period - jitter_[i] % *period; static_cast<double>(x) <= longest; x += *period)
                lengths.insert(x);
            if (lengths.size() > most_windows) return std::nullopt;
        }
        return lengths;
    }

    /// Bounds in its queue for each operation of an engine, from entry to completion; nothing where there are
    /// none.
    bool serve(const Engine& engine, std::vector<Time>& in_queue) const {
        const double carried = carried_in(engine);
        const auto lengths = windows(engine, carried);
        if (!lengths) return false;
        for (const std::size_t i : engine.operations) in_queue[i] = tasks_.operations[i].time;
        for (const Time x : *lengths) {
            double entered = carried;
            for (const std::size_t j : engine.operations) entered += jobs(j, x) * work(j);
            for (const std::size_t i : engine.operations) {
                const Time time = tasks_.operations[i].time;
                const double before = entered - static_cast<double>(time) * engine.weight[i];
                // Rounded up a little: a bound may be too large, never too small.
                const double full = std::floor(before / engine.full * (1 + 1e-12) + 1e-9);
                if (full >= static_cast<double>(longest_time)) return false;
                const Time until_last = static_cast<Time>(full) - x;
                if (until_last >= 0) in_queue[i] = std::max(in_queue[i], until_last + time);
            }
        }
        return true;
    }

    /// Why there is none, or nothing.
    std::string fixed_point() {
        for (int round = 0; round < most_rounds; ++round) {
            std::vector<Time> in_queue(response_.size(), 0);
            for (const Engine& engine : engines_)
                if (!serve(engine, in_queue))
                    return "more work comes than is done, or busy intervals are too long to follow";
            std::vector<Time> next(response_.size(), 0);
            for (const std::vector<std::size_t>& chain : chains_) {
                Time latest = options_.launch_offset, earliest = 0;
                for (const std::size_t i : chain) {
                    jitter_[i] = latest - earliest;
                    latest += in_queue[i];
                    earliest += tasks_.operations[i].time;
                    next[i] = latest;
                }
                const Operation& last = tasks_.operations[chain.back()];
                if (last.stream && last.period && latest > *last.period)
                    return fmt::format("a job might wait in the stream of '{}' for the one before it",
                                       last.name);
                if (latest > longest_time) return "times are too long";
            }
            if (next == response_) return {};
            response_ = std::move(next);
        }
        return "the bounds do not settle";
    }

    const TaskSet& tasks_;
    const SporadicOptions& options_;
    std::vector<Engine> engines_;
    std::vector<std::vector<std::size_t>> chains_;
    std::vector<Time> jitter_;
    std::vector<Time> response_;
    std::vector<std::size_t> engine_of_;
};

}  // namespace

SporadicBounds sporadic_bounds(const TaskSet& tasks, const SporadicOptions& options) {
    validate(tasks);
    return Holistic(tasks, options).bounds();
}

}  // namespace warpnet
