#include "analysis/studies/respond/launch_orders.hpp"

#include "analysis/studies/respond/launch_order_search.hpp"
#include "analysis/studies/respond/slot_allocation.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace warpnet {
namespace {

/// Exact search over prefixes for kernels launched once and together on interchangeable slots: a completion
/// then depends on the kernels before it alone.
class PrefixSearch {
  public:
    PrefixSearch(const TaskSet& tasks, const LaunchOrderSpace& orders, std::int64_t slots,
                 std::int64_t budget)
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
    /// A prefix that is being continued.
    struct Open {
        SlotAllocator state;
        std::uint32_t next;  // to be tried
    };

    /// Depth first. False where the budget was used up.
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
            const Operation& operation = tasks_.operations[launched];
            SlotAllocator after = open.back().state;
            const Time response = after.allocate(0, operation.time, operation.blocks).completion;
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
    const LaunchOrderSpace& orders_;
    std::int64_t slots_;
    std::int64_t budget_;
    std::int64_t evaluations_ = 0;
    std::vector<bool> used_;
    LaunchOrder prefix_;
    std::set<std::pair<std::vector<bool>, SlotAllocator>> seen_;
    WorstOrders worst_;
};

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

WorstOrders worst_launch_orders(const TaskSet& tasks, const LaunchOrderOptions& options) {
    validate(tasks);
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

}  // namespace warpnet
