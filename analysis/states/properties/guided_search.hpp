#pragma once

#include "analysis/states/properties/goals.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/net.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace warpnet {

struct GuidedSearchOptions {
    std::uint64_t max_states = 400'000;  ///< for all goals together; 20,000 for each at least
    WorkLimits limits = {.memory = std::uint64_t{1} << 30};
    bool stubborn_sets = true;  ///< look at some of the enabled transitions where they suffice
    bool schedules = true;
};

/// Looks for the goals that are still open, one after the other, in the markings that seem nearest to them
/// first; tells the goals what was found. Where all markings have been seen that matter a goal cannot be
/// reached. Interleaving, no priorities or immediate transitions: REQUIRES is_timed().
///
/// Stubborn sets keep dead markings (Valmari, "Stubborn sets for reduced state space generation", LNCS 483,
/// 1991) or the ways to a condition (Schmidt, "Stubborn sets for standard properties", ICATPN 1999).
void try_guided_search(const Net& net, const CompiledNet& compiled, const GuidedSearchOptions& options,
                       Goals& goals);

}  // namespace warpnet
