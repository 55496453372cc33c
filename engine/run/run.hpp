#pragma once

#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/run/stop_condition.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// What one step is ([Gogolinska17] section 3; engine/README.md).
enum class Semantics : std::uint8_t {
    maximal,       ///< a maximal set of transitions, each at most once: the papers' semantics
    multiset,      ///< a maximal multiset: a transition may fire several times in a step
    interleaving,  ///< one transition
};

/// Who wins where not everybody can fire. Transitions in no conflict always fire.
enum class Policy : std::uint8_t {
    random,       ///< uniformly random order of the enabled transitions, taken greedily (the papers' policy)
    first,        ///< in the order of the net
    last,         ///< in the opposite order
    round_robin,  ///< the least recently fired first, never fired before all, ties in the order of the net
    /// Greedy, then oldest ([Rogers12]; GPGPU-Sim): of the parts that meet in a place, first
    /// those that were served there in the latest step in which any was, then by age (RunOptions::served).
    /// Transitions of one part: as in RunOptions::order if there is one, else at random.
    gto,
    /// Loose round robin: the parts in a circle, from behind the one that was served last. Of those served in
    /// one step the last is the one furthest in the circle. Transitions of one part: as with gto.
    lrr,
    replayed,  ///< as RunOptions::order says
};

/// Why a run ended.
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

/// Whether a policy serves parts: it needs RunOptions::served.
constexpr bool serves_parts(Policy policy) { return policy == Policy::gto || policy == Policy::lrr; }

std::string_view to_string(Semantics semantics);
std::string_view to_string(Policy policy);
std::string_view to_string(StopReason reason);

/// Some firings of one transition within one step; `times` is 1 except under multiset semantics.
struct Firing {
    std::uint32_t transition;
    Tokens times;
    bool operator==(const Firing&) const = default;
};

/// Sees every step of a run. A run without observers pays nothing for them; with one it executes every step
/// singly.
class Observer {
  public:
    virtual ~Observer() = default;

    /// After each step: its number (timed steps count from 1; an immediate step carries the number of timed
    /// steps before it), its firings in ascending order of transitions, and the marking after it.
    virtual void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
                      std::span<const Tokens> marking) = 0;
};

struct ServedParts;

struct RunOptions {
    Semantics semantics = Semantics::maximal;
    Policy policy = Policy::random;
    std::uint64_t seed = 1;
    std::uint64_t run = 0;  ///< the number of the run: same seed and number, same run
    /// With Policy::random: the order within a step is that of hash(seed, run, round, transition), so that
    /// every executor makes the identical run. Slower; the distribution is the same.
    bool keyed = false;
    /// With `keyed`: per transition the number that stands for it in the hash, of a net that is part of a
    /// larger one; empty: its own.
    std::span<const std::uint32_t> keys = {};
    /// With `keyed`: how many steps went before, of a run that is part of a longer one.
    std::uint64_t steps_before = 0;
    /// With Policy::replayed: a string of transitions (the pseudo-precedence string of [Berezovskyi13]
    /// section IV, for any net).
    /// Whose next occurrence comes first is served first; each firing uses up an occurrence; those that have
    /// none left come last, in the order of the net. The order in which a run's transitions fired, given as
    /// the string, repeats that run.
    std::span<const std::uint32_t> order = {};
    /// With Policy::gto and lrr: the parts of the net (find_served_parts()), which outlive the run.
    const ServedParts* served = nullptr;
    /// Ends the run in the first marking where it holds: the initial one, or one that a step, timed or
    /// immediate, made. Looked at before any limit and before whether the marking is dead. What it mentions
    /// of a delay gadget, or of a step that repeats, is executed singly.
    const StopCondition* until = nullptr;
    std::uint64_t max_steps = 10'000'000;
    /// Memory is that of the results of many runs (run_many()): a run has nothing that grows.
    WorkLimits limits = {.memory = ~std::uint64_t{0}};
    bool count_firings = false;  ///< fill RunResult::counts
};

/// Rounds of immediate transitions between two timed steps before a run is given up.
inline constexpr std::uint64_t max_immediate_rounds = 1'000'000;

struct RunResult {
    std::uint64_t run = 0;
    StopReason reason = StopReason::dead;
    std::uint64_t steps = 0;    ///< timed steps
    std::uint64_t firings = 0;  ///< of all transitions, immediate ones included
    /// The step limit was reached in a marking that repeats for ever: no step limit would have been enough.
    bool endless = false;
    Marking marking;                    ///< the last one
    std::vector<std::uint64_t> counts;  ///< firings per transition; empty unless asked for
    bool operator==(const RunResult&) const = default;
};

/// Throws InputError where multiset steps would be unbounded: a transition that takes no tokens.
void require_bounded_steps(const CompiledNet& net, Semantics semantics);

}  // namespace warpnet
