// Dynamic programming over all multisets of positions, from the end to the start. A layer has the states with
// one number of executed instructions; its successors are in later layers, so a layer is parallel. The rank
// of a successor is the rank of the state plus one term per advancing warp (state_space.hpp). The terms of
// each class are listed once per state, so the innermost loop is one addition and one comparison per
// successor. Cells have one byte, two if W*I > 254. Cost: states x maximal steps of a state.

#include "analysis/worst/kernel/dense_makespan.hpp"

#include "analysis/worst/kernel/state_space.hpp"
#include "analysis/worst/kernel/step_rule.hpp"
#include "engine/base/round_up.hpp"

#include <algorithm>
#include <limits>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for_each.h>

namespace warpnet::worst {
namespace {

/// Finds the best successor of a state in a table of values. Holds the workspace of one thread.
template <class Value>
class BestSuccessor {
  public:
    BestSuccessor(const MultisetSpace& space, const StepRule& rule, Objective objective)
        : space_(space),
          rule_(rule),
          longest_(objective == Objective::longest),
          runs_(static_cast<std::size_t>(rule.classes())),
          ready_(runs_.size()),
          lists_(runs_.size()) {
        for (std::size_t c = 0; c < runs_.size(); ++c)
            lists_[c].resize(static_cast<std::size_t>(rule.most(static_cast<int>(c))) + 1);
    }

    struct Best {
        Value value;
        StateNumber successor;
    };

    /// REQUIRES: not the end. The first successor in the order of enumeration wins ties.
    Best operator()(const Value* values, StateNumber rank, std::span<const int> positions) {
        group(positions);
        const auto steps = rule_.steps(ready_);
        const auto classes = runs_.size();
        Best best{longest_ ? std::numeric_limits<Value>::min() : std::numeric_limits<Value>::max(), 0};
        bool first = true;
        for (std::size_t s = 0; s < steps.size(); s += classes) {
            std::size_t last = classes;  // the innermost loop handles the last executing class
            while (steps[s + last - 1] == 0) --last;
            --last;
            sums_.assign(1, rank);
            for (std::size_t c = 0; c < last; ++c)
                if (steps[s + c] > 0) add_pairwise(sums_, selections(c, steps[s + c]), scratch_);
            const std::vector<StateNumber>& innermost = selections(last, steps[s + last]);
            for (const StateNumber sum : sums_) {
                for (const StateNumber term : innermost) {
                    const Value value = values[sum + term];
                    if (first || (longest_ ? value > best.value : value < best.value)) {
                        best = {value, sum + term};
                        first = false;
                    }
                }
            }
        }
        return best;
    }

  private:
    void group(std::span<const int> positions) {
        for (std::size_t c = 0; c < runs_.size(); ++c) {
            runs_[c].clear();
            ready_[c] = 0;
            for (auto& list : lists_[c]) list.clear();
        }
        const int warps = space_.warps();
        for (int begin = 0; begin < warps;) {
            const int position = positions[static_cast<std::size_t>(begin)];
            if (position == space_.length()) break;
            int end = begin + 1;
            while (end < warps && positions[static_cast<std::size_t>(end)] == position) ++end;
            const auto c = static_cast<std::size_t>(rule_.class_of(static_cast<std::size_t>(position)));
            runs_[c].push_back({position, begin, end});
            ready_[c] += end - begin;
            begin = end;
        }
    }

    const std::vector<StateNumber>& selections(std::size_t cls, std::size_t count) {
        std::vector<StateNumber>& list = lists_[cls][count];
        if (list.empty()) append_selections(space_, runs_[cls], static_cast<int>(count), 0, list);
        return list;
    }

    const MultisetSpace& space_;
    const StepRule& rule_;
    bool longest_;
    std::vector<std::vector<PositionRun>> runs_;                // per class
    std::vector<int> ready_;                                    // per class
    std::vector<std::vector<std::vector<StateNumber>>> lists_;  // per class and count; empty: not yet made
    std::vector<StateNumber> sums_;
    std::vector<StateNumber> scratch_;
};

/// All sorted states with a given sum of positions, divided into tasks by the two foremost warps.
class StatesOfSum {
  public:
    explicit StatesOfSum(const MultisetSpace& space) : space_(space) {}

    struct Task {
        int foremost;
        int second;
    };

    std::vector<Task> tasks(int sum) const {
        std::vector<Task> tasks;
        const int warps = space_.warps();
        if (warps == 1) return {{sum, 0}};
        for (int p = lowest(sum, warps); p <= std::min(space_.length(), sum); ++p)
            for (int q = lowest(sum - p, warps - 1); q <= std::min(p, sum - p); ++q) tasks.push_back({p, q});
        return tasks;
    }

    /// Calls visit(rank, positions) for every state of the task.
    template <class Visit>
    void for_each(const Task& task, int sum, std::span<int> positions, const Visit& visit) const {
        const int warps = space_.warps();
        positions[static_cast<std::size_t>(warps - 1)] = task.foremost;
        StateNumber rank = space_.term(task.foremost, warps - 1);
        if (warps == 1) return visit(rank, positions);
        positions[static_cast<std::size_t>(warps - 2)] = task.second;
        rank += space_.term(task.second, warps - 2);
        fill(warps - 2, task.second, sum - task.foremost - task.second, rank, positions, visit);
    }

  private:
    /// The smallest position of the foremost of `warps` warps whose positions add up to `sum`.
    static int lowest(int sum, int warps) { return divided_up(sum, warps); }

    template <class Visit>
    void fill(int count, int most, int sum, StateNumber rank, std::span<int> positions,
              const Visit& visit) const {
        if (count == 0) return visit(rank, positions);
        const int j = count - 1;
        const int least = j == 0 ? sum : lowest(sum, count);
        for (int p = least; p <= std::min(most, sum); ++p) {
            positions[static_cast<std::size_t>(j)] = p;
            fill(j, p, sum - p, rank + space_.term(p, j), positions, visit);
        }
    }

    const MultisetSpace& space_;
};

template <class Value>
std::optional<ExactMakespan> solve(const netgen::KernelInstance& instance, const MultisetSpace& space,
                                   Objective objective, const WorkLimits& limits) {
    const StepRule rule(instance);
    const auto warps = static_cast<std::size_t>(instance.warps);
    std::vector<Value> values(space.size());
    struct Local {
        BestSuccessor<Value> best;
        std::vector<int> positions;
    };
    tbb::enumerable_thread_specific<Local> locals([&] {
        return Local{BestSuccessor<Value>(space, rule, objective), std::vector<int>(warps)};
    });

    const StatesOfSum states(space);
    for (int sum = space.warps() * space.length() - 1; sum >= 0; --sum) {
        const auto tasks = states.tasks(sum);
        tbb::parallel_for_each(tasks, [&](const StatesOfSum::Task& task) {
            if (limits.must_end()) return;
            Local& local = locals.local();
            states.for_each(
                task, sum, local.positions, [&](StateNumber rank, std::span<const int> positions) {
                    values[rank] = static_cast<Value>(local.best(values.data(), rank, positions).value + 1);
                });
        });
        if (limits.must_end()) return std::nullopt;
    }

    std::vector<StateNumber> path{0};
    Local& local = locals.local();
    while (path.back() != space.size() - 1) {
        space.unrank(path.back(), local.positions);
        path.push_back(local.best(values.data(), path.back(), local.positions).successor);
    }
    return ExactMakespan{.makespan = values[0], .schedule = schedule_through(space, path)};
}

std::uint64_t value_bytes(const netgen::KernelInstance& instance) {
    return static_cast<std::uint64_t>(instance.warps) * instance.type.size() <= 254 ? 1 : 2;
}

}  // namespace

std::optional<std::uint64_t> dense_makespan_bytes(const netgen::KernelInstance& instance) {
    const auto space = MultisetSpace::create(instance.warps, static_cast<int>(instance.type.size()));
    if (!space || space->size() > std::numeric_limits<std::uint64_t>::max() / 2) return std::nullopt;
    if (static_cast<std::uint64_t>(instance.warps) * instance.type.size() >
        std::numeric_limits<std::uint16_t>::max())
        return std::nullopt;
    return space->size() * value_bytes(instance);
}

std::optional<ExactMakespan> dense_makespan(const netgen::KernelInstance& instance, Objective objective,
                                            const WorkLimits& limits) {
    const auto bytes = dense_makespan_bytes(instance);
    if (!bytes || *bytes > limits.memory) return std::nullopt;
    const auto space = MultisetSpace::create(instance.warps, static_cast<int>(instance.type.size()));
    return value_bytes(instance) == 1 ? solve<std::uint8_t>(instance, *space, objective, limits)
                                      : solve<std::uint16_t>(instance, *space, objective, limits);
}

}  // namespace warpnet::worst
