#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/run/executor.hpp"
#include "engine/run/replay.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <optional>

namespace warpnet::states {

/// A run to a dead marking and its firings.
struct CompleteRun {
    std::uint64_t steps = 0;
    Schedule schedule;
    bool only = false;  ///< the policy leaves no other run
};

/// A run of a net under a policy that serves parts (serves_parts()). It is the only one if transitions of one
/// part never compete in it, so that the policy leaves no choice to a part. Kernels given as instruction
/// strings have no such choice. Nothing if the run does not end within the options' limits, or, without
/// `with_choices`, if it is not the only one. O(steps x arcs).
std::optional<CompleteRun> run_of_policy(const CompiledNet& net, const RunOptions& options,
                                         bool with_choices = true);

/// How a run ended, or that it never does.
struct TriedRun {
    StopReason reason = StopReason::dead;
    bool endless = false;  ///< for certain
    /// Of an endless run: the path to a marking, and steps from it back to it. Empty if only the executor
    /// knows (RunResult::endless).
    Schedule prefix = {};
    Schedule cycle = {};
};

/// Makes single runs of a net, up to RunOptions::max_steps each, until one does not end: by the given policy
/// if it serves parts, otherwise by Policy::first and Policy::last. These two depend only on the marking, so
/// a run in which a marking recurs is endless. For other policies the executor decides whether it is.
///
/// Steps are watched one by one while there are few (Brent's method finds cycles with one stored marking and
/// one comparison per step [Brent80]); a longer run continues unwatched. REQUIRES: maximal semantics.
TriedRun try_to_end(const Executor& executor, const RunOptions& options);

/// A marking of a run that comes back. Steps are timed ones.
struct RepeatedMarking {
    std::uint64_t after = 0;   ///< this many steps
    std::uint64_t period = 0;  ///< steps until it comes back, at least 1
    /// The run never ends: these steps leave nothing to decide, or the policy depends on the marking alone.
    /// Otherwise the net can repeat them.
    bool forever = false;
};

/// A marking that comes back in the first `most_steps` steps of a run: if there is one, a marking that comes
/// back forever. The run must not end by a condition on counts of firings. Nothing if none is found. The run
/// is made again, so this costs at most that many observed steps of the executor.
std::optional<RepeatedMarking> repeated_marking(const Executor& executor, const RunOptions& options,
                                                std::uint64_t most_steps);

}  // namespace warpnet::states
