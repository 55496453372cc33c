#pragma once

#include <array>
#include <cstdint>

namespace warpnet {

/// What the lanes of a warp ask for in one access: an address each, in bytes.
struct WarpAddresses {
    std::array<std::uint64_t, 32> address = {};
    /// Lanes of different groups are taken as far apart: only inside a group do addresses compare.
    std::array<std::uint8_t, 32> group = {};
    std::uint32_t active = 0;  ///< one bit a lane
    std::int64_t bytes = 4;    ///< of a lane
};

/// Passes through shared memory, which has 32 banks of 4 bytes: the most different words in one bank. Wider
/// accesses go in phases of half a warp (8 bytes a lane) or a quarter (16 bytes). Lanes that read the same
/// word are served together. Source: CUDA C++ Programming Guide, shared memory of compute capability 5.x and
/// later. At least 1 where a lane is active, else 0.
std::int64_t shared_passes(const WarpAddresses& access);

/// Different sectors of 32 bytes.
std::int64_t global_sectors(const WarpAddresses& access);

/// Different lines of 128 bytes.
std::int64_t global_lines(const WarpAddresses& access);

}  // namespace warpnet
