#pragma once

#include "netgen/code/ptx/values/values.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace warpnet::netgen {

/// The possible values of a register for all threads of a part of a launch. Each value is an integer of [low,
/// high], modulo 2 to the power of the register's width.
struct PtxRange {
    bool known = false;  ///< false: any value
    std::int64_t low = 0;
    std::int64_t high = 0;
    /// Coordinates on which the value depends, as bits of PtxPart, and `unknown`.
    std::uint8_t of = unknown;

    /// Depends on memory or on a parameter without a value, so that smaller parts do not determine it.
    static constexpr std::uint8_t unknown = 64;
    static PtxRange exact(std::int64_t value) { return {true, value, value, 0}; }
    static PtxRange between(std::int64_t low, std::int64_t high, std::uint8_t of) {
        return {true, low, high, of};
    }

    bool is_exact() const { return known && low == high; }
    bool operator==(const PtxRange&) const = default;
};

/// A box of the threads of a launch. It has the threads with `first` <= (x, y, z) <= `last`, on the axes 0,
/// 1, 2 within a block and on the axes 3, 4, 5 for the blocks. Bit a of PtxRange::of means axis a.
struct PtxPart {
    std::array<std::int64_t, 6> first = {};
    std::array<std::int64_t, 6> last = {};

    /// All threads that a launch can have: those of its shape, or the most that any GPU allows.
    static PtxPart whole(const PtxLaunch& launch);
    PtxRange value(PtxSpecial special, const PtxLaunch& launch) const;
    std::int64_t extent(std::size_t axis) const { return last[axis] - first[axis] + 1; }
};

/// The range of a source for the threads of a part. `registers`: by PtxSource::slot.
PtxRange range_of(const PtxSource& source, std::span<const PtxRange> registers, const PtxPart& part,
                  const PtxLaunch& launch);

/// The results of an integer instruction. Exact operands give the result of ptx_evaluate(). A division whose
/// divisor may be zero gives any value.
PtxRange evaluate_range(const PtxOperation& operation, std::span<const PtxRange> sources);

/// The range as numbers of a type. All numbers of the type if the range does not fit; nothing for an unknown
/// 64-bit number.
std::optional<std::array<std::int64_t, 2>> range_as(const PtxRange& range, int bits, bool is_signed);

/// One of the two; which one is unknown.
PtxRange either(const PtxRange& a, const PtxRange& b);

}  // namespace warpnet::netgen
