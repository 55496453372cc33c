#pragma once

#include "netgen/blocks/task_set.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace warpnet::testing {

/// The longest responses over all sporadic releases at whole times, all delays that the jitter allows, all
/// orders of simultaneous events, all SMs that could take a block, and all launch offsets. It visits every
/// state: obviously right and slow. Blocks take only threads. Operations of one stream are released together
/// and run in their order. A stream has one job at a time: a release waits until the previous job has ended.
class EveryArrival {
  public:
    EveryArrival(const netgen::TaskSet& tasks, netgen::Time launch_offset)
        : tasks_(tasks), offset_(launch_offset) {
        for (std::size_t i = 0; i < tasks.operations.size(); ++i) {
            const auto stream = tasks.operations[i].stream;
            const bool goes_on = i > 0 && stream && tasks.operations[i - 1].stream == stream;
            if (!goes_on) chains_.emplace_back();
            chains_.back().push_back(i);
        }
    }

    /// Per operation; nothing if there are more states than the limit.
    std::optional<std::vector<netgen::Time>> responses(std::size_t most_states) {
        worst_.assign(tasks_.operations.size(), 0);
        State begin;
        for (const auto& chain : chains_) begin.clock.push_back(period_of(chain));
        begin.late.resize(chains_.size());
        for (const netgen::StreamingMultiprocessor& sm : tasks_.gpu.sms) begin.free.push_back(sm.threads);
        std::vector<State> open{begin};
        std::set<State> seen{begin};
        while (!open.empty()) {
            const State state = open.back();
            open.pop_back();
            next_.clear();
            release(state, 0);
            for (const State& next : next_) {
                if (seen.insert(next).second) open.push_back(next);
                if (seen.size() > most_states) return std::nullopt;
            }
        }
        return worst_;
    }

  private:
    struct Block {
        std::size_t sm = 0;
        netgen::Time left = 0;
        auto operator<=>(const Block&) const = default;
    };
    struct Job {
        std::size_t chain = 0;
        std::size_t position = 0;  // index in its chain
        netgen::Time age = 0;
        netgen::Time ready = 0;  // time since it could have entered its queue
        bool entered = false;    // in its queue
        bool kept = false;       // keeps its core
        std::int64_t unassigned = 0;
        std::vector<Block> running;
        auto operator<=>(const Job&) const = default;
    };
    struct State {
        std::vector<netgen::Time>
            clock;  // per chain: time since its last release without jitter, at most its period
        std::vector<std::vector<netgen::Time>>
            late;  // per chain: the delays of releases that have not arrived yet
        std::vector<std::int64_t> free;
        std::vector<Job> jobs;  // jobs in a queue are in its order, first to last
        bool copying = false;
        auto operator<=>(const State&) const = default;
    };

    netgen::Time period_of(const std::vector<std::size_t>& chain) const {
        return tasks_.operations[chain.front()].period.value_or(1);
    }
    const netgen::Operation& operation(const Job& job) const {
        return tasks_.operations[chains_[job.chain][job.position]];
    }

    /// Releases any subset of the chains whose period is over.
    void release(const State& state, std::size_t chain) {
        if (chain == chains_.size()) return enter(state);
        come(state, chain);
        if (state.clock[chain] < period_of(chains_[chain])) return;
        State released = state;
        const bool once = !tasks_.operations[chains_[chain].front()].period;
        released.clock[chain] = once ? -1'000'000 : 0;
        released.late[chain].push_back(0);
        come(released, chain);
    }

    /// Any number of the late releases of a chain arrive, the oldest first, and at least those that cannot be
    /// later.
    void come(const State& state, std::size_t chain) {
        const bool none = state.late[chain].empty();
        if (none || state.late[chain].front() < tasks_.operations[chains_[chain].front()].jitter)
            release(state, chain + 1);
        if (none) return;
        State come_now = state;
        come_now.late[chain].erase(come_now.late[chain].begin());
        come_now.jobs.push_back({chain, 0, 0, 0, false, false, 0, {}});
        come(come_now, chain);
    }

    /// Any subset of the jobs that have not entered enters, one after the other. Only jobs at the head of
    /// their task may wait for the launch.
    void enter(const State& state) {
        bool must = false;
        for (std::size_t j = 0; j < state.jobs.size(); ++j) {
            const Job& job = state.jobs[j];
            if (job.entered || waits_in_stream(state, j)) continue;
            must = must || !is_launch(job) || job.ready >= offset_;
            State entered = state;
            Job moved = job;
            moved.entered = true;
            moved.unassigned = operation(job).kind == netgen::OperationKind::cpu ? 0 : operation(job).blocks;
            if (operation(job).kind == netgen::OperationKind::cpu)
                moved.running.push_back({0, operation(job).time});
            entered.jobs.erase(entered.jobs.begin() + static_cast<std::ptrdiff_t>(j));
            entered.jobs.push_back(moved);
            enter(entered);
        }
        if (!must) assign(state);
    }

    /// Whether the job is launched by the CPU and so may be late.
    bool is_launch(const Job& job) const {
        const auto& chain = chains_[job.chain];
        return operation(job).kind != netgen::OperationKind::cpu &&
               (job.position == 0 ||
                tasks_.operations[chain[job.position - 1]].kind == netgen::OperationKind::cpu);
    }

    /// Jobs of one chain are in order of release, so an older job in the same stream goes first.
    bool waits_in_stream(const State& state, std::size_t j) const {
        const Job& job = state.jobs[j];
        if (!operation(job).stream) return false;
        return std::any_of(state.jobs.begin(), state.jobs.end(),
                           [&](const Job& other) { return other.chain == job.chain && other.age > job.age; });
    }

    /// The heads of the queues get the free resources.
    void assign(const State& state) {
        for (std::size_t j = 0; j < state.jobs.size(); ++j) {
            const Job& job = state.jobs[j];
            if (!job.entered || job.unassigned == 0) continue;
            const bool copy = operation(job).kind == netgen::OperationKind::copy;
            bool behind = false;
            for (std::size_t o = 0; o < state.jobs.size(); ++o) {
                const Job& other = state.jobs[o];
                if (o == j || !other.entered || other.unassigned == 0) continue;
                if (operation(other).kind != operation(job).kind) continue;
                const std::int32_t priority = copy ? 0 : operation(job).priority;
                const std::int32_t of_other = copy ? 0 : operation(other).priority;
                behind = behind || of_other > priority || (of_other == priority && o < j);
            }
            if (behind) continue;
            if (copy) {
                if (state.copying) continue;
                State assigned = state;
                assigned.copying = true;
                put(assigned.jobs[j], 0);
                return assign(assigned);
            }
            bool somewhere = false;
            for (std::size_t sm = 0; sm < state.free.size(); ++sm) {
                if (state.free[sm] < operation(job).threads) continue;
                somewhere = true;
                State assigned = state;
                assigned.free[sm] -= operation(job).threads;
                put(assigned.jobs[j], sm);
                assign(assigned);
            }
            if (somewhere) return;
        }
        pass(state);
    }

    void put(Job& job, std::size_t sm) const {
        --job.unassigned;
        job.running.push_back({sm, operation(job).time});
        std::sort(job.running.begin(), job.running.end());
    }

    /// One unit of time passes, with the completions at its end.
    void pass(State state) {
        for (std::size_t c = 0; c < chains_.size(); ++c)
            state.clock[c] =
                std::min(state.clock[c] < 0 ? state.clock[c] : state.clock[c] + 1, period_of(chains_[c]));
        for (std::vector<netgen::Time>& late : state.late)
            for (netgen::Time& time : late) ++time;
        std::vector<bool> runs, ready;
        for (std::size_t j = 0; j < state.jobs.size(); ++j) {
            runs.push_back(!waits_for_core(state, j));
            ready.push_back(!state.jobs[j].entered && !waits_in_stream(state, j));
        }
        for (std::size_t j = 0; j < state.jobs.size(); ++j) {
            Job& job = state.jobs[j];
            if (ready[j]) ++job.ready;
            ++job.age;
            const bool ran = !job.running.empty();
            const bool cpu = operation(job).kind == netgen::OperationKind::cpu;
            for (Block& block : job.running) {
                if (!runs[j] || --block.left > 0 || cpu) continue;
                if (operation(job).kind == netgen::OperationKind::copy)
                    state.copying = false;
                else
                    state.free[block.sm] += operation(job).threads;
            }
            std::erase_if(job.running, [](const Block& block) { return block.left == 0; });
            if (!ran || !job.running.empty() || job.unassigned > 0) continue;
            netgen::Time& worst = worst_[chains_[job.chain][job.position]];
            worst = std::max(worst, job.age);
            if (cpu) job.kept = operation(job).keeps_core;
            job.entered = false;
            job.ready = 0;
            ++job.position;
        }
        std::erase_if(state.jobs, [&](const Job& job) { return job.position == chains_[job.chain].size(); });
        next_.insert(state);
    }

    /// Whether a job of a higher priority, or an earlier job of the same priority, has its core. A job that
    /// keeps a core precedes all jobs of its priority.
    bool waits_for_core(const State& state, std::size_t j) const {
        const Job& job = state.jobs[j];
        if (!job.entered || operation(job).kind != netgen::OperationKind::cpu) return false;
        for (std::size_t o = 0; o < state.jobs.size(); ++o) {
            const Job& other = state.jobs[o];
            const netgen::Operation* on_core = nullptr;  // the operation of the competing job on the core
            if (other.entered && operation(other).kind == netgen::OperationKind::cpu)
                on_core = &operation(other);
            if (!on_core && other.kept) {
                std::size_t before = other.position - 1;
                while (tasks_.operations[chains_[other.chain][before]].kind != netgen::OperationKind::cpu)
                    --before;
                on_core = &tasks_.operations[chains_[other.chain][before]];
            }
            if (o == j || !on_core || on_core->core != operation(job).core) continue;
            if (on_core->priority > operation(job).priority) return true;
            if (on_core->priority < operation(job).priority || job.kept) continue;
            if (other.kept || o < j) return true;
        }
        return false;
    }

    const netgen::TaskSet& tasks_;
    netgen::Time offset_;
    std::vector<std::vector<std::size_t>> chains_;
    std::vector<netgen::Time> worst_;
    std::set<State> next_;
};

}  // namespace warpnet::testing
