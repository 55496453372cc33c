#include "analysis/respond/launch_orders.hpp"

#include "analysis/respond/block_schedule.hpp"
#include "analysis/respond/slot_allocation.hpp"
#include "engine/base/random.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <tbb/parallel_for.h>

namespace warpnet {
namespace {

/// What an order led to, per operation and for the whole.
struct Outcome {
    std::vector<Time> response;
    Time makespan = 0;
    bool limit_reached = false;
};

class Orders {
  public:
    Orders(const TaskSet& tasks, const LaunchOrderOptions& options)
        : tasks_(tasks), options_(options), size_(tasks.operations.size()) {
        std::map<std::int64_t, std::uint32_t> last_in_stream;
        predecessor_.assign(size_, none);
        twin_.assign(size_, none);
        for (std::uint32_t i = 0; i < size_; ++i) {
            const Operation& operation = tasks.operations[i];
            if (operation.stream) {
                const auto [last, first] = last_in_stream.emplace(*operation.stream, i);
                if (!first) predecessor_[i] = std::exchange(last->second, i);
                continue;
            }
            for (std::uint32_t j = i; j-- > 0 && twin_[i] == none;)
                if (same_but_name(operation, tasks.operations[j])) twin_[i] = j;
        }
    }

    Outcome evaluate(const LaunchOrder& order) const {
        ScheduleOptions options;
        options.policy = options_.policy;
        options.max_jobs = options_.max_jobs;
        const BlockSchedule schedule = schedule_blocks(reorder(tasks_, order), options);
        Outcome outcome{std::vector<Time>(size_), schedule.makespan, schedule.end == HorizonEnd::job_limit};
        for (const JobResponse& job : schedule.jobs) {
            Time& response = outcome.response[order[job.operation]];
            response = std::max(response, job.response());
        }
        return outcome;
    }

    /// Every order that keeps streams, of orders that differ by twins only one. Stops where `visit` says
    /// false.
    template <class Visit>
    bool for_each(Visit&& visit) const {
        LaunchOrder order;
        std::vector<bool> used(size_);
        return extend(order, used, visit);
    }

    bool may_follow(const std::vector<bool>& used, std::uint32_t next) const {
        return !used[next] && (predecessor_[next] == none || used[predecessor_[next]]) &&
               (twin_[next] == none || used[twin_[next]]);
    }

    /// Puts operations of one stream back into their order, on the positions they have together.
    void repair(LaunchOrder& order) const {
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

    /// What holds for an operation holds for its twin, in the order with the two exchanged.
    void share_among_twins(std::vector<WorstResponse>& worst) const {
        const auto copy = [&](std::uint32_t from, std::uint32_t to) {
            if (worst[from].response <= worst[to].response) return;
            worst[to] = worst[from];
            for (std::uint32_t& operation : worst[to].order)
                if (operation == from || operation == to) operation = operation == from ? to : from;
        };
        for (std::uint32_t i = 0; i < size_; ++i)
            if (twin_[i] != none) copy(twin_[i], i);
        for (std::uint32_t i = static_cast<std::uint32_t>(size_); i-- > 0;)
            if (twin_[i] != none) copy(i, twin_[i]);
        for (std::uint32_t i = 0; i < size_; ++i)
            if (twin_[i] != none) copy(twin_[i], i);
    }

    std::size_t size() const noexcept { return size_; }

  private:
    static constexpr std::uint32_t none = 0xffffffff;

    static bool same_but_name(Operation a, const Operation& b) {
        a.name = b.name;
        return a == b;
    }

    template <class Visit>
    bool extend(LaunchOrder& order, std::vector<bool>& used, Visit& visit) const {
        if (order.size() == size_) return visit(order);
        for (std::uint32_t next = 0; next < size_; ++next) {
            if (!may_follow(used, next)) continue;
            used[next] = true;
            order.push_back(next);
            const bool go_on = extend(order, used, visit);
            order.pop_back();
            used[next] = false;
            if (!go_on) return false;
        }
        return true;
    }

    const TaskSet& tasks_;
    const LaunchOrderOptions& options_;
    std::size_t size_;
    std::vector<std::uint32_t> predecessor_;  // in the stream
    std::vector<std::uint32_t> twin_;         // the last identical operation before it
};

void keep_worst(WorstOrders& worst, const Outcome& outcome, const LaunchOrder& order) {
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

/// Exact search over prefixes for kernels launched once and together on interchangeable slots: a completion
/// then depends on the kernels before it alone.
class PrefixSearch {
  public:
    PrefixSearch(const TaskSet& tasks, const Orders& orders, std::int64_t slots, std::int64_t budget)
        : tasks_(tasks), orders_(orders), slots_(slots), budget_(budget), used_(tasks.operations.size()) {
        worst_.operations.resize(tasks.operations.size());
        Time work = 0;
        for (const Operation& operation : tasks.operations) work += operation.time * operation.blocks;
        for (std::size_t i = 0; i < tasks.operations.size(); ++i) {
            const Operation& operation = tasks.operations[i];
            worst_.operations[i].upper = (work - operation.time) / slots + operation.time;
        }
    }

    static bool applies(const TaskSet& tasks) {
        const Time release = tasks.operations.front().release;
        return kernel_priorities(tasks).size() == 1 &&
               std::all_of(tasks.operations.begin(), tasks.operations.end(), [&](const Operation& operation) {
                   return !operation.period && !operation.stream && operation.release == release;
               });
    }

    /// Without `exact` the budget was used up; what was found stands.
    WorstOrders search() {
        worst_.exact = extend(SlotAllocator(slots_));
        for (WorstResponse& operation : worst_.operations) {
            fill_up(operation.order);
            const Time completion = tasks_.operations.front().release + operation.response;
            if (completion <= worst_.makespan) continue;
            worst_.makespan = completion;
            worst_.makespan_order = operation.order;
        }
        worst_.evaluations = evaluations_;
        worst_.method = "all launch orders, by prefixes";
        return std::move(worst_);
    }

  private:
    bool extend(const SlotAllocator& state) {
        if (hopeless() || !seen_.emplace(used_, state).second) return true;
        for (std::uint32_t next = 0; next < used_.size(); ++next) {
            if (!orders_.may_follow(used_, next)) continue;
            if (++evaluations_ > budget_) return false;
            const Operation& operation = tasks_.operations[next];
            SlotAllocator after = state;
            const Time response = after.allocate(0, operation.time, operation.blocks).completion;
            used_[next] = true;
            prefix_.push_back(next);
            WorstResponse& worst = worst_.operations[next];
            if (response > worst.response) {
                worst.response = response;
                worst.order = prefix_;
            }
            const bool go_on = extend(after);
            prefix_.pop_back();
            used_[next] = false;
            if (!go_on) return false;
        }
        return true;
    }

    /// Nobody still to come can exceed what was found.
    bool hopeless() const {
        for (std::size_t i = 0; i < used_.size(); ++i)
            if (!used_[i] && worst_.operations[i].response < *worst_.operations[i].upper) return false;
        return true;
    }

    void fill_up(LaunchOrder& order) const {
        for (std::uint32_t i = 0; i < used_.size(); ++i)
            if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
    }

    const TaskSet& tasks_;
    const Orders& orders_;
    std::int64_t slots_;
    std::int64_t budget_;
    std::int64_t evaluations_ = 0;
    std::vector<bool> used_;
    LaunchOrder prefix_;
    std::set<std::pair<std::vector<bool>, SlotAllocator>> seen_;
    WorstOrders worst_;
};

/// One chain of local search for the longest response of `target` (the makespan where that is past the last
/// operation).
WorstOrders search_chain(const Orders& orders, std::uint32_t target, std::int64_t evaluations,
                         std::uint64_t seed) {
    const auto size = static_cast<std::uint32_t>(orders.size());
    WorstOrders worst;
    worst.operations.resize(size);
    CounterRandom random(seed, target);
    const auto value = [&](const Outcome& outcome) {
        return target < size ? outcome.response[target] : outcome.makespan;
    };
    // Everybody before the target is the natural worst start.
    LaunchOrder order(size);
    std::iota(order.begin(), order.end(), 0U);
    if (target < size) std::rotate(order.begin() + target, order.begin() + target + 1, order.end());
    orders.repair(order);
    Outcome outcome = orders.evaluate(order);
    keep_worst(worst, outcome, order);
    Time current = value(outcome);
    for (worst.evaluations = 1; worst.evaluations < evaluations; ++worst.evaluations) {
        LaunchOrder candidate = order;
        const std::uint32_t from = random.below(size);
        const std::uint32_t to = random.below(size);
        if (random.below(2) == 0) {
            std::swap(candidate[from], candidate[to]);
        } else {
            candidate.erase(candidate.begin() + from);
            candidate.insert(candidate.begin() + to, order[from]);
        }
        orders.repair(candidate);
        outcome = orders.evaluate(candidate);
        keep_worst(worst, outcome, candidate);
        // Equal values are taken to cross plateaus; now and then a worse one, to leave them.
        if (value(outcome) >= current || random.below(50) == 0) {
            current = value(outcome);
            order = std::move(candidate);
        }
    }
    return worst;
}

WorstOrders search_orders(const Orders& orders, const LaunchOrderOptions& options) {
    const std::size_t chains = orders.size() + 1;
    const std::int64_t per_chain =
        std::max<std::int64_t>(1, options.evaluations / static_cast<std::int64_t>(chains));
    std::vector<WorstOrders> found(chains);
    tbb::parallel_for(std::size_t{0}, chains, [&](std::size_t chain) {
        found[chain] = search_chain(orders, static_cast<std::uint32_t>(chain), per_chain, options.seed);
    });
    WorstOrders worst = std::move(found.front());
    for (std::size_t chain = 1; chain < chains; ++chain) {
        for (std::size_t i = 0; i < orders.size(); ++i)
            if (found[chain].operations[i].response > worst.operations[i].response)
                worst.operations[i] = std::move(found[chain].operations[i]);
        if (found[chain].makespan > worst.makespan) {
            worst.makespan = found[chain].makespan;
            worst.makespan_order = std::move(found[chain].makespan_order);
        }
        worst.evaluations += found[chain].evaluations;
        worst.limit_reached |= found[chain].limit_reached;
    }
    worst.method = "seeded local search over launch orders";
    return worst;
}

/// What a search over prefixes found before its budget ran out, and its bounds.
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

TaskSet reorder(const TaskSet& tasks, const LaunchOrder& order) {
    TaskSet result{tasks.gpu, {}, tasks.unit};
    result.operations.reserve(order.size());
    for (const std::uint32_t operation : order) result.operations.push_back(tasks.operations[operation]);
    return result;
}

WorstOrders worst_launch_orders(const TaskSet& tasks, const LaunchOrderOptions& options) {
    validate(tasks);
    const Orders orders(tasks, options);
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
            worst = search_orders(orders, options);
        }
        if (by_prefix) add_unfinished(worst, *by_prefix);
    }
    orders.share_among_twins(worst.operations);
    if (worst.limit_reached) worst.exact = false;
    if (worst.exact)
        for (WorstResponse& operation : worst.operations) operation.upper = operation.response;
    return worst;
}

}  // namespace warpnet
