#pragma once

#include "netgen/kernel/kernel.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Consecutive instructions of one class (type and fairness level), between which the abstraction does not
/// tell warps apart.
struct StringSegment {
    int begin = 0;  ///< first instruction
    int end = 0;    ///< one past the last
    int group = 0;  ///< segments of one group, all of one class, share one sum of work

    int length() const noexcept { return end - begin; }
    bool operator==(const StringSegment&) const = default;
};

/// A segment abstraction of an instance: what of a concrete state it remembers.
///
/// Of every segment j it keeps the number n[j] of warps in it, and of every group g of segments the *slack*
/// R[g]: the instructions that the warps in it must still execute in their segments beyond one each, summed.
/// README.md explains why the longest abstract run is never shorter than the longest concrete one.
struct SegmentScheme {
    std::vector<StringSegment> segments;  ///< cover the string in order
    int groups = 0;

    bool operator==(const SegmentScheme&) const = default;
};

/// The coarsest scheme with one group per segment: a segment for every longest run of one class.
SegmentScheme whole_runs(const KernelInstance& instance);

/// The scheme with one group per segment that also cuts before the given instructions.
SegmentScheme with_cuts(const KernelInstance& instance, std::span<const int> cuts);

/// The same segments, where those of two instructions share the slack of the longest segment of their class:
/// they hold little slack, and the table shrinks by the number of warps.
SegmentScheme with_short_joined(const KernelInstance& instance, const SegmentScheme& scheme);

/// The same segments with all slack of one class in one group.
SegmentScheme slack_per_class(const KernelInstance& instance, const SegmentScheme& scheme);

/// How many abstract states a scheme has for `warps` warps; the largest number if beyond 64 bits.
std::uint64_t count_states(const SegmentScheme& scheme, int warps);

}  // namespace warpnet
