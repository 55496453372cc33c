#pragma once

#include "engine/base/work_limits.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet::states {

/// A linear program with whole coefficients: maximise a sum over columns, all of them at least 0, under rows
/// that are equal to, or at most, their right-hand sides.
class LinearProgram {
  public:
    using Coefficient = std::int64_t;

    enum class Sense : std::uint8_t { equal, at_most };

    /// A row without entries; returns its number.
    std::uint32_t add_row(Sense sense, Coefficient right_hand_side);
    /// A column without entries; returns its number.
    std::uint32_t add_column(Coefficient objective);
    /// Entries of one column in one row add up.
    void add_entry(std::uint32_t row, std::uint32_t column, Coefficient coefficient);

    std::size_t rows() const noexcept { return senses_.size(); }
    std::size_t columns() const noexcept { return objective_.size(); }

    struct Entry {
        std::uint32_t row, column;
        Coefficient coefficient;
    };
    /// By column, then row, each place of the matrix at most once and none that is 0.
    std::vector<Entry> entries() const;
    Sense sense(std::size_t row) const noexcept { return senses_[row]; }
    Coefficient right_hand_side(std::size_t row) const noexcept { return right_hand_sides_[row]; }
    Coefficient objective(std::size_t column) const noexcept { return objective_[column]; }

  private:
    std::vector<Sense> senses_;
    std::vector<Coefficient> right_hand_sides_;
    std::vector<Coefficient> objective_;
    std::vector<Entry> entries_;
};

enum class BoundStatus : std::uint8_t {
    bounded,
    unbounded,   ///< the objective has no maximum
    infeasible,  ///< nothing satisfies all rows
    gave_up,     ///< the solver met its time limit or numerical trouble
};

struct CertifiedMaximum {
    BoundStatus status = BoundStatus::gave_up;
    std::int64_t value = 0;           ///< bounded: no solution in whole numbers has a larger objective
    std::vector<double> prices = {};  ///< bounded: of the rows, those that prove it (duals)
};

/// An upper bound on the objective that is valid even if the solver errs. Its dual solution is rounded to
/// fixed point and checked column by column in whole numbers, and the violation is added to the bound.
/// `most_total` is any upper bound on the sum of all columns in the solutions of interest; it multiplies the
/// violation (about 1e-9). Absent: the sum of all columns exceeds the objective by at most 1 in every
/// solution. Solved on one core by the simplex method of GLPK, or by interior points (interior_points.hpp)
/// from 1,000 columns on, without `most_total` from 4,000 on. The limits of time are checked every few
/// hundred iterations of the former, some 0.1 s, and in each round of the latter. A unit of effort is some 50
/// ns.
CertifiedMaximum certified_maximum(const LinearProgram& program, std::optional<std::int64_t> most_total = {},
                                   const WorkLimits& limits = {});

}  // namespace warpnet::states
