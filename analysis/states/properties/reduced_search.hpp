#pragma once

#include "analysis/states/properties/answers.hpp"
#include "analysis/states/properties/goals.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/formula/property.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace warpnet {

/// Answers questions about the reachable markings of a net, in so many of them at most.
using AskReduced =
    std::function<Answers(const Net& net, const std::vector<Property>& properties, std::uint64_t max_states)>;

struct ReducedSearchOptions {
    std::uint64_t max_states = 2'000'000;  ///< of all reduced nets together; 20,000 for each at least
    std::uint64_t most_of_one = 0;         ///< and of one
    bool witnesses = true;
    WorkLimits limits = {};  ///< of time
};

/// Asks about the goals that are still open, each in the net that is left of this one when all is reduced
/// that the goal does not depend on; enters into the goals what was found. Interleaving, no priorities or
/// immediate transitions: REQUIRES is_timed().
void try_reductions(const Net& net, const CompiledNet& compiled, const AskReduced& ask,
                    const ReducedSearchOptions& options, Goals& goals);

/// Asks about all open goals together in one reduced net of `most_of_one` markings. How that ended; nothing
/// where nothing could be reduced. REQUIRES as before.
std::optional<WorkEnd> explore_reduced(const Net& net, const CompiledNet& compiled, const AskReduced& ask,
                                       const ReducedSearchOptions& options, Goals& goals);

}  // namespace warpnet
