#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet {

/// A number and where it stands.
struct SparseEntry {
    std::uint32_t at;
    Tokens value;  ///< not 0
    bool operator==(const SparseEntry&) const = default;
};

/// A row of a sparse matrix, by ascending position.
using SparseRow = std::vector<SparseEntry>;

/// The incidence matrix, outputs minus inputs, a row for each place and a column for each transition.
/// O(arcs log arcs).
std::vector<SparseRow> incidence_matrix(const Net& net);

/// Rows become columns.
std::vector<SparseRow> transposed(const std::vector<SparseRow>& rows, std::size_t columns);

/// a * x + b * y; nothing where a number leaves the range.
std::optional<SparseRow> combine(Tokens a, const SparseRow& x, Tokens b, const SparseRow& y);

/// The rank over the rational numbers, by elimination without fractions; nothing where a number leaves the
/// range or more than 300 million entries would have to be combined.
std::optional<std::size_t> matrix_rank(std::vector<SparseRow> rows);

}  // namespace warpnet
