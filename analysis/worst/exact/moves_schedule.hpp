#pragma once

#include "analysis/worst/exact/local_states.hpp"
#include "analysis/worst/exact/multiset_steps.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <span>

namespace warpnet {

/// The steps of a run given by the moves of its modules: in each the transitions that they fire, and the
/// hub loops that fire beside them. O(steps x transitions).
Schedule schedule_of_moves(const Plan& planned, const LocalStates& states, const MultisetNet& net,
                           std::span<const LocalMove> moves, std::uint64_t steps);

}  // namespace warpnet
