#pragma once

#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/kernel/state_space.hpp"

#include <vector>

namespace warpnet {

/// The schedule that walks through these states, from the start to the end, one cycle between neighbours.
/// Index j of the sorted states is the same warp throughout (see MultisetSpaceOf); the foremost warp is
/// number 0.
template <class StateNumber>
KernelSchedule schedule_through(const MultisetSpaceOf<StateNumber>& space,
                                const std::vector<StateNumber>& states);

extern template KernelSchedule schedule_through(const MultisetSpaceOf<StateNumber>&,
                                                const std::vector<StateNumber>&);
extern template KernelSchedule schedule_through(const MultisetSpaceOf<WideStateNumber>&,
                                                const std::vector<WideStateNumber>&);

}  // namespace warpnet
