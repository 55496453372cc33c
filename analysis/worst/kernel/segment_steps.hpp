#pragma once

#include "analysis/worst/kernel/segment_scheme.hpp"
#include "analysis/worst/kernel/state_space.hpp"
#include "analysis/worst/kernel/step_rule.hpp"

#include <array>
#include <vector>

namespace warpnet {

inline constexpr int max_segments = 16;

using SegmentCounts = std::array<std::int16_t, max_segments>;  ///< per segment or per group; unused ones 0

/// A step of the abstraction from all states with the same warps per segment.
struct SegmentStep {
    StateNumber target = 0;         ///< composition after the step
    int finishing_segments = 0;     ///< warps that leave their segment, over all segments
    SegmentCounts leaving = {};     ///< per segment: warps that execute its last instruction and leave
    SegmentCounts staying = {};     ///< per group: warps that execute and stay; the slack shrinks by it
    SegmentCounts arriving = {};    ///< per group: slack that the warps arriving from other segments bring
    SegmentCounts most_slack = {};  ///< per group: the step is possible only while staying <= slack <= this
};

/// Lists the abstract steps of a scheme.
///
/// The warps per segment (and, for the rest, finished) are a multiset of segment numbers, so their ranks are
/// those of a MultisetSpace over the segments: a *composition*.
class SegmentSteps {
  public:
    /// Whether the scheme is within what this class can count: max_segments segments, 16 bits of slack, 64
    /// bits of compositions.
    static bool fits(const SegmentScheme& scheme, int warps);

    /// The scheme must fit. Throws what StepRule throws.
    SegmentSteps(const KernelInstance& instance, SegmentScheme scheme);

    const SegmentScheme& scheme() const noexcept { return scheme_; }
    const MultisetSpace& compositions() const noexcept { return compositions_; }
    const StepRule& rule() const noexcept { return rule_; }

    /// Warps in each segment of a composition.
    SegmentCounts warps_in(StateNumber composition) const;

    /// The largest slack of each group with these warps per segment.
    SegmentCounts most_slack(const SegmentCounts& warps) const;

    /// Replaces `steps` by all steps from this composition.
    void list(StateNumber composition, std::vector<SegmentStep>& steps) const;

  private:
    struct Lister;

    SegmentScheme scheme_;
    StepRule rule_;
    MultisetSpace compositions_;
    std::vector<std::vector<int>> groups_of_class_;
    std::vector<std::vector<int>> segments_of_group_;
};

}  // namespace warpnet
