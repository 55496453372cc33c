#include "netgen/blocks.hpp"

#include "engine/error.hpp"
#include "engine/net_builder.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace warpnet {
namespace {

/// XML ids that still read like the names. No id is another one's beginning up to an underscore, so that ids
/// made by appending to them stay apart.
std::vector<std::string> readable_ids(const TaskSet& tasks) {
    std::vector<std::string> ids;
    std::set<std::string> taken;
    for (const Operation& operation : tasks.operations) {
        std::string id;
        for (const char c : operation.name) {
            const bool plain = c >= 0 && std::isalnum(static_cast<unsigned char>(c)) != 0;
            id.push_back(plain ? c : '_');
        }
        if (std::isalpha(static_cast<unsigned char>(id.front())) == 0) id = fmt::format("k{}", id);
        const std::string base = id;
        for (int copy = 2; !taken.insert(id).second; ++copy) id = fmt::format("{}_{}", base, copy);
        ids.push_back(id);
    }
    const bool ambiguous = std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
        const auto next = taken.lower_bound(id + '_');
        return next != taken.end() && next->compare(0, id.size() + 1, id + '_') == 0;
    });
    if (ambiguous)
        for (std::string& id : ids) std::replace(id.begin(), id.end(), '_', '-');
    return ids;
}

struct WeightedPlace {
    PlaceId place;
    Tokens weight;
};

/// Where blocks of one kernel can run: an SM, or the copy engine.
struct Site {
    std::string id;
    std::int64_t slots;                // blocks of this operation it holds at most
    std::vector<WeightedPlace> taken;  // by each block
    std::optional<PlaceId> threads;    // free threads, where the policy reads them
    std::vector<std::int64_t> levels;  // free threads to tell apart, ascending; empty: none
    std::size_t sm = 0;
};

/// One engine queue (A1, C1) with the jobs that pass it, in launch order.
struct EngineQueue {
    std::string id;
    std::vector<std::size_t> jobs;  // positions in jobs_
    /// All jobs head their streams at once, so the queue's order is launch order.
    bool launch_order = true;
    PlaceId length{};                      // jobs in the queue, the one being assigned included
    std::vector<std::vector<PlaceId>> at;  // [position][lane]: who stands where
    std::vector<PlaceId> free;             // [position]
    std::unordered_map<std::uint32_t, std::size_t> lane_of_stream;
};

class BlocksNetBuilder {
  public:
    BlocksNetBuilder(const TaskSet& tasks, const BlocksNetOptions& options)
        : tasks_(tasks),
          options_(options),
          builder_("blocks"),
          ids_(readable_ids(tasks)),
          jobs_(jobs_before(tasks, options.horizon.value_or(release_horizon(tasks)))),
          streams_(dense_streams(tasks)),
          priorities_(kernel_priorities(tasks)) {}

    BlocksNet build() {
        std::vector<std::int64_t> count(tasks_.operations.size());
        for (const Job& job : jobs_) ++count[job.operation];
        // A stream that sees one job only orders nothing.
        std::unordered_map<std::uint32_t, std::int64_t> jobs_of_stream;
        for (const Job& job : jobs_) ++jobs_of_stream[streams_[job.operation]];
        for (std::uint32_t& stream : streams_)
            if (stream != own_stream && jobs_of_stream[stream] <= 1) stream = own_stream;

        arbiter_ = place("arbiter", 1);
        add_sms();
        add_streams();
        BlocksNet result;
        for (std::size_t i = 0; i < tasks_.operations.size(); ++i) {
            add_operation(i, count[i]);
            result.done.push_back(parts_[i].done);
        }
        add_queues();
        for (std::size_t i = 0; i < tasks_.operations.size(); ++i) add_sites(i);
        result.jobs = std::move(count);
        result.step = options_.step;
        result.net = builder_.build();
        return result;
    }

  private:
    struct Parts {
        PlaceId released;    // jobs in the stream
        PlaceId assigning;   // one job, at the head of its queue
        PlaceId unassigned;  // its blocks
        PlaceId finished;    // blocks
        PlaceId done;        // jobs
    };

    // Layers of an instant: a transition with the arbiter goes only when no higher one can.
    std::int32_t pick_layer(std::size_t level, std::size_t sm) const {
        return static_cast<std::int32_t>(level * site_count_ + (site_count_ - sm));
    }
    std::int32_t enter_layer(std::size_t rank) const {
        return static_cast<std::int32_t>(site_count_ * (level_count_ + 1) + 1 + jobs_.size() - rank);
    }
    std::int32_t complete_layer() const { return enter_layer(0) + 1; }

    PlaceId place(const std::string& id, Tokens tokens = 0) {
        count_node();
        return builder_.add_place(id, tokens);
    }

    TransitionId timed(const std::string& id) {
        count_node();
        return builder_.add_transition(id);
    }

    TransitionId immediate(const std::string& id) {
        const TransitionId transition = timed(id);
        builder_.set_immediate(transition);
        return transition;
    }

    TransitionId arbitrated(const std::string& id, std::int32_t layer) {
        const TransitionId transition = immediate(id);
        builder_.set_priority(transition, layer);
        builder_.add_input(arbiter_, transition);
        builder_.add_output(transition, arbiter_);
        return transition;
    }

    void count_node() {
        if (++nodes_ > options_.max_nodes)
            throw InputError(
                fmt::format("the net would have more than {} places and transitions; fewer jobs, streams "
                            "or SMs make it smaller",
                            options_.max_nodes));
    }

    Tokens steps(const Operation& operation, const char* what, Time time) const {
        if (time % options_.step != 0)
            throw InputError(fmt::format("'{}': expected a {} that is a multiple of the step {}, found {}",
                                         operation.name, what, options_.step, time));
        if (time / options_.step > 0x7fffffff)
            throw InputError(
                fmt::format("'{}': expected a {} below 2^31 steps of {}, found {}; the times allow steps "
                            "of {}",
                            operation.name, what, options_.step, time, common_time(tasks_)));
        return time / options_.step;
    }

    /// MODELS section 0: a token leaves through the returned transition `length` steps after it came to
    /// `wait`.
    TransitionId add_delay(const std::string& id, PlaceId wait, Tokens length) {
        const TransitionId done = timed(id + "_end");
        builder_.add_input(wait, done, length);
        if (length > 1) {
            const PlaceId timer = place(id + "_timer", length - 1);
            const TransitionId tick = timed(id + "_tick");
            builder_.add_input(wait, tick);
            builder_.add_input(timer, tick);
            builder_.add_output(tick, wait, 2);
            builder_.add_output(done, timer, length - 1);
        }
        return done;
    }

    void add_sms() {
        bool shared = false;
        bool registers = false;
        thread_unit_ = 0;
        for (const Operation& operation : tasks_.operations) {
            if (operation.kind == OperationKind::copy) continue;
            const BlockDemand demand = block_demand(tasks_.gpu, operation);
            shared |= demand.shared > 0;
            registers |= demand.registers > 0;
            thread_unit_ = std::gcd(thread_unit_, demand.threads);
        }
        std::int64_t most_threads = 0;
        for (std::size_t i = 0; i < tasks_.gpu.sms.size(); ++i) {
            const StreamingMultiprocessor& sm = tasks_.gpu.sms[i];
            const std::string id = fmt::format("sm{}", i);
            thread_unit_ = std::gcd(thread_unit_, sm.threads);
            most_threads = std::max(most_threads, sm.threads);
            threads_.push_back(place(id + "_threads", sm.threads));
            block_slots_.push_back(place(id + "_blocks", sm.blocks));
            if (shared) shared_.push_back(place(id + "_shared", sm.shared));
            if (registers) registers_.push_back(place(id + "_registers", sm.registers));
        }
        site_count_ = tasks_.gpu.sms.size();
        level_count_ = options_.policy == SmPolicy::most_free
                           ? static_cast<std::size_t>(most_threads / thread_unit_)
                           : 0;
        if (site_count_ * (level_count_ + 1) + jobs_.size() > 0x7ffffff0)
            throw InputError(
                "the net would need more than 2^31 priorities; fewer jobs or SMs make it smaller");
        if (std::any_of(tasks_.operations.begin(), tasks_.operations.end(),
                        [](const Operation& operation) { return operation.kind == OperationKind::copy; }))
            copy_engine_ = place("copy_engine", 1);
    }

    /// A stream is idle or has a job on the GPU; turns are its jobs in launch order.
    void add_streams() {
        turn_.resize(jobs_.size());
        next_turn_.resize(jobs_.size());
        std::unordered_map<std::uint32_t, std::size_t> last;
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            const std::uint32_t stream = streams_[jobs_[i].operation];
            if (stream == own_stream) continue;
            const auto [previous, first] = last.emplace(stream, i);
            const std::int64_t number = *tasks_.operations[jobs_[i].operation].stream;
            const std::string id =
                number < 0 ? fmt::format("stream_m{}", -number) : fmt::format("stream{}", number);
            turn_[i] = place(fmt::format("{}_turn_{}", id, job_id(i)), first ? 1 : 0);
            if (first) {
                idle_.emplace(stream, place(id + "_idle", 1));
            } else {
                next_turn_[previous->second] = turn_[i];
                previous->second = i;
            }
        }
    }

    std::string stream_id(std::uint32_t operation) const {
        return fmt::format("stream{}", *tasks_.operations[operation].stream);
    }

    std::string job_id(std::size_t job) const {
        const Job& it = jobs_[job];
        return tasks_.operations[it.operation].period ? fmt::format("{}_{}", ids_[it.operation], it.index + 1)
                                                      : ids_[it.operation];
    }

    void add_operation(std::size_t number, std::int64_t jobs) {
        const Operation& operation = tasks_.operations[number];
        const std::string& id = ids_[number];
        Parts parts{};
        const bool at_once = operation.release == 0 && jobs > 0;
        parts.released = place(id + "_released", at_once ? 1 : 0);
        parts.assigning = place(id + "_assigning");
        parts.unassigned = place(id + "_unassigned");
        parts.finished = place(id + "_finished");
        parts.done = place(id + "_done");
        parts_.push_back(parts);
        if (jobs == 0) return;

        std::optional<TransitionId> first_release;
        if (!at_once) {
            const PlaceId wait = place(id + "_release", 1);
            first_release = add_delay(id + "_release", wait, steps(operation, "release", operation.release));
            builder_.add_output(*first_release, parts.released);
        }
        if (jobs > 1) {
            const PlaceId wait = place(id + "_period", at_once ? 1 : 0);
            if (first_release) builder_.add_output(*first_release, wait);
            const TransitionId again =
                add_delay(id + "_period", wait, steps(operation, "period", *operation.period));
            builder_.add_output(again, parts.released);
            if (jobs > 2) {
                const PlaceId over = place(id + "_period_over");
                const PlaceId left = place(id + "_periods_left", jobs - 2);
                const TransitionId next = immediate(id + "_period_next");
                builder_.add_output(again, over);
                builder_.add_input(over, next);
                builder_.add_input(left, next);
                builder_.add_output(next, wait);
            }
        }

        const TransitionId complete = arbitrated(id + "_complete", complete_layer());
        builder_.add_input(parts.finished, complete, operation.blocks);
        builder_.add_output(complete, parts.done);
        if (streams_[number] != own_stream) builder_.add_output(complete, idle_.at(streams_[number]));
    }

    void add_queues() {
        std::vector<EngineQueue> queues(priorities_.size() + 1);  // the last: copies
        for (std::size_t i = 0; i < priorities_.size(); ++i)
            queues[i].id = priorities_.size() == 1 ? "kernels" : fmt::format("kernels{}", i + 1);
        queues.back().id = "copies";
        for (const Operation& operation : tasks_.operations)
            queue_of_.push_back(
                operation.kind == OperationKind::copy
                    ? priorities_.size()
                    : static_cast<std::size_t>(
                          std::find(priorities_.begin(), priorities_.end(), operation.priority) -
                          priorities_.begin()));
        std::unordered_set<std::uint32_t> seen;
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            const std::uint32_t operation = jobs_[i].operation;
            EngineQueue& queue = queues[queue_of_[operation]];
            queue.jobs.push_back(i);
            if (streams_[operation] != own_stream && !seen.insert(streams_[operation]).second)
                queue.launch_order = false;
        }
        for (EngineQueue& queue : queues) {
            queue.length = queue.jobs.empty() ? PlaceId{} : place(queue.id + "_length");
            lengths_.push_back(queue.length);
            if (queue.jobs.empty()) continue;
            if (queue.launch_order)
                add_launch_order_queue(queue);
            else
                add_arrival_order_queue(queue);
        }
        // G3, C3: fully assigned, so the next may come.
        for (std::size_t i = 0; i < tasks_.operations.size(); ++i) {
            const EngineQueue& queue = queues[queue_of_[i]];
            const TransitionId leave = immediate(ids_[i] + "_assigned");
            builder_.add_input(parts_[i].assigning, leave);
            builder_.add_inhibitor(parts_[i].unassigned, leave);
            if (queue.jobs.empty()) continue;
            builder_.add_input(queue.length, leave);
            if (!queue.launch_order) builder_.add_output(leave, queue.free.front());
        }
    }

    void begin(TransitionId transition, std::uint32_t operation) {
        builder_.add_output(transition, parts_[operation].assigning);
        builder_.add_output(transition, parts_[operation].unassigned, tasks_.operations[operation].blocks);
    }

    /// Takes a job out of its stream (G2, C1).
    void enter(TransitionId transition, std::size_t job) {
        const std::uint32_t operation = jobs_[job].operation;
        builder_.add_input(parts_[operation].released, transition);
        if (streams_[operation] == own_stream) return;
        builder_.add_input(idle_.at(streams_[operation]), transition);
        builder_.add_input(*turn_[job], transition);
        if (next_turn_[job]) builder_.add_output(transition, *next_turn_[job]);
    }

    void add_launch_order_queue(const EngineQueue& queue) {
        PlaceId turn = place(fmt::format("{}_turn_{}", queue.id, job_id(queue.jobs.front())), 1);
        for (std::size_t i = 0; i < queue.jobs.size(); ++i) {
            const std::size_t job = queue.jobs[i];
            const TransitionId transition = arbitrated(job_id(job) + "_enqueue", enter_layer(jobs_.size()));
            enter(transition, job);
            begin(transition, jobs_[job].operation);
            builder_.add_inhibitor(queue.length, transition);
            builder_.add_output(transition, queue.length);
            builder_.add_input(turn, transition);
            if (i + 1 == queue.jobs.size()) continue;
            turn = place(fmt::format("{}_turn_{}", queue.id, job_id(queue.jobs[i + 1])));
            builder_.add_output(transition, turn);
        }
    }

    /// A shift register with one lane a stream: jobs enter at the last position and move up to the first free
    /// one. A stream has at most one job in it (G4), so there is a position for everybody.
    void add_arrival_order_queue(EngineQueue& queue) {
        std::vector<std::size_t> lane_of_job;
        std::size_t lanes = 0;
        std::vector<std::string> lane_ids;
        for (const std::size_t job : queue.jobs) {
            const std::uint32_t operation = jobs_[job].operation;
            const std::uint32_t stream = streams_[operation];
            std::size_t lane = lanes;
            if (stream != own_stream) lane = queue.lane_of_stream.emplace(stream, lanes).first->second;
            lane_of_job.push_back(lane);
            if (lane < lanes) continue;
            ++lanes;
            lane_ids.push_back(stream == own_stream ? job_id(job) : stream_id(operation));
        }
        for (std::size_t position = 0; position < lanes; ++position) {
            queue.free.push_back(place(fmt::format("{}_free_{}", queue.id, position + 1), 1));
            queue.at.emplace_back();
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                queue.at[position].push_back(
                    place(fmt::format("{}_{}_at_{}", queue.id, lane_ids[lane], position + 1)));
                if (position == 0) continue;
                const TransitionId move =
                    immediate(fmt::format("{}_{}_to_{}", queue.id, lane_ids[lane], position));
                builder_.add_input(queue.at[position][lane], move);
                builder_.add_input(queue.free[position - 1], move);
                builder_.add_output(move, queue.at[position - 1][lane]);
                builder_.add_output(move, queue.free[position]);
            }
        }
        std::unordered_map<std::uint32_t, PlaceId> queued;         // of each operation in a shared stream
        std::unordered_map<std::uint32_t, TransitionId> previous;  // job of each operation without one
        for (std::size_t i = 0; i < queue.jobs.size(); ++i) {
            const std::size_t job = queue.jobs[i];
            const std::uint32_t operation = jobs_[job].operation;
            const std::size_t lane = lane_of_job[i];
            const TransitionId transition = arbitrated(job_id(job) + "_enqueue", enter_layer(job));
            enter(transition, job);
            builder_.add_output(transition, queue.length);
            builder_.add_input(queue.free.back(), transition);
            builder_.add_output(transition, queue.at.back()[lane]);

            const bool own = streams_[operation] == own_stream;
            if (own && tasks_.operations[operation].period) {
                const auto [last, none] = previous.emplace(operation, transition);
                const PlaceId turn = place(fmt::format("{}_turn", job_id(job)), none ? 1 : 0);
                builder_.add_input(turn, transition);
                if (!none) builder_.add_output(std::exchange(last->second, transition), turn);
            }
            const bool first = own || queued.count(operation) == 0;
            if (!own) {
                if (first) queued.emplace(operation, place(ids_[operation] + "_queued"));
                builder_.add_output(transition, queued.at(operation));
            }
            if (!first) continue;
            const TransitionId head = immediate((own ? job_id(job) : ids_[operation]) + "_head");
            builder_.add_input(queue.at.front()[lane], head);
            if (!own) builder_.add_input(queued.at(operation), head);
            begin(head, operation);
        }
    }

    std::vector<Site> sites_of(std::size_t number) const {
        const Operation& operation = tasks_.operations[number];
        if (operation.kind == OperationKind::copy)
            return {{"copy_engine", 1, {{*copy_engine_, 1}}, {}, {}, 0}};
        const BlockDemand demand = block_demand(tasks_.gpu, operation);
        // Jobs overlap where each has a stream of its own.
        const bool overlapping = operation.period && streams_[number] == own_stream;
        std::vector<Site> sites;
        for (std::size_t i = 0; i < tasks_.gpu.sms.size(); ++i) {
            std::int64_t slots = room_for(demand, tasks_.gpu.sms[i]);
            if (slots == 0) continue;
            if (!overlapping) slots = std::min(slots, operation.blocks);
            Site site{fmt::format("sm{}", i),
                      slots,
                      {{threads_[i], demand.threads}, {block_slots_[i], 1}},
                      {},
                      {},
                      i};
            if (demand.shared > 0) site.taken.push_back({shared_[i], demand.shared});
            if (demand.registers > 0) site.taken.push_back({registers_[i], demand.registers});
            if (options_.policy == SmPolicy::most_free && tasks_.gpu.sms.size() > 1) {
                site.threads = threads_[i];
                for (std::int64_t level = demand.threads; level <= tasks_.gpu.sms[i].threads;
                     level += thread_unit_)
                    site.levels.push_back(level);
            }
            sites.push_back(std::move(site));
        }
        return sites;
    }

    void add_sites(std::size_t number) {
        const Operation& operation = tasks_.operations[number];
        const Tokens length = steps(operation, "time", operation.time);
        for (const Site& site : sites_of(number)) {
            const std::string id = fmt::format("{}_{}", ids_[number], site.id);
            const PlaceId target = add_slots(number, site, id, length);
            if (site.levels.empty()) add_pick(number, site, id, 0, target);
            for (const std::int64_t level : site.levels)
                add_pick(number, site, fmt::format("{}_free{}", id, level), level, target);
        }
    }

    /// Assigns a block of the queue's head to a site (X1, R1-R3, A2). `level`: free threads that the SM must
    /// have; the more, the sooner it is served.
    void add_pick(std::size_t number, const Site& site, const std::string& id, std::int64_t level,
                  PlaceId target) {
        const std::size_t rank = level == 0 ? 0 : static_cast<std::size_t>(level / thread_unit_);
        const TransitionId pick = arbitrated(id + "_pick", pick_layer(rank, site.sm));
        builder_.add_read(parts_[number].assigning, pick);
        builder_.add_input(parts_[number].unassigned, pick);
        for (const WeightedPlace& taken : site.taken) builder_.add_input(taken.place, pick, taken.weight);
        if (level > 0) builder_.add_read(*site.threads, pick, level);
        if (tasks_.operations[number].kind == OperationKind::kernel)
            for (std::size_t higher = 0; higher < queue_of_[number]; ++higher)
                if (queue_used(higher)) builder_.add_inhibitor(lengths_[higher], pick);
        builder_.add_output(pick, target);
    }

    bool queue_used(std::size_t queue) const {
        return std::any_of(jobs_.begin(), jobs_.end(),
                           [&](const Job& job) { return queue_of_[job.operation] == queue; });
    }

    /// A gadget for each block that the site holds; returns where a block that was assigned goes. Blocks of
    /// one kernel end in the order in which they started, so they take the gadgets in turn and find them
    /// empty.
    PlaceId add_slots(std::size_t number, const Site& site, const std::string& id, Tokens length) {
        if (site.slots == 1) return add_slot(number, site, id, length);
        const PlaceId picked = place(id + "_picked");
        const PlaceId first_turn = place(id + "_1_turn", 1);
        PlaceId turn = first_turn;
        for (std::int64_t slot = 1; slot <= site.slots; ++slot) {
            const std::string slot_id = fmt::format("{}_{}", id, slot);
            const TransitionId start = immediate(slot_id + "_start");
            builder_.add_input(picked, start);
            builder_.add_input(turn, start);
            builder_.add_output(start, add_slot(number, site, slot_id, length));
            turn = slot == site.slots ? first_turn : place(fmt::format("{}_{}_turn", id, slot + 1));
            builder_.add_output(start, turn);
        }
        return picked;
    }

    PlaceId add_slot(std::size_t number, const Site& site, const std::string& id, Tokens length) {
        const PlaceId wait = place(id + "_run");
        const TransitionId end = add_delay(id, wait, length);
        for (const WeightedPlace& taken : site.taken) builder_.add_output(end, taken.place, taken.weight);
        builder_.add_output(end, parts_[number].finished);
        return wait;
    }

    const TaskSet& tasks_;
    const BlocksNetOptions& options_;
    NetBuilder builder_;
    std::vector<std::string> ids_;  // of each operation
    std::vector<Job> jobs_;         // in launch order
    std::vector<std::uint32_t> streams_;
    std::vector<std::int32_t> priorities_;
    std::size_t nodes_ = 0;
    PlaceId arbiter_{};
    std::vector<PlaceId> threads_, block_slots_, shared_, registers_;  // of each SM
    std::optional<PlaceId> copy_engine_;
    std::int64_t thread_unit_ = 1;
    std::size_t site_count_ = 1;
    std::size_t level_count_ = 0;
    std::unordered_map<std::uint32_t, PlaceId> idle_;       // of each stream
    std::vector<std::optional<PlaceId>> turn_, next_turn_;  // of each job in a stream
    std::vector<Parts> parts_;                              // of each operation
    std::vector<std::size_t> queue_of_;                     // of each operation
    std::vector<PlaceId> lengths_;                          // of each queue
};

}  // namespace

Time common_time(const TaskSet& tasks) {
    Time common = 0;
    for (const Operation& operation : tasks.operations) {
        common = std::gcd(common, operation.time);
        common = std::gcd(common, operation.release);
        if (operation.period) common = std::gcd(common, *operation.period);
    }
    return std::max<Time>(common, 1);
}

BlocksNet blocks_net(const TaskSet& tasks, const BlocksNetOptions& options) {
    validate(tasks);
    if (options.step < 1)
        throw InputError(fmt::format("expected a step of at least 1, found {}", options.step));
    return BlocksNetBuilder(tasks, options).build();
}

}  // namespace warpnet
