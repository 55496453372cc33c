#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace warpnet {

/// Per byte and rank: the position of the set bit with `rank` set bits below it.
inline constexpr auto bits_of_bytes = [] {
    std::array<std::array<std::uint8_t, 8>, 256> positions{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        unsigned rank = 0;
        for (std::uint8_t bit = 0; bit < 8; ++bit) {
            if ((byte >> bit & 1) != 0) positions[byte][rank++] = bit;
        }
    }
    return positions;
}();

/// Byte i: the set bits in bytes 0..i, by multiplication (Vigna, "Broadword implementation of rank/select
/// queries", 2008).
constexpr std::uint64_t sums_of_bits(std::uint64_t word) noexcept {
    std::uint64_t sums = word - ((word >> 1) & 0x5555555555555555u);
    sums = (sums & 0x3333333333333333u) + ((sums >> 2) & 0x3333333333333333u);
    return ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u;
}

/// std::popcount(), which is a function call if the processor may lack the instruction.
constexpr unsigned count_bits(std::uint64_t word) noexcept {
    return static_cast<unsigned>(sums_of_bits(word) >> 56);
}

/// The position of the set bit of `word` with `rank` set bits below it. REQUIRES: rank < count_bits(word).
/// Sums of bytes find the byte, and a table finds the bit in it.
constexpr unsigned select_bit(std::uint64_t word, unsigned rank) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101u, tops = ones << 7;
    const std::uint64_t sums = sums_of_bits(word);
    const std::uint64_t too_low = ((rank * ones | tops) - sums) & tops;
    const unsigned byte = static_cast<unsigned>(((too_low >> 7) * ones) >> 56) * 8;
    rank -= static_cast<unsigned>(((sums << 8) >> byte) & 0xff);
    return byte + bits_of_bytes[(word >> byte) & 0xff][rank];
}

/// Calls visit(number) for every set bit, in ascending order.
template <class Visit>
void for_each_bit(std::uint64_t bits, Visit&& visit) {
    for (; bits != 0; bits &= bits - 1) visit(static_cast<std::uint32_t>(std::countr_zero(bits)));
}

}  // namespace warpnet
