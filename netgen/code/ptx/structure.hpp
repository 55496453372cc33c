#pragma once

#include "netgen/code/ptx/report.hpp"
#include "netgen/code/ptx/values/flow.hpp"
#include "netgen/code/ptx/values/threads.hpp"
#include "netgen/code/ptx/values/trips.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::netgen {

/// A block or a whole loop, as a part of the code around it.
struct PtxItem {
    bool is_loop = false;
    std::uint32_t number = 0;  ///< in PtxFlow::blocks or PtxFlow::loops
    /// The share of the executions of the pass that reach this part: below 1 behind branches with given
    /// shares.
    double share = 1;
};

/// Parts that are executed once, one after the other. The sides of a branch follow one another, as in a warp
/// whose lanes part.
using PtxPass = std::vector<PtxItem>;

/// A loop as passes over its blocks, with its trips. `given`: the trips that the user gave for it, which
/// limit proved ones.
struct PtxLoopStructure {
    std::optional<std::int64_t> trips;  ///< of the body per entry of the loop; absent: unknown
    PtxTripSource source = PtxTripSource::unknown;
    std::optional<std::int64_t> least;  ///< if some warps are proved to make fewer trips
    std::optional<std::int64_t> given;
    bool given_by_iterations = false;  ///< `given` follows from the iterations of its loop of the source
    std::vector<std::string> needs;    ///< the values needed to prove the trips if they are unknown
    PtxPass body;                      ///< from the header to the jumps back
    PtxPass last;  ///< the last iteration, from the header to the exit, if the exit is before the jumps back

    std::int64_t counted_trips() const { return trips.value_or(1); }
};

using PtxBlockWeight = std::function<std::int64_t(const PtxBlock&, const std::vector<bool>& skipped)>;

/// A function's blocks in their order and with their execution counts.
struct PtxStructure {
    PtxFlow flow;
    PtxPass whole;  ///< from the entry on
    std::vector<PtxLoopStructure> loops;
    std::vector<PtxUnrolledLoop> unrolled;   ///< loops that are one in the source
    std::vector<std::size_t> source_places;  ///< ptx_source_places()
    std::optional<PtxThreads> threads;       ///< if anything is known about the launch
    /// By instruction: its guard is false for all threads of the launch (PtxThreads::guarded).
    std::vector<bool> skipped;

    /// Whether the launch leaves the condition at the end of a block open for some threads that reach it.
    bool is_open(std::uint32_t block) const;
};

/// `weight(block, skipped)`: the cost of a block without the instructions in PtxStructure::skipped, for the
/// longest path. Throws InputError like ptx_flow(), and if given trips or shares contradict proved ones.
PtxStructure ptx_structure(const PtxModule& module, const PtxFunction& function, const PtxOptions& options,
                           const PtxBlockWeight& weight);

/// The names under which trips can be given for a loop: its own, the same without "$L__" or "$" in front, and
/// "#k" for the k-th loop of a kernel in the order of the text.
std::vector<std::string> ptx_loop_keys(const std::string& name, std::optional<std::size_t> place);
std::optional<std::size_t> ptx_loop_place(const PtxFunction& function, const PtxFlow& flow,
                                          std::uint32_t loop);
/// "@k": the k-th loop of a kernel's source, whose iterations can be given instead of trips.
std::string ptx_source_key(std::size_t source_place);
/// The trips given under one of these names. Throws InputError if several are given.
std::optional<std::int64_t> given_ptx_trips(const PtxOptions& options, const std::string& name,
                                            std::optional<std::size_t> place);

}  // namespace warpnet::netgen
