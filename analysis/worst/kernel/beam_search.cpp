// A beam search, cycle by cycle. All successors of the states of a cycle are sorted by the bound on their
// remaining cycles, and the best `width` of them are kept. A guided step (guided_steps.hpp) groups successors
// by abstract step, so the bound is looked up once per group, and a group beyond the width is not enumerated.
// Equal bounds are ordered by a hash with the seed. For the shortest run the abstraction hardly distinguishes
// states, so counting (quick_bracket.hpp) orders them as well. Cost: O(width x steps of a state) per cycle.

#include "analysis/worst/kernel/beam_search.hpp"

#include "analysis/worst/kernel/guided_steps.hpp"
#include "analysis/worst/kernel/quick_bracket.hpp"
#include "analysis/worst/kernel/state_space.hpp"
#include "engine/base/random.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

namespace warpnet::worst {
namespace {

/// Mixes a number over 64 bits.
std::uint64_t spread(std::uint64_t x) { return mix_bits(x + golden_ratio_64); }

template <class StateNumber>
class Beam {
  public:
    Beam(const netgen::KernelInstance& instance, const MultisetSpaceOf<StateNumber>& space,
         const SegmentBound& bound, const BeamOptions& options)
        : counting_(instance),
          space_(space),
          bound_(bound),
          options_(options),
          longest_(bound.objective() == Objective::longest),
          locals_([&] { return Local{.steps = GuidedSteps<StateNumber>(space_, bound_)}; }) {}

    BeamResult run() {
        layers_.push_back({Node{}});
        std::size_t end_cycle = 0;
        std::size_t end_parent = 0;
        while (!layers_.back().empty()) {
            if (const WorkEnd end = options_.limits.asked_to_end(); end != WorkEnd::complete)
                return {.schedule = {}, .end = end};
            next_layer();
            auto& layer = layers_.back();
            const StateNumber last = space_.size() - 1;
            const auto end = std::ranges::find_if(layer, [&](const Node& n) { return n.state == last; });
            if (end == layer.end()) continue;
            end_cycle = layers_.size() - 1;
            end_parent = end->parent;
            if (!longest_) break;
            layer.erase(end);
        }
        std::vector<StateNumber> path{space_.size() - 1};
        for (std::size_t cycle = end_cycle, node = end_parent; cycle-- > 0;) {
            path.push_back(layers_[cycle][node].state);
            node = layers_[cycle][node].parent;
        }
        std::ranges::reverse(path);
        return {.schedule = schedule_through(space_, path), .end = WorkEnd::complete};
    }

  private:
    struct Node {
        int bound = 0;            ///< of the shortest run from here; unused for the longest
        std::uint64_t order = 0;  ///< among nodes of equal bound, smaller first
        StateNumber state = 0;
        std::uint32_t parent = 0;

        auto key() const { return std::tie(bound, order, state, parent); }
        bool operator<(const Node& other) const { return key() < other.key(); }
    };

    struct Local {
        GuidedSteps<StateNumber> steps;
        std::vector<Node> found = {};
        std::vector<int> positions = {};
    };

    /// Calls body(local, node number) for all nodes of the newest layer, in parallel.
    template <class Body>
    void for_each_node(const Body& body) {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, layers_.back().size(), 16),
                          [&](const auto& range) {
                              Local& local = locals_.local();
                              for (std::size_t i = range.begin(); i != range.end(); ++i) body(local, i);
                          });
    }

    void next_layer() {
        std::vector<Node> next;
        if (longest_)
            add_from_the_largest_bound(next);
        else
            add_successors([](int) { return true; }, next);
        if (next.size() > options_.width) next.resize(options_.width);
        layers_.push_back(std::move(next));
    }

    void add_from_the_largest_bound(std::vector<Node>& next) {
        // Bounds that occur among the successors.
        std::vector<std::uint8_t> occurs(1, 0);
        tbb::enumerable_thread_specific<std::vector<std::uint8_t>> seen;
        const auto& nodes = layers_.back();
        for_each_node([&](Local& local, std::size_t i) {
            auto& values = seen.local();
            local.steps(
                nodes[i].state,
                [&](int value) {
                    if (values.size() <= static_cast<std::size_t>(value))
                        values.resize(static_cast<std::size_t>(value) + 1, 0);
                    values[static_cast<std::size_t>(value)] = 1;
                    return false;
                },
                [](int, int, const std::vector<StateNumber>&) {});
        });
        for (const auto& values : seen) {
            occurs.resize(std::max(occurs.size(), values.size()), 0);
            for (std::size_t v = 0; v < values.size(); ++v) occurs[v] |= values[v];
        }
        for (int value = static_cast<int>(occurs.size()); value-- > 0 && next.size() < options_.width;)
            if (occurs[static_cast<std::size_t>(value)] != 0)
                add_successors([&](int v) { return v == value; }, next);
    }

    /// Adds the distinct successors with a wanted bound, the best first.
    template <class Wanted>
    void add_successors(const Wanted& wanted, std::vector<Node>& next) {
        const auto& nodes = layers_.back();
        for_each_node([&](Local& local, std::size_t i) {
            local.steps(
                nodes[i].state, wanted, [&](int value, int, const std::vector<StateNumber>& successors) {
                    for (const StateNumber state : successors)
                        local.found.push_back({.bound = longest_ ? 0 : std::max(value, count(local, state)),
                                               .order = order_of(state),
                                               .state = state,
                                               .parent = static_cast<std::uint32_t>(i)});
                });
        });
        std::vector<Node> found;
        for (Local& local : locals_) {
            found.insert(found.end(), local.found.begin(), local.found.end());
            local.found.clear();
        }
        tbb::parallel_sort(found.begin(), found.end());
        const auto distinct = std::unique(found.begin(), found.end(),
                                          [](const Node& a, const Node& b) { return a.state == b.state; });
        next.insert(next.end(), found.begin(), distinct);
    }

    /// The abstraction alone hardly distinguishes short runs; counting does.
    int count(Local& local, StateNumber state) const {
        local.positions.resize(static_cast<std::size_t>(space_.warps()));
        space_.unrank(state, local.positions);
        return counting_(local.positions);
    }

    std::uint64_t order_of(StateNumber state) const {
        std::uint64_t hash = spread(static_cast<std::uint64_t>(state) ^ spread(options_.seed));
        if constexpr (sizeof(StateNumber) > sizeof(std::uint64_t))
            hash = spread(hash ^ static_cast<std::uint64_t>(state >> 64));
        return hash;
    }

    CountingBound counting_;
    const MultisetSpaceOf<StateNumber>& space_;
    const SegmentBound& bound_;
    const BeamOptions& options_;
    bool longest_;
    tbb::enumerable_thread_specific<Local> locals_;
    std::vector<std::vector<Node>> layers_;  // per cycle
};

template <class StateNumber>
std::optional<BeamResult> search(const netgen::KernelInstance& instance, const SegmentBound& bound,
                                 const BeamOptions& options) {
    const auto space =
        MultisetSpaceOf<StateNumber>::create(instance.warps, static_cast<int>(instance.type.size()));
    if (!space) return std::nullopt;
    return Beam<StateNumber>(instance, *space, bound, options).run();
}

}  // namespace

BeamResult beam_search(const netgen::KernelInstance& instance, const SegmentBound& bound,
                       const BeamOptions& options) {
    if (auto result = search<StateNumber>(instance, bound, options)) return *std::move(result);
    if (auto result = search<WideStateNumber>(instance, bound, options)) return *std::move(result);
    return {.schedule = {}, .end = WorkEnd::memory_limit};
}

}  // namespace warpnet::worst
