#pragma once

#include "analysis/worst/kernel/segment_abstraction.hpp"
#include "analysis/worst/search/objective.hpp"
#include "engine/base/work_limits.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace warpnet::ranks {
class Collectives;
}  // namespace warpnet::ranks

namespace warpnet::worst {

/// The longest (or shortest) abstract run from every abstract state of a scheme to the end, in cycles: an
/// upper (lower) bound on the remaining cycles of every concrete state that it represents (proof:
/// segment_abstraction.hpp).
///
/// Computed by dynamic programming from the end to the start. All states of one composition form a box of
/// slacks in which an abstract step is a shift, so the work is taking maxima of whole rows. Compositions with
/// the same number of finished segments are independent and computed in parallel. The result does not depend
/// on the number of threads.
///
/// With `ranks`, which all call the same function, they are also divided among these. In the end each rank
/// has all values, so no memory is saved, and every value is sent to every other rank. A limit that one rank
/// reaches ends the computation on all.
class SegmentBound {
  public:
    /// The whole table, in cells of one byte, or two if a bound exceeds that. Nothing if a limit was reached
    /// or the scheme does not fit SegmentSteps. `expected`: a known bound (0: none), used only to choose the
    /// width of a cell; the same on all ranks.
    static std::optional<SegmentBound> create(const netgen::KernelInstance& instance,
                                              const SegmentScheme& scheme, Objective objective,
                                              const WorkLimits& limits, int expected = 0,
                                              ranks::Collectives* ranks = nullptr);

    /// The bound of the initial state. With `create` also available for all other states.
    int makespan() const { return makespan_; }
    const SegmentSteps& steps() const noexcept { return *steps_; }
    Objective objective() const noexcept { return objective_; }

    /// The position of the states of a composition: the state with slacks R is at first + sum of R[g] *
    /// stride[g].
    struct Block {
        std::uint64_t first = 0;
        std::array<std::int32_t, max_segments> stride{};  ///< per group
    };
    Block block(StateNumber composition) const { return {first_[composition], strides(composition)}; }

    int value(std::uint64_t index) const { return values8_.empty() ? values16_[index] : values8_[index]; }

  private:
    SegmentBound() = default;

    std::array<std::int32_t, max_segments> strides(StateNumber composition) const;

    std::unique_ptr<SegmentSteps> steps_;
    std::vector<int> group_order_;  // the last one is contiguous
    Objective objective_ = Objective::longest;
    int makespan_ = 0;
    std::vector<std::uint64_t> first_;   // per composition
    std::vector<std::uint8_t> values8_;  // one of the two is empty
    std::vector<std::int16_t> values16_;
};

/// Only the bound of the initial state: keeps only the part of the table that a step can reach, so much
/// larger schemes fit. Otherwise as SegmentBound::create.
std::optional<int> segment_bound_makespan(const netgen::KernelInstance& instance, const SegmentScheme& scheme,
                                          Objective objective, const WorkLimits& limits, int expected = 0,
                                          ranks::Collectives* ranks = nullptr);

}  // namespace warpnet::worst
