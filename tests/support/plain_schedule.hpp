#pragma once

#include "netgen/blocks/task_set.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace warpnet::testing {

/// Completions of all jobs before a horizon, in launch order, by checking every job in each unit of time:
/// kernels whose blocks take threads and slots of the first SM with room, copies, CPU segments.
class PlainSchedule {
  public:
    PlainSchedule(const netgen::TaskSet& tasks, netgen::Time horizon)
        : tasks_(tasks), kept_(netgen::kept_cores(tasks)) {
        for (const netgen::StreamingMultiprocessor& sm : tasks.gpu.sms) free_.push_back(sm);
        for (const warpnet::netgen::Job& job : netgen::jobs_before(tasks, horizon))
            jobs_.push_back({&tasks.operations[job.operation], job.operation, job.release});
    }

    std::vector<netgen::Time> completions() {
        for (netgen::Time now = 0; !all_done(); ++now) {
            enter(now);
            for (const std::int64_t core : netgen::cores_of(tasks_)) run_core(core);
            copy();
            assign();
            pass(now + 1);
        }
        std::vector<netgen::Time> result;
        for (const Job& job : jobs_) result.push_back(job.done);
        return result;
    }

  private:
    struct Job {
        const netgen::Operation* operation;
        std::uint32_t number;
        netgen::Time release;
        netgen::Time done = -1;
        std::int64_t place = -1;  // index in its queue
        std::int64_t unassigned = 0;
        std::vector<std::pair<std::size_t, netgen::Time>> running = {};  // SM, time left
        bool runs = false;                                               // in this unit of time
        bool open() const { return place >= 0 && done < 0; }
    };

    bool all_done() const {
        return std::all_of(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.done >= 0; });
    }

    void enter(netgen::Time now) {
        for (std::size_t j = 0; j < jobs_.size(); ++j) {
            Job& job = jobs_[j];
            const auto& stream = job.operation->stream;
            if (job.place >= 0 || job.release > now) continue;
            bool first = true;
            for (std::size_t o = 0; o < j && stream; ++o)
                first = first && (jobs_[o].operation->stream != stream || jobs_[o].done >= 0);
            if (!first) continue;
            job.place = next_place_++;
            if (kept_[job.number]) {
                job.place = keeping_.at(*stream)->place;
                keeping_.erase(*stream);
            }
            if (job.operation->kind == netgen::OperationKind::cpu)
                job.running = {{0, job.operation->time}};
            else
                job.unassigned = job.operation->blocks;
        }
    }

    /// Runs the first job of the highest priority, even if it only waits.
    void run_core(std::int64_t core) {
        Job* best = nullptr;
        const auto try_one = [&](Job& job) {
            if (job.operation->kind != netgen::OperationKind::cpu || job.operation->core != core) return;
            const bool before =
                best == nullptr || job.operation->priority > best->operation->priority ||
                (job.operation->priority == best->operation->priority && job.place < best->place);
            if (before) best = &job;
        };
        for (Job& job : jobs_)
            if (job.open()) try_one(job);
        for (const auto& [stream, job] : keeping_) try_one(*job);
        if (best != nullptr) best->runs = best->open();
    }

    void copy() {
        Job* first = nullptr;
        for (Job& job : jobs_) {
            if (!job.open() || job.operation->kind != netgen::OperationKind::copy) continue;
            if (!job.running.empty()) return;
            if (first == nullptr || job.place < first->place) first = &job;
        }
        if (first == nullptr) return;
        first->running = {{0, first->operation->time}};
        first->unassigned = 0;
    }

    void assign() {
        for (;;) {
            Job* head = nullptr;
            for (Job& job : jobs_) {
                if (!job.open() || job.operation->kind != netgen::OperationKind::kernel ||
                    job.unassigned == 0)
                    continue;
                if (head == nullptr || job.operation->priority > head->operation->priority ||
                    (job.operation->priority == head->operation->priority && job.place < head->place))
                    head = &job;
            }
            if (head == nullptr) return;
            const auto sm = std::find_if(free_.begin(), free_.end(), [&](const auto& it) {
                return it.threads >= head->operation->threads && it.blocks > 0;
            });
            if (sm == free_.end()) return;
            sm->threads -= head->operation->threads;
            --sm->blocks;
            --head->unassigned;
            head->running.emplace_back(static_cast<std::size_t>(sm - free_.begin()), head->operation->time);
        }
    }

    void pass(netgen::Time now) {
        for (Job& job : jobs_) {
            if (!job.open()) continue;
            const netgen::OperationKind kind = job.operation->kind;
            for (auto& [sm, left] : job.running) {
                if (kind == netgen::OperationKind::cpu && !job.runs) continue;
                if (--left > 0 || kind != netgen::OperationKind::kernel) continue;
                free_[sm].threads += job.operation->threads;
                ++free_[sm].blocks;
            }
            job.runs = false;
            const bool ran = !job.running.empty();
            std::erase_if(job.running, [](const auto& block) { return block.second == 0; });
            if (!ran || !job.running.empty() || job.unassigned > 0) continue;
            job.done = now;
            if (job.operation->keeps_core) keeping_[*job.operation->stream] = &job;
        }
    }

    const netgen::TaskSet& tasks_;
    std::vector<bool> kept_;
    std::vector<netgen::StreamingMultiprocessor> free_;
    std::vector<Job> jobs_;
    std::map<std::int64_t, Job*> keeping_;  // per stream: the segment that keeps its core
    std::int64_t next_place_ = 0;
};

}  // namespace warpnet::testing
