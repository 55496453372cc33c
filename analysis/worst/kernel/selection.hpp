#pragma once

#include "analysis/worst/kernel/state_space.hpp"

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

namespace warpnet {

/// The warps at one position: indices begin ... end - 1 of a sorted state.
struct PositionRun {
    int position = 0;
    int begin = 0;
    int end = 0;
};

/// Appends, for every way to advance exactly `count` warps out of `runs`, by how much the rank of the state
/// grows, plus `base`. Ways that differ only in which warps of one position advance are one way.
template <class StateNumber>
void append_selections(const MultisetSpaceOf<StateNumber>& space, std::span<const PositionRun> runs,
                       int count, std::type_identity_t<StateNumber> base, std::vector<StateNumber>& sums) {
    if (count == 0) {
        sums.push_back(base);
        return;
    }
    int rest = 0;
    for (const PositionRun& run : runs) rest += run.end - run.begin;
    if (rest < count) return;
    const PositionRun run = runs.front();
    const auto others = runs.subspan(1);
    const int here = run.end - run.begin;
    rest -= here;
    for (int take = 0; take <= std::min(here, count); ++take) {
        if (take > 0) base += space.gain(run.position, run.end - take);
        if (count - take <= rest) append_selections(space, others, count - take, base, sums);
    }
}

/// Replaces `sums` by all sums of one of `sums` and one of `terms`.
template <class StateNumber>
void add_pairwise(std::vector<StateNumber>& sums, const std::vector<StateNumber>& terms,
                  std::vector<StateNumber>& scratch) {
    if (terms.size() == 1) {
        for (StateNumber& sum : sums) sum += terms[0];
        return;
    }
    scratch.clear();
    for (const StateNumber sum : sums)
        for (const StateNumber term : terms) scratch.push_back(sum + term);
    sums.swap(scratch);
}

}  // namespace warpnet
