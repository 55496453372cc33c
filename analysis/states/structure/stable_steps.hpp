#pragma once

#include "analysis/states/structure/without_immediates.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>

namespace warpnet {

struct StableStepsOptions {
    std::uint64_t max_markings = 200'000;  ///< stable ones and others
    WorkLimits limits = {};                ///< effort: tokens and demands looked at; 0: two thousand million
};

/// Replaces immediate transitions as without_immediates() does, from the reachable markings instead of the
/// arcs: the same promise holds, for this initial marking alone. A timed transition becomes a copy for each
/// way and each box (between so many and so many tokens, place by place) of markings in which it is gone; the
/// boxes are as large as they may be without a reachable stable marking in which it is not. They are chosen
/// greedily, so there may be more of them than needed. Timed transitions that never fire are left out.
///
/// Nothing at a limit. Throws InputError where immediate transitions can go on for ever, or lead from the
/// initial marking to several stable ones.
std::optional<TimedNet> timed_by_reachable(const Net& net, const StableStepsOptions& options = {});

}  // namespace warpnet
