// Stores the nodes of decision diagrams and caches operations on them. Nodes are numbered in the order in
// which they are made, so a child has a smaller number than its parent and one pass over the numbers visits
// children first. A hash table makes equal nodes the same node. Results of operations are cached in tables
// that drop entries on a collision: that costs time only, and bounds the memory.

#include "analysis/states/diagrams/nodes.hpp"

#include <algorithm>
#include <utility>

namespace warpnet::states {

DiagramCache::DiagramCache() : entries_(std::size_t{1} << 12), shift_(64 - 12) {}

void DiagramCache::put(std::uint32_t first, std::uint32_t second, DiagramNode result,
                       std::uint64_t most_bytes) {
    if (++put_ > entries_.size() && 3 * bytes() <= most_bytes) {
        std::vector<Entry> old(2 * entries_.size());
        old.swap(entries_);
        --shift_;
        put_ = 0;
        for (const Entry& entry : old) {
            if (entry.result != unknown) entries_[slot(entry.first, entry.second)] = entry;
        }
    }
    entries_[slot(first, second)] = {first, second, result};
}

DiagramNodes::DiagramNodes(const WorkLimits& limits) : limits_(limits), table_(std::size_t{1} << 12, none) {}

DiagramNode DiagramNodes::child(DiagramNode node, std::uint32_t state) const noexcept {
    const auto row = edges(node);
    const auto at = std::lower_bound(row.begin(), row.end(), state,
                                     [](const Edge& edge, std::uint32_t s) { return edge.state < s; });
    return at != row.end() && at->state == state ? at->child : none;
}

std::uint64_t DiagramNodes::bytes() const noexcept {
    return first_.capacity() * sizeof(first_[0]) + edges_.capacity() * sizeof(Edge) +
           table_.size() * sizeof(DiagramNode) + united_.bytes() + subtracted_.bytes();
}

std::size_t DiagramNodes::hash(std::span<const Edge> edges) const noexcept {
    std::uint64_t value = edges.size();
    for (const Edge edge : edges) {
        value = (value ^ (std::uint64_t{edge.state} << 32 | edge.child)) * 0x9E37'79B9'7F4A'7C15;
        value ^= value >> 29;
    }
    return (value * 0x9E37'79B9'7F4A'7C15) >> 20;
}

DiagramNode DiagramNodes::make(std::span<const Edge> row) {
    if (row.empty()) return none;
    if (2 * size() > table_.size()) grow_table();
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash(row) & mask;
    for (; table_[at] != none; at = (at + 1) & mask) {
        const auto known = edges(table_[at]);
        if (std::equal(known.begin(), known.end(), row.begin(), row.end())) return table_[at];
    }
    if (size() >= DiagramCache::unknown) throw LimitReached(WorkEnd::memory_limit);
    const auto node = static_cast<DiagramNode>(size());
    edges_.insert(edges_.end(), row.begin(), row.end());
    first_.push_back(edges_.size());
    table_[at] = node;
    return node;
}

void DiagramNodes::grow_table() {
    std::vector<DiagramNode> table(2 * table_.size(), none);
    const std::size_t mask = table.size() - 1;
    for (DiagramNode node = all + 1; node < size(); ++node) {
        std::size_t at = hash(edges(node)) & mask;
        while (table[at] != none) at = (at + 1) & mask;
        table[at] = node;
    }
    table_ = std::move(table);
}

DiagramNode DiagramNodes::copy(const DiagramNodes& other, DiagramNode node) {
    std::vector<DiagramNode> copies(node + std::size_t{1}, none);
    if (node == none) return none;
    copies[node] = all;  // `all` is always kept
    for (DiagramNode at = node; at > all; --at) {
        if (copies[at] == none) continue;
        for (const Edge edge : other.edges(at)) copies[edge.child] = all;
    }
    std::vector<Edge> row;
    for (DiagramNode at = all + 1; at <= node; ++at) {
        if (copies[at] == none) continue;
        row.clear();
        for (const Edge edge : other.edges(at)) row.push_back({edge.state, copies[edge.child]});
        copies[at] = make(row);
    }
    return copies[node];
}

DiagramNode DiagramNodes::unite(DiagramNode a, DiagramNode b) {
    if (a == b || b == none) return a;
    if (a == none) return b;
    if (a > b) std::swap(a, b);
    if (const DiagramNode known = united_.find(a, b); known != DiagramCache::unknown) return known;
    const std::size_t begin = pending_.size();
    const std::size_t a_count = edges(a).size(), b_count = edges(b).size();
    spend(a_count + b_count);
    for (std::size_t i = 0, k = 0; i < a_count || k < b_count;) {
        const Edge* left = i < a_count ? &edges(a)[i] : nullptr;
        const Edge* right = k < b_count ? &edges(b)[k] : nullptr;
        if (right == nullptr || (left != nullptr && left->state < right->state)) {
            pending_.push_back(*left);
            ++i;
        } else if (left == nullptr || right->state < left->state) {
            pending_.push_back(*right);
            ++k;
        } else {
            const std::uint32_t state = left->state;
            const DiagramNode both = unite(left->child, right->child);
            pending_.push_back({state, both});
            ++i;
            ++k;
        }
    }
    const DiagramNode result = make(std::span(pending_).subspan(begin));
    pending_.resize(begin);
    united_.put(a, b, result, cache_bytes());
    return result;
}

DiagramNode DiagramNodes::subtract(DiagramNode a, DiagramNode b) {
    if (a == b || a == none) return none;
    if (b == none) return a;
    if (const DiagramNode known = subtracted_.find(a, b); known != DiagramCache::unknown) return known;
    const std::size_t begin = pending_.size();
    const std::size_t count = edges(a).size();
    spend(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Edge edge = edges(a)[i];
        const DiagramNode rest = subtract(edge.child, child(b, edge.state));
        if (rest != none) pending_.push_back({edge.state, rest});
    }
    const DiagramNode result = make(std::span(pending_).subspan(begin));
    pending_.resize(begin);
    subtracted_.put(a, b, result, cache_bytes());
    return result;
}

void DiagramNodes::look_at_limits() const {
    if (limits_.effort != 0 && spent_ >= limits_.effort) throw LimitReached(WorkEnd::effort_limit);
    if (bytes() + other_bytes_ > limits_.memory) throw LimitReached(WorkEnd::memory_limit);
    if (const WorkEnd end = limits_.asked_to_end(); end != WorkEnd::complete) throw LimitReached(end);
}

}  // namespace warpnet::states
