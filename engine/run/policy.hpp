#pragma once

#include <cstdint>
#include <string_view>

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

}  // namespace warpnet
