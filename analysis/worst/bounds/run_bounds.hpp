#pragma once

#include "analysis/worst/bounds/step_bound.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/plan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet {

/// Bounds on the steps of every run under maximal steps and any policy.
struct RunBounds {
    std::vector<StepBound> upper;  ///< the best first; any one says that every run ends
    std::vector<StepBound> lower;  ///< the best first
    std::string no_upper;          ///< where there is no upper bound: why
    std::string no_lower;
    /// No run ends, for certain, since this transition can fire whenever no part moves any more.
    std::optional<std::uint32_t> fires_forever;
};

struct RunBoundOptions {
    /// How large a linear program may be, in columns, that follows the last part together with each other one
    /// (pair_bound.hpp); 0: none. 5,000 take some hundredths of a second, 35,000 about half a minute.
    std::size_t pair_columns = 5'000;
    WorkLimits limits = {};  ///< of such programs: deadline and interrupt
};

/// Bounds for a net whose parts (modules) meet in hub places only, or that falls apart into such nets; for
/// others none, and no_upper and no_lower say why. Names of places in the arguments are those of `net`.
///
/// From above, by an argument of Graham's kind [Graham66]. Be w the part that
/// moves last. In every step it moves itself, at most L_w times (its longest walk), or waits for a hub; then,
/// the step being maximal, all tokens of some hub but fewer than w wants are held or being taken by others,
/// which hold only so many token-steps of it, P_v each (the heaviest walk of each). So no part moves after
/// step
///     max over w of L_w + a,  a the largest number with  sum over v != w of min(P_v, m_v a) >= r a,
/// where m_v is the most that v holds at once and r = S - d + 1 for a hub of S tokens of which w wants d.
/// With several hubs token-steps are weighed by 1/r. It needs parts that hold no token where they wait or
/// end, for tokens that can be scarce; without that: up to there some part moves in every step, so that the
/// sum of all L bounds it. These are bounds on runs that end (LastMoveBound). They become bounds on every run
/// if nothing can fire once no part moves (parts_at_rest.hpp); without that proof there is none.
///
/// From below: the shortest walk of any part, and the least token-steps of all parts divided by the tokens of
/// a hub.
///
/// A linear program a kind and class of parts where they use up supplies (module_graph.hpp); milliseconds for
/// 64 parts.
RunBounds run_bounds(const Net& net, const Plan& planned, const RunBoundOptions& options = {});

}  // namespace warpnet
