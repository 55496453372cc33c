#pragma once

#include "netgen/ptx/ptx_flow.hpp"
#include "netgen/ptx/ptx_values.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet {

/// How often the body of a loop runs each time the loop is reached. Proved.
struct PtxTripCount {
    std::int64_t trips = 0;
    bool exact = true;  ///< false: at most so often, for the loop has other ways out
    /// Of the first thread of the grid: where a loop runs from the thread's number in strides of all threads,
    /// no other thread has more.
    bool first_thread = false;
};

/// Finds the trips of a loop whose exit test depends on constants alone, by computing that test iteration by
/// iteration: the registers it needs start as constants and are only changed by unguarded integer
/// instructions that every iteration executes. Any arithmetic will do: i += 4, s >>= 1, i = i * 3 + 1.
/// Nothing where that is not so, or for more than max_proved_trips.
///
/// The body runs once per jump back; where every such jump is also a way out (`do … while`), once more.
std::optional<PtxTripCount> prove_ptx_trips(const PtxFunction& function, const PtxFlow& flow,
                                            PtxConstants& constants, std::uint32_t loop);

/// What would have to be known to prove the trips of a loop: where its exit conditions come from
/// (PtxConstants::origins()).
std::vector<std::string> missing_for_ptx_trips(const PtxFunction& function, const PtxFlow& flow,
                                               PtxConstants& constants, std::uint32_t loop);

inline constexpr std::int64_t max_proved_trips = 100'000;

}  // namespace warpnet
