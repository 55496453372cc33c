#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/run/executor.hpp"
#include "engine/run/replay.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <optional>

namespace warpnet {

/// A run to a dead marking and what fired in it.
struct CompleteRun {
    std::uint64_t steps = 0;
    Schedule schedule;
};

/// The only run of a net under a policy that serves parts (serves_parts()): none where the run does not die
/// within the options' limits, or where transitions of one part compete in it, so that the part has a choice
/// that the policy leaves open. Kernels given as instruction strings have no such choice. O(steps x arcs).
std::optional<CompleteRun> only_run(const CompiledNet& net, const RunOptions& options);

/// How a run ended, or that it never does.
struct TriedRun {
    StopReason reason = StopReason::dead;
    bool endless = false;  ///< for certain
    /// Of an endless run: the way to a marking, and steps that lead from it back to it. Empty where it is
    /// known by the executor alone (RunResult::endless).
    Schedule prefix = {};
    Schedule cycle = {};
};

/// Makes single runs of a net, up to RunOptions::max_steps each, until one does not end: by the given policy
/// if that serves parts, else by Policy::first and Policy::last. These two look at nothing but the marking,
/// so that a run in which a marking comes back is endless; with the others it is where the executor says so.
///
/// Steps are watched singly as long as there are few (cycles are found by Brent's method, in one marking and
/// a comparison per step [Brent80]); a longer run goes on without. REQUIRES: maximal semantics.
TriedRun try_to_end(const Executor& executor, const RunOptions& options);

}  // namespace warpnet
