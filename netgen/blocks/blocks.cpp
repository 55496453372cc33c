// Kernels, copies and code of a task set as a net. A block of a kernel takes the threads, registers and
// shared memory of an SM as tokens and holds them for its time. Jobs pass the queues of their engine in
// launch order or in order of arrival, as [Amert17] found. All jobs released before a horizon have
// transitions of their own for entering their queue, so the net ends.
//
// Cost: per job one transition into its queue, and a place for its turn in a shared stream. Per operation and
// SM there is a delay gadget for each block that the SM holds at a time. With SmPolicy::most_free there is
// also a choice for each number of free threads that makes a difference. A queue in order of arrival with n
// lanes has n^2 places and n * (n - 1) moves, because its positions must be told apart. A queue in launch
// order needs one place per job, so it is used if all jobs become heads of their streams at once. Time is
// linear in the nodes, and BlocksNetOptions::max_nodes limits them.
//
// Preemption is rejected, because a net cannot interrupt a delay (block_schedule.cpp simulates it). So are
// times that are no multiple of the step: rounded times are those of another task set.

#include "netgen/blocks/blocks.hpp"

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/delay/delay_gadget.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::netgen {
namespace {

// Ids and nodes of the family `blocks`. Names become letters, digits and underscores. If an id then begins
// like another one up to an underscore, all underscores become hyphens, so ids made by appending stay
// distinct. Transitions over the arbiter fire one at a time, in the order of their layers. A limit on nodes
// stops generation before memory does.

/// A NetBuilder with the kinds of nodes of family `blocks`, and a limit on them.
class BlocksNodes : public NetBuilder {
  public:
    BlocksNodes(const std::string& id, std::size_t max_nodes);

    PlaceId place(const std::string& id, Tokens tokens = 0);
    TransitionId timed(const std::string& id);
    TransitionId immediate(const std::string& id);
    /// An immediate transition that shares the token of `arbiter`. It fires only if none of a higher layer
    /// can.
    TransitionId arbitrated(const std::string& id, std::int32_t layer);
    /// A delay gadget ([Gogolinska17] section 4): a token leaves through the returned transition `length`
    /// steps after it came to `wait`.
    TransitionId add_delay(const std::string& id, PlaceId wait, Tokens length);

  private:
    void count_node();

    std::size_t max_nodes_;
    std::size_t nodes_ = 0;
    PlaceId arbiter_;
};

/// Ids that are valid in XML and resemble the names. No id is the prefix of another one up to an underscore,
/// so that ids made by appending to them stay different.
std::vector<std::string> readable_ids(const std::vector<std::string>& names) {
    std::vector<std::string> ids;
    std::set<std::string> taken;
    for (const std::string& name : names) {
        std::string id;
        for (const char c : name) {
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

BlocksNodes::BlocksNodes(const std::string& id, std::size_t max_nodes)
    : NetBuilder(id), max_nodes_(max_nodes), arbiter_(place("arbiter", 1)) {}

PlaceId BlocksNodes::place(const std::string& id, Tokens tokens) {
    count_node();
    return add_place(id, tokens);
}

TransitionId BlocksNodes::timed(const std::string& id) {
    count_node();
    return add_transition(id);
}

TransitionId BlocksNodes::immediate(const std::string& id) {
    const TransitionId transition = timed(id);
    set_immediate(transition);
    return transition;
}

TransitionId BlocksNodes::arbitrated(const std::string& id, std::int32_t layer) {
    const TransitionId transition = immediate(id);
    set_priority(transition, layer);
    add_input(arbiter_, transition);
    add_output(transition, arbiter_);
    return transition;
}

TransitionId BlocksNodes::add_delay(const std::string& id, PlaceId wait, Tokens length) {
    for (int nodes = length > 1 ? 3 : 1; nodes > 0; --nodes) count_node();
    return warpnet::netgen::add_delay(*this, wait, length, {id + "_end", id + "_timer", id + "_tick"});
}

void BlocksNodes::count_node() {
    if (++nodes_ > max_nodes_)
        throw InputError(
            fmt::format("the net would have more than {} places and transitions; fewer jobs, streams or "
                        "SMs make it smaller",
                        max_nodes_));
}

std::vector<std::string> names_of(const TaskSet& tasks) {
    std::vector<std::string> names;
    for (const Operation& operation : tasks.operations) names.push_back(operation.name);
    return names;
}

struct WeightedPlace {
    PlaceId place;
    Tokens weight;
};

/// A place at which blocks of one kernel can run: an SM, the copy engine or a core.
struct Site {
    std::string id;
    std::int64_t slots;                // most blocks of this operation that it holds
    std::vector<WeightedPlace> taken;  // by each block
    std::vector<WeightedPlace> freed;  // by each block: the same, except for kept cores
    std::optional<PlaceId> threads;    // free threads, if the policy reads them
    std::vector<std::int64_t> levels;  // numbers of free threads to distinguish, ascending
    std::size_t sm = 0;
};

/// One engine queue (A1, C1) with the jobs that pass it, in launch order.
struct EngineQueue {
    std::string id;
    std::vector<std::size_t> jobs;  // positions in jobs_
    /// All jobs become heads of their streams at the same time, so the queue's order is launch order.
    bool launch_order = true;
    PlaceId length{};                      // jobs in the queue, the one being assigned included
    std::vector<std::vector<PlaceId>> at;  // [position][lane]: whose job is there
    std::vector<PlaceId> free;             // [position]
};

class BlocksNetBuilder {
  public:
    BlocksNetBuilder(const TaskSet& tasks, const BlocksNetOptions& options)
        : tasks_(tasks),
          options_(options),
          nodes_("blocks", options.max_nodes),
          ids_(readable_ids(names_of(tasks))),
          jobs_(jobs_before(tasks, options.horizon.value_or(release_horizon(tasks)))),
          streams_(dense_streams(tasks)),
          priorities_(kernel_priorities(tasks)),
          cores_(cores_of(tasks)),
          kept_(kept_cores(tasks)) {}

    BlocksNet build() {
        std::vector<std::int64_t> count(tasks_.operations.size());
        for (const Job& job : jobs_) ++count[job.operation];
        // A stream with a single job orders nothing.
        std::unordered_map<std::uint32_t, std::int64_t> jobs_of_stream;
        for (const Job& job : jobs_) ++jobs_of_stream[streams_[job.operation]];
        for (std::uint32_t& stream : streams_)
            if (stream != own_stream && jobs_of_stream[stream] <= 1) stream = own_stream;

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
        result.net = nodes_.build();
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

    // Layers of an instant: a transition with the arbiter fires only if no higher one can.
    std::int32_t pick_layer(std::size_t level, std::size_t sm) const {
        return static_cast<std::int32_t>(level * site_count_ + (site_count_ - sm));
    }
    std::int32_t enter_layer(std::size_t rank) const {
        return static_cast<std::int32_t>(site_count_ * (level_count_ + 1) + 1 + jobs_.size() - rank);
    }
    std::int32_t complete_layer() const { return enter_layer(0) + 1; }

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

    void add_sms() {
        bool shared = false;
        bool registers = false;
        thread_unit_ = 0;
        for (const Operation& operation : tasks_.operations) {
            if (operation.kind != OperationKind::kernel) continue;
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
            threads_.push_back(nodes_.place(id + "_threads", sm.threads));
            block_slots_.push_back(nodes_.place(id + "_blocks", sm.blocks));
            if (shared) shared_.push_back(nodes_.place(id + "_shared", sm.shared));
            if (registers) registers_.push_back(nodes_.place(id + "_registers", sm.registers));
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
            copy_engine_ = nodes_.place("copy_engine", 1);
        for (const std::int64_t core : cores_)
            core_places_.push_back(nodes_.place(fmt::format("core{}", core), 1));
    }

    std::size_t core_of(const Operation& operation) const {
        return static_cast<std::size_t>(std::find(cores_.begin(), cores_.end(), operation.core) -
                                        cores_.begin());
    }

    /// A stream is idle or has a job on the GPU. Its turns are its jobs in launch order.
    void add_streams() {
        turn_.resize(jobs_.size());
        next_turn_.resize(jobs_.size());
        std::unordered_map<std::uint32_t, std::size_t> last;
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            const std::uint32_t stream = streams_[jobs_[i].operation];
            if (stream == own_stream) continue;
            const auto [previous, first] = last.emplace(stream, i);
            const std::string id = stream_id(jobs_[i].operation);
            turn_[i] = nodes_.place(fmt::format("{}_turn_{}", id, job_id(i)), first ? 1 : 0);
            if (first) {
                idle_.emplace(stream, nodes_.place(id + "_idle", 1));
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
        parts.released = nodes_.place(id + "_released", at_once ? 1 : 0);
        parts.assigning = nodes_.place(id + "_assigning");
        parts.unassigned = nodes_.place(id + "_unassigned");
        parts.finished = nodes_.place(id + "_finished");
        parts.done = nodes_.place(id + "_done");
        parts_.push_back(parts);
        if (jobs == 0) return;

        std::optional<TransitionId> first_release;
        if (!at_once) {
            const PlaceId wait = nodes_.place(id + "_release", 1);
            first_release =
                nodes_.add_delay(id + "_release", wait, steps(operation, "release", operation.release));
            nodes_.add_output(*first_release, parts.released);
        }
        if (jobs > 1) {
            const PlaceId wait = nodes_.place(id + "_period", at_once ? 1 : 0);
            if (first_release) nodes_.add_output(*first_release, wait);
            const TransitionId again =
                nodes_.add_delay(id + "_period", wait, steps(operation, "period", *operation.period));
            nodes_.add_output(again, parts.released);
            if (jobs > 2) {
                const PlaceId over = nodes_.place(id + "_period_over");
                const PlaceId left = nodes_.place(id + "_periods_left", jobs - 2);
                const TransitionId next = nodes_.immediate(id + "_period_next");
                nodes_.add_output(again, over);
                nodes_.add_input(over, next);
                nodes_.add_input(left, next);
                nodes_.add_output(next, wait);
            }
        }

        const TransitionId complete = nodes_.arbitrated(id + "_complete", complete_layer());
        nodes_.add_input(parts.finished, complete, operation.blocks);
        nodes_.add_output(complete, parts.done);
        if (streams_[number] != own_stream) nodes_.add_output(complete, idle_.at(streams_[number]));
    }

    /// The queues: one per priority of kernels, highest first, one for copies, one per core, and one for each
    /// segment on a kept core that does not wait. Sets the queue that each operation enters.
    std::vector<EngineQueue> named_queues() {
        std::vector<EngineQueue> queues(priorities_.size() + 1 + cores_.size());
        for (std::size_t i = 0; i < priorities_.size(); ++i)
            queues[i].id = priorities_.size() == 1 ? "kernels" : fmt::format("kernels{}", i + 1);
        queues[priorities_.size()].id = "copies";
        for (std::size_t i = 0; i < cores_.size(); ++i)
            queues[priorities_.size() + 1 + i].id = fmt::format("core{}_segments", cores_[i]);
        for (std::size_t i = 0; i < tasks_.operations.size(); ++i) {
            const Operation& operation = tasks_.operations[i];
            std::size_t queue = priorities_.size();
            if (kept_[i]) {
                queue = queues.size();
                queues.emplace_back().id = ids_[i] + "_kept";
            } else if (operation.kind == OperationKind::cpu) {
                queue += 1 + core_of(operation);
            } else if (operation.kind == OperationKind::kernel) {
                queue = static_cast<std::size_t>(
                    std::find(priorities_.begin(), priorities_.end(), operation.priority) -
                    priorities_.begin());
            }
            queue_of_.push_back(queue);
        }
        return queues;
    }

    void add_queues() {
        std::vector<EngineQueue> queues = named_queues();
        std::unordered_set<std::uint32_t> seen;
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            const std::uint32_t operation = jobs_[i].operation;
            EngineQueue& queue = queues[queue_of_[operation]];
            queue.jobs.push_back(i);
            if (streams_[operation] != own_stream && !seen.insert(streams_[operation]).second)
                queue.launch_order = false;
        }
        for (EngineQueue& queue : queues) {
            lengths_.emplace_back();
            if (queue.jobs.empty()) continue;
            queue.length = nodes_.place(queue.id + "_length");
            lengths_.back() = queue.length;
            if (queue.launch_order)
                add_launch_order_queue(queue);
            else
                add_arrival_order_queue(queue);
        }
        // G3, C3: the job is fully assigned, so the next one may enter.
        for (std::size_t i = 0; i < tasks_.operations.size(); ++i) {
            const EngineQueue& queue = queues[queue_of_[i]];
            const TransitionId leave = nodes_.immediate(ids_[i] + "_assigned");
            nodes_.add_input(parts_[i].assigning, leave);
            nodes_.add_inhibitor(parts_[i].unassigned, leave);
            if (queue.jobs.empty()) continue;
            nodes_.add_input(queue.length, leave);
            if (!queue.launch_order) nodes_.add_output(leave, queue.free.front());
        }
    }

    void begin(TransitionId transition, std::uint32_t operation) {
        nodes_.add_output(transition, parts_[operation].assigning);
        nodes_.add_output(transition, parts_[operation].unassigned, tasks_.operations[operation].blocks);
    }

    /// Takes a job out of its stream (G2, C1).
    void enter(TransitionId transition, std::size_t job) {
        const std::uint32_t operation = jobs_[job].operation;
        nodes_.add_input(parts_[operation].released, transition);
        if (streams_[operation] == own_stream) return;
        nodes_.add_input(idle_.at(streams_[operation]), transition);
        nodes_.add_input(*turn_[job], transition);
        if (next_turn_[job]) nodes_.add_output(transition, *next_turn_[job]);
    }

    void add_launch_order_queue(const EngineQueue& queue) {
        PlaceId turn = nodes_.place(fmt::format("{}_turn_{}", queue.id, job_id(queue.jobs.front())), 1);
        for (std::size_t i = 0; i < queue.jobs.size(); ++i) {
            const std::size_t job = queue.jobs[i];
            const TransitionId transition =
                nodes_.arbitrated(job_id(job) + "_enqueue", enter_layer(jobs_.size()));
            enter(transition, job);
            begin(transition, jobs_[job].operation);
            nodes_.add_inhibitor(queue.length, transition);
            nodes_.add_output(transition, queue.length);
            nodes_.add_input(turn, transition);
            if (i + 1 == queue.jobs.size()) continue;
            turn = nodes_.place(fmt::format("{}_turn_{}", queue.id, job_id(queue.jobs[i + 1])));
            nodes_.add_output(transition, turn);
        }
    }

    /// A shift register with one lane per stream. Jobs enter at the last position and move up to the first
    /// free one. A stream has at most one job in it (G4), so there is a position for each job.
    void add_arrival_order_queue(EngineQueue& queue) {
        std::vector<std::size_t> lane_of_job;
        std::unordered_map<std::uint32_t, std::size_t> lane_of_stream;
        std::size_t lanes = 0;
        std::vector<std::string> lane_ids;
        for (const std::size_t job : queue.jobs) {
            const std::uint32_t operation = jobs_[job].operation;
            const std::uint32_t stream = streams_[operation];
            std::size_t lane = lanes;
            if (stream != own_stream) lane = lane_of_stream.emplace(stream, lanes).first->second;
            lane_of_job.push_back(lane);
            if (lane < lanes) continue;
            ++lanes;
            lane_ids.push_back(stream == own_stream ? job_id(job) : stream_id(operation));
        }
        for (std::size_t position = 0; position < lanes; ++position) {
            queue.free.push_back(nodes_.place(fmt::format("{}_free_{}", queue.id, position + 1), 1));
            queue.at.emplace_back();
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                queue.at[position].push_back(
                    nodes_.place(fmt::format("{}_{}_at_{}", queue.id, lane_ids[lane], position + 1)));
                if (position == 0) continue;
                const TransitionId move =
                    nodes_.immediate(fmt::format("{}_{}_to_{}", queue.id, lane_ids[lane], position));
                nodes_.add_input(queue.at[position][lane], move);
                nodes_.add_input(queue.free[position - 1], move);
                nodes_.add_output(move, queue.at[position - 1][lane]);
                nodes_.add_output(move, queue.free[position]);
            }
        }
        std::unordered_map<std::uint32_t, PlaceId> queued;         // of each operation in a shared stream
        std::unordered_map<std::uint32_t, TransitionId> previous;  // job of each operation without one
        for (std::size_t i = 0; i < queue.jobs.size(); ++i) {
            const std::size_t job = queue.jobs[i];
            const std::uint32_t operation = jobs_[job].operation;
            const std::size_t lane = lane_of_job[i];
            const TransitionId transition = nodes_.arbitrated(job_id(job) + "_enqueue", enter_layer(job));
            enter(transition, job);
            nodes_.add_output(transition, queue.length);
            nodes_.add_input(queue.free.back(), transition);
            nodes_.add_output(transition, queue.at.back()[lane]);

            const bool own = streams_[operation] == own_stream;
            if (own && tasks_.operations[operation].period) {
                const auto [last, none] = previous.emplace(operation, transition);
                const PlaceId turn = nodes_.place(fmt::format("{}_turn", job_id(job)), none ? 1 : 0);
                nodes_.add_input(turn, transition);
                if (!none) nodes_.add_output(std::exchange(last->second, transition), turn);
            }
            const bool first = own || queued.count(operation) == 0;
            if (!own) {
                if (first) queued.emplace(operation, nodes_.place(ids_[operation] + "_queued"));
                nodes_.add_output(transition, queued.at(operation));
            }
            if (!first) continue;
            const TransitionId head = nodes_.immediate((own ? job_id(job) : ids_[operation]) + "_head");
            nodes_.add_input(queue.at.front()[lane], head);
            if (!own) nodes_.add_input(queued.at(operation), head);
            begin(head, operation);
        }
    }

    std::vector<Site> sites_of(std::size_t number) const {
        const Operation& operation = tasks_.operations[number];
        if (operation.kind == OperationKind::copy)
            return {{"copy_engine", 1, {{*copy_engine_, 1}}, {{*copy_engine_, 1}}, {}, {}, 0}};
        if (operation.kind == OperationKind::cpu) {
            Site core{fmt::format("core{}", operation.core), 1, {}, {}, {}, {}, 0};
            const WeightedPlace place{core_places_[core_of(operation)], 1};
            if (!kept_[number]) core.taken.push_back(place);
            if (!operation.keeps_core) core.freed.push_back(place);
            return {core};
        }
        const BlockDemand demand = block_demand(tasks_.gpu, operation);
        // Jobs overlap if each has its own stream.
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
                      {},
                      i};
            if (demand.shared > 0) site.taken.push_back({shared_[i], demand.shared});
            if (demand.registers > 0) site.taken.push_back({registers_[i], demand.registers});
            site.freed = site.taken;
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

    /// Assigns a block of the queue's head to a site (X1, R1-R3, A2). `level`: free threads that the SM
    /// needs. Higher levels are served first.
    void add_pick(std::size_t number, const Site& site, const std::string& id, std::int64_t level,
                  PlaceId target) {
        const std::size_t rank = level == 0 ? 0 : static_cast<std::size_t>(level / thread_unit_);
        const TransitionId pick = nodes_.arbitrated(id + "_pick", pick_layer(rank, site.sm));
        nodes_.add_read(parts_[number].assigning, pick);
        nodes_.add_input(parts_[number].unassigned, pick);
        for (const WeightedPlace& taken : site.taken) nodes_.add_input(taken.place, pick, taken.weight);
        if (level > 0) nodes_.add_read(*site.threads, pick, level);
        if (tasks_.operations[number].kind == OperationKind::kernel)
            for (std::size_t higher = 0; higher < queue_of_[number]; ++higher)
                if (lengths_[higher]) nodes_.add_inhibitor(*lengths_[higher], pick);
        nodes_.add_output(pick, target);
    }

    /// A gadget for each block that the site holds. Returns the place for an assigned block. Blocks of one
    /// kernel end in the order in which they started, so they use the gadgets in turn and always find an
    /// empty one.
    PlaceId add_slots(std::size_t number, const Site& site, const std::string& id, Tokens length) {
        if (site.slots == 1) return add_slot(number, site, id, length);
        const PlaceId picked = nodes_.place(id + "_picked");
        const PlaceId first_turn = nodes_.place(id + "_1_turn", 1);
        PlaceId turn = first_turn;
        for (std::int64_t slot = 1; slot <= site.slots; ++slot) {
            const std::string slot_id = fmt::format("{}_{}", id, slot);
            const TransitionId start = nodes_.immediate(slot_id + "_start");
            nodes_.add_input(picked, start);
            nodes_.add_input(turn, start);
            nodes_.add_output(start, add_slot(number, site, slot_id, length));
            turn = slot == site.slots ? first_turn : nodes_.place(fmt::format("{}_{}_turn", id, slot + 1));
            nodes_.add_output(start, turn);
        }
        return picked;
    }

    PlaceId add_slot(std::size_t number, const Site& site, const std::string& id, Tokens length) {
        const PlaceId wait = nodes_.place(id + "_run");
        const TransitionId end = nodes_.add_delay(id, wait, length);
        for (const WeightedPlace& freed : site.freed) nodes_.add_output(end, freed.place, freed.weight);
        nodes_.add_output(end, parts_[number].finished);
        return wait;
    }

    const TaskSet& tasks_;
    const BlocksNetOptions& options_;
    BlocksNodes nodes_;
    std::vector<std::string> ids_;  // of each operation
    std::vector<Job> jobs_;         // in launch order
    std::vector<std::uint32_t> streams_;
    std::vector<std::int32_t> priorities_;
    std::vector<PlaceId> threads_, block_slots_, shared_, registers_;  // of each SM
    std::optional<PlaceId> copy_engine_;
    std::vector<std::int64_t> cores_;
    std::vector<bool> kept_;  // of each operation: its core is kept for it
    std::vector<PlaceId> core_places_;
    std::int64_t thread_unit_ = 1;
    std::size_t site_count_ = 1;
    std::size_t level_count_ = 0;
    std::unordered_map<std::uint32_t, PlaceId> idle_;       // of each stream
    std::vector<std::optional<PlaceId>> turn_, next_turn_;  // of each job in a stream
    std::vector<Parts> parts_;                              // of each operation
    std::vector<std::size_t> queue_of_;                     // of each operation
    std::vector<std::optional<PlaceId>> lengths_;           // of each queue
};

/// Throws InputError for sets with preemption: a net cannot interrupt a delay.
void refuse_preemption(const TaskSet& tasks) {
    std::unordered_map<std::int64_t, const Operation*> first_on_core;
    for (const Operation& operation : tasks.operations) {
        if (operation.kind != OperationKind::cpu) continue;
        const Operation& first = *first_on_core.emplace(operation.core, &operation).first->second;
        if (first.priority != operation.priority)
            throw InputError(fmt::format(
                "CPU segments '{}' and '{}': the net has no preemption: expected one priority on core {}, "
                "found {} and {}",
                first.name, operation.name, operation.core, first.priority, operation.priority));
    }
}

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
    refuse_preemption(tasks);
    return BlocksNetBuilder(tasks, options).build();
}

}  // namespace warpnet::netgen
