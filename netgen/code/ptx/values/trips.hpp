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

/// How often the body of a loop runs each time a thread reaches the loop. Proved.
struct PtxTripCount {
    std::int64_t low = 0;         ///< of the threads that are looked at, the fewest
    std::int64_t high = no_most;  ///< the most
    static constexpr std::int64_t no_most = 0x7FFFFFFFFFFFFFFF;  ///< was not computed
    bool other_exits = false;  ///< the loop has other ways out: it can run less often
    std::uint8_t of = 0;       ///< if low < high: coordinates on which the number depends (PtxRange::of)

    bool is_exact() const { return low == high && !other_exits; }
    bool operator==(const PtxTripCount&) const = default;
};

/// A register that each iteration changes by the same number.
struct PtxCounter {
    PtxRegister reg = {};
    std::int64_t by = 0;
};

/// The test at the end of a block that leaves a loop, with the instructions of an iteration on which it
/// depends. They are unguarded integer instructions that every iteration executes; any arithmetic will do:
/// i += 4, s >>= 1, i = i * 3 + 1.
class PtxExitTest {
  public:
    /// Nothing if the test is not of that kind.
    static std::optional<PtxExitTest> of(const PtxFunction& function, const PtxFlow& flow,
                                         const PtxConstants& constants, std::uint32_t loop,
                                         std::uint32_t exit);

    /// What happens before the loop matters in these registers only.
    const std::vector<PtxRegister>& registers() const { return registers_; }

    /// How often the test lets the loop go on before it ends the loop, for all threads of a part of a launch.
    /// `at_entry`: the registers before the loop. A counter that grows by a constant is solved; other tests
    /// are computed iteration by iteration, up to max_proved_trips. Nothing if that is not enough, or if the
    /// test depends on what is not known. If the threads differ, the most may be computed only with
    /// `to_the_end`. Adds the instructions computed to `work`.
    std::optional<PtxTripCount> passes(std::span<const PtxRange> at_entry, const PtxPart& part,
                                       const PtxLaunch& launch, bool to_the_end, std::uint64_t& work) const;

    /// The counter that the test compares with a number that stays; nothing for another test.
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
    std::size_t behind_test_ = 0;  // the first step that is executed after the test
    std::size_t predicate_ = 0;
    bool leaves_on_ = true;
};

/// The trips of a loop from the tests at its ends, by index of PtxFlowLoop::exits; nothing if no test proves
/// them.
std::optional<PtxTripCount> trips_of_passes(const PtxFlowLoop& loop,
                                            std::span<const std::optional<PtxTripCount>> passes);

/// The trips of a loop whose exit test depends on constants alone. Proved for every thread.
///
/// The body runs once per jump back; where every such jump is also a way out (`do … while`), once more.
std::optional<PtxTripCount> prove_ptx_trips(const PtxFunction& function, const PtxFlow& flow,
                                            PtxConstants& constants, std::uint32_t loop);

/// What the registers of a test hold before a loop, as far as they are constants.
std::vector<PtxRange> constants_before(const PtxFlow& flow, PtxConstants& constants, std::uint32_t loop,
                                       std::span<const PtxRegister> registers);

/// What would have to be known to prove the trips of a loop: where its exit conditions come from
/// (PtxConstants::origins()).
std::vector<std::string> missing_for_ptx_trips(const PtxFunction& function, const PtxFlow& flow,
                                               PtxConstants& constants, std::uint32_t loop);

inline constexpr std::int64_t max_proved_trips = 100'000;

}  // namespace warpnet::netgen
