#include "netgen/code/ptx/memory_transactions.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpnet {

namespace {

using Piece = std::pair<std::uint8_t, std::uint64_t>;  // group, number of the piece

/// The different pieces of so many bytes that the lanes [first, last) touch.
std::vector<Piece> pieces(const WarpAddresses& access, std::uint32_t first, std::uint32_t last,
                          std::uint64_t size) {
    std::vector<Piece> found;
    const auto length = static_cast<std::uint64_t>(std::max<std::int64_t>(1, access.bytes));
    for (std::uint32_t lane = first; lane < last; ++lane) {
        if (((access.active >> lane) & 1U) == 0) continue;
        const std::uint64_t begin = access.address[lane];
        for (std::uint64_t piece = begin / size; piece <= (begin + length - 1) / size; ++piece)
            found.emplace_back(access.group[lane], piece);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace

std::int64_t shared_passes(const WarpAddresses& access) {
    constexpr std::uint64_t word = 4;
    constexpr std::uint64_t banks = 32;
    const std::uint32_t lanes = access.bytes <= 4 ? 32 : access.bytes <= 8 ? 16 : 8;
    std::int64_t passes = 0;
    for (std::uint32_t first = 0; first < 32; first += lanes) {
        std::array<std::int64_t, banks> words = {};
        for (const Piece& piece : pieces(access, first, first + lanes, word)) ++words[piece.second % banks];
        passes += *std::max_element(words.begin(), words.end());
    }
    return passes;
}

std::int64_t global_sectors(const WarpAddresses& access) {
    return static_cast<std::int64_t>(pieces(access, 0, 32, 32).size());
}

std::int64_t global_lines(const WarpAddresses& access) {
    return static_cast<std::int64_t>(pieces(access, 0, 32, 128).size());
}

}  // namespace warpnet
