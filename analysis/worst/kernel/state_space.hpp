#pragma once

#include "analysis/worst/kernel/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace warpnet::worst {

/// The position of a multiset in the list of all: see MultisetSpaceOf.
using StateNumber = std::uint64_t;

/// The same for more than 2^64 multisets.
__extension__ using WideStateNumber = unsigned __int128;

/// The concrete states of W identical warps over a string of I instructions: multisets of W positions 0 ...
/// I, in which I means finished, stored as sorted vectors p[0] <= ... <= p[W-1].
///
/// Such a vector has the colexicographic rank sum over j of C(p[j] + j, j + 1): 0 for the start, size() - 1
/// for the end, and it grows with every position. The advantage of this numbering: if some of several warps
/// at one position advance, let them be those with the highest indices. Then the vector stays sorted, *each
/// warp keeps its index* for the whole run, and the rank grows by a sum of terms gain(p[j], j), one
/// independent term per advancing warp. So the rank of a successor costs only additions, and the schedule can
/// be read from the states: index j is a warp.
template <class StateNumber>
class MultisetSpaceOf {
  public:
    /// Nothing if the number of multisets does not fit into a StateNumber.
    static std::optional<MultisetSpaceOf> create(int warps, int length);

    int warps() const noexcept { return warps_; }
    int length() const noexcept { return length_; }

    /// C(W + I, I).
    StateNumber size() const noexcept { return size_; }

    /// O(W).
    StateNumber rank(std::span<const int> positions) const;

    /// Fills the sorted positions, O(W + I).
    void unrank(StateNumber rank, std::span<int> positions) const;

    /// The growth of the rank when index j advances from position p: C(p + j, j).
    StateNumber gain(int position, int j) const {
        return gain_[static_cast<std::size_t>(j) * static_cast<std::size_t>(length_ + 1) +
                     static_cast<std::size_t>(position)];
    }

    /// The contribution of index j at position p to the rank: C(p + j, j + 1).
    StateNumber term(int position, int j) const {
        return term_[static_cast<std::size_t>(j) * static_cast<std::size_t>(length_ + 1) +
                     static_cast<std::size_t>(position)];
    }

  private:
    MultisetSpaceOf(int warps, int length) : warps_(warps), length_(length) {}

    int warps_;
    int length_;
    StateNumber size_ = 0;
    std::vector<StateNumber> gain_;  // [j][p]
    std::vector<StateNumber> term_;  // [j][p]
};

extern template class MultisetSpaceOf<StateNumber>;
extern template class MultisetSpaceOf<WideStateNumber>;

using MultisetSpace = MultisetSpaceOf<StateNumber>;

/// The warps at one position: indices begin ... end - 1 of a sorted state.
struct PositionRun {
    int position = 0;
    int begin = 0;
    int end = 0;
};

/// Appends, for every way to advance exactly `count` warps out of `runs`, the growth of the rank of the
/// state, plus `base`. Ways that differ only in which warps of one position advance are one way.
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

/// The schedule through these states, from the start to the end, one cycle between neighbours. Index j of the
/// sorted states is the same warp throughout (see MultisetSpaceOf); the foremost warp is number 0.
template <class StateNumber>
KernelSchedule schedule_through(const MultisetSpaceOf<StateNumber>& space,
                                const std::vector<StateNumber>& states);

extern template KernelSchedule schedule_through(const MultisetSpaceOf<StateNumber>&,
                                                const std::vector<StateNumber>&);
extern template KernelSchedule schedule_through(const MultisetSpaceOf<WideStateNumber>&,
                                                const std::vector<WideStateNumber>&);

}  // namespace warpnet::worst
