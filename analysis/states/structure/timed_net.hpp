#pragma once

#include "analysis/states/explore/explore.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/net/net.hpp"
#include "engine/net/net_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace warpnet::states {

/// Per place its upper bound of tokens, if one is known.
struct PlaceBounds {
    std::vector<std::optional<Tokens>> of;
    /// Whether the bounds follow from the structure of the net and so hold under every semantics; otherwise
    /// they come from an exploration under interleaving.
    bool structural = true;
};

/// Bounds of the wanted places (1 per place, else 0) and of further places that need no extra work. A place
/// to which no transition adds has its initial tokens; other bounds come from P-invariants (or sums that
/// never grow), else from an exploration within the limits of `options`. An incomplete exploration gives
/// none.
PlaceBounds bounds_of(const Net& net, std::span<const std::uint8_t> wanted, const ExploreOptions& options);

/// Of the places that have inhibitor arcs.
PlaceBounds bounds_of_inhibitors(const Net& net, const ExploreOptions& options);
/// Of the places that have arcs of a weight above 1.
PlaceBounds bounds_of_weights(const Net& net, const ExploreOptions& options);

/// A range of allowed tokens in a place.
struct TokenRange {
    Tokens least = 0;
    Tokens most = max_tokens;
    auto operator<=>(const TokenRange&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
};

using TokenRanges = std::map<std::uint32_t, TokenRange>;  ///< by place; unlisted places may hold any number
using TokenChange = std::map<std::uint32_t, Tokens>;      ///< by place, without zeros

/// Adds transitions that replace a timed one and the immediate ones after it.
class TimedCopies {
  public:
    /// A copy of a net without transitions, with this initial marking. The arguments must outlive it.
    TimedCopies(const Net& net, const Marking& initial);

    /// A copy that fires in these markings, those in which this way is taken, with this total change. The
    /// ranges imply the conditions of the input and output arcs of the transition and of its read and
    /// inhibitor arcs. The first copy of a transition has its id.
    void add(TransitionId transition, const TokenRanges& before, const TokenChange& change);

    Net build() { return builder_.build(); }

  private:
    const Net& net_;
    NetBuilder builder_;
    std::set<std::string> ids_;
    std::set<std::uint32_t> copied_;
};

/// For messages: the first place that holds different numbers of tokens, as ": 1 or 0 tokens in place 'p'".
std::string first_difference(const Net& net, const Marking& a, const Marking& b);

/// The tokens that a transition takes by input arcs, per place.
TokenChange taken_by(const Net& net, TransitionId transition);

/// A net without immediate transitions.
struct TimedNet {
    Net net;
    std::size_t replaced = 0;  ///< immediate transitions of the old net
    std::size_t copies = 0;    ///< transitions of the new net, beyond the timed ones of the old
};

inline constexpr std::size_t most_timed_copies = 100'000;

/// Replaces immediate transitions: one step of the new net is one timed step of the old one with the
/// immediate firings after it, until none is enabled. A timed transition becomes one copy for each such way,
/// with read and inhibitor arcs for the markings in which the way is taken. Places and their order stay, as
/// do arc weights and priorities of timed transitions; the priorities of immediate transitions determine the
/// ways.
///
/// Under interleaving the reachable markings are those reachable markings of the old net in which no
/// immediate transition is enabled, with the same dead ones; a step of the new net is one timed step of the
/// old one. Nothing is guaranteed under maximal steps. `bounds[p]`, if known, is the largest number of tokens
/// in a place in such a marking; a bound that is too small makes a different net.
///
/// Throws InputError, with the faulty transition, if immediate transitions can fire forever, if they lead
/// from the initial marking to several markings, or if there would be more copies than most_timed_copies or
/// ways that are too long (places without a known bound that immediate transitions empty).
TimedNet without_immediates(const Net& net, std::span<const std::optional<Tokens>> bounds,
                            std::size_t most_copies = most_timed_copies);

struct StableStepsOptions {
    std::uint64_t max_markings = 200'000;  ///< stable and unstable ones
    WorkLimits limits = {};                ///< effort: tokens and demands read; 0: 2 × 10⁹
};

/// Replaces immediate transitions as without_immediates() does, but from the reachable markings instead of
/// the arcs: the guarantee is the same, for this initial marking alone. A timed transition becomes a copy for
/// each way and each box (a range of tokens per place) of markings in which it is taken. The boxes are as
/// large as possible without a reachable stable marking in which it is not taken. They are chosen greedily,
/// so there may be more than needed. Timed transitions that never fire are left out.
///
/// Nothing at a limit. Throws InputError if immediate transitions can fire forever, or lead from the initial
/// marking to several stable ones.
std::optional<TimedNet> timed_by_reachable(const Net& net, const StableStepsOptions& options = {});

inline constexpr std::uint64_t most_markings_of_timed_net = 200'000;

/// A net without immediate transitions.
struct FoundTimedNet : TimedNet {
    bool by_reachable = false;  ///< timed_by_reachable(), else without_immediates()
};

/// Replaces immediate transitions by their arcs if that makes few copies; else by the reachable markings (at
/// most most_markings_of_timed_net, and options.max_states); else by the arcs without a limit of copies, with
/// bounds by an exploration. Throws InputError, with the reason, if all of these fail.
FoundTimedNet timed_net(const Net& net, const ExploreOptions& options);

}  // namespace warpnet::states
