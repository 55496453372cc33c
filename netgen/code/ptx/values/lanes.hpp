#pragma once

#include "netgen/code/ptx/values/values.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace warpnet::netgen {

/// The knowledge about a register for the 32 lanes of a warp. Its value is `value[lane]` plus an unknown
/// number that is the same for all lanes of a group and a multiple of `multiple`. This covers every affine
/// function of the thread's number (strides in `value`, and the shared part unknown), and all results
/// computed lane by lane.
struct PtxLanes {
    enum class State : std::uint8_t {
        unreached,  ///< nothing computed yet
        known,
        unknown,  ///< the lanes differ in an unknown way
    };
    State state = State::unreached;
    /// The coordinates of the block in the grid on which it may depend: 1 x, 2 y, 4 z. A value that depends
    /// on the time, or on memory that other threads write, has all of them.
    std::uint8_t blocks = 0;
    std::uint64_t multiple = 0;  ///< 0: there is no unknown part, the values are exact
    std::array<std::uint64_t, 32> value = {};
    std::array<std::uint8_t, 32> group = {};  ///< all 0 if the values are exact

    static constexpr std::uint8_t all_blocks = 7;
    static PtxLanes exact(std::uint64_t value);
    static PtxLanes unknown();
    /// An unknown value that is the same for all lanes and a multiple of the argument.
    static PtxLanes uniform(std::uint64_t multiple, std::uint8_t blocks);

    bool is_known() const { return state == State::known; }
    bool is_exact() const { return is_known() && multiple == 0; }
    bool is_uniform() const;  ///< all lanes have the same value, known or not
    bool operator==(const PtxLanes&) const = default;
};

/// The result of an integer instruction for each lane. Sums are assumed not to wrap around if a part of them
/// is unknown. Minima and maxima with an unknown uniform operand are assumed to return the other operand (the
/// clamps of borders).
PtxLanes evaluate_lanes(const PtxOperation& operation, std::span<const PtxLanes> sources);

/// The common part of both. If they differ by a number that all lanes share, that number is unknown.
PtxLanes join_lanes(const PtxLanes& a, const PtxLanes& b);

/// The addresses of the lanes of a warp in one access, in bytes.
struct WarpAddresses {
    std::array<std::uint64_t, 32> address = {};
    /// Lanes of different groups count as far apart, because addresses compare only within a group.
    std::array<std::uint8_t, 32> group = {};
    std::uint32_t active = 0;  ///< one bit per lane
    std::int64_t bytes = 4;    ///< of a lane
};

/// Passes through shared memory, which has 32 banks of 4 bytes: the most different words in one bank. Wider
/// accesses use phases of half a warp (8 bytes per lane) or a quarter (16 bytes). Lanes that read the same
/// word are served together. Source: CUDA C++ Programming Guide, shared memory of compute capability 5.x and
/// later. At least 1 if a lane is active, otherwise 0.
std::int64_t shared_passes(const WarpAddresses& access);

/// Different sectors of 32 bytes.
std::int64_t global_sectors(const WarpAddresses& access);

/// Different lines of 128 bytes.
std::int64_t global_lines(const WarpAddresses& access);

}  // namespace warpnet::netgen
