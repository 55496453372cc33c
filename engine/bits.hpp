#pragma once

#include <bit>
#include <cstdint>

namespace warpnet {

/// Position of the set bit of `word` that has `rank` set bits below it; needs rank < popcount(word).
/// Byte-wise sums by multiplication (Vigna, "Broadword implementation of rank/select queries", 2008).
constexpr unsigned select_bit(std::uint64_t word, unsigned rank) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101u, tops = ones << 7;
    std::uint64_t sums = word - ((word >> 1) & 0x5555555555555555u);
    sums = (sums & 0x3333333333333333u) + ((sums >> 2) & 0x3333333333333333u);
    sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0fu) * ones;  // byte i: set bits in bytes 0..i
    const std::uint64_t too_low = ((rank * ones | tops) - sums) & tops;
    const unsigned byte = static_cast<unsigned>(((too_low >> 7) * ones) >> 56) * 8;
    rank -= static_cast<unsigned>(((sums << 8) >> byte) & 0xff);
    word >>= byte;
    for (; rank > 0; --rank) word &= word - 1;
    return byte + static_cast<unsigned>(std::countr_zero(word));
}

/// Calls visit(number) for every set bit, in ascending order.
template <class Visit>
void for_each_bit(std::uint64_t bits, Visit&& visit) {
    for (; bits != 0; bits &= bits - 1) visit(static_cast<std::uint32_t>(std::countr_zero(bits)));
}

}  // namespace warpnet
