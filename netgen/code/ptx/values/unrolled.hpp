#pragma once

#include "netgen/code/ptx/values/flow.hpp"
#include "netgen/code/ptx/values/values.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet::netgen {

/// A loop of the source that the compiler split into two: `main` executes `factor` iterations of the source
/// per trip, and `remainder` the rest, one at a time.
struct PtxUnrolledLoop {
    std::uint32_t main = 0, remainder = 0;  ///< in PtxFlow::loops
    std::int64_t factor = 2;
    bool operator==(const PtxUnrolledLoop&) const = default;
};

/// The pairs of a function, in the order of the text. O(instructions of the loops' tests).
std::vector<PtxUnrolledLoop> find_unrolled_loops(const PtxFunction& function, const PtxFlow& flow,
                                                 const PtxConstants& constants);

/// The pair to which a loop belongs.
std::optional<PtxUnrolledLoop> unrolled_loop_of(const std::vector<PtxUnrolledLoop>& pairs,
                                                std::uint32_t loop);

/// By loop: its number among the loops of the source in the order of the text, from 1. Both loops of a pair
/// have the number of the first.
std::vector<std::size_t> ptx_source_places(const PtxFlow& flow, const std::vector<PtxUnrolledLoop>& pairs);

}  // namespace warpnet::netgen
