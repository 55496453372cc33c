#pragma once

#include "analysis/states/explore/explore.hpp"
#include "analysis/states/structure/without_immediates.hpp"

#include <cstdint>

namespace warpnet {

inline constexpr std::uint64_t most_markings_of_timed_net = 200'000;

/// A net without immediate transitions.
struct FoundTimedNet : TimedNet {
    bool by_reachable = false;  ///< timed_by_reachable(), else without_immediates()
};

/// Replaces immediate transitions by what their arcs say if that makes few copies, else by the reachable
/// markings (most_markings_of_timed_net at most, and options.max_states), else by what the arcs say whatever
/// comes of it, with bounds by an exploration. Throws InputError, with the reason, where none of it does.
FoundTimedNet timed_net(const Net& net, const ExploreOptions& options);

}  // namespace warpnet
