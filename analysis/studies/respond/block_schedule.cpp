// An event-driven simulation of the GPU's scheduler by the rules of [Paredes19] section 2.3. Events are
// releases, ends of CPU segments, and ends of groups of blocks that start together on one SM. The order of
// the work at one instant is fixed, and the header states it.
//
// Every periodic set has a hyperperiod. The state is compared at its boundaries: streams, queues, cores and
// running blocks, with times relative to the boundary. If two successive states are equal, the schedule
// repeats and all later responses are known.
//
// If a kernel at the head of a queue has found no room, only SMs on which blocks have ended since then are
// examined for it. The cost grows with the number of block groups times that of freed SMs, and not with
// durations.
//
// A block of its own is no event, because all blocks that one SM takes from a kernel at one instant also end
// together. The net of the same task set (netgen/blocks/blocks.cpp) is an independent implementation of the
// rules, without preemption, and tests compare both.

#include "analysis/studies/respond/block_schedule.hpp"

#include "engine/base/no_index.hpp"
#include "netgen/blocks/task_set.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace warpnet::studies {

namespace {

/// CPU cores with their segments. The segment of the highest priority runs, in order of arrival among equals.
/// A higher one preempts it, and it continues before its equals. A segment that keeps its core stays in its
/// place after its end until a segment of its stream takes the core over. Linear in the segments of a core
/// per event.
class CoreSchedule {
  public:
    struct Segment {
        std::uint32_t stream = 0;
        std::uint32_t job = 0;
        std::int32_t priority = 0;
        netgen::Time left = 0;    ///< when it was last started
        bool keeps_core = false;  ///< once it has ended
        bool waits = false;       ///< it has ended
    };
    /// A core ends its segment and switches to a job; absent: it idles, or waits.
    struct Switch {
        std::size_t core = 0;
        std::optional<std::uint32_t> to = {};
    };

    explicit CoreSchedule(std::size_t cores) : cores_(cores) {}

    /// Takes the place of a segment of its stream that has kept the core, otherwise a place behind its
    /// equals. Nothing runs before start().
    void enter(std::size_t core, const Segment& segment);
    /// Starts the first segment of every core.
    std::vector<Switch> start(netgen::Time now);
    /// The next end on any core if nothing enters before; absent: nothing runs.
    std::optional<netgen::Time> next_end() const;
    /// Ends the segments that end now; start() must follow.
    std::vector<Segment> end(netgen::Time now);
    /// The segments of a core in order, with the time left at `now`, which is not before the last event.
    std::vector<Segment> segments(std::size_t core, netgen::Time now) const;
    std::size_t size() const noexcept { return cores_.size(); }

  private:
    struct Core {
        std::vector<Segment> segments;              ///< the first one runs
        std::optional<std::uint32_t> running = {};  ///< a job
        netgen::Time since = 0;
        bool ended = false;  ///< its segment, since the last start()
    };
    std::vector<Core> cores_;
};

void CoreSchedule::enter(std::size_t core, const Segment& segment) {
    std::vector<Segment>& segments = cores_[core].segments;
    const auto kept = std::find_if(segments.begin(), segments.end(), [&](const Segment& other) {
        return other.waits && other.stream == segment.stream;
    });
    if (kept != segments.end()) {
        *kept = segment;
        return;
    }
    segments.insert(std::find_if(segments.begin(), segments.end(),
                                 [&](const Segment& other) { return other.priority < segment.priority; }),
                    segment);
}

std::vector<CoreSchedule::Switch> CoreSchedule::start(netgen::Time now) {
    std::vector<Switch> switches;
    for (std::size_t number = 0; number < cores_.size(); ++number) {
        Core& core = cores_[number];
        std::optional<std::uint32_t> next;
        if (!core.segments.empty() && !core.segments.front().waits) next = core.segments.front().job;
        if (next == core.running && !core.ended) continue;
        for (Segment& segment : core.segments)
            if (core.running && segment.job == *core.running) segment.left -= now - core.since;
        switches.push_back({number, next});
        core.running = next;
        core.ended = false;
        core.since = now;
    }
    return switches;
}

std::optional<netgen::Time> CoreSchedule::next_end() const {
    std::optional<netgen::Time> earliest;
    for (const Core& core : cores_) {
        if (!core.running) continue;
        const netgen::Time end = core.since + core.segments.front().left;
        earliest = std::min(earliest.value_or(end), end);
    }
    return earliest;
}

std::vector<CoreSchedule::Segment> CoreSchedule::end(netgen::Time now) {
    std::vector<Segment> ended;
    for (Core& core : cores_) {
        if (!core.running || core.since + core.segments.front().left != now) continue;
        Segment& segment = core.segments.front();
        ended.push_back(segment);
        segment.left = 0;
        segment.waits = segment.keeps_core;
        core.running.reset();
        core.ended = true;
        if (!segment.waits) core.segments.erase(core.segments.begin());
    }
    return ended;
}

std::vector<CoreSchedule::Segment> CoreSchedule::segments(std::size_t core, netgen::Time now) const {
    std::vector<Segment> segments = cores_[core].segments;
    if (cores_[core].running) segments.front().left -= now - cores_[core].since;
    return segments;
}

/// A job in its stream; only the head of a stream is ever on the GPU (G2, G4).
struct StreamQueue {
    std::deque<std::uint32_t> jobs;
    bool head_entered = false;    // an engine queue, some time ago
    std::int64_t unassigned = 0;  // blocks of the head
    std::int64_t running = 0;     // blocks of the head
};

struct Completion {
    netgen::Time end;
    std::uint32_t stream;
    std::uint32_t sm;
    std::int64_t blocks;
    auto key() const { return std::tie(end, stream, sm, blocks); }
    bool operator>(const Completion& other) const { return key() > other.key(); }
};

struct Release {
    netgen::Time time;
    std::uint32_t operation;
    std::int64_t index;
    bool operator>(const Release& other) const {
        return std::tie(time, operation) > std::tie(other.time, other.operation);
    }
};

template <class T>
using MinHeap = std::priority_queue<T, std::vector<T>, std::greater<>>;

constexpr netgen::Time no_time = std::numeric_limits<netgen::Time>::max();

class Scheduler {
  public:
    Scheduler(const netgen::TaskSet& tasks, const ScheduleOptions& options)
        : operations_(tasks.operations),
          options_(options),
          stream_of_(netgen::dense_streams(tasks)),
          core_numbers_(netgen::cores_of(tasks)),
          cores_(core_numbers_.size()),
          open_groups_(core_numbers_.size()),
          free_(tasks.gpu.sms) {
        for (const netgen::Operation& operation : operations_)
            demands_.push_back(netgen::block_demand(tasks.gpu, operation));
        for (const std::uint32_t stream : stream_of_)
            if (stream != netgen::own_stream) shared_streams_ = std::max(shared_streams_, stream + 1);
        streams_.resize(shared_streams_);
        const std::vector<std::int32_t> priorities = netgen::kernel_priorities(tasks);
        kernel_queues_.resize(priorities.size());
        for (const netgen::Operation& operation : operations_)
            queue_of_.push_back(static_cast<std::size_t>(
                std::lower_bound(priorities.begin(), priorities.end(), operation.priority, std::greater<>{}) -
                priorities.begin()));
        taken_.resize(free_.size());
        result_.sm_thread_time.resize(free_.size());
        for (std::uint32_t i = 0; i < free_.size(); ++i) all_sms_.push_back(i);
        for (std::uint32_t i = 0; i < operations_.size(); ++i) releases_.push({operations_[i].release, i, 0});
        cycle_ = netgen::hyperperiod(tasks);
        if (options_.horizon) {
            horizon_ = *options_.horizon;
            result_.end = cycle_ ? HorizonEnd::given : HorizonEnd::launched_once;
        } else if (cycle_) {
            boundary_ = netgen::release_horizon(tasks) - *cycle_;
            // A release that happens only once may be the last first release: the state must not await it.
            for (const netgen::Operation& operation : operations_)
                if (!operation.period && operation.release == boundary_) {
                    ++boundary_;
                    break;
                }
        }
    }

    BlockSchedule run() {
        for (netgen::Time now = next_event(); now != no_time; now = next_event()) {
            while (boundary_ < now) pass_boundary();
            complete(now);
            if (boundary_ == now) pass_boundary();
            release(now);
            enter_heads(now);
            run_cores(now);
            start_copy(now);
            assign_blocks(now);
        }
        result_.horizon = horizon_ == no_time ? result_.makespan : horizon_;
        return std::move(result_);
    }

  private:
    netgen::Time next_event() const {
        const netgen::Time completion = completions_.empty() ? no_time : completions_.top().end;
        const netgen::Time release = releases_.empty() ? no_time : releases_.top().time;
        return std::min({completion, release, cores_.next_end().value_or(no_time)});
    }

    void complete(netgen::Time now) {
        freed_.clear();
        while (!completions_.empty() && completions_.top().end == now) {
            const Completion done = completions_.top();
            completions_.pop();
            StreamQueue& stream = streams_[done.stream];
            if (done.sm == BlockGroup::copy_engine) {
                copying_ = false;
            } else {
                take(done.sm, result_.jobs[stream.jobs.front()].operation, -done.blocks);
                freed_.push_back(done.sm);
            }
            stream.running -= done.blocks;
            if (stream.running == 0 && stream.unassigned == 0) finish_head(now, done.stream);
        }
        for (const CoreSchedule::Segment& segment : cores_.end(now)) finish_head(now, segment.stream);
        std::sort(freed_.begin(), freed_.end());
        freed_.erase(std::unique(freed_.begin(), freed_.end()), freed_.end());
    }

    void finish_head(netgen::Time now, std::uint32_t id) {
        StreamQueue& stream = streams_[id];
        JobResponse& response = result_.jobs[stream.jobs.front()];
        response.completion = now;
        result_.makespan = std::max(result_.makespan, now);
        const std::optional<netgen::Time>& deadline = operations_[response.operation].deadline;
        if (deadline && response.response() > *deadline) result_.deadline_missed = true;
        stream.jobs.pop_front();
        stream.head_entered = false;
        if (!stream.jobs.empty()) heads_.push_back(id);
        if (id >= shared_streams_) idle_streams_.push_back(id);
    }

    void release(netgen::Time now) {
        while (!releases_.empty() && releases_.top().time == now) {
            const Release next = releases_.top();
            releases_.pop();
            if (next.time >= horizon_ && operations_[next.operation].period) continue;
            if (static_cast<std::int64_t>(result_.jobs.size()) >= options_.max_jobs) {
                result_.end = HorizonEnd::job_limit;
                horizon_ = now;
                releases_ = {};
                return;
            }
            const auto job = static_cast<std::uint32_t>(result_.jobs.size());
            result_.jobs.push_back({next.operation, next.index, now, 0, 0, 0, 0});
            started_.push_back(false);
            const std::uint32_t stream = stream_for(next.operation);
            streams_[stream].jobs.push_back(job);
            if (streams_[stream].jobs.size() == 1) heads_.push_back(stream);
            if (const std::optional<netgen::Time>& period = operations_[next.operation].period)
                releases_.push({now + *period, next.operation, next.index + 1});
        }
    }

    std::uint32_t stream_for(std::uint32_t operation) {
        if (stream_of_[operation] != netgen::own_stream) return stream_of_[operation];
        if (idle_streams_.empty()) {
            streams_.emplace_back();
            return static_cast<std::uint32_t>(streams_.size() - 1);
        }
        const std::uint32_t stream = idle_streams_.back();
        idle_streams_.pop_back();
        return stream;
    }

    /// Positions in `jobs` are launch order.
    void enter_heads(netgen::Time now) {
        std::sort(heads_.begin(), heads_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return streams_[a].jobs.front() < streams_[b].jobs.front();
        });
        for (const std::uint32_t id : heads_) {
            StreamQueue& stream = streams_[id];
            JobResponse& job = result_.jobs[stream.jobs.front()];
            const netgen::Operation& operation = operations_[job.operation];
            job.enqueued = now;
            stream.head_entered = true;
            stream.unassigned = operation.kind == netgen::OperationKind::cpu ? 0 : operation.blocks;
            switch (operation.kind) {
                case netgen::OperationKind::kernel:
                    kernel_queues_[queue_of_[job.operation]].push_back(id);
                    break;
                case netgen::OperationKind::copy:
                    copy_queue_.push_back(id);
                    break;
                case netgen::OperationKind::cpu:
                    cores_.enter(core_of(operation), {id, stream.jobs.front(), operation.priority,
                                                      operation.time, operation.keeps_core});
                    break;
            }
        }
        heads_.clear();
    }

    std::size_t core_of(const netgen::Operation& operation) const {
        return static_cast<std::size_t>(
            std::lower_bound(core_numbers_.begin(), core_numbers_.end(), operation.core) -
            core_numbers_.begin());
    }

    void run_cores(netgen::Time now) {
        for (const CoreSchedule::Switch& change : cores_.start(now)) {
            std::optional<std::size_t>& open = open_groups_[change.core];
            if (open) result_.groups[*open].end = now;
            open.reset();
            if (!change.to) continue;
            JobResponse& job = result_.jobs[*change.to];
            if (!started_[*change.to]) job.start = job.dispatched = now;
            started_[*change.to] = true;
            ++result_.group_count;
            if (result_.groups.size() >= options_.max_groups) continue;
            open = result_.groups.size();
            const auto core = static_cast<std::uint32_t>(change.core);
            result_.groups.push_back({*change.to, BlockGroup::first_core + core, 1, now, now});
        }
    }

    void start_copy(netgen::Time now) {
        if (copying_ || copy_queue_.empty()) return;
        copying_ = true;
        const std::uint32_t stream = copy_queue_.front();
        copy_queue_.pop_front();
        start_group(now, stream, BlockGroup::copy_engine, 1);
    }

    void assign_blocks(netgen::Time now) {
        for (std::deque<std::uint32_t>& queue : kernel_queues_) {
            while (!queue.empty()) {
                const std::uint32_t job = streams_[queue.front()].jobs.front();
                // A head that found no room before can find room only on SMs on which blocks have ended
                // since.
                assign_head(now, queue.front(), job == blocked_ ? freed_ : all_sms_);
                if (streams_[queue.front()].unassigned > 0) {
                    blocked_ = job;  // X1; A2: nothing of a lower priority either
                    return;
                }
                queue.pop_front();
            }
        }
        blocked_ = no_index;
    }

    void assign_head(netgen::Time now, std::uint32_t id, const std::vector<std::uint32_t>& sms) {
        StreamQueue& stream = streams_[id];
        const std::uint32_t operation = result_.jobs[stream.jobs.front()].operation;
        const netgen::BlockDemand& demand = demands_[operation];
        if (options_.policy == netgen::SmPolicy::first_fit) {
            for (const std::uint32_t sm : sms) {
                if (stream.unassigned == 0) return;
                const std::int64_t blocks = std::min(stream.unassigned, netgen::room_for(demand, free_[sm]));
                if (blocks == 0) continue;
                take(sm, operation, blocks);
                start_group(now, id, sm, blocks);
            }
            return;
        }
        std::int64_t left = stream.unassigned;
        while (left > 0) {
            const netgen::StreamingMultiprocessor* most_free = nullptr;
            std::uint32_t best = 0;
            for (const std::uint32_t sm : sms) {
                if (most_free != nullptr && free_[sm].threads <= most_free->threads) continue;
                if (netgen::room_for(demand, free_[sm]) == 0) continue;
                most_free = &free_[sm];
                best = sm;
            }
            if (most_free == nullptr) break;
            take(best, operation, 1);
            ++taken_[best];
            --left;
        }
        for (const std::uint32_t sm : sms)
            if (const std::int64_t blocks = std::exchange(taken_[sm], 0); blocks > 0)
                start_group(now, id, sm, blocks);
    }

    void take(std::uint32_t sm, std::uint32_t operation, std::int64_t blocks) {
        const netgen::BlockDemand& demand = demands_[operation];
        free_[sm].threads -= demand.threads * blocks;
        free_[sm].shared -= demand.shared * blocks;
        free_[sm].registers -= demand.registers * blocks;
        free_[sm].blocks -= blocks;
    }

    void start_group(netgen::Time now, std::uint32_t id, std::uint32_t sm, std::int64_t blocks) {
        StreamQueue& stream = streams_[id];
        const std::uint32_t position = stream.jobs.front();
        JobResponse& job = result_.jobs[position];
        const netgen::Operation& operation = operations_[job.operation];
        if (stream.unassigned == operation.blocks) job.start = now;
        stream.unassigned -= blocks;
        stream.running += blocks;
        if (stream.unassigned == 0) job.dispatched = now;
        completions_.push({now + operation.time, id, sm, blocks});
        ++result_.group_count;
        if (result_.groups.size() < options_.max_groups)
            result_.groups.push_back({position, sm, blocks, now, now + operation.time});
        const auto time = static_cast<double>(operation.time);
        if (sm == BlockGroup::copy_engine)
            result_.copy_time += time;
        else
            result_.sm_thread_time[sm] +=
                time * static_cast<double>(demands_[job.operation].threads * blocks);
    }

    /// One hyperperiod lies between two boundaries; equal states there mean that all repeats from then on.
    void pass_boundary() {
        std::vector<std::int64_t> state = state_at(boundary_);
        const bool repeats = boundaries_ > 0 && state == last_state_;
        last_state_ = std::move(state);
        if (boundaries_ > 0 &&
            (repeats || result_.deadline_missed || boundaries_ >= options_.max_hyperperiods)) {
            result_.end = repeats                   ? HorizonEnd::repeats
                          : result_.deadline_missed ? HorizonEnd::deadline_miss
                                                    : HorizonEnd::hyperperiods;
            horizon_ = boundary_;
            boundary_ = no_time;
            releases_ = {};
            return;
        }
        ++boundaries_;
        boundary_ += *cycle_;
    }

    /// Everything that decides the future except later releases, with times relative to `origin`.
    std::vector<std::int64_t> state_at(netgen::Time origin) const {
        std::vector<std::int64_t> state;
        const auto add = [&](auto value) { state.push_back(static_cast<std::int64_t>(value)); };
        const auto add_job = [&](std::uint32_t job) {
            add(result_.jobs[job].operation);
            add(result_.jobs[job].release - origin);
        };
        for (std::uint32_t i = 0; i < shared_streams_; ++i) {
            add(streams_[i].head_entered);
            add(streams_[i].jobs.size());
            for (const std::uint32_t job : streams_[i].jobs) add_job(job);
        }
        const auto add_queue = [&](const std::deque<std::uint32_t>& queue) {
            add(queue.size());
            for (const std::uint32_t stream : queue) {
                add_job(streams_[stream].jobs.front());
                add(streams_[stream].unassigned);
            }
        };
        for (std::size_t core = 0; core < cores_.size(); ++core) {
            const std::vector<CoreSchedule::Segment> segments = cores_.segments(core, origin);
            add(segments.size());
            for (const CoreSchedule::Segment& segment : segments) {
                add_job(segment.job);
                add(segment.left);
                add(segment.waits);
            }
        }
        add_queue(copy_queue_);
        for (const auto& queue : kernel_queues_) add_queue(queue);
        std::vector<std::array<std::int64_t, 5>> running;
        for (MinHeap<Completion> groups = completions_; !groups.empty(); groups.pop()) {
            const Completion& group = groups.top();
            const JobResponse& job = result_.jobs[streams_[group.stream].jobs.front()];
            running.push_back(
                {group.end - origin, job.operation, job.release - origin, group.sm, group.blocks});
        }
        std::sort(running.begin(), running.end());
        for (const auto& group : running) state.insert(state.end(), group.begin(), group.end());
        return state;
    }

    const std::vector<netgen::Operation>& operations_;
    const ScheduleOptions& options_;
    std::vector<std::uint32_t> stream_of_;      // of each operation
    std::vector<std::size_t> queue_of_;         // of each operation: into kernel_queues_
    std::vector<netgen::BlockDemand> demands_;  // of each operation
    std::vector<std::int64_t> core_numbers_;
    CoreSchedule cores_;
    std::vector<std::optional<std::size_t>> open_groups_;  // of each core: its segment in result_.groups
    std::vector<bool> started_;                            // of each job: on its core
    std::vector<netgen::StreamingMultiprocessor> free_;
    std::vector<std::uint32_t> all_sms_;
    std::vector<std::uint32_t> freed_;  // SMs on which blocks ended at this instant, sorted
    std::vector<std::int64_t> taken_;   // scratch, per SM
    std::vector<std::uint32_t> heads_;  // streams whose head is new at this instant
    std::uint32_t shared_streams_ = 0;  // the first streams_; all further ones hold one job each
    std::vector<StreamQueue> streams_;
    std::vector<std::uint32_t> idle_streams_;               // of the further ones
    std::vector<std::deque<std::uint32_t>> kernel_queues_;  // of streams; highest priority first
    std::deque<std::uint32_t> copy_queue_;
    bool copying_ = false;
    std::uint32_t blocked_ = no_index;  // the job that got stuck at the last instant
    MinHeap<Completion> completions_;
    MinHeap<Release> releases_;
    std::optional<netgen::Time> cycle_;
    netgen::Time horizon_ = no_time;
    netgen::Time boundary_ = no_time;
    int boundaries_ = 0;
    std::vector<std::int64_t> last_state_;
    BlockSchedule result_;
};

}  // namespace

std::string describe(HorizonEnd end) {
    switch (end) {
        case HorizonEnd::launched_once:
            return "every kernel is launched once";
        case HorizonEnd::repeats:
            return "the schedule repeats after the hyperperiods considered";
        case HorizonEnd::deadline_miss:
            return "a deadline was missed before the schedule repeated";
        case HorizonEnd::given:
            return "only jobs released before the given horizon were considered";
        case HorizonEnd::hyperperiods:
            return "the schedule did not repeat within the hyperperiods considered";
        case HorizonEnd::job_limit:
            return "the limit of jobs was reached";
    }
    return {};
}

BlockSchedule schedule_blocks(const netgen::TaskSet& tasks, const ScheduleOptions& options) {
    netgen::validate(tasks);
    return Scheduler(tasks, options).run();
}

}  // namespace warpnet::studies
