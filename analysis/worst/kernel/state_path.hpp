#pragma once

#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/kernel/state_space.hpp"

#include <vector>

namespace warpnet {

/// The schedule that walks through these states, from the start to the end, one cycle between neighbours.
/// Index j of the sorted states is the same warp throughout (see MultisetSpaceOf); the foremost warp is
/// number 0.
template <class Rank>
KernelSchedule schedule_through(const MultisetSpaceOf<Rank>& space, const std::vector<Rank>& states);

extern template KernelSchedule schedule_through(const MultisetSpaceOf<Rank>&, const std::vector<Rank>&);
extern template KernelSchedule schedule_through(const MultisetSpaceOf<WideRank>&,
                                                const std::vector<WideRank>&);

}  // namespace warpnet
