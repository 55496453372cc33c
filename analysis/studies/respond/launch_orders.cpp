// Three ways to the worst order of launches, the exact ones first. The first tries all orders that keep the
// order of each stream, with identical kernels in one order. The second is a search over prefixes of orders,
// if a completion depends only on the kernels before it. The third is a seeded search by annealing chains,
// one per operation and one for the makespan. It walks across plateaus. Rejected: chains that accept worse
// orders, which find less with few candidates.

#include "analysis/studies/respond/launch_orders.hpp"

#include "analysis/studies/respond/block_schedule.hpp"
#include "analysis/studies/respond/slot_allocation.hpp"
#include "analysis/worst/search/annealing.hpp"
#include "analysis/worst/search/annealing_rounds.hpp"
#include "engine/base/no_index.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet::studies {

netgen::TaskSet reorder(const netgen::TaskSet& tasks, const LaunchOrder& order) {
    netgen::TaskSet result{tasks.gpu, {}, tasks.unit};
    result.operations.reserve(order.size());
    for (const std::uint32_t operation : order) result.operations.push_back(tasks.operations[operation]);
    return result;
}

namespace {

/// The result of one order of launches.
struct LaunchOutcome {
    std::vector<netgen::Time> response;  ///< per operation, of its slowest job
    netgen::Time makespan = 0;
    bool limit_reached = false;  ///< LaunchOrderOptions::max_jobs
};

/// The orders in which the operations of a set may be launched: those that keep the order of each stream.
class LaunchOrderSpace {
  public:
    /// Keeps references to both.
    LaunchOrderSpace(const netgen::TaskSet& tasks, const LaunchOrderOptions& options);

    /// Schedules the blocks.
    LaunchOutcome evaluate(const LaunchOrder& order) const;

    /// Visits every order; of orders that differ only by twins, one. Stops if `visit` returns false.
    template <class Visit>
    bool for_each(Visit&& visit) const {
        LaunchOrder order;
        std::vector<bool> used(size());
        std::uint32_t next = 0;  // the first candidate for the next position that has not been tried
        for (;;) {
            while (next < size() && !may_follow(used, next)) ++next;
            if (next < size()) {
                used[next] = true;
                order.push_back(next);
                next = 0;
                continue;
            }
            if (order.size() == size() && !visit(order)) return false;
            if (order.empty()) return true;
            next = order.back();
            order.pop_back();
            used[next++] = false;
        }
    }

    /// Whether `next` may be launched after those that are `used`; of twins only the first.
    bool may_follow(const std::vector<bool>& used, std::uint32_t next) const {
        return !used[next] && (predecessor_[next] == no_index || used[predecessor_[next]]) &&
               (twin_[next] == no_index || used[twin_[next]]);
    }

    /// Puts operations of one stream back into their order, on the positions they have together.
    void repair(LaunchOrder& order) const;

    /// The response of an operation is that of its twin in the order with the two exchanged.
    void share_among_twins(std::vector<WorstResponse>& worst) const;

    std::size_t size() const noexcept { return twin_.size(); }

  private:
    const netgen::TaskSet& tasks_;
    const LaunchOrderOptions& options_;
    std::vector<std::uint32_t> predecessor_;  // in the stream
    std::vector<std::uint32_t> twin_;         // the last identical operation before it
};

bool same_but_name(netgen::Operation a, const netgen::Operation& b) {
    a.name = b.name;
    return a == b;
}

LaunchOrderSpace::LaunchOrderSpace(const netgen::TaskSet& tasks, const LaunchOrderOptions& options)
    : tasks_(tasks),
      options_(options),
      predecessor_(tasks.operations.size(), no_index),
      twin_(tasks.operations.size(), no_index) {
    std::map<std::int64_t, std::uint32_t> last_in_stream;
    for (std::uint32_t i = 0; i < size(); ++i) {
        const netgen::Operation& operation = tasks.operations[i];
        if (operation.stream) {
            const auto [last, first] = last_in_stream.emplace(*operation.stream, i);
            if (!first) predecessor_[i] = std::exchange(last->second, i);
            continue;
        }
        for (std::uint32_t j = i; j-- > 0 && twin_[i] == no_index;)
            if (same_but_name(operation, tasks.operations[j])) twin_[i] = j;
    }
}

LaunchOutcome LaunchOrderSpace::evaluate(const LaunchOrder& order) const {
    ScheduleOptions options;
    options.policy = options_.policy;
    options.max_jobs = options_.max_jobs;
    const BlockSchedule schedule = schedule_blocks(reorder(tasks_, order), options);
    LaunchOutcome outcome{std::vector<netgen::Time>(size()), schedule.makespan,
                          schedule.end == HorizonEnd::job_limit};
    for (const JobResponse& job : schedule.jobs) {
        netgen::Time& response = outcome.response[order[job.operation]];
        response = std::max(response, job.response());
    }
    return outcome;
}

void LaunchOrderSpace::repair(LaunchOrder& order) const {
    std::map<std::int64_t, std::vector<std::size_t>> positions;
    for (std::size_t i = 0; i < order.size(); ++i)
        if (const auto& stream = tasks_.operations[order[i]].stream) positions[*stream].push_back(i);
    for (auto& [stream, places] : positions) {
        std::vector<std::uint32_t> members;
        for (const std::size_t place : places) members.push_back(order[place]);
        std::sort(members.begin(), members.end());
        for (std::size_t i = 0; i < places.size(); ++i) order[places[i]] = members[i];
    }
}

void LaunchOrderSpace::share_among_twins(std::vector<WorstResponse>& worst) const {
    const auto copy = [&](std::uint32_t from, std::uint32_t to) {
        if (worst[from].response <= worst[to].response) return;
        worst[to] = worst[from];
        for (std::uint32_t& operation : worst[to].order)
            if (operation == from || operation == to) operation = operation == from ? to : from;
    };
    for (std::uint32_t i = 0; i < size(); ++i)
        if (twin_[i] != no_index) copy(twin_[i], i);
    for (std::uint32_t i = static_cast<std::uint32_t>(size()); i-- > 0;)
        if (twin_[i] != no_index) copy(i, twin_[i]);
    for (std::uint32_t i = 0; i < size(); ++i)
        if (twin_[i] != no_index) copy(twin_[i], i);
}

/// Takes the responses of an order that are worse than the known ones.
void keep_worst(WorstOrders& worst, const LaunchOutcome& outcome, const LaunchOrder& order) {
    worst.limit_reached |= outcome.limit_reached;
    for (std::size_t i = 0; i < outcome.response.size(); ++i)
        if (worst.operations[i].order.empty() || outcome.response[i] > worst.operations[i].response) {
            worst.operations[i].response = outcome.response[i];
            worst.operations[i].order = order;
        }
    if (worst.makespan_order.empty() || outcome.makespan > worst.makespan) {
        worst.makespan = outcome.makespan;
        worst.makespan_order = order;
    }
}

/// The operation whose response is searched, and the responses seen in the search.
struct LaunchOrderTarget {
    const LaunchOrderSpace* space;
    std::uint32_t operation;  ///< space->size(): the makespan
    WorstOrders* seen;        ///< of all operations, in every order that was evaluated; by one chain alone
};

/// How the first order of a chain is made.
enum class LaunchStart : std::uint8_t {
    others_first,  ///< the order of the set, with the operation moved to the end
    random,        ///< the other operations shuffled, the operation last
};

/// The Problem (analysis/worst/search/annealing.hpp) of the longest response of one operation, or of the
/// makespan, over all orders of launch: candidates are orders, evaluated by schedule_blocks().
struct LaunchOrders : worst::SimpleProblem<LaunchOrders> {
    using Instance = LaunchOrderTarget;
    using Candidate = LaunchOrder;
    using Value = netgen::Time;
    using Start = LaunchStart;
    static constexpr std::array starts{LaunchStart::others_first};
    static constexpr Start restart = LaunchStart::random;
    static constexpr std::size_t mixtures = 1;
    static constexpr std::uint64_t check_interval = 64;
    static constexpr std::uint64_t shortest_round = 64;
    static constexpr std::uint64_t shortest_stretch = 64;
    static constexpr const char* candidate_name = "order";

    class Worker;

    static Candidate begin(const Instance& instance, const worst::AnnealingOptions& options, Start start,
                           std::uint64_t stream, const WorkLimits& limits = {});
    static std::string_view name_of(Start start) {
        return start == LaunchStart::random ? "random" : "others first";
    }
};

/// Many orders are equally bad, and a chain has few candidates: it walks across plateaus, never back, and
/// leaves local maxima by moves of several exchanges. Temperatures from 0.0005 to 0.02 of the first value
/// found less with 100 to 1,000 candidates per chain.
constexpr double temperature = 0;

/// The natural worst start has all other operations before this one.
LaunchOrder others_first(const LaunchOrderTarget& target) {
    LaunchOrder order(target.space->size());
    std::iota(order.begin(), order.end(), 0U);
    if (target.operation < order.size())
        std::rotate(order.begin() + target.operation, order.begin() + target.operation + 1, order.end());
    return order;
}

LaunchOrder LaunchOrders::begin(const Instance& instance, const worst::AnnealingOptions& options, Start start,
                                std::uint64_t stream, const WorkLimits&) {
    LaunchOrder order = others_first(instance);
    if (start == LaunchStart::random) {
        CounterRandom random(hash_bits(options.seed, stream), instance.operation);
        const std::size_t free = order.size() - (instance.operation < order.size() ? 1 : 0);
        for (std::size_t i = free; i > 1; --i)
            std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
    }
    instance.space->repair(order);
    return order;
}

/// See annealing.hpp.
class LaunchOrders::Worker : public worst::CopyingWorker<Worker, LaunchOrders> {
  public:
    explicit Worker(const Instance& instance) : target_(instance) {}

    /// Two operations exchanged, or one moved; now and then several times at once.
    void change(LaunchOrder& order, CounterRandom& random) const {
        const auto size = static_cast<std::uint32_t>(order.size());
        do {
            const std::uint32_t from = random.below(size);
            const std::uint32_t to = random.below(size);
            if (random.below(2) == 0) {
                std::swap(order[from], order[to]);
            } else {
                const std::uint32_t moved = order[from];
                order.erase(order.begin() + from);
                order.insert(order.begin() + to, moved);
            }
        } while (random.below(4) == 0);
        target_.space->repair(order);
    }
    netgen::Time evaluate(const LaunchOrder& order) {
        const LaunchOutcome outcome = target_.space->evaluate(order);
        keep_worst(*target_.seen, outcome, order);
        return target_.operation < order.size() ? outcome.response[target_.operation] : outcome.makespan;
    }
    static StopReason end() noexcept { return StopReason::dead; }

  private:
    LaunchOrderTarget target_;
};

/// The worst responses seen by one chain for each operation and one for the makespan, in parallel, with
/// LaunchOrderOptions::evaluations divided among them. The answer does not depend on the number of threads.
WorstOrders search_launch_orders(const LaunchOrderSpace& space, const LaunchOrderOptions& options) {
    const std::size_t targets = space.size() + 1;
    const auto of_each = static_cast<std::uint64_t>(
        std::max<std::int64_t>(1, options.evaluations / static_cast<std::int64_t>(targets)));
    std::vector<WorstOrders> found(targets);
    tbb::parallel_for(std::size_t{0}, targets, [&](std::size_t number) {
        WorstOrders& seen = found[number];
        seen.operations.resize(space.size());
        const LaunchOrderTarget target{&space, static_cast<std::uint32_t>(number), &seen};
        worst::SearchOptionsOf<LaunchOrders> search;
        search.chains = 1;
        search.annealing.seed = hash_bits(options.seed, number);
        search.annealing.iterations = of_each - 1;
        search.annealing.temperature = temperature;
        auto state = worst::begin_search<LaunchOrders>(target, search);
        const WorkEnd stop = worst::continue_search(state);
        seen.evaluations = static_cast<std::int64_t>(worst::search_result(state, stop).iterations) + 1;
    });
    WorstOrders worst = std::move(found.front());
    for (std::size_t number = 1; number < targets; ++number) {
        for (std::size_t i = 0; i < space.size(); ++i)
            if (found[number].operations[i].response > worst.operations[i].response)
                worst.operations[i] = std::move(found[number].operations[i]);
        if (found[number].makespan > worst.makespan) {
            worst.makespan = found[number].makespan;
            worst.makespan_order = std::move(found[number].makespan_order);
        }
        worst.evaluations += found[number].evaluations;
        worst.limit_reached |= found[number].limit_reached;
    }
    worst.method = "annealing over launch orders";
    return worst;
}

/// Exact search over prefixes for kernels launched once and together on interchangeable slots: a completion
/// then depends only on the kernels before it.
class PrefixSearch {
  public:
    PrefixSearch(const netgen::TaskSet& tasks, const LaunchOrderSpace& orders, std::int64_t slots,
                 std::int64_t budget)
        : tasks_(tasks), orders_(orders), slots_(slots), budget_(budget), used_(tasks.operations.size()) {
        worst_.operations.resize(tasks.operations.size());
        netgen::Time work = 0;
        for (const netgen::Operation& operation : tasks.operations) work += operation.time * operation.blocks;
        for (std::size_t i = 0; i < tasks.operations.size(); ++i) {
            const netgen::Operation& operation = tasks.operations[i];
            worst_.operations[i].upper = (work - operation.time) / slots + operation.time;
        }
    }

    static bool applies(const netgen::TaskSet& tasks) {
        const netgen::Time release = tasks.operations.front().release;
        return netgen::kernel_priorities(tasks).size() == 1 &&
               std::all_of(tasks.operations.begin(), tasks.operations.end(),
                           [&](const netgen::Operation& operation) {
                               return !operation.period && !operation.stream && operation.release == release;
                           });
    }

    /// Without `exact` the budget was used up; the responses found remain valid.
    WorstOrders search() {
        worst_.exact = extend(SlotAllocator(slots_));
        for (WorstResponse& operation : worst_.operations) {
            fill_up(operation.order);
            const netgen::Time completion = tasks_.operations.front().release + operation.response;
            if (completion <= worst_.makespan) continue;
            worst_.makespan = completion;
            worst_.makespan_order = operation.order;
        }
        worst_.evaluations = evaluations_;
        worst_.method = "all launch orders, by prefixes";
        return std::move(worst_);
    }

  private:
    /// A prefix that is being continued.
    struct Open {
        SlotAllocator state;
        std::uint32_t next;  // to be tried
    };

    /// Depth first. False if the budget was used up.
    bool extend(const SlotAllocator& start) {
        std::vector<Open> open;
        const auto open_up = [&](const SlotAllocator& state) {
            const bool is_new = !hopeless() && seen_.emplace(used_, state).second;
            if (is_new) open.push_back({state, 0});
            return is_new;
        };
        const auto take_back = [&] {
            used_[prefix_.back()] = false;
            prefix_.pop_back();
        };
        open_up(start);
        while (!open.empty()) {
            std::uint32_t& next = open.back().next;
            while (next < used_.size() && !orders_.may_follow(used_, next)) ++next;
            if (next == used_.size()) {
                open.pop_back();
                if (!open.empty()) take_back();
                continue;
            }
            if (++evaluations_ > budget_) return false;
            const std::uint32_t launched = next++;
            const netgen::Operation& operation = tasks_.operations[launched];
            SlotAllocator after = open.back().state;
            const netgen::Time response = after.allocate(0, operation.time, operation.blocks).completion;
            used_[launched] = true;
            prefix_.push_back(launched);
            WorstResponse& worst = worst_.operations[launched];
            if (response > worst.response) {
                worst.response = response;
                worst.order = prefix_;
            }
            if (!open_up(after)) take_back();
        }
        return true;
    }

    /// Whether no remaining operation can exceed the responses found.
    bool hopeless() const {
        for (std::size_t i = 0; i < used_.size(); ++i)
            if (!used_[i] && worst_.operations[i].response < *worst_.operations[i].upper) return false;
        return true;
    }

    void fill_up(LaunchOrder& order) const {
        for (std::uint32_t i = 0; i < used_.size(); ++i)
            if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
    }

    const netgen::TaskSet& tasks_;
    const LaunchOrderSpace& orders_;
    std::int64_t slots_;
    std::int64_t budget_;
    std::int64_t evaluations_ = 0;
    std::vector<bool> used_;
    LaunchOrder prefix_;
    std::set<std::pair<std::vector<bool>, SlotAllocator>> seen_;
    WorstOrders worst_;
};

/// The responses that a search over prefixes found before its budget ran out, and its bounds.
void add_unfinished(WorstOrders& worst, const WorstOrders& by_prefix) {
    worst.evaluations += by_prefix.evaluations;
    for (std::size_t i = 0; i < worst.operations.size(); ++i) {
        worst.operations[i].upper = by_prefix.operations[i].upper;
        if (by_prefix.operations[i].response <= worst.operations[i].response) continue;
        worst.operations[i].response = by_prefix.operations[i].response;
        worst.operations[i].order = by_prefix.operations[i].order;
    }
    if (by_prefix.makespan > worst.makespan) {
        worst.makespan = by_prefix.makespan;
        worst.makespan_order = by_prefix.makespan_order;
    }
}

}  // namespace

WorstOrders worst_launch_orders(const netgen::TaskSet& tasks, const LaunchOrderOptions& options) {
    netgen::validate(tasks);
    const LaunchOrderSpace orders(tasks, options);
    const SlotModel model = slot_model(tasks);
    std::optional<WorstOrders> by_prefix;
    if (model.slots && PrefixSearch::applies(tasks))
        by_prefix = PrefixSearch(tasks, orders, *model.slots, options.evaluations).search();
    WorstOrders worst;
    if (by_prefix && by_prefix->exact) {
        worst = *std::move(by_prefix);
    } else {
        std::int64_t count = 0;
        const bool few = orders.for_each([&](const LaunchOrder&) { return ++count <= options.evaluations; });
        if (few) {
            worst.operations.resize(tasks.operations.size());
            orders.for_each([&](const LaunchOrder& order) {
                keep_worst(worst, orders.evaluate(order), order);
                return true;
            });
            worst.exact = true;
            worst.evaluations = count;
            worst.method = "all launch orders";
        } else {
            worst = search_launch_orders(orders, options);
        }
        if (by_prefix) add_unfinished(worst, *by_prefix);
    }
    orders.share_among_twins(worst.operations);
    if (worst.limit_reached) worst.exact = false;
    if (worst.exact)
        for (WorstResponse& operation : worst.operations) operation.upper = operation.response;
    return worst;
}

}  // namespace warpnet::studies
