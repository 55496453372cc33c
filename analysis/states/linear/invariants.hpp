#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet::states {

/// A number and its position.
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

/// The transposed matrix.
std::vector<SparseRow> transposed(const std::vector<SparseRow>& rows, std::size_t columns);

/// a * x + b * y; nothing if a number leaves the range.
std::optional<SparseRow> combine(Tokens a, const SparseRow& x, Tokens b, const SparseRow& y);

/// The rank over the rational numbers, by elimination without fractions; nothing if a number leaves the range
/// or more than 300 million entries would have to be combined.
std::optional<std::size_t> matrix_rank(std::vector<SparseRow> rows);

/// A weight and the place or transition (by index) that has it.
struct InvariantTerm {
    std::uint32_t node;
    Tokens weight;                                           ///< at least 1
    auto operator<=>(const InvariantTerm&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
};

/// By ascending node; the weights have no common divisor.
using Invariant = std::vector<InvariantTerm>;

struct InvariantOptions {
    std::uint64_t max_rows = 20'000;         ///< held at a time, beyond those of the matrix
    std::uint64_t max_work = 1'000'000'000;  ///< additions and comparisons of entries, about
};

/// Invariants, each verified against the incidence matrix, in ascending order.
struct Invariants {
    std::vector<Invariant> all;
    /// Whether these are all minimal invariants. If not, a limit was reached or a number left the range, and
    /// further ones may exist. All listed ones are invariants in any case.
    bool complete = true;
};

/// The minimal-support semi-positive P-invariants: weights y >= 0 with y C = 0, so that the weighted sum of
/// tokens never changes. C is the incidence matrix (outputs minus inputs); inhibitor and read arcs move no
/// tokens.
///
/// Farkas' algorithm [Colom91]; invariants.cpp describes it. There can be exponentially many invariants:
/// beyond the options' limits those with many nodes are dropped, and the small ones are still found.
Invariants p_invariants(const Net& net, const InvariantOptions& options = {});
Invariants p_invariants(const CompiledNet& net, const InvariantOptions& options = {});

/// The minimal-support semi-positive T-invariants: firing counts x >= 0 with C x = 0, which reproduce a
/// marking.
Invariants t_invariants(const Net& net, const InvariantOptions& options = {});

/// The minimal y, s >= 0 with y C + s = 0, where s has one entry for each transition: weightings of places
/// under which no transition increases the sum. Nodes from the number of places on stand for s.
Invariants p_subinvariants(const Net& net, const InvariantOptions& options = {});

/// Per place the upper bound of its tokens by these P-invariants or subinvariants, under every semantics;
/// nothing if none bounds it.
std::vector<std::optional<Tokens>> invariant_bounds(const Net& net, const Invariants& invariants);

}  // namespace warpnet::states
