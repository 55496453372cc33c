#pragma once

#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/formula/condition.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

// A new policy needs, besides its value and name here: its order (executors/loop/conflict_order.*), the
// executors that accept it (plan.cpp), the values of --policy
// (cli/commands/{run_flags,sweep,worst_flags}.cpp) and Python's (python/binding/choices.hpp).

/// The conflict-resolution policy. It decides which transitions win a conflict. Transitions without a
/// conflict always fire.
enum class Policy : std::uint8_t {
    random,       ///< uniformly random order of the enabled transitions, taken greedily (as in the papers)
    first,        ///< in the order of the net
    last,         ///< in reverse order
    round_robin,  ///< the least recently fired first, then in the order of the net
    /// Greedy, then oldest ([Rogers12]; GPGPU-Sim). Of the parts that meet at a place, those served in the
    /// latest step with a service come first, then the oldest (RunOptions::served). Transitions of one part:
    /// in the order of RunOptions::order if given, and at random otherwise.
    gto,
    /// Loose round robin. The parts form a circle, and service starts after the part that was served last. Of
    /// the parts served in one step, the last one in the circle counts. Transitions of one part: as with gto.
    lrr,
    replayed,  ///< in the order of RunOptions::order
};

/// Whether a policy serves parts, so that it needs RunOptions::served.
constexpr bool serves_parts(Policy policy) { return policy == Policy::gto || policy == Policy::lrr; }

std::string_view to_string(Policy policy);

/// The meaning of one step ([Gogolinska17] section 3; docs/reference/semantics.md).
enum class Semantics : std::uint8_t {
    maximal,       ///< a maximal set of transitions, each at most once: the papers' semantics
    multiset,      ///< a maximal multiset: a transition may fire several times in a step
    interleaving,  ///< one transition
};

/// The reason for the end of a run.
enum class StopReason : std::uint8_t {
    dead,            ///< no transition can fire
    step_limit,      ///< RunOptions::max_steps timed steps were made
    time_limit,      ///< RunOptions::deadline passed
    interrupted,     ///< RunOptions::interrupt was set
    overflow,        ///< a place would have held more than max_tokens
    immediate_loop,  ///< immediate transitions fired max_immediate_rounds steps in a row: time does not
                     ///< advance
    condition,       ///< RunOptions::until holds
};

std::string_view to_string(Semantics semantics);
std::string_view to_string(StopReason reason);

/// The firings of one transition within one step. `times` is 1 except under multiset semantics.
struct Firing {
    std::uint32_t transition;
    Tokens times;
    bool operator==(const Firing&) const = default;
};

/// Receives every step of a run. A run without an observer has no cost for it. A run with an observer
/// executes every step individually.
class Observer {
  public:
    virtual ~Observer() = default;

    /// Called after each step with its number, its firings in ascending order of transitions, and the marking
    /// after it. Timed steps count from 1; an immediate step has the number of the timed step before it.
    virtual void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
                      std::span<const Tokens> marking) = 0;
};

struct ServedParts;

struct RunOptions {
    Semantics semantics = Semantics::maximal;
    Policy policy = Policy::random;
    std::uint64_t seed = 1;
    std::uint64_t run = 0;  ///< the number of the run; equal seeds and numbers give equal runs
    /// With Policy::random: the order within a step is that of hash(seed, run, round, transition). Every
    /// executor then makes the identical run. Slower; the distribution is the same.
    bool keyed = false;
    /// With `keyed`, for a part of a larger net: per transition its number in the hash. Empty: its own
    /// number.
    std::span<const std::uint32_t> keys = {};
    /// With `keyed`, for a part of a longer run: the number of steps before this run.
    std::uint64_t steps_before = 0;
    /// With Policy::replayed: a string of transitions (the pseudo-precedence string of [Berezovskyi13]
    /// section IV, for any net). The transition with the earliest next occurrence is served first. Each
    /// firing consumes an occurrence. Transitions without a remaining occurrence come last, in the order of
    /// the net. The firing order of a run, given as the string, repeats that run.
    std::span<const std::uint32_t> order = {};
    /// With Policy::gto and lrr: the parts of the net (find_served_parts()), which must outlive the run.
    const ServedParts* served = nullptr;
    /// Ends the run in the first marking in which it holds: the initial marking, or a marking after a timed
    /// or immediate step. Checked before any limit and before the test for a dead marking. Delay gadgets and
    /// repeated steps that it mentions are executed step by step.
    const Condition* until = nullptr;
    std::uint64_t max_steps = 10'000'000;
    /// The memory limit applies to the results of many runs (run_many()), since a single run does not grow.
    WorkLimits limits = {.memory = ~std::uint64_t{0}};
    bool count_firings = false;  ///< fill RunResult::counts
};

/// A run is given up after this many rounds of immediate transitions between two timed steps.
inline constexpr std::uint64_t max_immediate_rounds = 1'000'000;

struct RunResult {
    std::uint64_t run = 0;
    StopReason reason = StopReason::dead;
    std::uint64_t steps = 0;    ///< timed steps
    std::uint64_t firings = 0;  ///< of all transitions, immediate ones included
    /// The step limit was reached in a marking that repeats forever, so that no step limit would suffice, or
    /// the run was stopped before because it never ends.
    bool endless = false;
    Marking marking;                    ///< the last one
    std::vector<std::uint64_t> counts;  ///< firings per transition; empty unless asked for
    bool operator==(const RunResult&) const = default;
};

/// Throws InputError if multiset steps would be unbounded, because a transition takes no tokens.
void require_bounded_steps(const CompiledNet& net, Semantics semantics);

}  // namespace warpnet
