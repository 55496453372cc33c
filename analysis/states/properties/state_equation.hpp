#pragma once

#include "analysis/states/properties/goals.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/net/net.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace warpnet {

struct StateEquationOptions {
    std::uint64_t max_programs = 20'000;   ///< linear programmes for one goal
    std::uint64_t max_work = 100'000'000;  ///< for one goal: iterations of the simplex method x places
    std::uint64_t max_arcs = 60'000;       ///< larger nets are left alone
    WorkLimits limits = {};                ///< of time
};

/// Looks for goals that no marking m = m0 + C x with whole x >= 0 attains, and for upper bounds of sums by
/// the same equation; tells the goals. True of every semantics and whatever inhibitor and read arcs there
/// are.
///
/// A condition is divided into cases as far as a solution of the linear relaxation breaks it (GLPK).
/// Solutions that leave a trap empty which is marked at the start are cut off [Esparza00].
/// Nets with numbers above a million are left alone, so that rounding does not matter.
void try_state_equation(const Net& net, const StateEquationOptions& options, Goals& goals);

/// The greatest trap within some places: all that is put into it stays, in some form. O(places x arcs).
std::vector<std::uint32_t> greatest_trap(const Net& net, std::vector<std::uint8_t> within);

}  // namespace warpnet
