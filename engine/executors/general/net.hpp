#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/run/executor.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpnet {

/// The change of the number of unmet conditions of a transition by one firing.
class CounterUpdate {
  public:
    static constexpr std::size_t most_transitions = std::size_t{1} << 28;
    static constexpr std::int32_t most_change = 7;

    CounterUpdate() = default;
    /// REQUIRES: transition < most_transitions and |change| <= most_change.
    CounterUpdate(std::uint32_t transition, std::int32_t change) noexcept
        : code_(transition << 4 | static_cast<std::uint32_t>(change + 8)) {}

    std::uint32_t transition() const noexcept { return code_ >> 4; }
    /// The number of unmet conditions after the firing. It wraps around if the number was too small.
    std::uint32_t applied_to(std::uint32_t number) const noexcept { return number + (code_ & 15) - 8; }

  private:
    std::uint32_t code_ = 0;
};

/// The tables of the general executor for a net. A *binary effect* is an effect on a place that seems to hold
/// at most one token. If all binary effects of a firing change their places from 0 to 1 or back, their
/// counter updates are those in `updates`. Otherwise the firing updates place by place.
struct GeneralNet {
    std::vector<std::uint8_t> binary_effects;  ///< per transition: its first effects, this many, are binary
    Rows<CounterUpdate> updates;               ///< per transition: the counter updates of its binary effects
    /// Per place: the row of rival_groups with the demand classes of its consumers. Row 0 is empty and
    /// belongs to hubs and to places without rivals. The whole table is empty for nets without hubs.
    std::vector<std::uint32_t> rivals;
    Rows<std::uint32_t> rival_groups;
};

/// O(n log n) in arcs.
GeneralNet prepare_general(const CompiledNet& net);

/// The memory of these tables.
std::size_t general_bytes(const GeneralNet& net);

/// The general executor, for every net, semantics, policy and observer. See ExecutorKind for its cost. Calls
/// prepare_general() if `general` is null.
std::unique_ptr<RunInProgress> begin_general_run(const CompiledNet& net,
                                                 std::shared_ptr<const GeneralNet> general,
                                                 const RunOptions& options, Observer* observer);

}  // namespace warpnet
