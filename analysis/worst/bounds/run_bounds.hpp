#pragma once

#include "analysis/worst/bounds/step_bound.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/plan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::worst {

/// Bounds on the steps of every run under maximal steps and any policy.
struct RunBounds {
    std::vector<StepBound> upper;  ///< the best first; any one proves that every run ends
    std::vector<StepBound> lower;  ///< the best first
    std::string no_upper;          ///< if there is no upper bound: why
    std::string no_lower;
    /// No run certainly ends, because this transition can fire whenever no part moves any more.
    std::optional<std::uint32_t> fires_forever;
};

struct RunBoundOptions {
    /// The size limit, in columns, of a linear program that follows the last part together with each other
    /// one (pair_bound.hpp); 0: none. 5,000 take some hundredths of a second, 35,000 about half a minute.
    std::size_t pair_columns = 5'000;
    WorkLimits limits = {};  ///< of such programs: deadline and interrupt
};

/// Bounds for a net whose parts (modules) meet only in hub places, or that falls apart into such nets, and
/// for sm nets (rate_bound.hpp). For other nets there are none, and no_upper and no_lower say why. Names of
/// places in the arguments are those of `net`.
///
/// The upper bound is an argument of Graham's kind [Graham66]. Let w be the part that moves last. In every
/// step it moves itself, at most L_w times (its longest walk), or waits for a hub. In the second case the
/// step is maximal, so all tokens of some hub, except fewer than w wants, are held or being taken by other
/// parts. These hold only P_v token-steps of it each (the heaviest walk of each). So no part moves after step
///     max over w of L_w + a,  a the largest number with  sum over v != w of min(P_v, m_v a) >= r a,
/// in which m_v is the largest number of tokens that v holds at once and r = S - d + 1 for a hub of S tokens
/// of which w wants at most d. Only hubs for which w waits count; if there are several, token-steps and m are
/// weighted by 1/r, and in each step each v counts with the hub of which it holds the most. Parts that share
/// no hub which can be short never wait for each other: groups of such parts are bounded one by one, and the
/// largest bound holds for the net. The argument requires that parts hold no scarce token while they wait or
/// after they end. Otherwise some part moves in every step up to the last move, so the sum of all L is a
/// bound. These are bounds on runs that end (LastMoveBound). They become bounds on every run if nothing can
/// fire after the last move of a part (hub_use.hpp); without that proof there is none.
///
/// The lower bound: the shortest walk of any part, and the least token-steps of all parts divided by the
/// tokens of a hub.
///
/// One linear program per kind and class of parts that use supplies (module_graph.hpp); milliseconds for 64
/// parts.
RunBounds run_bounds(const Net& net, const Plan& planned, const RunBoundOptions& options = {});

}  // namespace warpnet::worst
