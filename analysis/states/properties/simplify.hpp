#pragma once

#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"

#include <functional>
#include <optional>

namespace warpnet {

/// An equivalent formula with fewer operators that speak of paths, such as EF p or EF q for EF (p or EF q).
/// The rules hold in every state of every graph (Bonneland, Dyhr, Jensen, Johannsen, Srba, "Simplification of
/// CTL formulae for efficient model checking of Petri nets", Petri Nets 2018, section 3).
Formula simplified(const Formula& formula);

/// What is known about the reachable markings: whether some marking has a condition, or nothing.
using ReachKnowledge = std::function<std::optional<bool>(const Formula& condition)>;

/// Whether a formula holds in a marking, where that follows from the marking and from what is known about the
/// markings that can be reached from it; REQUIRES: no firings.
std::optional<bool> holds_in(const Formula& formula, const Net& net, const Marking& marking,
                             const ReachKnowledge& reachable);

/// Whether a formula is put together from what holds in some, or in every, reachable marking.
bool asks_about_markings(const Formula& formula);

/// Adds the conditions on single markings that a formula is made of, but for constants.
void add_conditions(const Formula& formula, std::vector<Formula>& conditions);

}  // namespace warpnet
