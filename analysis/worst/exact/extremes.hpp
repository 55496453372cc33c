#pragma once

#include "analysis/worst/search/objective.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/plan.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warpnet::ranks {
class Collectives;
}  // namespace warpnet::ranks

namespace warpnet::worst {

/// An exact search between two of its parts, each of which visits all runs that meet a target, or some of
/// them. Continuing from there leads to the same result.
struct ExactProgress {
    std::uint32_t part = 0;         ///< the next one
    std::uint64_t refutations = 0;  ///< refutations of the last part so far
    std::uint64_t stride = 1;       ///< number of targets that the next one takes together
    std::optional<std::uint64_t> found = {};
    Schedule schedule = {};  ///< of `found`
    std::optional<std::uint64_t> bound = {};
    bool exact = false;
    WorkEnd stop = WorkEnd::complete;  ///< of a beam that exceeded the memory
    std::uint64_t states = 0, effort = 0, bytes = 0;
    bool operator==(const ExactProgress&) const = default;
};

struct ExactOptions {
    Objective objective = Objective::longest;
    /// Steps of a known run: only better ones are searched for.
    std::optional<std::uint64_t> found = {};
    /// A certified bound from elsewhere: no run is longer (shorter), endless runs included.
    std::optional<std::uint64_t> bound = {};
    std::optional<ExactProgress> from = {};  ///< of a search with equal options, to continue
    /// Called after each part; of rank 0.
    std::function<void(const ExactProgress&)> checkpoint = {};
    WorkLimits limits = {};  ///< a unit of effort: about half a microsecond
    /// Ranks that call it with equal arguments, except for limits of time; null: one process. The states of
    /// long searches are divided among them, at most MultisetSweepOptions::max_ranks: the memory is that of
    /// each rank. Only rank 0 makes the schedule.
    ranks::Collectives* ranks = nullptr;
};

/// What an exact search has found and proved. If a limit ended it, `found` and `bound` enclose the value.
struct ExactResult {
    WorkEnd stop = WorkEnd::complete;
    std::string reason;  ///< of not_applicable, in words
    /// Steps of the best run found, and the run; none if none is better than ExactOptions::found.
    std::optional<std::uint64_t> found = {};
    Schedule schedule = {};
    /// No run is longer (shorter). With `exact` some run has this many steps: the one found, or the known
    /// one.
    std::optional<std::uint64_t> bound = {};
    bool exact = false;
    std::uint64_t states = 0;        ///< visited, in all searches
    std::uint64_t effort = 0;        ///< units of WorkLimits::effort
    std::uint64_t local_states = 0;  ///< of all modules, those with equal futures counted once
    std::uint64_t bytes = 0;         ///< at most, about
};

/// The longest or shortest run of a net whose modules (find_modules()) meet only in hubs and never return to
/// a state. Modules in equal states are interchangeable, so a state is a multiset; delays are skipped; a
/// choice within a module is made when it becomes visible from outside (local_states.cpp).
///
/// First it visits all runs, while there are few states. Then beams guided by the bound follow, and
/// refutations of successive targets, from the bound on. If a limit ends it, `found` and `bound` are a valid
/// bracket. Runs on the threads of the caller's arena. The result does not depend on the number of threads
/// and ranks, unless time or memory ends the search. An upper bound covers every run: if hub loops may
/// continue after everything else has ended, it requires a visit of all states.
ExactResult exact_extremes(const Plan& planned, const ExactOptions& options = {});

/// The progress of an exact search of a net, as JSON text. O(firings of the schedule).
std::string write_checkpoint(const CompiledNet& net, Objective objective, const ExactProgress& progress);

/// Throws InputError for a text that is no checkpoint of such a search of this net, or a damaged one. Its
/// schedule is replayed. `names` is the net, for messages.
ExactProgress read_exact_checkpoint(const CompiledNet& net, const Net& names, Objective objective,
                                    std::string_view text);

/// Whether a text begins like such a checkpoint, and not like that of another search.
bool is_exact_checkpoint(std::string_view text);

}  // namespace warpnet::worst
