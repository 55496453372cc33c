#pragma once

#include "netgen/code/ptx/values/values.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace warpnet::netgen {

/// What is known of a register for the 32 lanes of a warp: its value is `value[lane]` + an unknown number
/// that is the same for all lanes of a group and a multiple of `multiple`. Every affine function of the
/// thread's number is one (the strides in `value`, what all lanes share unknown), and everything that can be
/// computed lane by lane.
struct PtxLanes {
    enum class State : std::uint8_t {
        unreached,  ///< nothing computed yet
        known,
        unknown,  ///< the lanes differ in a way that is not known
    };
    State state = State::unreached;
    /// Of which coordinates of the block in the grid it may depend: 1 x, 2 y, 4 z; of the time, or of memory
    /// that others write, all of them.
    std::uint8_t blocks = 0;
    std::uint64_t multiple = 0;  ///< 0: there is no unknown part, the values are exact
    std::array<std::uint64_t, 32> value = {};
    std::array<std::uint8_t, 32> group = {};  ///< all 0 if the values are exact

    static constexpr std::uint8_t all_blocks = 7;
    static PtxLanes exact(std::uint64_t value);
    static PtxLanes unknown();
    /// The same for all lanes, a multiple of that.
    static PtxLanes uniform(std::uint64_t multiple, std::uint8_t blocks);

    bool is_known() const { return state == State::known; }
    bool is_exact() const { return is_known() && multiple == 0; }
    bool is_uniform() const;  ///< all lanes have the same value, known or not
    bool operator==(const PtxLanes&) const = default;
};

/// The result of an integer instruction for each lane. Sums do not wrap around where a part of them is
/// unknown; minima and maxima of something with something uniform and unknown are taken as not reached (the
/// clamps of borders).
PtxLanes evaluate_lanes(const PtxOperation& operation, std::span<const PtxLanes> sources);

/// What holds of both: where they differ by a number that all lanes share, that number is unknown.
PtxLanes join_lanes(const PtxLanes& a, const PtxLanes& b);

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

}  // namespace warpnet::netgen
