#pragma once

#include "analysis/states/explore/explore.hpp"
#include "analysis/states/properties/answers.hpp"
#include "analysis/states/properties/goals.hpp"
#include "analysis/states/reductions/reduce.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"
#include "engine/run/run.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace warpnet::states {

class StepsOnDemand;

/// Whether the number of tokens in each place is bounded.
struct BoundednessAnswer {
    std::optional<bool> bounded = {};         ///< nothing: unknown
    AnswerPart by = AnswerPart::exploration;  ///< or invariants, pumping
    Pump pump = {};                           ///< of an unbounded net
    std::uint64_t states = 0;
    std::optional<WorkEnd> stop = {};  ///< why the exploration ended, if there was one
};

/// By weightings of the places that no transition adds to, which hold under every semantics; otherwise by a
/// search for a marking that has at least the tokens of an earlier one and more in some place ([Karp69]:
/// every infinite branch of the tree of first paths has such a pair); otherwise by an
/// exploration that completes.
///
/// The pair is a proof if the steps from the first to the second can be repeated: under interleaving without
/// priorities if no growing place inhibits, under every semantics if no arc tests the growing places. Without
/// inhibitor arcs, priorities and maximal steps that decides every net that is small enough.
BoundednessAnswer decide_boundedness(const Net& net, const CompiledNet& compiled,
                                     const ExploreOptions& options, std::uint64_t search_states = 100'000);

/// A pump that makes the sum larger each time, if the same search finds one. REQUIRES: a sum of places alone.
std::optional<Pump> find_pump(const CompiledNet& compiled, const ExploreOptions& options,
                              const LinearSum& sum, std::uint64_t search_states = 100'000);

/// Some of the reachable markings, at most the given number, found depth-first, for step_graph(). Of the
/// figures, only the numbers of markings and edges are set. The steps of the last markings are not followed.
/// Interleaving, no priorities or immediate transitions: REQUIRES is_timed().
Exploration explore_depth_first(const CompiledNet& compiled, std::uint64_t max_states,
                                const WorkLimits& limits);

using LocallyDecided = std::function<void(const PathQuestion&, const StepsOnDemand&)>;
/// Decides formulas about paths in the markings that their operators ask about, each within a limit of effort
/// (transitions tried, some hundred millions per second). Those that need more stay open. `decided` gets each
/// of the others, and the markings that decide it. Interleaving, no priorities or immediate transitions:
/// REQUIRES is_timed(). REQUIRES: limits.effort > 0.
void try_local_evaluation(const Net& net, const CompiledNet& compiled, const WorkLimits& limits,
                          std::vector<PathQuestion>& paths, const LocallyDecided& decided = {});

/// Runs with random choices, which look for markings that answer a question. A run that finds none proves
/// nothing.
struct RandomRunsOptions {
    Semantics semantics = Semantics::interleaving;
    std::uint64_t seed = 1;
    std::uint64_t runs = 24;
    std::uint64_t max_steps = 30'000;  ///< of each run
    bool schedules = true;             ///< keep the steps to a hit
    WorkLimits limits = {};            ///< of time
};

/// Searches for the open goals in random runs and enters the findings into them: reachable markings, larger
/// values of sums, tokens that change. The result does not depend on the number of threads; O(goals) per
/// step.
void try_random_runs(const Net& net, const CompiledNet& compiled, const RandomRunsOptions& options,
                     Goals& goals);

struct DecisionDiagramOptions {
    bool schedules = true;                      ///< search for shortest paths to the hits
    std::uint64_t schedule_effort = 2'000'000;  ///< visits of nodes for each of them
    WorkLimits limits = {};                     ///< effort: visits of nodes, for all reachable markings
};

/// The result of an attempt.
struct DecisionDiagramOutcome {
    WorkEnd stop = WorkEnd::complete;
    std::uint64_t markings = 0;  ///< reachable ones; 2^64-1: that many or more
};

/// Decides every open goal and question from a decision diagram of all reachable markings
/// ([../diagrams](../diagrams/README.md)), under interleaving. If the stop is not `complete`, only some may
/// have been decided.
DecisionDiagramOutcome try_decision_diagrams(const CompiledNet& compiled,
                                             const DecisionDiagramOptions& options, Goals& goals,
                                             std::vector<PathQuestion>& paths);

struct StateEquationOptions {
    std::uint64_t max_programs = 20'000;   ///< linear programs for one goal
    std::uint64_t max_work = 100'000'000;  ///< for one goal: iterations of the simplex method x places
    std::uint64_t max_arcs = 60'000;       ///< larger nets are skipped
    WorkLimits limits = {};                ///< of time
};

/// Searches for goals that no marking m = m0 + C x with whole x >= 0 attains, and for upper bounds of sums by
/// the same equation; updates the goals. Valid for every semantics and for any inhibitor and read arcs.
///
/// A condition is divided into cases as far as a solution of the linear relaxation violates it (GLPK).
/// Solutions that leave a trap empty that is marked at the start are cut off [Esparza00]. Nets with numbers
/// above a million are skipped, so that rounding does not matter.
void try_state_equation(const Net& net, const StateEquationOptions& options, Goals& goals);

/// The greatest trap within some places: tokens that enter it stay, in some form. O(places x arcs).
std::vector<std::uint32_t> greatest_trap(const Net& net, std::vector<std::uint8_t> within);

/// Limits of the searches for one marking per goal. Beyond them a goal stays open, which is no answer.
struct GuidedSearchOptions {
    std::uint64_t max_states = 400'000;  ///< for all goals together; at least 20,000 for each
    WorkLimits limits = {.memory = std::uint64_t{1} << 30};
    bool stubborn_sets = true;  ///< try only some of the enabled transitions if they suffice
    /// Before, a search by relaxed distances (relaxed_distance.hpp): as many markings as this number of arcs,
    /// for all goals together. Not for dead markings.
    std::uint64_t relaxed_effort = 0;
    bool schedules = true;
};

/// Searches for the open goals, one by one, in the markings that seem nearest to them first; updates the
/// goals. If all relevant markings have been seen, a goal cannot be reached. Interleaving, no priorities or
/// immediate transitions: REQUIRES is_timed().
///
/// Stubborn sets preserve dead markings (Valmari, "Stubborn sets for reduced state space generation", LNCS
/// 483, 1991) or the paths to a condition (Schmidt, "Stubborn sets for standard properties", ICATPN 1999).
void try_guided_search(const Net& net, const CompiledNet& compiled, const GuidedSearchOptions& options,
                       Goals& goals);

/// Whether a marking with a condition can be reached from a marking; nothing: not known after so many states.
/// Afterwards `states` is the number of those that were visited. REQUIRES as for distance().
using ReachFrom =
    std::function<std::optional<bool>(const Formula& condition, const Marking& from, std::uint64_t& states)>;
/// A guided search with stubborn sets. The net must outlive it. REQUIRES as above.
ReachFrom reach_search(const CompiledNet& net, const WorkLimits& limits);

/// Answers questions about the reachable markings of a net, visiting at most this many of them.
using AskReduced =
    std::function<Answers(const Net& net, const std::vector<Property>& properties, std::uint64_t max_states)>;

struct ReducedSearchOptions {
    std::uint64_t max_states = 2'000'000;  ///< of all reduced nets together; at least 20,000 for each
    std::uint64_t most_of_one = 0;         ///< of one of them
    bool halved = false;                   ///< only nets with at most half of the nodes
    bool witnesses = true;
    WorkLimits limits = {};  ///< of time
};

/// Searches for each open goal in a net from which everything is reduced that the goal does not depend on;
/// updates the goals. Interleaving, no priorities or immediate transitions: REQUIRES is_timed().
void try_reductions(const Net& net, const CompiledNet& compiled, const AskReduced& ask,
                    const ReducedSearchOptions& options, Goals& goals);

/// The properties that a reduction must keep for a formula about paths.
Kept kept_for(const Formula& formula);

/// A net that has the same answer to a formula, with the ids of the nodes that are left.
struct NetForQuestion {
    Net net;
    Kept kept;
};
/// REQUIRES as before. Throws InputError if the formula has `enabled`: transitions do not stay the same.
NetForQuestion reduced_for(const Net& net, const Formula& formula);

/// Evaluates a formula about paths in a reduced net with a limited number of markings; a witness is one of
/// the net. Nothing: the net cannot be reduced by a tenth. REQUIRES as before.
std::optional<Answers> ask_reduced_path(const Net& net, const CompiledNet& compiled, const AskReduced& ask,
                                        const ReducedSearchOptions& options, const Formula& formula,
                                        std::uint64_t max_states);

/// Asks all open goals together in one reduced net of `most_of_one` markings. Returns how that ended; nothing
/// if nothing could be reduced. REQUIRES as before.
std::optional<WorkEnd> explore_reduced(const Net& net, const CompiledNet& compiled, const AskReduced& ask,
                                       const ReducedSearchOptions& options, Goals& goals);

}  // namespace warpnet::states
