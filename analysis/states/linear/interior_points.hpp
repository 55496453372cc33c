#pragma once

#include "engine/base/work_limits.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpnet::states {

/// Rows and columns of: maximise objective x, matrix x = right_hand_side, x >= 0. The matrix by columns: the
/// rows of column c, ascending, and their values are from column_begin[c] to column_begin[c + 1].
struct EqualityProgram {
    std::vector<double> right_hand_side, objective;
    std::vector<std::int32_t> column_begin, row;
    std::vector<double> value;
};

struct InteriorPointLimits {
    /// About the sum of all columns. It multiplies the violation of prices when they are compared. Absent:
    /// the objective.
    std::optional<double> most_total = {};
    WorkLimits work = {};  ///< a unit of effort: 100 operations on numbers
};

/// Prices (duals) of the rows, near the best ones. Of the prices of all iterations they prove the lowest
/// bound right_hand_side prices + most_total max(0, max over columns of objective - prices column). They hold
/// in floating point only; nothing if numbers run out or the deadline is too near for some dozens of
/// factorisations as long as the first.
///
/// Predictor and corrector after Mehrotra [Mehrotra92] on the normal equations, factorised by CHOLMOD and
/// refined by conjugate gradients. Costs 20 to 60 factorisations of matrix * matrix^T; 25,000 columns with
/// some 2,000 rows that touch most of them: 15 s on one core with OpenBLAS, more than a minute with the
/// reference BLAS.
std::optional<std::vector<double>> interior_prices(const EqualityProgram& program,
                                                   const InteriorPointLimits& limits);

}  // namespace warpnet::states
