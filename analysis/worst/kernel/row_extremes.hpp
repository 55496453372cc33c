#pragma once

#include "analysis/worst/search/objective.hpp"

#include <cstddef>
#include <cstdint>

namespace warpnet::worst {

inline constexpr int max_box_dimensions = 16;

/// A box inside two arrays of different shape, made of rows that are contiguous in both.
struct BoxPair {
    std::size_t row = 1;  ///< cells of a row
    int outer = 0;        ///< further dimensions
    std::int32_t extent[max_box_dimensions] = {};
    std::int32_t to_stride[max_box_dimensions] = {};
    std::int32_t from_stride[max_box_dimensions] = {};

    /// Adds an outer dimension; it makes the rows longer if it continues them in both arrays.
    void add(std::int32_t size, std::int32_t to, std::int32_t from) {
        if (size == 1) return;
        if (outer == 0 && to == from && static_cast<std::size_t>(to) == row) {
            row *= static_cast<std::size_t>(size);
            return;
        }
        extent[outer] = size;
        to_stride[outer] = to;
        from_stride[outer] = from;
        ++outer;
    }
};

/// to[i] = the larger (longest) or smaller (shortest) of to[i] and from[i] for all cells i of the box. The
/// two boxes must not overlap. Uses the widest vector instructions of the machine.
void take_extremes(Objective objective, std::uint8_t* to, const std::uint8_t* from, const BoxPair& box);
void take_extremes(Objective objective, std::int16_t* to, const std::int16_t* from, const BoxPair& box);

}  // namespace warpnet::worst
