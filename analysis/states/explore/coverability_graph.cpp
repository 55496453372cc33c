// The tree of Karp and Miller [Karp69], with equal nodes merged. If a marking has at least the tokens of a
// marking on its path and more in some places, the steps between the two can repeat, so these places get ω.
// Steps repeat in spite of inhibitor arcs if the inhibitor places hold the same number of tokens in both
// markings; such a place never gets ω. By Dickson's lemma the tree is finite if inhibitor places are bounded.
// A node that is equal to an earlier one is not expanded again: every firing from a node still leads to a
// node that covers its marking. Smaller graphs (Finkel's minimal ones) lose edges, which a picture should
// show.

#include "analysis/states/explore/coverability_graph.hpp"

#include "engine/compile/firing_rule.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <utility>

namespace warpnet::states {

namespace {

class CoverabilityTree {
  public:
    CoverabilityTree(const CompiledNet& net, std::uint64_t max_nodes, const WorkLimits& limits)
        : net_(net), max_nodes_(max_nodes), limits_(limits), may_grow_(net.place_count(), 1) {
        for (std::size_t t = 0; t < net.transition_count(); ++t)
            for (const PlaceWeight& arc : net.inhibitors[t]) may_grow_[arc.place] = 0;
    }

    CoverabilityGraph run() {
        for (std::uint32_t node = 0; node < graph_.nodes.size() && graph_.complete(); ++node) expand(node);
        return std::move(graph_);
    }

  private:
    void expand(std::uint32_t node) {
        const Marking marking = graph_.nodes[node];
        for (std::uint32_t t = 0; t < net_.transition_count() && graph_.complete(); ++t) {
            if (!enabled(net_, marking, t)) continue;
            Marking after = marking;
            take(net_, after, t);
            give(net_, after, t);  // in range: any_number leaves a bit
            for (std::size_t p = 0; p < after.size(); ++p) {
                if (marking[p] == any_number)
                    after[p] = any_number;
                else if (after[p] >= any_number)
                    graph_.stop = WorkEnd::overflow;
            }
            if (!graph_.complete()) return;
            let_places_grow(node, after);
            graph_.edges.push_back({node, t, graph_.nodes.number_of(after, node)});
            if (graph_.nodes.size() > max_nodes_) graph_.stop = WorkEnd::state_limit;
            if (bytes() > limits_.memory) graph_.stop = WorkEnd::memory_limit;
            if (limits_.must_end()) graph_.stop = limits_.asked_to_end();
        }
    }

    /// Gives ω to the places that grow from a marking on the path to `node` to `after`.
    void let_places_grow(std::uint32_t node, Marking& after) const {
        for (std::uint32_t ancestor = node;; ancestor = graph_.nodes.parent(ancestor)) {
            const Marking before = graph_.nodes[ancestor];
            if (can_repeat(before, after, may_grow_))
                for (std::size_t p = 0; p < after.size(); ++p)
                    if (after[p] > before[p]) after[p] = any_number;
            if (ancestor == 0) return;
        }
    }

    std::uint64_t bytes() const {
        return graph_.nodes.bytes() + graph_.edges.capacity() * sizeof(CoverabilityGraph::Edge);
    }

    const CompiledNet& net_;
    std::uint64_t max_nodes_;
    const WorkLimits& limits_;
    std::vector<std::uint8_t> may_grow_;  // per place: it inhibits nothing
    CoverabilityGraph graph_{MarkingStore(net_.initial), {}};
};

}  // namespace

std::vector<Tokens> CoverabilityGraph::bounds() const {
    std::vector<Tokens> most = nodes[0];
    for (std::uint32_t node = 1; node < nodes.size(); ++node) {
        const Marking marking = nodes[node];
        for (std::size_t p = 0; p < most.size(); ++p) most[p] = std::max(most[p], marking[p]);
    }
    return most;
}

std::vector<std::uint32_t> unbounded_places(const std::vector<Tokens>& bounds) {
    std::vector<std::uint32_t> places;
    for (std::uint32_t p = 0; p < bounds.size(); ++p)
        if (bounds[p] == any_number) places.push_back(p);
    return places;
}

bool can_repeat(const Marking& before, const Marking& after, const std::vector<std::uint8_t>& may_grow) {
    for (std::size_t p = 0; p < after.size(); ++p)
        if (after[p] < before[p] || (after[p] > before[p] && may_grow[p] == 0)) return false;
    return true;
}

CoverabilityGraph coverability_graph(const CompiledNet& net, std::uint64_t max_nodes,
                                     const WorkLimits& limits) {
    if (!is_timed(net))
        throw InputError(
            "expected a net without immediate transitions and priorities for a coverability graph");
    if (std::ranges::any_of(net.initial, [](Tokens count) { return count >= any_number; }))
        throw InputError("expected fewer than 2^62 tokens in each place for a coverability graph");
    return CoverabilityTree(net, max_nodes, limits).run();
}

}  // namespace warpnet::states
