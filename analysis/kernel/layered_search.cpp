#include "analysis/kernel/layered_search.hpp"

#include "analysis/kernel/guided_steps.hpp"
#include "analysis/kernel/layer_store.hpp"
#include "analysis/kernel/state_path.hpp"
#include "analysis/kernel/step_rule.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

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
    int cycle_bits() const { return bits_; }
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

using Words = std::vector<std::uint64_t>;

class Search {
  public:
    Search(const KernelInstance& instance, const MultisetSpace& space, const Packing& packing,
           const SegmentBound& bound, int target, const WorkLimits& limits, const std::string& scratch)
        : space_(space),
          packing_(packing),
          bound_(bound),
          target_(target),
          limits_(limits),
          longest_(bound.objective() == Objective::longest),
          rule_(instance),
          reach_(static_cast<std::size_t>(rule_.most_together())),
          layers_(static_cast<std::size_t>(instance.warps) * instance.type.size() + 1, packing.cycle_bits(),
                  limits.memory, scratch),
          locals_([&] {
              return Local{GuidedSteps<Rank>(space_, bound_), std::vector<Words>(reach_ + 1)};
          }) {}

    LayeredResult run() {
        layers_.add(0, std::array{packing_.pack(0, 0)});
        LayeredResult result;
        const std::size_t last = layers_.layers() - 1;
        for (std::size_t executed = 0; executed <= last; ++executed) {
            layers_.finish(executed);
            result.states += layers_.size(executed);
            if (executed < last) expand(executed);
            result.end = limits_.asked_to_end();
            if (out_of_memory_) result.end = WorkEnd::memory_limit;
            if (result.end != WorkEnd::complete) return result;
        }
        layers_.for_each_block(last, [&](std::span<const std::uint64_t> end) {
            if (meets(packing_.cycles(end.front()))) result.schedule = schedule(packing_.cycles(end.front()));
            return false;
        });
        return result;
    }

  private:
    struct Local {
        GuidedSteps<Rank> steps;
        std::vector<Words> found;  // per number of instructions executed in the step
    };

    bool meets(int cycles) const { return longest_ ? cycles >= target_ : cycles <= target_; }

    /// Adds the successors of a layer to those behind it.
    void expand(std::size_t executed) {
        layers_.for_each_block(executed, [&](std::span<const std::uint64_t> block) {
            while (!block.empty()) {
                const auto slice = block.first(std::min(block.size(), slice_states()));
                find_successors(slice);
                if (out_of_memory_ || limits_.must_end()) return false;
                add_found(executed);
                block = block.subspan(slice.size());
            }
            return true;
        });
        // Layers that wait are freed of repetitions early where they have grown much.
        for (std::size_t step = 2; step <= reach_ && executed + step < layers_.layers(); ++step)
            if (layers_.size(executed + step) > compact_above) layers_.compact(executed + step);
    }

    /// With a scratch folder, so few that the successors of all have room.
    std::size_t slice_states() const {
        constexpr std::uint64_t bytes_of_successors = 4096;  // of a state; more is rare
        if (!layers_.has_scratch()) return std::numeric_limits<std::size_t>::max();
        return std::max(limits_.memory / memory_headroom / bytes_of_successors, grain);
    }

    void find_successors(std::span<const std::uint64_t> states) {
        const std::uint64_t held = layers_.held();
        const std::uint64_t free = limits_.memory - std::min(held, limits_.memory);
        std::atomic<std::uint64_t> used = 0;
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, states.size(), grain), [&](const auto& range) {
            if (out_of_memory_) return;
            Local& local = locals_.local();
            std::uint64_t added = 0;
            for (std::size_t i = range.begin(); i != range.end(); ++i) {
                const int cycles = packing_.cycles(states[i]) + 1;
                local.steps(
                    packing_.state(states[i]), [&](int value) { return meets(cycles + value); },
                    [&](int, int step, const std::vector<Rank>& successors) {
                        Words& found = local.found[static_cast<std::size_t>(step)];
                        for (const Rank state : successors) found.push_back(packing_.pack(state, cycles));
                        added += successors.size() * sizeof(std::uint64_t);
                    });
            }
            if ((used += added) > free / memory_headroom && !layers_.has_scratch()) out_of_memory_ = true;
        });
    }

    void add_found(std::size_t executed) {
        for (Local& local : locals_) {
            for (std::size_t step = 1; step <= reach_; ++step) {
                if (local.found[step].empty()) continue;
                layers_.add(executed + step, local.found[step]);
                local.found[step].clear();
            }
        }
        layers_.make_room();
    }

    /// Walks back from the end: some state of an earlier layer, one cycle earlier, has a maximal step to
    /// here.
    KernelSchedule schedule(int cycles) const {
        std::vector<Rank> path{space_.size() - 1};
        std::vector<int> now(static_cast<std::size_t>(space_.warps()), space_.length());
        for (std::size_t executed = layers_.layers() - 1; executed > 0; --cycles) {
            for (std::size_t step = 1; step <= std::min(reach_, executed); ++step) {
                const auto found = state_before(executed - step, cycles - 1, now);
                if (!found) continue;
                path.push_back(*found);
                space_.unrank(*found, now);
                executed -= step;
                break;
            }
        }
        std::ranges::reverse(path);
        return schedule_through(space_, path);
    }

    /// The first state of a layer that was reached after `cycles` and has a maximal step to `after`.
    std::optional<Rank> state_before(std::size_t layer, int cycles, const std::vector<int>& after) const {
        std::optional<Rank> found;
        std::vector<int> before(after.size());
        layers_.for_each_block(layer, [&](std::span<const std::uint64_t> block) {
            for (const std::uint64_t packed : block) {
                if (packing_.cycles(packed) != cycles) continue;
                space_.unrank(packing_.state(packed), before);
                if (!leads_to(before, after)) continue;
                found = packing_.state(packed);
                return false;
            }
            return true;
        });
        return found;
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
    static constexpr std::uint64_t grain = 256;  // states that a thread takes at a time

    const MultisetSpace& space_;
    const Packing& packing_;
    const SegmentBound& bound_;
    int target_;
    const WorkLimits& limits_;
    bool longest_;
    StepRule rule_;
    std::size_t reach_;
    LayerStore layers_;  // per number of executed instructions
    tbb::enumerable_thread_specific<Local> locals_;
    std::atomic<bool> out_of_memory_ = false;
};

}  // namespace

LayeredResult layered_search(const KernelInstance& instance, const SegmentBound& bound, int target,
                             const WorkLimits& limits, const std::string& scratch) {
    const auto space = MultisetSpace::create(instance.warps, static_cast<int>(instance.type.size()));
    // No schedule takes longer than executing one instruction a cycle.
    const int most_cycles = instance.warps * static_cast<int>(instance.type.size());
    const Packing packing(space ? space->size() : 0, most_cycles, bound.objective() == Objective::longest);
    if (!space || !packing.fits()) return {.end = WorkEnd::memory_limit, .schedule = {}, .states = 0};
    return Search(instance, *space, packing, bound, target, limits, scratch).run();
}

}  // namespace warpnet
