// Colour refinement and the search for automorphisms, after McKay and Piperno. Refinement splits cells by the
// sum of a hashed label per edge, so that one comparison of numbers replaces one of edge lists; a collision
// leaves a cell too large, which costs time and not correctness. The largest part of a split cell need not
// split other cells. The search assigns images vertex by vertex and refines both sides; equal traces prune
// it. A generator is checked edge by edge before it is returned. Rejected: bliss 0.73, which is GPL.

#include "analysis/states/symmetry/coloured_graph.hpp"

#include "engine/base/disjoint_sets.hpp"
#include "engine/base/random.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace warpnet::states {

OrderedPartition::OrderedPartition(const ColouredGraph& graph, SearchEffort& effort)
    : elements_(graph.size()),
      position_(graph.size()),
      cell_of_(graph.size()),
      length_(graph.size()),
      queued_(graph.size()),
      keys_(graph.size()) {
    std::iota(elements_.begin(), elements_.end(), 0u);
    std::stable_sort(elements_.begin(), elements_.end(),
                     [&](auto a, auto b) { return graph.colours[a] < graph.colours[b]; });
    std::uint32_t start = 0;
    for (std::uint32_t i = 0; i < size(); ++i) {
        const std::uint32_t vertex = elements_[i];
        if (i == 0 || graph.colours[vertex] != graph.colours[elements_[i - 1]]) {
            start = i;
            ++cells_;
            trace_ = mix_bits(trace_ ^ mix_bits(graph.colours[vertex] + (std::uint64_t{start} << 32)));
            enqueue(start);
        }
        position_[vertex] = i;
        cell_of_[vertex] = start;
        ++length_[start];
    }
    refine(graph, effort);
}

void OrderedPartition::individualise(const ColouredGraph& graph, std::uint32_t vertex, SearchEffort& effort) {
    const std::uint32_t start = cell_of_[vertex];
    if (length_[start] == 1) return;
    move_to(vertex, start);
    for (std::uint32_t i = start + 1; i < start + length_[start]; ++i) cell_of_[elements_[i]] = start + 1;
    length_[start + 1] = length_[start] - 1;
    length_[start] = 1;
    ++cells_;
    trace_ = mix_bits(trace_ + start);
    enqueue(start);
    refine(graph, effort);
}

std::uint32_t OrderedPartition::smallest_cell() const noexcept {
    std::uint32_t best = 0, least = std::numeric_limits<std::uint32_t>::max();
    for (std::uint32_t start = 0; start < size(); start += length_[start]) {
        if (length_[start] == 1 || length_[start] >= least) continue;
        best = start;
        least = length_[start];
    }
    return best;
}

void OrderedPartition::move_to(std::uint32_t vertex, std::uint32_t position) noexcept {
    const std::uint32_t other = elements_[position];
    std::swap(elements_[position], elements_[position_[vertex]]);
    std::swap(position_[vertex], position_[other]);
}

void OrderedPartition::enqueue(std::uint32_t start) {
    if (queued_[start] != 0) return;
    queued_[start] = 1;
    queue_.push_back(start);
}

/// The key of a vertex is a sum over its edges to the splitting cell, so that equal edges have equal keys.
/// Different edges with equal keys would leave a cell too large, which costs time only.
void OrderedPartition::refine(const ColouredGraph& graph, SearchEffort& effort) {
    std::vector<std::uint32_t> touched, splitter;
    for (std::size_t at = 0; at < queue_.size() && !discrete(); ++at) {
        const std::uint32_t start = queue_[at];
        queued_[start] = 0;
        splitter.assign(cell(start).begin(), cell(start).end());
        touched.clear();
        std::uint64_t work = splitter.size();
        for (const std::uint32_t vertex : splitter) {
            work += graph.edges[vertex].size();
            for (const ColouredGraph::Edge edge : graph.edges[vertex]) {
                if (keys_[edge.to] == 0) touched.push_back(edge.to);
                keys_[edge.to] += mix_bits(edge.label + 1) | 1;
            }
        }
        std::sort(touched.begin(), touched.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair(cell_of_[a], keys_[a]) < std::pair(cell_of_[b], keys_[b]);
        });
        split(start, touched);
        for (const std::uint32_t vertex : touched) keys_[vertex] = 0;
        effort.spend(4 * work);
    }
    for (const std::uint32_t start : queue_) queued_[start] = 0;
    queue_.clear();
}

/// Splits the cells of vertices that are sorted by cell and key. Vertices without edges stay in front,
/// followed by the remaining vertices in the order of their keys.
void OrderedPartition::split(std::uint32_t splitter, std::vector<std::uint32_t>& touched) {
    trace_ = mix_bits(trace_ ^ splitter);
    for (std::size_t begin = 0; begin < touched.size();) {
        const std::uint32_t start = cell_of_[touched[begin]], before = length_[start];
        std::size_t end = begin;
        while (end < touched.size() && cell_of_[touched[end]] == start) ++end;
        auto next = static_cast<std::uint32_t>(start + before);  // cells are cut off from the back
        std::uint32_t largest = start, left = before;
        std::vector<std::uint32_t> made;
        std::size_t i = end;
        while (i > begin) {
            const std::uint64_t key = keys_[touched[i - 1]];
            std::size_t first = i;
            while (first > begin && keys_[touched[first - 1]] == key) --first;
            const auto count = static_cast<std::uint32_t>(i - first);
            trace_ = mix_bits(trace_ ^ mix_bits(key + count) ^ mix_bits(std::uint64_t{next} << 32));
            if (count < left) {
                for (; i > first; --i) move_to(touched[i - 1], --next);
                for (std::uint32_t j = next; j < next + count; ++j) cell_of_[elements_[j]] = next;
                length_[next] = count;
                left -= count;
                length_[start] = left;
                ++cells_;
                made.push_back(next);
            }
            i = first;
        }
        for (const std::uint32_t cell : made)
            if (length_[cell] > length_[largest]) largest = cell;
        // If the edges to all cells together are known, the edges to all cells but one determine those to the
        // last.
        const bool waiting = queued_[start] != 0;
        for (const std::uint32_t cell : made)
            if (waiting || cell != largest) enqueue(cell);
        if (!made.empty() && largest != start) enqueue(start);
        begin = end;
    }
}

namespace {

bool preserves_edges(const ColouredGraph& from, const ColouredGraph& to, const VertexMap& map,
                     SearchEffort& effort) {
    const auto less = [](const ColouredGraph::Edge& a, const ColouredGraph::Edge& b) {
        return std::pair(a.to, a.label) < std::pair(b.to, b.label);
    };
    std::vector<ColouredGraph::Edge> image, expected;
    std::vector<std::uint8_t> used(map.size(), 0);
    for (std::uint32_t vertex = 0; vertex < from.size(); ++vertex) {
        if (used[map[vertex]] != 0) return false;
        used[map[vertex]] = 1;
        if (from.colours[vertex] != to.colours[map[vertex]]) return false;
        if (from.edges[vertex].size() != to.edges[map[vertex]].size()) return false;
    }
    for (std::uint32_t vertex = 0; vertex < from.size(); ++vertex) {
        const auto edges = from.edges[vertex], others = to.edges[map[vertex]];
        effort.spend(8 + 16 * edges.size());  // they are sorted
        image.assign(edges.begin(), edges.end());
        for (ColouredGraph::Edge& edge : image) edge.to = map[edge.to];
        expected.assign(others.begin(), others.end());
        std::sort(image.begin(), image.end(), less);
        std::sort(expected.begin(), expected.end(), less);
        if (image != expected) return false;
    }
    return true;
}

class IsomorphismSearch {
  public:
    IsomorphismSearch(const ColouredGraph& from, const ColouredGraph& to, SearchEffort& effort)
        : from_(from), to_(to), effort_(effort) {}

    std::optional<VertexMap> operator()(const OrderedPartition& from, const OrderedPartition& to) {
        if (from.trace() != to.trace() || from.cells() != to.cells()) return std::nullopt;
        VertexMap map = candidate(from, to);
        if (preserves_edges(from_, to_, map, effort_)) return map;
        if (from.discrete()) return std::nullopt;
        const std::uint32_t start = from.smallest_cell();
        const std::uint32_t vertex = from.cell(start).front();
        if (to.cell(start).size() != from.cell(start).size()) return std::nullopt;
        OrderedPartition chosen = from;
        chosen.individualise(from_, vertex, effort_);
        std::vector<std::uint32_t> images(to.cell(start).begin(), to.cell(start).end());
        if (&from_ == &to_) {  // vertices that need not move stay
            const auto same = std::find(images.begin(), images.end(), vertex);
            if (same != images.end()) std::iter_swap(images.begin(), same);
        }
        for (const std::uint32_t image : images) {
            if (!effort_.spend(from.size())) return std::nullopt;
            OrderedPartition other = to;
            other.individualise(to_, image, effort_);
            if (auto found = (*this)(chosen, other)) return found;
        }
        return std::nullopt;
    }

  private:
    /// A vertex that is alone in its cell has one image. In other cells, vertices that are in both stay fixed
    /// as far as possible, and the rest follows the order of the cell.
    VertexMap candidate(const OrderedPartition& from, const OrderedPartition& to) {
        VertexMap map(from.size());
        std::vector<std::uint32_t> sources, targets;
        for (std::uint32_t start = 0; start < from.size();) {
            const auto cell = from.cell(start), image = to.cell(start);
            sources.clear();
            targets.clear();
            for (std::size_t i = 0; i < cell.size(); ++i) {
                const bool stays = &from_ == &to_ && to.cell_of(cell[i]) == start;
                if (stays) {
                    map[cell[i]] = cell[i];
                } else {
                    sources.push_back(cell[i]);
                }
                if (i < image.size() && (&from_ != &to_ || from.cell_of(image[i]) != start))
                    targets.push_back(image[i]);
            }
            for (std::size_t i = 0; i < std::min(sources.size(), targets.size()); ++i)
                map[sources[i]] = targets[i];
            start += static_cast<std::uint32_t>(cell.size());
        }
        return map;
    }

    const ColouredGraph& from_;
    const ColouredGraph& to_;
    SearchEffort& effort_;
};

}  // namespace

std::optional<VertexMap> find_isomorphism(const ColouredGraph& from, const OrderedPartition& from_partition,
                                          const ColouredGraph& to, const OrderedPartition& to_partition,
                                          SearchEffort& effort) {
    if (from.size() != to.size()) return std::nullopt;
    return IsomorphismSearch(from, to, effort)(from_partition, to_partition);
}

std::vector<VertexMap> automorphism_generators(const ColouredGraph& graph, const OrderedPartition& partition,
                                               SearchEffort& effort) {
    std::vector<OrderedPartition> chain = {partition};
    while (!chain.back().discrete()) {
        if (!effort.spend(8 * std::uint64_t{graph.size()})) return {};
        OrderedPartition next = chain.back();
        next.individualise(graph, next.cell(next.smallest_cell()).front(), effort);
        chain.push_back(std::move(next));
    }
    std::vector<VertexMap> generators;
    DisjointSets orbits(graph.size());
    for (std::size_t level = chain.size() - 1; level > 0; --level) {
        const OrderedPartition& before = chain[level - 1];
        const std::uint32_t start = before.smallest_cell();
        const std::uint32_t vertex = chain[level].at(start);
        std::vector<std::uint32_t> refused;  // no automorphism leads there
        for (const std::uint32_t image : before.cell(start)) {
            const auto same_orbit = [&](std::uint32_t other) {
                return orbits.root(other) == orbits.root(image);
            };
            if (same_orbit(vertex) || std::any_of(refused.begin(), refused.end(), same_orbit)) continue;
            if (!effort.spend(graph.size())) return generators;
            OrderedPartition other = before;
            other.individualise(graph, image, effort);
            auto found = find_isomorphism(graph, chain[level], graph, other, effort);
            if (!found) {
                refused.push_back(image);
                continue;
            }
            for (std::uint32_t v = 0; v < graph.size(); ++v) orbits.join(v, (*found)[v]);
            generators.push_back(std::move(*found));
        }
    }
    return generators;
}

}  // namespace warpnet::states
