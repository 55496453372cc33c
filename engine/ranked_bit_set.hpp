#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpnet {

/// Position of the set bit of `word` that has `rank` set bits below it; needs rank < popcount(word).
/// Byte-wise sums by multiplication (Vigna, "Broadword implementation of rank/select queries", 2008).
constexpr unsigned select_bit(std::uint64_t word, unsigned rank) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101u;
    std::uint64_t sums = word - ((word >> 1) & 0x5555555555555555u);
    sums = (sums & 0x3333333333333333u) + ((sums >> 2) & 0x3333333333333333u);
    sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0fu) * ones;  // byte i: set bits in bytes 0..i
    unsigned position = 0;
    while (((sums >> position) & 0xff) <= rank) position += 8;
    if (position > 0) rank -= static_cast<unsigned>((sums >> (position - 8)) & 0xff);
    word >>= position;
    for (; rank > 0; --rank) word &= word - 1;
    return position + static_cast<unsigned>(std::countr_zero(word));
}

/// A subset of {0, …, size-1} that is always in ascending order, whatever the order of insertion: a draw from
/// it depends on its content alone. Insert and erase: constant time. Select and iteration: one step per 4096
/// members of the universe, then one per word of 64 that is not empty.
class RankedBitSet {
  public:
    RankedBitSet() = default;
    explicit RankedBitSet(std::size_t size) : words_((size + 63) / 64), summary_((words_.size() + 63) / 64) {}

    std::uint32_t count() const noexcept { return count_; }
    bool contains(std::uint32_t i) const noexcept { return ((words_[i / 64] >> (i % 64)) & 1) != 0; }

    /// Needs: not contained.
    void insert(std::uint32_t i) noexcept {
        words_[i / 64] |= std::uint64_t{1} << (i % 64);
        summary_[i / 4096] |= std::uint64_t{1} << (i / 64 % 64);
        ++count_;
    }

    /// Needs: contained.
    void erase(std::uint32_t i) noexcept {
        const std::uint64_t rest = words_[i / 64] & ~(std::uint64_t{1} << (i % 64));
        words_[i / 64] = rest;
        if (rest == 0) summary_[i / 4096] &= ~(std::uint64_t{1} << (i / 64 % 64));
        --count_;
    }

    /// The member with `rank` smaller ones; needs rank < count().
    std::uint32_t select(std::uint32_t rank) const noexcept {
        if (words_.size() == 1) return select_bit(words_[0], rank);
        for (std::size_t block = 0;; ++block) {
            for (std::uint64_t rest = summary_[block]; rest != 0; rest &= rest - 1) {
                const std::size_t word = block * 64 + static_cast<std::size_t>(std::countr_zero(rest));
                const auto here = static_cast<std::uint32_t>(std::popcount(words_[word]));
                if (rank < here)
                    return static_cast<std::uint32_t>(word * 64) + select_bit(words_[word], rank);
                rank -= here;
            }
        }
    }

    /// Smallest and largest member; need count() > 0.
    std::uint32_t lowest() const noexcept { return select(0); }
    std::uint32_t highest() const noexcept { return select(count_ - 1); }

    /// Calls visit(i) for every member in ascending order. The set must not change meanwhile.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t block = 0; block < summary_.size(); ++block) {
            for (std::uint64_t words = summary_[block]; words != 0; words &= words - 1) {
                const std::size_t word = block * 64 + static_cast<std::size_t>(std::countr_zero(words));
                for (std::uint64_t rest = words_[word]; rest != 0; rest &= rest - 1) {
                    visit(static_cast<std::uint32_t>(word * 64) +
                          static_cast<std::uint32_t>(std::countr_zero(rest)));
                }
            }
        }
    }

  private:
    std::vector<std::uint64_t> words_;
    std::vector<std::uint64_t> summary_;  // a bit per word that is not empty
    std::uint32_t count_ = 0;
};

}  // namespace warpnet
