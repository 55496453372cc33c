#pragma once

#include "analysis/worst/kernel/state_space.hpp"
#include "analysis/worst/kernel/step_rule.hpp"
#include "netgen/kernel/kernel.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet::worst {

// The segment abstraction. A class is a type with a fairness level. Cut the string into segments of equal
// class: at least at every change of the class. Keep of a state only
//
// - n_j: the number of warps in segment j, and
// - R_g: the slack of each group g of segments of one class: the instructions that its warps must still
//   execute in their segments, beyond one each. With one segment in a group, 0 <= R <= (len - 1) n.
//
// An abstract step executes, for each class, a number of instructions that the step rule allows for the ready
// numbers of that state; it divides them among the groups, and y_j warps leave segment j. For a group with x
// executing warps and y = sum of y_j the step is possible only if
//
//     x - y <= R <= sum of (len_j - 1) (n_j - y_j)   and
//     x - y <= sum over segments with len_j > 1 of (n_j - y_j),
//
// and it leads to n_j - y_j + y_{j-1} warps and to slack R - (x - y) + sum of (len_j - 1) (arrivals in j).
//
// Claim. The longest abstract run is never shorter than the longest concrete run, nor the shortest abstract
// run longer than the shortest concrete one.
//
// Proof. Take any concrete maximal step from a state s to s'. It is an abstract step from the abstraction of
// s to that of s'. Then every concrete run is an abstract run of the same length, and the extremes over more
// runs can only be further out.
//
// 1. The numbers executed are allowed. All warps in a segment of class c are ready for an instruction of that
//    class, whatever their position in it. So the ready numbers per class are sums of n_j and known exactly.
//    Whether a set of ready warps is maximal depends only on how many of each class are ready and how many
//    execute, since warps of one class are interchangeable for capacities, schedulers and levels. So the step
//    rule allows exactly the concrete numbers.
// 2. The conditions hold. A warp leaves its segment exactly if it executes its last instruction there, so it
//    had no slack. The slack R therefore belongs to the n_j - y_j warps that do not leave, each with at most
//    len_j - 1. That is the upper limit. The x - y warps that execute and stay were not at the last
//    instruction. Each had slack at least 1, which gives the lower limit. Each is in a segment of more than
//    one instruction, which gives the last condition.
// 3. The state afterwards agrees. Each warp that executes and stays loses one of slack; warps that leave had
//    none; a warp that arrives in segment j brings len_j - 1.
//
// The bound is not exact because R does not determine the distribution of the slack. Cuts inside a segment
// refine it: with a segment for every instruction nothing is lost and the bound is exact. For the case study
// without schedulers the bound at W = 16 is 162. It is 160 (exact) after the last segment is cut into 6 and 3
// instructions. Groups coarsen it: slack summed over a class makes W = 32 a matter of seconds. Joining only
// segments of two instructions to the longest of their class costs nothing in the case study and saves half
// the states.
//
// Cost. All states with the same n (a composition) form a box of slacks, and an abstract step is the same
// shift for all of them. So the dynamic program takes maxima of whole rows of bytes, some tens of millions of
// states per second per core. A step moves at most sigma warps to their next segment. So compositions with
// the same number of finished segments are independent (parallel), and only a window of them is needed for
// the bound of the start alone.

/// Consecutive instructions of one class (type and fairness level) between which the abstraction does not
/// distinguish warps.
struct StringSegment {
    int begin = 0;  ///< first instruction
    int end = 0;    ///< one past the last
    int group = 0;  ///< segments of one group, all of one class, share one sum of work

    int length() const noexcept { return end - begin; }
    bool operator==(const StringSegment&) const = default;
};

/// A segment abstraction of an instance: the parts of a concrete state that it keeps.
///
/// For every segment j it keeps the number n[j] of warps in it, and for every group g of segments the *slack*
/// R[g]: the instructions that the warps in it must still execute in their segments beyond one each, summed.
struct SegmentScheme {
    std::vector<StringSegment> segments;  ///< cover the string in order
    int groups = 0;

    bool operator==(const SegmentScheme&) const = default;
};

/// The coarsest scheme with one group per segment: a segment for every longest run of one class.
SegmentScheme whole_runs(const netgen::KernelInstance& instance);

/// The scheme with one group per segment that also cuts before the given instructions.
SegmentScheme with_cuts(const netgen::KernelInstance& instance, std::span<const int> cuts);

/// The same segments, but those of two instructions share the slack of the longest segment of their class:
/// they hold little slack, and the table shrinks by a factor of the number of warps.
SegmentScheme with_short_joined(const netgen::KernelInstance& instance, const SegmentScheme& scheme);

/// The same segments with all slack of one class in one group.
SegmentScheme slack_per_class(const netgen::KernelInstance& instance, const SegmentScheme& scheme);

/// The number of abstract states of a scheme for `warps` warps, capped at 64 bits.
std::uint64_t count_states(const SegmentScheme& scheme, int warps);

inline constexpr int max_segments = 16;

using SegmentCounts = std::array<std::int16_t, max_segments>;  ///< per segment or per group; unused ones 0

/// A step of the abstraction from all states with the same number of warps per segment.
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
/// The warps per segment (and the finished ones) are a multiset of segment numbers, so their ranks are those
/// of a MultisetSpace over the segments: a *composition*.
class SegmentSteps {
  public:
    /// Whether the scheme is within the range of this class: max_segments segments, 16 bits of slack, 64 bits
    /// of compositions.
    static bool fits(const SegmentScheme& scheme, int warps);

    /// The scheme must fit. Throws as StepRule does.
    SegmentSteps(const netgen::KernelInstance& instance, SegmentScheme scheme);

    const SegmentScheme& scheme() const noexcept { return scheme_; }
    const MultisetSpace& compositions() const noexcept { return compositions_; }
    const StepRule& rule() const noexcept { return rule_; }

    /// Warps in each segment of a composition.
    SegmentCounts warps_in(StateNumber composition) const;

    /// The largest slack of each group with this number of warps per segment.
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

}  // namespace warpnet::worst
