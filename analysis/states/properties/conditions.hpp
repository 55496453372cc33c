#pragma once

#include "engine/formula/condition.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace warpnet::states {

/// An equivalent formula with fewer path operators, such as EF p or EF q for EF (p or EF q). The rules hold
/// in every state of every graph (Bonneland, Dyhr, Jensen, Johannsen, Srba, "Simplification of CTL formulae
/// for efficient model checking of Petri nets", Petri Nets 2018, section 3).
Formula simplified(const Formula& formula);

/// The knowledge about the reachable markings: whether some marking has a condition, or nothing.
using ReachKnowledge = std::function<std::optional<bool>(const Formula& condition)>;

/// Whether a formula holds in a marking, if that follows from the marking and from the knowledge about the
/// markings that can be reached from it; REQUIRES: no firings.
std::optional<bool> holds_in(const Formula& formula, const Net& net, const Marking& marking,
                             const ReachKnowledge& reachable);

/// Whether a formula is a combination of conditions on some, or on every, reachable marking.
bool asks_about_markings(const Formula& formula);

/// The formula with another formula in place of each condition that add_conditions() adds.
Formula with_conditions(const Formula& formula, const std::function<Formula(const Formula&)>& other);

/// That every reachable marking leads back to the initial one: AG EF (p = ... and q = ...).
Formula reversible(const Net& net);

/// The distance of a marking from a condition: the missing amounts of comparisons, summed over a conjunction,
/// the least over a disjunction; 0 if it holds. REQUIRES: simplified and without transitions.
WideSum distance(const Formula& condition, const std::function<Tokens(std::uint32_t)>& tokens);

/// Adds the conditions on single markings in a formula, except constants.
void add_conditions(const Formula& formula, std::vector<Formula>& conditions);

}  // namespace warpnet::states
