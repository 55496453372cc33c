#pragma once

#include "cli/report/explore_report.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/net.hpp"

#include <cstdint>

namespace warpnet::cli {

/// So many states are explored one by one before --engine auto tries a diagram.
inline constexpr std::uint64_t states_before_diagram = 200'000;

/// The figures of all markings by a decision diagram, under interleaving, and with them a way to a deadlock.
/// Of a net with has_diagram(). Figures that are not `known`: it was not finished, and why.
StateFigures explore_by_diagram(const WorkLimits& limits, const Net& net, const CompiledNet& compiled,
                                ExploreReport& report);

/// The same where little effort makes the diagram and it has more states than are well explored one by one;
/// else figures that are not known.
StateFigures explore_by_quick_diagram(const WorkLimits& limits, const Net& net, const CompiledNet& compiled,
                                      ExploreReport& report);

/// Whether `few`, what was explored before a diagram, is all there will be: the work has been asked to end.
/// They then say so.
bool stays_with(StateFigures& few, const WorkLimits& limits);

}  // namespace warpnet::cli
