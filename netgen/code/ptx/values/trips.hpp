#pragma once

#include "netgen/code/ptx/values/flow.hpp"
#include "netgen/code/ptx/values/ranges.hpp"
#include "netgen/code/ptx/values/values.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpnet::netgen {

/// The number of times that a thread runs the body of a loop per entry. Proved.
struct PtxTripCount {
    std::int64_t low = 0;                                        ///< the fewest of the examined threads
    std::int64_t high = no_most;                                 ///< the most
    static constexpr std::int64_t no_most = 0x7FFFFFFFFFFFFFFF;  ///< not computed
    bool other_exits = false;  ///< the loop has other exits, so it can run less often
    std::uint8_t of = 0;       ///< if low < high: the coordinates on which the number depends (PtxRange::of)

    bool is_exact() const { return low == high && !other_exits; }
    bool operator==(const PtxTripCount&) const = default;
};

/// A register that each iteration changes by the same number.
struct PtxCounter {
    PtxRegister reg = {};
    std::int64_t by = 0;
};

/// The test that leaves a loop at the end of a block, with the instructions of an iteration on which it
/// depends. These are unguarded integer instructions that every iteration executes. Any arithmetic will do:
/// i += 4, s >>= 1, i = i * 3 + 1.
class PtxExitTest {
  public:
    /// Nothing if the test is of another kind.
    static std::optional<PtxExitTest> of(const PtxFunction& function, const PtxFlow& flow,
                                         const PtxConstants& constants, std::uint32_t loop,
                                         std::uint32_t exit);

    /// The only registers whose values before the loop matter.
    const std::vector<PtxRegister>& registers() const { return registers_; }

    /// The number of times that the test continues the loop before it ends it, for all threads of a part of a
    /// launch. `at_entry`: the registers before the loop. A counter that grows by a constant is solved. Other
    /// tests are computed iteration by iteration, up to max_proved_trips. Nothing if this limit is too low,
    /// or if the test depends on unknown values. If the threads differ, the most may be computed only with
    /// `to_the_end`. Adds the computed instructions to `work`.
    std::optional<PtxTripCount> passes(std::span<const PtxRange> at_entry, const PtxPart& part,
                                       const PtxLaunch& launch, bool to_the_end, std::uint64_t& work) const;

    /// The counter that the test compares with a constant number; nothing for another test.
    std::optional<PtxCounter> counter(const PtxLaunch& launch) const;

  private:
    struct Step {
        std::uint32_t instruction;
        PtxOperation operation;
        std::size_t destination;
        std::vector<PtxSource> sources;
    };
    class Builder;
    class Run;

    std::vector<PtxRegister> registers_;  // by slot
    std::vector<Step> steps_;
    std::size_t behind_test_ = 0;  // the first step after the test
    std::size_t predicate_ = 0;
    bool leaves_on_ = true;
};

/// The trips of a loop from the tests at its exits, by index of PtxFlowLoop::exits; nothing if no test proves
/// them.
std::optional<PtxTripCount> trips_of_passes(const PtxFlowLoop& loop,
                                            std::span<const std::optional<PtxTripCount>> passes);

/// The trips of a loop whose exit test depends on constants alone. Proved for every thread.
///
/// The body runs once per jump back. If every such jump is also an exit (`do … while`), it runs once more.
std::optional<PtxTripCount> prove_ptx_trips(const PtxFunction& function, const PtxFlow& flow,
                                            PtxConstants& constants, std::uint32_t loop);

/// The constants in the registers of a test before a loop.
std::vector<PtxRange> constants_before(const PtxFlow& flow, PtxConstants& constants, std::uint32_t loop,
                                       std::span<const PtxRegister> registers);

/// The values needed to prove the trips of a loop: the origins of its exit conditions
/// (PtxConstants::origins()).
std::vector<std::string> missing_for_ptx_trips(const PtxFunction& function, const PtxFlow& flow,
                                               PtxConstants& constants, std::uint32_t loop);

inline constexpr std::int64_t max_proved_trips = 100'000;

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
