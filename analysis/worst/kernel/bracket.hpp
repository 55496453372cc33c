#pragma once

#include "analysis/worst/bounds/step_bound.hpp"
#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/search/objective.hpp"
#include "engine/base/work_limits.hpp"
#include "netgen/kernel/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpnet::ranks {
class Collectives;
}  // namespace warpnet::ranks

namespace warpnet::worst {

/// The effort of a proof that was not requested: about half a minute of two cores. A proof without a limit of
/// effort begins with the same work, so it is never worse in the same time.
inline constexpr std::uint64_t default_bracket_effort = 1'200'000'000;

/// The objective and the limits of a bracket. A limit makes the bracket wider and never wrong, and the result
/// lists the limits that were met.
struct BracketOptions {
    Objective objective = Objective::longest;
    /// A unit of effort is an abstract state of a table, about 50 ns of a core; a concrete state counts as
    /// several. With a deadline the answer depends on the machine.
    WorkLimits limits = {};
    std::uint64_t states = 2'000'000'000;  ///< largest table to compute, in abstract states
    /// A folder for layers of the layered search that exceed the memory; empty: none, and the search stops.
    std::string scratch = {};
    std::size_t beam_width = 1000;
    std::uint64_t seed = 1;
    /// A schedule found by other means (annealing), to start from. Must pass check_schedule. Of rank 0.
    KernelSchedule known = {};
    /// The bounds that a proof with the default effort proved for the same instance, the best last. A proof
    /// without a limit of effort then continues from them. The same on all ranks.
    std::vector<StepBound> proved = {};
    /// Ranks that call it with equal arguments, except for limits of time; null: one process. Bounds of finer
    /// abstractions are computed in parallel, and the states of the layered search are divided: the memory is
    /// that of each rank. Rank 0 has the answer, the other ranks its numbers.
    ranks::Collectives* ranks = nullptr;
    /// Ranks compute a table of at least this number of abstract states together, about a second of one core.
    /// With a smaller one messages would cost more than they save.
    std::uint64_t divided_states = 100'000'000;
};

/// The bracket of the longest (shortest) makespan: it is at least (at most) `found` and at most (at least)
/// `bound`. It covers every run: each cycle executes an instruction, so every run ends.
struct Bracket {
    int found = 0;
    KernelSchedule witness;               ///< takes `found` cycles; has passed check_schedule
    int bound = 0;                        ///< certified
    bool exact = false;                   ///< the two meet
    std::vector<StepBound> bounds;        ///< all that were proved, `bound` last
    std::vector<std::string> limits_hit;  ///< steps that were not tried or not finished, and why
    double seconds = 0;                   ///< wall time
};

/// The bounds on the longest (shortest) makespan that counting alone proves, at once: the best last. Throws
/// InputError for an invalid instance.
std::vector<StepBound> counted_bounds(const netgen::KernelInstance& instance, Objective objective);

/// Brackets the longest or shortest makespan of an instance (README.md explains the methods):
/// 1. all states, if there are few;
/// 2. a segment abstraction for the bound, and a beam search guided by it for the witness;
/// 3. finer abstractions, segment by segment, while there is a gap;
/// 4. the forward layered search over concrete states, which lowers the bound target by target.
/// Every limit makes the bracket wider. Without a time limit the answer is the same on any machine and any
/// number of threads. Throws InputError for an invalid instance, an invalid known schedule, or a scratch
/// folder that cannot be written; a disk that becomes full is a limit.
Bracket bracket_makespan(const netgen::KernelInstance& instance, const BracketOptions& options = {});

}  // namespace warpnet::worst
