#pragma once

#include "engine/base/work_limits.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet::states {

/// A set of markings, or of contents of the lower levels of markings: a node of a decision diagram.
using DiagramNode = std::uint32_t;

/// A cache: the result of combining two nodes. A collision drops the older entry, which costs time only.
class DiagramCache {
  public:
    DiagramCache();

    /// 0xFFFFFFFF if it is not known.
    DiagramNode find(std::uint32_t first, std::uint32_t second) const noexcept {
        const Entry& entry = entries_[slot(first, second)];
        return entry.first == first && entry.second == second ? entry.result : unknown;
    }
    /// The table doubles after as many insertions as it has entries, up to `most_bytes`.
    void put(std::uint32_t first, std::uint32_t second, DiagramNode result, std::uint64_t most_bytes);
    std::uint64_t bytes() const noexcept { return entries_.size() * sizeof(Entry); }

    static constexpr DiagramNode unknown = 0xFFFF'FFFF;

  private:
    struct Entry {
        std::uint32_t first = unknown, second = unknown;
        DiagramNode result = unknown;
    };
    std::size_t slot(std::uint32_t first, std::uint32_t second) const noexcept {
        const std::uint64_t key = (std::uint64_t{first} << 32 | second) * 0x9E37'79B9'7F4A'7C15;
        return key >> shift_;
    }

    std::vector<Entry> entries_;
    int shift_;
    std::uint64_t put_ = 0;
};

/// Multi-valued decision diagrams [Srinivasan90], quasi-reduced: a path from a node to `all` has one edge per
/// level, labelled with a state of that level. Equal sets are the same node. Children have smaller numbers
/// than their parents.
class DiagramNodes {
  public:
    static constexpr DiagramNode none = 0;  ///< the empty set, of any level
    static constexpr DiagramNode all = 1;   ///< below the lowest level

    struct Edge {
        std::uint32_t state;
        DiagramNode child;  ///< never `none`
        bool operator==(const Edge&) const = default;
    };

    explicit DiagramNodes(const WorkLimits& limits);

    /// Ascending by state.
    std::span<const Edge> edges(DiagramNode node) const noexcept {
        return {edges_.data() + first_[node], edges_.data() + first_[node + 1]};
    }
    /// `none` if there is no edge for the state. O(log edges).
    DiagramNode child(DiagramNode node, std::uint32_t state) const noexcept;
    std::size_t size() const noexcept { return first_.size() - 1; }
    std::uint64_t bytes() const noexcept;

    /// The node with these edges, ascending by state; `none` if there are none. They may be in `pending`.
    DiagramNode make(std::span<const Edge> edges);

    /// The same set as a node of this diagram, if it has all the nodes for it.
    DiagramNode copy(const DiagramNodes& other, DiagramNode node);

    /// Operations on sets of one level. At most O(nodes of a x nodes of b), mostly about the larger of them.
    /// They throw LimitReached.
    DiagramNode unite(DiagramNode a, DiagramNode b);
    DiagramNode subtract(DiagramNode a, DiagramNode b);
    DiagramNode intersect(DiagramNode a, DiagramNode b) { return subtract(a, subtract(a, b)); }

    /// Limits of the operations from now on.
    void allow(const WorkLimits& limits) {
        limits_ = limits;
        spent_ = 0;
    }
    const WorkLimits& limits() const noexcept { return limits_; }
    /// Counts the work on a node with this number of edges; throws LimitReached at a limit.
    void spend(std::size_t edges = 1) {
        constexpr std::size_t edges_a_unit = 16;
        const std::uint64_t before = spent_;
        spent_ += 1 + edges / edges_a_unit;
        constexpr int between_looks = 10;  // bits
        if (before >> between_looks != spent_ >> between_looks) look_at_limits();
    }
    /// Bytes that a cache may take.
    std::uint64_t cache_bytes() const noexcept { return limits_.memory / 6; }
    /// Memory of other objects, which counts towards the limit of memory.
    void count_bytes(std::uint64_t bytes) noexcept { other_bytes_ = bytes; }

  private:
    void look_at_limits() const;
    void grow_table();
    std::size_t hash(std::span<const Edge> edges) const noexcept;

    WorkLimits limits_;
    std::vector<std::uint64_t> first_ = {0, 0, 0};  // per node the first of its edges, and one past the last
    std::vector<Edge> edges_;
    std::vector<DiagramNode> table_;  // by hash; `none`: free
    std::vector<Edge> pending_;       // of the nodes that are being put together, innermost last
    DiagramCache united_, subtracted_;
    std::uint64_t spent_ = 0;
    std::uint64_t other_bytes_ = 0;
};

}  // namespace warpnet::states
