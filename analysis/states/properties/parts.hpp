#pragma once

#include "analysis/states/explore/explore.hpp"
#include "analysis/states/properties/answers.hpp"
#include "analysis/states/properties/goals.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/formula/property.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"
#include "engine/run/run.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace warpnet {

/// Whether the places of a net can hold only so many tokens.
struct BoundednessAnswer {
    std::optional<bool> bounded = {};         ///< nothing: not known
    AnswerPart by = AnswerPart::exploration;  ///< or invariants, pumping
    /// Of an unbounded net: the steps to a marking, and steps that can be repeated from it for ever, each
    /// time with more tokens in the places that grow.
    Schedule prefix = {}, pump = {};
    std::vector<std::uint32_t> growing = {};
    std::uint64_t states = 0;
    std::optional<WorkEnd> stop = {};  ///< why the exploration ended, if there was one
};

/// By weightings of the places that no transition adds to, which holds under every semantics; else by a
/// search for a marking that has at least the tokens of one before it and more in some place (Karp and
/// Miller, JCSS 3, 1969; of the tree of first ways every infinite branch has such a pair); else by an
/// exploration that ends.
///
/// The pair is believed where what led from the first to the second can be done again: under interleaving
/// without priorities where no growing place inhibits, under every semantics where nothing looks at the
/// growing places. Without inhibitor arcs, priorities and maximal steps that decides every net that is small
/// enough.
BoundednessAnswer decide_boundedness(const Net& net, const CompiledNet& compiled,
                                     const ExploreOptions& options, std::uint64_t search_states = 100'000);

struct RandomRunsOptions {
    Semantics semantics = Semantics::interleaving;
    std::uint64_t seed = 1;
    std::uint64_t runs = 24;
    std::uint64_t max_steps = 30'000;  ///< of each run
    bool schedules = true;             ///< keep the steps to what was found
    WorkLimits limits = {};            ///< of time
};

/// Looks for the goals that are still open in random runs, and tells them what it found: that a marking can
/// be reached, larger values of sums, tokens that change. The same on any number of threads; O(goals) a step.
void try_random_runs(const Net& net, const CompiledNet& compiled, const RandomRunsOptions& options,
                     Goals& goals);

struct DecisionDiagramOptions {
    bool schedules = true;                      ///< look for shortest ways to what was found
    std::uint64_t schedule_effort = 2'000'000;  ///< looks at nodes for each of them
    WorkLimits limits = {};                     ///< effort: looks at nodes, for all reachable markings
};

/// What became of an attempt.
struct DecisionDiagramOutcome {
    WorkEnd stop = WorkEnd::complete;
    std::uint64_t markings = 0;  ///< that are reachable; 2^64-1: so many or more
};

/// Decides every goal and every question that is still open from a decision diagram of all reachable markings
/// ([../diagrams](../diagrams/README.md)), under interleaving. Where the stop is not `complete`, some may
/// have been decided.
DecisionDiagramOutcome try_decision_diagrams(const CompiledNet& compiled,
                                             const DecisionDiagramOptions& options, Goals& goals,
                                             std::vector<PathQuestion>& paths);

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

/// Answers questions about the reachable markings of a net, in so many of them at most.
using AskReduced =
    std::function<Answers(const Net& net, const std::vector<Property>& properties, std::uint64_t max_states)>;

struct ReducedSearchOptions {
    std::uint64_t max_states = 2'000'000;  ///< of all reduced nets together; 20,000 for each at least
    std::uint64_t most_of_one = 0;         ///< and of one
    bool witnesses = true;
    WorkLimits limits = {};  ///< of time
};

/// Asks about the goals that are still open, each in the net that is left of this one when all is reduced
/// that the goal does not depend on; enters into the goals what was found. Interleaving, no priorities or
/// immediate transitions: REQUIRES is_timed().
void try_reductions(const Net& net, const CompiledNet& compiled, const AskReduced& ask,
                    const ReducedSearchOptions& options, Goals& goals);

/// Asks about all open goals together in one reduced net of `most_of_one` markings. How that ended; nothing
/// where nothing could be reduced. REQUIRES as before.
std::optional<WorkEnd> explore_reduced(const Net& net, const CompiledNet& compiled, const AskReduced& ask,
                                       const ReducedSearchOptions& options, Goals& goals);

}  // namespace warpnet
