// Bounds on the responses of sporadic jobs, as a holistic analysis in the manner of [Tindell94]. Each engine
// (the SMs, the copy engine, each core) is one queue, which queue_bounds() judges. A bound for an operation
// delays the entry of the next operation of its stream, so it adds to its jitter there. The bounds are
// computed round by round until none changes; the header has the proof.
//
// A job of a task whose bound exceeds its period might wait for the job before it. The stream of the task
// then has no bounds, and the bounds of all other streams assume only that its jobs do not overlap. Cost:
// queue_bounds() per engine and round, at most 10,000 rounds.
//
// The simulation of block_schedule.cpp is no bound here. It judges one pattern of releases until the schedule
// repeats, and sporadic releases have no such pattern. A set whose hyperperiod exceeds longest_time has no
// bound at exactly full load, since its load cannot then be compared without rounding.

#include "analysis/studies/respond/sporadic_bound.hpp"

#include "analysis/studies/respond/slot_allocation.hpp"
#include "netgen/blocks/task_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::studies {
namespace {

// Busy intervals of one queue [Lehoczky90]; queue_bounds() states both inequalities. Only some windows x have
// to be tried: the lengths at which one more job of the same priority can enter, up to the longest busy
// interval. For each window, the end of the busy interval is the least fixed point of the arrived work. The
// iteration jumps to the time at which the work known so far is done. Times are whole. A quotient in floating
// point is rounded up a little, so an error makes a bound too large and never too small. The number of
// evaluations is limited; beyond it there is no bound.

/// Of a bound; beyond it doubles are no whole numbers.
constexpr netgen::Time longest_time = netgen::Time{1} << 50;

/// An operation as its queue sees it. Work is weight times time.
struct QueuedOperation {
    std::int32_t priority = 0;  ///< larger numbers are served first; equal ones in order of entry
    std::optional<netgen::Time> period = {};  ///< absent: one job
    netgen::Time jitter =
        0;            ///< at most floor((x + jitter) / period) + 1 jobs enter within a time x, ends included
    double work = 0;  ///< of a job, as far as other jobs wait for it
    double rate = 0;  ///< most of it that is done in a unit of time
    double own = 0;   ///< work of a job up to the moment that is bounded, such as its last assignment
    double own_rate = 0;      ///< most of it that is done in a unit of time
    netgen::Time rest = 0;    ///< from that moment to its completion
    double carried = 0;       ///< most work that is left when a busy interval of this priority begins
    double running = 0;       ///< most work that is left of running blocks of a lower priority
    double running_rate = 0;  ///< most of that that is done in a unit of time
    bool first = false;       ///< does not wait for other jobs of its priority
    /// Jobs of one stream do not overlap, even of different operations; absent: jobs of this operation may.
    std::optional<std::size_t> stream = {};
};

struct QueueBound {
    std::optional<netgen::Time> time;  ///< from entry to completion, at most
    std::string obstacle;              ///< why there is none
};

constexpr std::int64_t most_work = 50'000'000;  // evaluations of n_j
constexpr int most_limited_rounds = 1000;
constexpr std::size_t most_windows = 1'000'000;
constexpr const char* too_long = "busy intervals are too long to follow";

enum class Load : std::uint8_t { below, equal, above };

double entries(const QueuedOperation& operation, netgen::Time length) {
    if (!operation.period) return 1;
    const netgen::Time periods = (length + operation.jitter) / *operation.period;
    return static_cast<double>(periods + 1);
}

bool whole(double value) { return value == std::floor(value) && value < static_cast<double>(longest_time); }

class Queue {
  public:
    Queue(const std::vector<QueuedOperation>& operations, double full)
        : operations_(operations), full_(full) {}

    std::vector<QueueBound> bounds() {
        std::vector<QueueBound> result(operations_.size());
        std::set<std::int32_t> priorities;
        for (const QueuedOperation& operation : operations_) priorities.insert(operation.priority);
        for (const std::int32_t priority : priorities) {
            begin(priority);
            for (std::size_t i = 0; i < operations_.size(); ++i)
                if (operations_[i].priority == priority) result[i] = bound(operations_[i]);
        }
        return result;
    }

  private:
    using Members = std::vector<const QueuedOperation*>;

    /// Collects the operations above a priority and of that priority, their load on the server, and the
    /// windows to try.
    void begin(std::int32_t priority) {
        above_.clear();
        level_.clear();
        windows_.clear();
        obstacle_.clear();
        for (const QueuedOperation& operation : operations_) {
            if (operation.priority > priority) above_.push_back(&operation);
            if (operation.priority == priority) level_.push_back(&operation);
        }
        Members both = above_;
        both.insert(both.end(), level_.begin(), level_.end());
        in_streams_ = false;
        if (std::any_of(both.begin(), both.end(),
                        [](const QueuedOperation* operation) { return std::isinf(operation->work); })) {
            obstacle_ = "it waits for work that has no bound";
            return;
        }
        if (load_of(above_, hyperperiod_of(above_)) != Load::below) {
            obstacle_ = "work of higher priority takes all the time";
            return;
        }
        in_streams_ = std::all_of(both.begin(), both.end(), [](const QueuedOperation* operation) {
            return operation->stream.has_value();
        });
        const std::optional<netgen::Time> cycle = hyperperiod_of(both);
        if (load_of(both, cycle) == Load::above)
            obstacle_ = fmt::format("work{} arrives at {:.4g} % of the guaranteed service rate",
                                    above_.empty() ? "" : " of this priority and of higher ones",
                                    100 * utilisation_of(both) / full_);
        else
            find_windows(both, cycle);
    }

    static std::optional<netgen::Time> hyperperiod_of(const Members& members) {
        netgen::Time cycle = 1;
        for (const QueuedOperation* operation : members) {
            if (!operation->period) continue;
            const netgen::Time rest = *operation->period / std::gcd(cycle, *operation->period);
            if (rest > longest_time / cycle) return std::nullopt;
            cycle *= rest;
        }
        return cycle;
    }

    static double utilisation_of(const Members& members) {
        double sum = 0;
        for (const QueuedOperation* operation : members)
            if (operation->period) sum += operation->work / static_cast<double>(*operation->period);
        return sum;
    }

    Load load_of(const Members& members, const std::optional<netgen::Time>& cycle) const {
        const double utilisation = utilisation_of(members);
        if (utilisation < full_ * (1 - 1e-9)) return Load::below;
        if (utilisation > full_ * (1 + 1e-9) || !cycle || !whole(full_)) return Load::above;
        __extension__ using Wide = __int128;
        Wide in_cycle = 0;
        for (const QueuedOperation* operation : members) {
            if (!operation->period) continue;
            if (!whole(operation->work)) return Load::above;
            in_cycle += Wide{static_cast<netgen::Time>(operation->work)} * (*cycle / *operation->period);
        }
        const Wide served = Wide{static_cast<netgen::Time>(full_)} * *cycle;
        return in_cycle < served ? Load::below : in_cycle == served ? Load::equal : Load::above;
    }

    /// The work of the operation in question, from a time on.
    struct Own {
        double work = 0;
        double rate = 0;
        netgen::Time from = 0;
    };

    /// The longest t up to which the arrived work keeps the server busy, at least own.from. Times beyond
    /// `most` are not followed. `come(t)` is the work of the other operations, and must not fall with t.
    template <class Come>
    std::optional<netgen::Time> busy_until(const Come& come, const Own& own, netgen::Time most) {
        netgen::Time t = own.from + 1;
        while (t <= most) {
            const double others = come(t);
            double done = (others + own.work) / full_;
            if (own.rate < full_)
                done =
                    std::min(done, (others - own.rate * static_cast<double>(own.from)) / (full_ - own.rate));
            // Rounded up a little: a bound may be too large, never too small.
            done = std::floor(done * (1 + 1e-12) + 1e-9);
            if (done >= static_cast<double>(longest_time)) return std::nullopt;
            if (static_cast<double>(t) > done) break;
            t = static_cast<netgen::Time>(done) + 1;
            if (work_ > most_work) return std::nullopt;
        }
        return std::min(t - 1, most);
    }

    double sum_of(const Members& members, netgen::Time length) {
        double sum = 0;
        for (const QueuedOperation* operation : members) sum += entries(*operation, length) * operation->work;
        work_ += static_cast<std::int64_t>(members.size()) + 1;
        return sum;
    }

    /// Lengths x at which one more job of this priority can enter.
    void find_windows(const Members& both, const std::optional<netgen::Time>& cycle) {
        const double carried = level_.front()->carried;
        const std::optional<netgen::Time> longest = busy_until(
            [&](netgen::Time t) { return carried + sum_of(both, t - 1); }, {}, cycle ? *cycle : longest_time);
        if (!longest) {
            obstacle_ = too_long;
            return;
        }
        windows_.insert(0);
        for (const QueuedOperation* operation : level_) {
            if (!operation->period || operation->work == 0) continue;
            for (netgen::Time x = *operation->period - operation->jitter % *operation->period; x <= *longest;
                 x += *operation->period) {
                windows_.insert(x);
                if (windows_.size() <= most_windows) continue;
                obstacle_ = too_long;
                return;
            }
        }
    }

    QueueBound bound(const QueuedOperation& operation) {
        std::optional<netgen::Time> least;
        if (obstacle_.empty()) least = by_windows(operation);
        if (const auto other = in_streams_ ? by_streams(operation) : std::nullopt)
            least = std::min(least.value_or(*other), *other);
        if (!least) return {{}, obstacle_.empty() ? too_long : obstacle_};
        return {*least + operation.rest, {}};
    }

    std::optional<netgen::Time> by_windows(const QueuedOperation& operation) {
        netgen::Time longest = 0;
        for (const netgen::Time x : windows_) {
            const double level = operation.first ? 0 : sum_of(level_, x) - operation.work;
            const double entered = operation.carried + level;
            const std::optional<netgen::Time> until =
                busy_until([&](netgen::Time t) { return entered + sum_of(above_, t - 1); },
                           {operation.own, operation.own_rate, x}, longest_time);
            if (!until) return std::nullopt;
            longest = std::max(longest, *until - x);
            if (operation.first) break;
        }
        return longest;
    }

    /// The operations of a stream that are not below a priority.
    struct Stream {
        double largest = 0;
        double rate = 0;
        Members above;
    };

    std::optional<netgen::Time> by_streams(const QueuedOperation& operation) {
        std::map<std::size_t, Stream> streams;
        const auto add = [&](const Members& members, bool above) {
            for (const QueuedOperation* other : members) {
                if (other->stream == operation.stream) continue;
                Stream& stream = streams[*other->stream];
                stream.largest = std::max(stream.largest, other->work);
                stream.rate = std::max(stream.rate, other->rate);
                if (above) stream.above.push_back(other);
            }
        };
        add(above_, true);
        if (!operation.first) add(level_, false);
        // If rates nearly fill the server, many rounds are needed to show that they do not. Assuming that
        // they do is safe.
        int rounds = 0;
        const auto come = [&](netgen::Time t) {
            const auto time = static_cast<double>(t);
            const bool limited = ++rounds < most_limited_rounds;
            const auto least = [&](double work, double rate) {
                return limited ? std::min(work, rate * time) : work;
            };
            double sum = least(operation.running, operation.running_rate);
            for (const auto& [number, stream] : streams)
                sum += least(stream.largest + sum_of(stream.above, t - 1), stream.rate);
            return sum;
        };
        return busy_until(come, {operation.own, operation.own_rate, 0}, longest_time);
    }

    const std::vector<QueuedOperation>& operations_;
    double full_;
    Members above_, level_;
    std::set<netgen::Time> windows_;
    std::string obstacle_;
    bool in_streams_ = false;
    std::int64_t work_ = 0;
};

/// Bounds for all operations of one queue that is served at a rate of at least `full` whenever an operation
/// of the priority in question waits ([Lehoczky90]'s busy intervals, with whole times).
///
/// Let a job of priority p enter at r and reach the moment in question at d, and let [s, d), s <= r, be
/// served at that rate, only with work of p and above and work carried in at s. With x = r - s and n_j(x) the
/// most jobs of j that enter within x, every t up to d - s fulfils
///
///     full * t <= carried + sum_{j above p} n_j(t - 1) work_j
///               + sum_{j of p} n_j(x) work_j - work_i + min(own_i, own_rate_i * max(0, t - x)),
///
/// since jobs that enter at s + t or later have no effect before. So d - s is less than the first t > x that
/// violates this, and x is at most the length of a busy interval of p and above. Let H be their hyperperiod.
/// If their utilisation is at most `full`, x < H is enough: both sides grow by at most full * H from x and t
/// to x + H and t + H. With a higher utilisation there is no such bound. With exactly `full` there is one if
/// all work is whole.
///
/// If all operations of p and above are in streams, there is a second bound at any utilisation. From r on
/// each stream has at most one job, so every t up to d - r fulfils
///
///     full * t <= min(running, running_rate * t) + min(own_i, own_rate_i * t)
///               + sum over other streams of min(their largest work + that of those above p that enter
///                                               within t - 1, their largest rate * t).
///
/// If this fails for t = 1, nothing waits: all work that can be present at once has room.
///
/// The result is the lesser of the two bounds.
///
/// O(operations^2 * entries in a busy interval), given up beyond a fixed number of them.
std::vector<QueueBound> queue_bounds(const std::vector<QueuedOperation>& operations, double full) {
    return Queue(operations, full).bounds();
}

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
            "periods are minimum times between releases; first releases and the order of simultaneous "
            "releases are arbitrary";
        for (const Engine& engine : engines_)
            if (!engine.model.empty()) result.argument += "; " + engine.model;
        if (!settle()) reason_.assign(reason_.size(), "the iteration of the bounds does not converge");
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
