#pragma once

#include "engine/compile/compiled_net.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpnet {

/// By how much a firing changes how many conditions of a transition do not hold.
class CounterUpdate {
  public:
    static constexpr std::size_t most_transitions = std::size_t{1} << 28;
    static constexpr std::int32_t most_change = 7;

    CounterUpdate() = default;
    /// Needs transition < most_transitions and |change| <= most_change.
    CounterUpdate(std::uint32_t transition, std::int32_t change) noexcept
        : code_(transition << 4 | static_cast<std::uint32_t>(change + 8)) {}

    std::uint32_t transition() const noexcept { return code_ >> 4; }
    /// The number of conditions afterwards; wraps around where there were fewer.
    std::uint32_t applied_to(std::uint32_t number) const noexcept { return number + (code_ & 15) - 8; }

  private:
    std::uint32_t code_ = 0;
};

/// What the general executor knows beforehand about a net. A *flip* is an effect on a place that seems to
/// hold 0 or 1 token only; where all flips of a firing go from 0 to 1 or back, what they mean for other
/// transitions is known.
struct GeneralNet {
    std::vector<std::uint8_t>
        binary_effects;           ///< per transition: how many of its effects, from the first on, are flips
    Rows<CounterUpdate> updates;  ///< per transition: what its flips do together
    /// Per place: which row of rival_groups has the demand classes of the transitions that take from it; row
    /// 0, which is empty, for hubs and places without rivals. Empty in nets without hubs.
    std::vector<std::uint32_t> rivals;
    Rows<std::uint32_t> rival_groups;
};

/// O(n log n) in arcs.
GeneralNet prepare_general(const CompiledNet& net);

/// The memory that it takes.
std::size_t general_bytes(const GeneralNet& net);

}  // namespace warpnet
