#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace warpnet {

/// Position of a multiset in the list of all: see MultisetSpaceOf.
using StateNumber = std::uint64_t;

/// The same where there are more than 2^64 multisets.
__extension__ using WideStateNumber = unsigned __int128;

/// The concrete states of W identical warps over a string of I instructions: multisets of W positions 0 ...
/// I, where I means finished, kept as sorted vectors p[0] <= ... <= p[W-1].
///
/// Such a vector has the colexicographic rank sum over j of C(p[j] + j, j + 1): 0 for the start, size() - 1
/// for the end, and every position that grows makes it grow. The point of this numbering: where some of
/// several warps at one position advance, let it be those of the highest indices; then the vector stays
/// sorted, *each warp keeps its index* for the whole run, and the rank grows by a sum of terms gain(p[j], j),
/// one for each warp that advances and independent of one another. So the rank of a successor costs additions
/// only, and the schedule can be read from the states: index j is a warp.
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

    /// By how much the rank grows when index j advances from position p: C(p + j, j).
    StateNumber gain(int position, int j) const {
        return gain_[static_cast<std::size_t>(j) * static_cast<std::size_t>(length_ + 1) +
                     static_cast<std::size_t>(position)];
    }

    /// What index j contributes to the rank at position p: C(p + j, j + 1).
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

}  // namespace warpnet
