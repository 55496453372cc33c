// The graph of all steps is built after the exploration, by enumerating the steps of every marking again and
// looking up their successors. Storing edges during the exploration would cost 4 bytes per edge even for
// questions that need none. All slots of a marking's successors are fetched before the first is read, because
// most of the time would otherwise be spent waiting for memory. Cost: O(edges x words of a marking), 4 bytes
// per edge. The graph stays in memory even with a scratch folder, because algorithms access it in random
// order.

#include "analysis/states/explore/step_graph.hpp"

#include "analysis/states/explore/state_space.hpp"
#include "analysis/states/explore/successors.hpp"
#include "engine/base/no_index.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace warpnet::states {

namespace {

/// Whether the work must end, from many threads.
class GraphLimits {
  public:
    explicit GraphLimits(const WorkLimits& limits) : limits_(limits) {}
    bool reached() {
        if (limits_.must_end()) stopped_.store(true, std::memory_order_relaxed);
        return stopped();
    }
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  private:
    const WorkLimits& limits_;
    std::atomic<bool> stopped_ = false;
};

constexpr std::uint32_t states_between_checks = 256;
constexpr std::uint64_t steps_between_checks = 64;

/// The working state of a thread.
struct Enumeration {
    Successors successors;
    StateCoder coder;
};

/// Calls work(state, workspace of this thread, may_continue) for every marking; work asks may_continue()
/// after each step.
template <class Work>
bool for_each_state(const CompiledNet& net, const ExploreOptions& options, const StepGraph& graph,
                    const StateSpace& space, Work&& work) {
    const PackedFiring firing(net, space.layout());
    GraphLimits stop(options.limits);
    using Range = tbb::blocked_range<std::uint32_t>;
    tbb::parallel_for(Range(0, graph.size(), states_between_checks), [&](const Range& range) {
        Enumeration by{
            Successors(net, options.semantics, space.layout(), firing, [&] { return stop.reached(); }),
            StateCoder(space)};
        std::uint64_t steps = 0;
        const auto may_continue = [&] { return ++steps % steps_between_checks != 0 || !stop.reached(); };
        for (std::uint32_t state = range.begin(); state != range.end(); ++state) {
            if (state % states_between_checks == 0 && stop.reached()) return;
            if (stop.stopped()) return;
            work(state, by, may_continue);
        }
    });
    return !stop.stopped();
}

/// Finds the numbers of all successors of a state, or fewer if may_continue() returns false; no_index for a
/// successor that is not in the space. All slots are fetched before the first is read, and then all markings.
template <class Words, class GoOn>
void find_targets(const StepGraph& graph, const StateSpace& space, std::uint32_t state, Words words,
                  const OrbitForm* orbits, Enumeration& by, std::span<std::uint32_t> targets,
                  GoOn&& may_continue) {
    thread_local std::vector<Word> canonical;
    thread_local std::vector<Word> kept;
    thread_local std::vector<StateHash> hashes;
    thread_local std::vector<std::size_t> positions;  // of the successors that may be in the space
    canonical.resize(words());
    kept.clear();
    hashes.clear();
    positions.clear();
    std::size_t position = 0;
    space.with_kept_words(words, [&](auto kept_words) {
        by.successors.for_each(
            by.coder.unpack_kept(graph.id(state)), words,
            [&](const Word* next, std::span<const std::uint32_t> /*fired*/) {
                if (orbits != nullptr) {
                    std::copy_n(next, words(), canonical.data());
                    orbits->make_canonical(canonical.data());
                    next = canonical.data();
                }
                targets[position] = no_index;
                if (const std::optional<KeptForm> form = by.coder.known_form(next, words)) {
                    kept.insert(kept.end(), form->words, form->words + kept_words());
                    hashes.push_back(form->hash);
                    positions.push_back(position);
                    space.shard(form->hash.shard()).prefetch_slot(form->hash.in_shard());
                }
                ++position;
                return may_continue();
            });
        for (const StateHash& hash : hashes) space.shard(hash.shard()).prefetch_state(hash.in_shard());
        for (std::size_t i = 0; i < hashes.size(); ++i) {
            const auto shard = hashes[i].shard();
            const auto number =
                space.shard(shard).find(hashes[i].in_shard(), kept.data() + i * kept_words(), kept_words);
            if (number) targets[positions[i]] = graph.number(StateSpace::id(shard, *number));
        }
    });
}

}  // namespace

StateId StepGraph::id(std::uint32_t state) const noexcept {
    const auto after = std::upper_bound(offsets_.begin(), offsets_.end() - 1, state);
    const auto shard = static_cast<std::uint32_t>(after - offsets_.begin() - 1);
    return StateSpace::id(shard, state - offsets_[shard]);
}

std::uint64_t StepGraph::bytes(const Exploration& explored) noexcept {
    constexpr std::uint64_t of_state = sizeof(std::uint64_t) + 1 + 40;
    return explored.space_edges * sizeof(std::uint32_t) + explored.space.size() * of_state;
}

void StepGraph::leave_out_unknown_targets() {
    open_.resize(timed_.size(), 0);
    std::uint64_t kept = 0;
    for (std::uint32_t state = 0; state < size(); ++state) {
        const std::uint64_t begin = first_[state];
        first_[state] = kept;
        for (std::uint64_t i = begin; i < first_[state + 1]; ++i) {
            if (targets_[i] == no_index) {
                open_[state] = 1;
            } else {
                targets_[kept++] = targets_[i];
            }
        }
    }
    first_[size()] = kept;
    targets_.resize(kept);
}

std::optional<StepGraph> step_graph(const CompiledNet& net, const ExploreOptions& options,
                                    const Exploration& explored) {
    const StateSpace& space = explored.space;
    StepGraph graph;
    for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s)
        graph.offsets_[s + 1] = graph.offsets_[s] + space.shard(s).size();
    const std::uint32_t states = graph.offsets_.back();
    graph.initial_ = graph.number(explored.initial);
    graph.timed_.assign(states, 1);
    graph.first_.assign(std::size_t{states} + 1, 0);
    if (!explored.complete()) graph.open_.assign(states, 0);
    std::optional<OrbitForm> orbits;
    if (options.symmetry != nullptr) orbits.emplace(*options.symmetry, space.layout());
    return with_words(space.layout().words(), [&](auto words) -> std::optional<StepGraph> {
        const bool counted = for_each_state(
            net, options, graph, space, [&](std::uint32_t state, Enumeration& by, const auto& may_continue) {
                std::uint64_t edges = 0;
                by.successors.for_each(by.coder.unpack_kept(graph.id(state)), words,
                                       [&](const Word*, std::span<const std::uint32_t> fired) {
                                           if (edges++ == 0)
                                               graph.timed_[state] = net.immediate(fired[0]) ? 0 : 1;
                                           return may_continue();
                                       });
                if (by.successors.take_misfit()) graph.open_[state] = 1;
                graph.first_[state + 1] = edges;
            });
        if (!counted) return std::nullopt;
        for (std::uint32_t state = 0; state < states; ++state) graph.first_[state + 1] += graph.first_[state];
        graph.targets_.resize(graph.first_.back());
        const bool filled = for_each_state(
            net, options, graph, space, [&](std::uint32_t state, Enumeration& by, const auto& may_continue) {
                const std::span<std::uint32_t> targets(graph.targets_.data() + graph.first_[state],
                                                       graph.first_[state + 1] - graph.first_[state]);
                find_targets(graph, space, state, words, orbits ? &*orbits : nullptr, by, targets,
                             may_continue);
            });
        if (!filled) return std::nullopt;
        if (!explored.complete()) graph.leave_out_unknown_targets();
        return std::move(graph);
    });
}

// Components are found by Tarjan's algorithm with its own stack, O(states + edges). Rejected: Boost.Graph's
// algorithm, which needs several times the memory and recurses as deep as the graph; state graphs can be as
// deep as they are large. The tests compare with it.

namespace {

struct Visit {
    std::uint32_t state;
    std::uint32_t next;  // position in its targets
};

}  // namespace

Components components(const StepGraph& graph) {
    Components result;
    result.of.assign(graph.size(), no_index);
    std::vector<std::uint32_t> found(graph.size(), no_index);  // order of discovery
    std::vector<std::uint32_t> lowest(graph.size(), 0);        // earliest reachable state on the stack
    std::vector<std::uint32_t> open;                           // states without a component yet
    std::vector<Visit> path;
    std::uint32_t count = 0;
    const auto enter = [&](std::uint32_t state) {
        found[state] = lowest[state] = count++;
        open.push_back(state);
        path.push_back({state, 0});
    };
    for (std::uint32_t root = 0; root < graph.size(); ++root) {
        if (found[root] != no_index) continue;
        enter(root);
        while (!path.empty()) {
            const std::uint32_t state = path.back().state;
            const auto targets = graph.targets(state);
            if (path.back().next < targets.size()) {
                const std::uint32_t target = targets[path.back().next++];
                if (found[target] == no_index) {
                    enter(target);
                } else if (result.of[target] == no_index) {
                    lowest[state] = std::min(lowest[state], found[target]);
                }
                continue;
            }
            path.pop_back();
            if (!path.empty()) {
                std::uint32_t& above = lowest[path.back().state];
                above = std::min(above, lowest[state]);
            }
            if (lowest[state] != found[state]) continue;
            std::uint32_t member = no_index;
            do {
                member = open.back();
                open.pop_back();
                result.of[member] = result.count;
            } while (member != state);
            ++result.count;
        }
    }
    result.bottom.assign(result.count, 1);
    for (std::uint32_t state = 0; state < graph.size(); ++state) {
        for (const std::uint32_t target : graph.targets(state)) {
            if (result.of[target] != result.of[state]) result.bottom[result.of[state]] = 0;
        }
    }
    return result;
}

namespace {

/// The states of bottom components, by component.
std::vector<std::uint32_t> bottom_states(const Components& components) {
    std::vector<std::uint32_t> states;
    for (std::uint32_t state = 0; state < components.of.size(); ++state) {
        if (components.bottom[components.of[state]] != 0) states.push_back(state);
    }
    std::stable_sort(states.begin(), states.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return components.of[a] < components.of[b]; });
    return states;
}

}  // namespace

Liveness liveness(const CompiledNet& net, Semantics semantics, const Exploration& explored,
                  const StepGraph& graph) {
    const Components parts = components(graph);
    Liveness result;
    result.components = parts.count;
    result.bottom_components =
        static_cast<std::uint32_t>(std::count(parts.bottom.begin(), parts.bottom.end(), 1));
    const std::vector<std::uint32_t> states = bottom_states(parts);
    if (result.bottom_components == 1) {
        result.home_states = states.size();
        result.reversible = parts.bottom[parts.of[graph.initial()]] != 0;
    }
    result.live.assign(net.transition_count(), explored.deadlocks == 0 ? 1 : 0);
    if (explored.deadlocks > 0) return result;  // a dead marking is a bottom component in which nothing fires
    const PackedFiring firing(net, explored.space.layout());
    Successors successors(net, semantics, explored.space.layout(), firing);
    StateCoder coder(explored.space);
    std::vector<std::uint8_t> fires(net.transition_count(), 0);
    with_words(explored.space.layout().words(), [&](auto words) {
        for (std::size_t i = 0; i < states.size(); ++i) {
            successors.for_each(coder.unpack_kept(graph.id(states[i])), words,
                                [&](const Word*, std::span<const std::uint32_t> fired) {
                                    for (const std::uint32_t transition : fired) fires[transition] = 1;
                                    return true;
                                });
            const bool last = i + 1 == states.size() || parts.of[states[i + 1]] != parts.of[states[i]];
            if (!last) continue;
            for (std::size_t t = 0; t < fires.size(); ++t) {
                result.live[t] &= fires[t];
                fires[t] = 0;
            }
        }
    });
    return result;
}

}  // namespace warpnet::states
