#pragma once

#include "engine/net/net.hpp"
#include "engine/net/net_builder.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::pnml {

/// A builder with the places of a net, for other transitions. Ids and positions stay the same.
NetBuilder builder_with_places(const Net& net);

/// An equivalent net with fewer kinds of arcs, and the sense in which it is equivalent.
struct RewrittenNet {
    Net net;
    std::size_t added_places = 0;
    std::size_t replaced_arcs = 0;
    /// Places of the new net for whose tokens several transitions newly compete, so that they exclude each
    /// other in maximal steps. Empty: the maximal steps are those of the old net.
    std::vector<std::string> contested;
};

/// Replaces inhibitor arcs by complement places. A place p that holds at most `bounds[p]` = k tokens gets a
/// complement that holds k - M(p) tokens. The arc "p inhibits t from w tokens on" becomes a loop: t needs k -
/// w + 1 tokens of the complement and gives them back. An arc with w > k never inhibits and is left out.
///
/// Under interleaving the reachable markings and the firings between them are those of the old net. The same
/// holds under maximal steps if no place is `contested` and the bounds hold under all semantics (those of
/// P-invariants do). It does not hold in general under multiset steps, since only one firing at a time can
/// use a loop.
///
/// Throws InputError if the bound of an inhibiting place is missing or less than its initial marking. A bound
/// that is too small yields a different net.
RewrittenNet without_inhibitors(const Net& net, std::span<const std::optional<Tokens>> bounds);

/// Adds a complement place to each place with a capacity k, from `capacities` by id. It holds k - M(p)
/// tokens, so that a transition can fire only if the place then holds at most k tokens. Under interleaving
/// the firings are those of the net with capacities. Throws InputError for an initial marking above a
/// capacity.
RewrittenNet with_capacities(const Net& net, const std::map<std::string, Tokens>& capacities);

/// Replaces read arcs by loops of an input and an output arc. Interleaving stays the same, and so do maximal
/// steps if no place is contested.
RewrittenNet without_reads(const Net& net);

inline constexpr std::size_t most_unfolded_transitions = 1'000'000;

/// Replaces every place that has an arc of weight above 1 by one place per possible token count, 0 to
/// `bounds[p]`, of which one is marked. A transition is copied once per combination of token counts that
/// enable it. All weights are then 1. The state space is that of the old net under interleaving, and under
/// maximal steps if no place is `contested`.
///
/// Throws InputError if a bound is missing or less than the initial marking, or if the new net would have
/// more than most_unfolded_transitions transitions. A bound that is too small yields a different net.
RewrittenNet without_weights(const Net& net, std::span<const std::optional<Tokens>> bounds);

/// Throws InputError, with the offending node, if a net cannot be expressed in a format for plain
/// place/transition nets: it has inhibitor arcs, or immediate transitions or priorities with an effect.
/// `format` is the name of the format in the message.
void require_plain(const Net& net, std::string_view format);

/// Throws InputError if immediate transitions or priorities have an effect.
void require_no_order(const Net& net, std::string_view format);

/// The steps that a sequential net makes, and the quantity that it counts.
struct SequentialOptions {
    bool multiset = false;  ///< a transition may fire several times in a step; otherwise at most once
    /// A place that gains a token in each timed step. The net is then finite only if all runs end.
    bool count_steps = false;
};

/// A net whose single firings make the maximal steps of another one.
struct SequentialNet {
    Net net;            ///< the places of the old net come first, with their ids
    std::string start;  ///< the place that is marked exactly between two steps
    std::string end;    ///< the place that is marked exactly if the old net is dead
    std::string steps;  ///< the place that counts timed steps; empty without count_steps
};

/// Writes each maximal step as a sequence of firings, for tools that support only interleaving. The markings
/// with a marked `start`, without the added places, are those that the old net reaches under maximal steps.
/// The net gets from one such marking to the next exactly if one step of the old net does. The only dead
/// markings are those with `end`. Immediate transitions, priorities and read arcs keep their meaning; the net
/// has none of the first two. It has at most nine transitions for each old one, and one for each condition of
/// these. The proof is at the top of the source.
///
/// Throws InputError if a multiset step can be infinite: a transition takes no tokens.
SequentialNet sequential_net(const Net& net, const SequentialOptions& options = {});

}  // namespace warpnet::pnml
