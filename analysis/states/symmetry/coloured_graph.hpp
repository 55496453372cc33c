#pragma once

#include "engine/compile/compiled_net.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpnet::states {

/// An undirected graph with coloured vertices and labelled edges; each edge is stored at both of its ends.
struct ColouredGraph {
    struct Edge {
        std::uint32_t to;
        std::uint32_t label;
        bool operator==(const Edge&) const = default;
    };
    std::vector<std::uint32_t> colours;  ///< per vertex
    Rows<Edge> edges;                    ///< per vertex

    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(colours.size()); }
};

/// Counts the work of a search, so that it ends without looking at a clock.
struct SearchEffort {
    std::uint64_t left;

    bool spend(std::uint64_t amount) noexcept {
        left = amount < left ? left - amount : 0;
        return left > 0;
    }
};

/// An ordered partition of the vertices of a graph into cells, refined by the edges: afterwards all vertices
/// of a cell have equal edges to each cell (colour refinement; McKay, Piperno, "Practical graph isomorphism,
/// II", 2014, section 2). Two partitions that were made in the same way have equal traces if an isomorphism
/// leads from one to the other.
class OrderedPartition {
  public:
    /// Cells by colour, refined. O(edges x log vertices), spent.
    OrderedPartition(const ColouredGraph& graph, SearchEffort& effort);

    /// Gives a vertex a cell of its own, in front of the rest of its cell, and refines.
    void individualise(const ColouredGraph& graph, std::uint32_t vertex, SearchEffort& effort);

    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(elements_.size()); }
    std::uint32_t cells() const noexcept { return cells_; }
    bool discrete() const noexcept { return cells_ == size(); }
    std::uint64_t trace() const noexcept { return trace_; }
    /// The position at which the cell of a vertex begins: the name of the cell.
    std::uint32_t cell_of(std::uint32_t vertex) const noexcept { return cell_of_[vertex]; }
    std::span<const std::uint32_t> cell(std::uint32_t start) const noexcept {
        return std::span(elements_).subspan(start, length_[start]);
    }
    std::uint32_t at(std::uint32_t position) const noexcept { return elements_[position]; }
    std::uint32_t position(std::uint32_t vertex) const noexcept { return position_[vertex]; }
    /// The smallest cell of several vertices, the first if there are several; REQUIRES: not discrete.
    std::uint32_t smallest_cell() const noexcept;

  private:
    void refine(const ColouredGraph& graph, SearchEffort& effort);
    void split(std::uint32_t start, std::vector<std::uint32_t>& touched);
    void move_to(std::uint32_t vertex, std::uint32_t position) noexcept;
    void enqueue(std::uint32_t start);

    std::vector<std::uint32_t> elements_, position_, cell_of_;
    std::vector<std::uint32_t> length_;  // by the start of a cell
    std::vector<std::uint32_t> queue_;   // cells by which further cells are still to be split
    std::vector<std::uint8_t> queued_;
    std::vector<std::uint64_t> keys_;  // per vertex: its edges to the cell that splits
    std::uint64_t trace_ = 0;
    std::uint32_t cells_ = 0;
};

/// Per vertex of one graph a vertex of another, or the same.
using VertexMap = std::vector<std::uint32_t>;

/// An isomorphism that leads from one partition to the other, cell by cell. Nothing if there is none, or if
/// the effort is spent. Backtracks; the result has been checked against all edges.
std::optional<VertexMap> find_isomorphism(const ColouredGraph& from, const OrderedPartition& from_partition,
                                          const ColouredGraph& to, const OrderedPartition& to_partition,
                                          SearchEffort& effort);

/// Automorphisms of a graph that generate all of them, or some of them if the effort is spent. By a chain of
/// stabilisers, from the smallest group upwards, so that they move few vertices.
std::vector<VertexMap> automorphism_generators(const ColouredGraph& graph, const OrderedPartition& partition,
                                               SearchEffort& effort);

}  // namespace warpnet::states
