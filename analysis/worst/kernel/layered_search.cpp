// Searches forward through the concrete states, layer by layer: a layer has the states with one number of
// executed instructions. Each state is visited once, with the longest (shortest) time t to it, and kept only
// if t + bound meets the target. A schedule of `target` cycles passes only through kept states; so if the end
// is not reached, no schedule meets the target. Layers are sorted lists of words, a state above and its
// cycles below, so that sorting puts the best word of a state first. They are sorted, not hashed, because
// that takes 8 bytes per state and works from a disk (layer_store.hpp). The sweep of exact/layered_sweep.hpp
// hashes states of many words and shares only the order of layers with this search.
//
// With ranks a state belongs to a rank by its hash. Ranks expand slices of a layer, exchange the successors
// after each slice, and proceed to the next layer when no rank has a slice left.

#include "analysis/worst/kernel/layered_search.hpp"

#include "analysis/ranks/collectives.hpp"
#include "analysis/worst/kernel/guided_steps.hpp"
#include "analysis/worst/kernel/layer_store.hpp"
#include "analysis/worst/kernel/state_space.hpp"
#include "analysis/worst/kernel/step_rule.hpp"
#include "engine/base/random.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

namespace warpnet::worst {

namespace {

/// A state and the cycles to it in one word: the state above, the cycles below, encoded so that the better
/// number is the smaller one.
class Packing {
  public:
    Packing(StateNumber states, int most_cycles, bool longest) : longest_(longest) {
        bits_ = static_cast<int>(std::bit_width(static_cast<unsigned>(most_cycles)));
        fits_ = static_cast<int>(std::bit_width(states - 1)) + bits_ <= 64;
        mask_ = (std::uint64_t{1} << bits_) - 1;
    }

    bool fits() const { return fits_; }
    int cycle_bits() const { return bits_; }
    std::uint64_t pack(StateNumber state, int cycles) const {
        const auto c = static_cast<std::uint64_t>(cycles);
        return state << bits_ | (longest_ ? mask_ - c : c);
    }
    StateNumber state(std::uint64_t packed) const { return packed >> bits_; }
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

/// The status of a rank after a slice of a layer, and after those of all.
struct Progress {
    bool more = false;         // this layer has unexpanded states
    std::uint64_t states = 0;  // kept so far in all finished layers
    WorkEnd end = WorkEnd::complete;
    int disk_error = 0;  // an errno; 0: none

    void add(const Progress& other) {
        more |= other.more;
        states += other.states;
        if (end == WorkEnd::complete) end = other.end;
        if (disk_error == 0) disk_error = other.disk_error;
    }
    bool running() const { return end == WorkEnd::complete && disk_error == 0; }
};

class Search {
  public:
    Search(const netgen::KernelInstance& instance, const MultisetSpace& space, const Packing& packing,
           const SegmentBound& bound, int target, const WorkLimits& limits, const std::string& scratch,
           ranks::Collectives* ranks)
        : ranks_(ranks != nullptr && ranks->size() > 1 ? ranks : nullptr),
          space_(space),
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
              return Local{GuidedSteps<StateNumber>(space_, bound_), std::vector<Words>(reach_ + 1)};
          }) {}

    LayeredResult run() {
        if (owner(0) == rank()) layers_.add(0, std::array{packing_.pack(0, 0)});
        LayeredResult result;
        const std::size_t last = layers_.layers() - 1;
        for (std::size_t executed = 0; executed <= last && progress_.running(); ++executed) {
            on_disk([&] {
                layers_.finish(executed);
                states_ += layers_.size(executed);
                if (executed < last) expand(executed);
            });
            if (!progress_.running()) break;
            do {
                share(executed, false);
            } while (progress_.more && progress_.running());
            if (progress_.running() && limits_.effort > 0 && progress_.states > limits_.effort)
                progress_.end = WorkEnd::effort_limit;
        }
        for (const std::uint64_t of_rank : ranks::values_of_all(ranks_, states_)) result.states += of_rank;
        result.end = progress_.end;
        result.disk_error = progress_.disk_error;
        if (!progress_.running()) return result;
        std::optional<int> cycles;
        layers_.for_each_block(last, [&](std::span<const std::uint64_t> end) {
            cycles = packing_.cycles(end.front());
            return false;
        });
        for (const std::optional<int>& of_rank : ranks::values_of_all(ranks_, cycles))
            if (of_rank) cycles = of_rank;
        if (cycles && meets(*cycles)) result.schedule = schedule(*cycles);
        return result;
    }

  private:
    struct Local {
        GuidedSteps<StateNumber> steps;
        std::vector<Words> found;  // per number of instructions executed in the step
    };

    bool meets(int cycles) const { return longest_ ? cycles >= target_ : cycles <= target_; }

    std::size_t rank() const { return ranks_ == nullptr ? 0 : static_cast<std::size_t>(ranks_->rank()); }
    std::size_t owner(StateNumber state) const {
        if (ranks_ == nullptr) return 0;
        return static_cast<std::size_t>((state * golden_ratio_64 >> 32) %
                                        static_cast<std::uint64_t>(ranks_->size()));
    }

    /// Runs an action that may find the disk full; other ranks must learn of it, and wait until then.
    template <class Work>
    void on_disk(const Work& work) {
        if (ranks_ == nullptr) return work();
        try {
            work();
        } catch (const std::system_error& error) {
            if (disk_error_ == 0) disk_error_ = error.code().value();
        }
    }

    /// Adds the successors of a layer to later layers.
    void expand(std::size_t executed) {
        layers_.for_each_block(executed, [&](std::span<const std::uint64_t> block) {
            while (!block.empty() && progress_.running()) {
                const auto slice = block.first(std::min(block.size(), slice_states_));
                const bool fits = find_successors(slice);
                if (!fits && slice.size() > grain) {
                    for (Local& local : locals_)
                        for (Words& found : local.found) found.clear();
                    slice_states_ = slice.size() / 2;
                    continue;
                }
                out_of_memory_ = !fits;
                share(executed, true);
                block = block.subspan(slice.size());
            }
            return progress_.running();
        });
    }

    /// Whether the memory sufficed for the successors of all these states; otherwise some are missing. A
    /// small slice makes the next one larger.
    bool find_successors(std::span<const std::uint64_t> states) {
        const std::uint64_t free = limits_.memory - std::min(layers_.held(), limits_.memory);
        const std::uint64_t room = states.size() > grain || !layers_.has_scratch()
                                       ? free / memory_headroom
                                       : std::numeric_limits<std::uint64_t>::max();
        std::atomic<std::uint64_t> used = 0;
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, states.size(), grain), [&](const auto& range) {
            if (used > room) return;
            Local& local = locals_.local();
            std::uint64_t added = 0;
            for (std::size_t i = range.begin(); i != range.end(); ++i) {
                const int cycles = packing_.cycles(states[i]) + 1;
                local.steps(
                    packing_.state(states[i]), [&](int value) { return meets(cycles + value); },
                    [&](int, int step, const std::vector<StateNumber>& successors) {
                        Words& found = local.found[static_cast<std::size_t>(step)];
                        for (const StateNumber state : successors)
                            found.push_back(packing_.pack(state, cycles));
                        added += successors.size() * sizeof(std::uint64_t);
                    });
            }
            used += added;
        });
        if (used < room / 4 && states.size() == slice_states_) slice_states_ *= 2;
        return used <= room;
    }

    /// After a slice of a layer, or without one: adds the successors to the layers of the ranks that keep
    /// them, and determines whether all continue.
    void share(std::size_t executed, bool more) {
        const Progress own{more, states_, out_of_memory_ ? WorkEnd::memory_limit : limits_.asked_to_end(),
                           disk_error_};
        progress_ = ranks_ == nullptr ? own : Progress{};
        if (ranks_ == nullptr) {
            if (progress_.running()) add_found(executed);
            return;
        }
        const std::vector<std::string> messages = ranks_->exchange(messages_to_all(own));
        for (const std::string& message : messages) progress_.add(ranks::ByteReader(message).get<Progress>());
        if (!progress_.running()) return;
        on_disk([&] {
            for (const std::string& message : messages) {
                ranks::ByteReader reader(message);
                reader.get<Progress>();
                while (!reader.at_end()) {
                    const auto step = reader.get<std::size_t>();
                    layers_.add(executed + step, reader.get_list<std::uint64_t>());
                }
            }
            settle(executed);
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
        settle(executed);
    }

    /// Repetitions are dropped early from waiting layers that have grown much.
    void settle(std::size_t executed) {
        const std::size_t last = std::min(executed + reach_, layers_.layers() - 1);
        for (std::size_t layer = executed + 1; layer <= last; ++layer) {
            if (layers_.size(layer) <= compact_at_[layer]) continue;
            layers_.compact(layer);
            compact_at_[layer] = std::max(compact_above, 2 * layers_.size(layer));
        }
        layers_.make_room();
    }

    /// For each rank: the status of this rank, and the successors that the receiver keeps, each state once.
    std::vector<std::string> messages_to_all(const Progress& own) {
        std::vector<ranks::ByteWriter> messages(static_cast<std::size_t>(ranks_->size()));
        for (ranks::ByteWriter& message : messages) message.put(own);
        std::vector<Words> found(messages.size());
        for (std::size_t step = 1; step <= reach_; ++step) {
            for (Local& local : locals_) {
                for (const std::uint64_t word : local.found[step])
                    found[owner(packing_.state(word))].push_back(word);
                local.found[step].clear();
            }
            for (std::size_t to = 0; to < messages.size(); ++to) {
                if (found[to].empty()) continue;
                std::sort(found[to].begin(), found[to].end());
                found[to].erase(std::unique(found[to].begin(), found[to].end()), found[to].end());
                messages[to].put(step);
                messages[to].put_list(found[to]);
                found[to].clear();
            }
        }
        std::vector<std::string> texts;
        texts.reserve(messages.size());
        for (ranks::ByteWriter& message : messages) texts.push_back(std::move(message).take());
        return texts;
    }

    /// Walks back from the end: some state of an earlier layer, one cycle earlier, has a maximal step to this
    /// state.
    KernelSchedule schedule(int cycles) const {
        std::vector<StateNumber> path{space_.size() - 1};
        std::vector<int> now(static_cast<std::size_t>(space_.warps()), space_.length());
        for (std::size_t executed = layers_.layers() - 1; executed > 0; --cycles) {
            for (std::size_t step = 1; step <= std::min(reach_, executed); ++step) {
                const auto found = first_of_all(state_before(executed - step, cycles - 1, now));
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

    /// The smallest result of all ranks.
    std::optional<StateNumber> first_of_all(std::optional<StateNumber> found) const {
        for (const std::optional<StateNumber>& other : ranks::values_of_all(ranks_, found))
            if (other && (!found || *other < *found)) found = other;
        return found;
    }

    /// The first state of a layer that was reached after `cycles` and has a maximal step to `after`.
    std::optional<StateNumber> state_before(std::size_t layer, int cycles,
                                            const std::vector<int>& after) const {
        std::optional<StateNumber> found;
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

    static constexpr std::uint64_t memory_headroom = 4;  // local copies, vectors that grow, messages
    static constexpr std::uint64_t compact_above = 1 << 22;
    static constexpr std::uint64_t grain = 256;  // states per task of a thread

    ranks::Collectives* ranks_;  // null: there is one rank
    const MultisetSpace& space_;
    const Packing& packing_;
    const SegmentBound& bound_;
    int target_;
    const WorkLimits& limits_;
    bool longest_;
    StepRule rule_;
    std::size_t reach_;
    LayerStore layers_;  // per number of executed instructions
    std::vector<std::uint64_t> compact_at_ = std::vector<std::uint64_t>(layers_.layers(), compact_above);
    tbb::enumerable_thread_specific<Local> locals_;
    bool out_of_memory_ = false;
    std::size_t slice_states_ =
        64 * grain;             // of a layer, whose successors are found before they are put there
    std::uint64_t states_ = 0;  // of this rank, in all finished layers
    int disk_error_ = 0;        // of this rank
    Progress progress_;         // of all ranks
};

}  // namespace

LayeredResult layered_search(const netgen::KernelInstance& instance, const SegmentBound& bound, int target,
                             const WorkLimits& limits, const std::string& scratch,
                             ranks::Collectives* ranks) {
    const auto space = MultisetSpace::create(instance.warps, static_cast<int>(instance.type.size()));
    // No schedule takes longer than executing one instruction per cycle.
    const int most_cycles = instance.warps * static_cast<int>(instance.type.size());
    const Packing packing(space ? space->size() : 0, most_cycles, bound.objective() == Objective::longest);
    if (!space || !packing.fits()) return {.end = WorkEnd::memory_limit, .schedule = {}, .states = 0};
    return Search(instance, *space, packing, bound, target, limits, scratch, ranks).run();
}

}  // namespace warpnet::worst
