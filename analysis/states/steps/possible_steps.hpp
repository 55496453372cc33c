#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/run/replay.hpp"
#include "engine/run/run.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace warpnet::states {

/// Every step that some policy can choose in a marking, each once, in a fixed order: immediate ones while any
/// immediate transition can fire, otherwise timed ones. Calls visit(step); a false return ends the
/// enumeration. There can be exponentially many: n choose k if n equal transitions compete for k tokens.
/// Cost: O(places + transitions) and, per step found, O(competitors x those that take from the same places).
/// If conflicts are entangled over several places, the search for one step can take exponential time. So
/// must_end(), if there is one, is asked about every `work_between_looks` decisions, firings and places of
/// the steps found. If it returns true, the enumeration ends, and the result is false.
///
/// Throws InputError under multiset semantics if a transition takes no tokens or a step would have more than
/// a million firings.
bool for_each_possible_step(const CompiledNet& net, std::span<const Tokens> marking, Semantics semantics,
                            const std::function<bool(const ScheduledStep&)>& visit,
                            const std::function<bool()>& must_end = {});

inline constexpr std::uint64_t work_between_looks = 1024;

/// The marking after a step; false instead on overflow.
bool fire_step(const CompiledNet& net, const ScheduledStep& step, Marking& marking);

}  // namespace warpnet::states
