#pragma once

#include "analysis/states/explore/state_space.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/run/run.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::ranks {
class Collectives;
}  // namespace warpnet::ranks

namespace warpnet::states {

class NetSymmetry;

/// The method to find all states: the faster engine, one by one, or all at once by a decision diagram.
enum class ExploreEngine : std::uint8_t { automatic, one_by_one, diagrams };
std::string_view to_string(ExploreEngine engine);

struct ExploreOptions {
    Semantics semantics = Semantics::interleaving;
    /// The largest number of markings that are kept; if there is one more, the exploration ends.
    std::uint64_t max_states = std::uint64_t{1} << 32;
    WorkLimits limits =
        {};  ///< a unit of effort: about 50 ns; an edge takes 8 and one for each word of a marking
    std::atomic<std::uint64_t>* found = nullptr;  ///< counts markings, for a progress line
    MarkingWatch* watch = nullptr;                ///< may end the exploration
    /// Not owned, may be null: of equivalent markings only one is kept. A watched condition must hold for all
    /// markings of an orbit or for none.
    const NetSymmetry* symmetry = nullptr;
    /// How markings are kept. This changes only memory and time. Absent: as trees if markings are wide and
    /// trees take at most half the memory.
    std::optional<StateSpace::Form> form = {};
    /// A folder for the stored markings: limits.memory then covers the rest, 6 to 12 bytes per marking.
    /// Empty: memory. Nothing remains in the folder after any end of the program.
    std::string scratch = {};
    /// Not owned, may be null: ranks among which the markings are divided. All of them call explore() with
    /// equal options, but each has its own limits, `found` and `watch`. A limit that one rank reaches ends
    /// the exploration on all.
    ranks::Collectives* ranks = nullptr;
};

/// The facts about the reachable markings. If `stop` is not `complete`, the figures are those of the visited
/// part: they are right for that part and say nothing about the rest.
struct Exploration {
    WorkEnd stop = WorkEnd::complete;
    std::uint64_t markings = 0;  ///< with all equivalent ones; this and the next two: capped
    std::uint64_t edges = 0;     ///< pairs of a marking and a step possible in it
    std::uint64_t deadlocks = 0;
    std::uint64_t space_markings = 0;  ///< those in `space`, of all ranks
    std::uint64_t space_edges = 0;     ///< edges of these alone
    std::uint64_t depth = 0;           ///< steps to the markings that are farthest from the initial one
    std::vector<Tokens> bounds;        ///< per place: the most tokens it holds
    std::uint64_t most_tokens = 0;     ///< in one marking; 2^64-1: that many or more
    std::vector<std::uint8_t> fired;   ///< per transition: whether it fires at all
    std::optional<StateId> deadlock;   ///< one that is nearest to the initial marking
    StateId initial = {};
    StateSpace space;  ///< of this rank

    bool complete() const noexcept { return stop == WorkEnd::complete; }
};

/// Explores the reachable markings breadth-first, on the threads of the caller's TBB arena. The result,
/// including the numbers of markings, does not depend on the number of threads. explore.cpp describes the
/// algorithm.
///
/// O(edges x words of a marking) under interleaving. A marking takes its packed words (fields as wide as the
/// counts met) and 10 to 16 bytes, a wide one much less (StateSpace::Form). Throws InputError for multiset
/// semantics if a transition takes no tokens.
///
/// Among ranks everything but `space` is the same on each rank and equal to the result of one process,
/// including numbers.
Exploration explore(const CompiledNet& net, const ExploreOptions& options = {});

}  // namespace warpnet::states
