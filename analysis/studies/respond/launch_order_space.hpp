#pragma once

#include "analysis/studies/respond/launch_order.hpp"
#include "engine/base/no_index.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpnet {

/// What an order of launches leads to.
struct LaunchOutcome {
    std::vector<Time> response;  ///< per operation, of its slowest job
    Time makespan = 0;
    bool limit_reached = false;  ///< LaunchOrderOptions::max_jobs
};

/// The orders in which the operations of a set may be launched: those that keep the order of each stream.
class LaunchOrderSpace {
  public:
    /// Keeps references to both.
    LaunchOrderSpace(const TaskSet& tasks, const LaunchOrderOptions& options);

    /// Schedules the blocks.
    LaunchOutcome evaluate(const LaunchOrder& order) const;

    /// Every order, of orders that differ by twins only one. Stops where `visit` says false.
    template <class Visit>
    bool for_each(Visit&& visit) const {
        LaunchOrder order;
        std::vector<bool> used(size());
        std::uint32_t next = 0;  // the first that may come next, of those not tried yet
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

    /// What holds for an operation holds for its twin, in the order with the two exchanged.
    void share_among_twins(std::vector<WorstResponse>& worst) const;

    std::size_t size() const noexcept { return twin_.size(); }

  private:
    const TaskSet& tasks_;
    const LaunchOrderOptions& options_;
    std::vector<std::uint32_t> predecessor_;  // in the stream
    std::vector<std::uint32_t> twin_;         // the last identical operation before it
};

/// Takes what an order led to where it is worse than what is known.
void keep_worst(WorstOrders& worst, const LaunchOutcome& outcome, const LaunchOrder& order);

}  // namespace warpnet
