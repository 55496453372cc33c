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

namespace warpnet {

/// The tokens that a place may hold.
struct TokenRange {
    Tokens least = 0;
    Tokens most = max_tokens;
    auto operator<=>(const TokenRange&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
};

using TokenRanges = std::map<std::uint32_t, TokenRange>;  ///< by place; others may hold any number
using TokenChange = std::map<std::uint32_t, Tokens>;      ///< by place, without zeros

/// Adds transitions that stand for a timed one and the immediate ones after it.
class TimedCopies {
  public:
    /// A net without its transitions, with this initial marking. What it refers to must outlive it.
    TimedCopies(const Net& net, const Marking& initial);

    /// A copy that fires in these markings, which tell when this way is gone, and changes so much in all.
    /// Those ranges hold that the input and output arcs of the transition, its read and its inhibitor arcs,
    /// ask for. The first copy of a transition has its id.
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

/// What a transition takes by input arcs, per place.
TokenChange taken_by(const Net& net, TransitionId transition);

/// A net without immediate transitions.
struct TimedNet {
    Net net;
    std::size_t replaced = 0;  ///< immediate transitions of the old net
    std::size_t copies = 0;    ///< transitions of the new net, beyond the timed ones of the old
};

inline constexpr std::size_t most_timed_copies = 100'000;

/// Replaces immediate transitions: the new net goes at once where the old one goes by a timed transition and
/// then by immediate ones until none is enabled. A timed transition becomes one copy for each such way, each
/// with read and inhibitor arcs that tell in which markings immediate transitions go this way. Places and
/// their order stay, arc weights and priorities of timed transitions too; those of immediate ones decide
/// which ways there are.
///
/// Under interleaving the reachable markings are those reachable markings of the old net in which no
/// immediate transition is enabled, with the same ones dead; a step of the new net is one timed step of the
/// old. Under maximal steps nothing is said. `bounds[p]`, where it is known, is the most tokens that a place
/// holds in such a marking; a bound that is too small makes another net.
///
/// Throws InputError, with the transition at fault, where immediate transitions can go on for ever, where
/// they lead from the initial marking to several markings, or where there would be more copies than
/// most_timed_copies or ways that are too long (places without a known bound that immediate transitions
/// empty).
TimedNet without_immediates(const Net& net, std::span<const std::optional<Tokens>> bounds,
                            std::size_t most_copies = most_timed_copies);

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

inline constexpr std::uint64_t most_markings_of_timed_net = 200'000;

/// A net without immediate transitions.
struct FoundTimedNet : TimedNet {
    bool by_reachable = false;  ///< timed_by_reachable(), else without_immediates()
};

/// Replaces immediate transitions by what their arcs say if that makes few copies, else by the reachable
/// markings (most_markings_of_timed_net at most, and options.max_states), else by what the arcs say whatever
/// comes of it, with bounds by an exploration. Throws InputError, with the reason, where none of it does.
FoundTimedNet timed_net(const Net& net, const ExploreOptions& options);

}  // namespace warpnet
