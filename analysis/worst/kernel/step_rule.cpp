// Warps of one class are interchangeable for capacities, schedulers and levels. So whether a set of ready
// warps is maximal depends only on the numbers of ready and of executing warps per class. All steps are
// therefore listed once per vector of clipped ready numbers and stored in one table.
//
// Waits are a class of their own: the cycles of a wait are positions of the type KernelInstance::waiting,
// limited by neither units nor schedulers. A maximal step takes all of them, so their number is that of the
// waiting warps. So states, abstraction and proofs hold unchanged for kernels with waits. The last wait of a
// warp counts: the warp has finished when its request is answered.

#include "analysis/worst/kernel/step_rule.hpp"

#include "analysis/worst/kernel/precedence_string.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

namespace warpnet::worst {
namespace {

constexpr std::size_t max_table = 10'000'000;

/// Lists the maximal steps for one vector of ready numbers: level by level, each level takes a maximal share
/// of the capacities that earlier levels have left.
class StepLister {
  public:
    struct Class {
        int level;
        int type;
        bool waits;
    };

    StepLister(const netgen::KernelInstance& instance, const std::vector<Class>& classes,
               std::vector<std::uint8_t>& out)
        : classes_(classes), capacity_(instance.capacity), out_(out), step_(classes.size()) {
        schedulers_ = instance.schedulers.value_or(std::numeric_limits<int>::max());
    }

    void list(const std::vector<int>& ready) {
        ready_ = &ready;
        level_from(0);
    }

  private:
    /// The largest number of class c that the remaining capacities allow.
    int limit(std::size_t c) const {
        return std::min((*ready_)[c], capacity_[static_cast<std::size_t>(classes_[c].type)]);
    }

    void level_from(std::size_t begin) {
        if (begin == classes_.size()) {
            out_.insert(out_.end(), step_.begin(), step_.end());
            return;
        }
        std::size_t end = begin;
        int wanted = 0;
        for (; end < classes_.size() && classes_[end].level == classes_[begin].level; ++end)
            if (!classes_[end].waits) wanted += limit(end);
        share(begin, end, std::min(wanted, schedulers_), wanted);
    }

    /// Divides `amount` among the classes c ... end-1 of one level, which could take `wanted` in all.
    void share(std::size_t c, std::size_t end, int amount, int wanted) {
        if (c == end) {
            level_from(end);
            return;
        }
        if (classes_[c].waits) {  // uses neither a unit nor a scheduler
            step_[c] = static_cast<std::uint8_t>((*ready_)[c]);
            share(c + 1, end, amount, wanted);
            return;
        }
        const int most = limit(c);
        const int rest = wanted - most;
        for (int x = std::min(most, amount); x >= std::max(0, amount - rest); --x) {
            step_[c] = static_cast<std::uint8_t>(x);
            int& capacity = capacity_[static_cast<std::size_t>(classes_[c].type)];
            capacity -= x;
            schedulers_ -= x;
            share(c + 1, end, amount - x, rest);
            capacity += x;
            schedulers_ += x;
        }
    }

    const std::vector<Class>& classes_;
    std::vector<int> capacity_;
    int schedulers_ = 0;
    const std::vector<int>* ready_ = nullptr;
    std::vector<std::uint8_t>& out_;
    std::vector<std::uint8_t> step_;
};

}  // namespace

StepRule::StepRule(const netgen::KernelInstance& instance) {
    check_instance(instance);
    const auto level = [&](std::size_t i) {
        if (instance.waits_at(i)) return std::numeric_limits<int>::min();  // at any level: one class
        return instance.level.empty() ? 0 : instance.level[i];
    };
    std::set<std::pair<int, int>> found;
    for (std::size_t i = 0; i < instance.type.size(); ++i) found.emplace(level(i), instance.type[i]);
    std::vector<StepLister::Class> classes;
    classes.reserve(found.size());
    for (const auto& [l, type] : found) classes.push_back({l, type, instance.waiting == type});
    class_of_.reserve(instance.type.size());
    for (std::size_t i = 0; i < instance.type.size(); ++i)
        class_of_.push_back(static_cast<int>(
            std::distance(found.begin(), found.find({level(i), static_cast<int>(instance.type[i])}))));

    const int limit = std::min(instance.warps, instance.schedulers.value_or(instance.warps));
    std::size_t keys = 1;
    std::set<int> types;
    for (const auto& [l, type, waits] : classes) {
        const int at_once = waits ? instance.warps : limit;
        clip_.push_back(std::min(at_once, instance.capacity[static_cast<std::size_t>(type)]));
        if (types.insert(type).second) most_together_ += clip_.back();
        keys *= static_cast<std::size_t>(clip_.back()) + 1;
        if (keys > max_table || clip_.back() > std::numeric_limits<std::uint8_t>::max())
            throw std::length_error("kernel: too many combinations of types, levels and capacities");
    }
    most_together_ = std::min(most_together_, instance.waiting ? instance.warps : limit);

    StepLister lister(instance, classes, steps_);
    std::vector<int> ready(clip_.size(), 0);
    for (std::size_t key = 0; key < keys; ++key) {
        first_.push_back(steps_.size());
        lister.list(ready);
        if (steps_.size() > max_table) throw std::length_error("kernel: too many maximal steps");
        for (std::size_t c = clip_.size(); c-- > 0;) {
            if (ready[c] < clip_[c]) {
                ++ready[c];
                break;
            }
            ready[c] = 0;
        }
    }
    first_.push_back(steps_.size());
}

}  // namespace warpnet::worst
