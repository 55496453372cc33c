#include "analysis/kernel/layered_search.hpp"

#include "analysis/kernel/guided_steps.hpp"
#include "analysis/kernel/state_path.hpp"
#include "analysis/kernel/step_rule.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

namespace warpnet {
namespace {

/// A state and the cycles it took to reach it in one word: the state above, the cycles below in a form in
/// which the better number is the smaller one.
class Packing {
  public:
    Packing(Rank states, int most_cycles, bool longest) : longest_(longest) {
        bits_ = static_cast<int>(std::bit_width(static_cast<unsigned>(most_cycles)));
        fits_ = static_cast<int>(std::bit_width(states - 1)) + bits_ <= 64;
        mask_ = (std::uint64_t{1} << bits_) - 1;
    }

    bool fits() const { return fits_; }
    std::uint64_t pack(Rank state, int cycles) const {
        const auto c = static_cast<std::uint64_t>(cycles);
        return state << bits_ | (longest_ ? mask_ - c : c);
    }
    Rank state(std::uint64_t packed) const { return packed >> bits_; }
    int cycles(std::uint64_t packed) const {
        const std::uint64_t low = packed & mask_;
        return static_cast<int>(longest_ ? mask_ - low : low);
    }

  private:
    bool longest_;
    int bits_ = 0;
    bool fits_ = false;
    std::uint64_t mask_ = 0;
};

using Layer = std::vector<std::uint64_t>;

class Search {
  public:
    Search(const KernelInstance& instance, const MultisetSpace& space, const Packing& packing,
           const SegmentBound& bound, int target, const WorkLimits& limits)
        : space_(space),
          packing_(packing),
          bound_(bound),
          target_(target),
          limits_(limits),
          longest_(bound.objective() == Objective::longest),
          rule_(instance),
          reach_(static_cast<std::size_t>(rule_.most_together())),
          layers_(static_cast<std::size_t>(instance.warps) * instance.type.size() + 1),
          locals_([&] {
              return Local{GuidedSteps<Rank>(space_, bound_), std::vector<Layer>(reach_ + 1)};
          }) {}

    LayeredResult run() {
        layers_[0].push_back(packing_.pack(0, 0));
        LayeredResult result;
        for (std::size_t executed = 0; executed < layers_.size(); ++executed) {
            keep_best(layers_[executed]);
            result.states += layers_[executed].size();
            if (limits_.out_of_time()) result.end = WorkEnd::time_limit;
            if (held() > limits_.memory || out_of_memory_) result.end = WorkEnd::memory_limit;
            if (result.end != WorkEnd::complete) return result;
            if (executed + 1 < layers_.size()) expand(executed);
        }
        if (!layers_.back().empty() && meets(packing_.cycles(layers_.back().front())))
            result.schedule = schedule();
        return result;
    }

  private:
    struct Local {
        GuidedSteps<Rank> steps;
        std::vector<Layer> found;  // per number of instructions executed in the step
    };

    bool meets(int cycles) const { return longest_ ? cycles >= target_ : cycles <= target_; }

    /// Sorts and keeps of every state the best way to it.
    void keep_best(Layer& layer) const {
        tbb::parallel_sort(layer.begin(), layer.end());
        const auto distinct = std::unique(layer.begin(), layer.end(), [&](std::uint64_t a, std::uint64_t b) {
            return packing_.state(a) == packing_.state(b);
        });
        layer.erase(distinct, layer.end());
    }

    std::uint64_t held() const {
        std::uint64_t bytes = 0;
        for (const Layer& layer : layers_) bytes += layer.capacity() * sizeof(std::uint64_t);
        return bytes;
    }

    /// Adds the successors of a layer to those behind it.
    void expand(std::size_t executed) {
        const Layer& layer = layers_[executed];
        const std::uint64_t free = limits_.memory - held();
        std::atomic<std::uint64_t> used = 0;
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, layer.size(), 256), [&](const auto& range) {
            if (out_of_memory_) return;
            Local& local = locals_.local();
            std::uint64_t added = 0;
            for (std::size_t i = range.begin(); i != range.end(); ++i) {
                const int cycles = packing_.cycles(layer[i]) + 1;
                local.steps(
                    packing_.state(layer[i]), [&](int value) { return meets(cycles + value); },
                    [&](int, int step, const std::vector<Rank>& successors) {
                        Layer& found = local.found[static_cast<std::size_t>(step)];
                        for (const Rank state : successors) found.push_back(packing_.pack(state, cycles));
                        added += successors.size() * sizeof(std::uint64_t);
                    });
            }
            if ((used += added) <= free / memory_headroom) return;
            out_of_memory_ = true;
        });
        for (Local& local : locals_) {
            for (std::size_t step = 1; step <= reach_; ++step) {
                Layer& found = local.found[step];
                if (found.empty()) continue;
                Layer& target = layers_[executed + step];
                target.insert(target.end(), found.begin(), found.end());
                found.clear();
            }
        }
        // Layers that wait are freed of repetitions early where they have grown much.
        for (std::size_t step = 2; step <= reach_ && executed + step < layers_.size(); ++step)
            if (layers_[executed + step].size() > compact_above) keep_best(layers_[executed + step]);
    }

    /// Walks back from the end: some state of an earlier layer, one cycle earlier, has a maximal step to
    /// here.
    KernelSchedule schedule() const {
        std::vector<Rank> path{space_.size() - 1};
        int cycles = packing_.cycles(layers_.back().front());
        std::vector<int> now(static_cast<std::size_t>(space_.warps()), space_.length());
        std::vector<int> before(now.size());
        for (std::size_t executed = layers_.size() - 1; executed > 0; --cycles) {
            bool found = false;
            for (std::size_t step = 1; step <= std::min(reach_, executed) && !found; ++step) {
                for (const std::uint64_t packed : layers_[executed - step]) {
                    if (packing_.cycles(packed) != cycles - 1) continue;
                    space_.unrank(packing_.state(packed), before);
                    if (!leads_to(before, now)) continue;
                    path.push_back(packing_.state(packed));
                    now = before;
                    executed -= step;
                    found = true;
                    break;
                }
            }
        }
        std::ranges::reverse(path);
        return schedule_through(space_, path);
    }

    bool leads_to(const std::vector<int>& before, const std::vector<int>& after) const {
        std::vector<int> ready(static_cast<std::size_t>(rule_.classes()), 0);
        std::vector<std::uint8_t> executes(ready.size(), 0);
        for (std::size_t j = 0; j < before.size(); ++j) {
            const int advance = after[j] - before[j];
            if (advance < 0 || advance > 1) return false;
            if (before[j] == space_.length()) continue;
            const auto c = static_cast<std::size_t>(rule_.class_of(static_cast<std::size_t>(before[j])));
            ++ready[c];
            if (advance == 1) ++executes[c];
        }
        const auto steps = rule_.steps(ready);
        for (std::size_t s = 0; s < steps.size(); s += executes.size())
            if (std::ranges::equal(steps.subspan(s, executes.size()), executes)) return true;
        return false;
    }

    static constexpr std::uint64_t memory_headroom = 3;  // local copies, growing vectors
    static constexpr std::size_t compact_above = 1 << 22;

    const MultisetSpace& space_;
    const Packing& packing_;
    const SegmentBound& bound_;
    int target_;
    const WorkLimits& limits_;
    bool longest_;
    StepRule rule_;
    std::size_t reach_;
    std::vector<Layer> layers_;  // per number of executed instructions
    tbb::enumerable_thread_specific<Local> locals_;
    std::atomic<bool> out_of_memory_ = false;
};

}  // namespace

LayeredResult layered_search(const KernelInstance& instance, const SegmentBound& bound, int target,
                             const WorkLimits& limits) {
    const auto space = MultisetSpace::create(instance.warps, static_cast<int>(instance.type.size()));
    // No schedule takes longer than executing one instruction a cycle.
    const int most_cycles = instance.warps * static_cast<int>(instance.type.size());
    const Packing packing(space ? space->size() : 0, most_cycles, bound.objective() == Objective::longest);
    if (!space || !packing.fits()) return {.end = WorkEnd::memory_limit, .schedule = {}, .states = 0};
    return Search(instance, *space, packing, bound, target, limits).run();
}

}  // namespace warpnet
