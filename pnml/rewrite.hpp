#pragma once

#include "engine/net/net.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// A net that does the same with fewer kinds of arcs, and what "the same" means.
struct RewrittenNet {
    Net net;
    std::size_t added_places = 0;
    std::size_t replaced_arcs = 0;
    /// Places of the new net whose tokens several transitions now compete for although they did not before:
    /// none of them can be in a maximal step with another. Empty: maximal steps are those of the old net.
    std::vector<std::string> contested;
};

/// Replaces inhibitor arcs by complement places. For a place p that holds at most `bounds[p]` = k tokens
/// there is a new one that holds k - M(p); `p inhibits t from w on` becomes: t needs k - w + 1 tokens of the
/// complement, and gives them back. An arc with w > k never inhibits and is left out.
///
/// Under interleaving the reachable markings and the firings between them are those of the old net. Under
/// maximal steps too where nothing is `contested` and the bounds hold whatever the semantics (those of
/// P-invariants do); under multiset steps in general not, since a loop is used by one firing at a time.
///
/// Throws InputError where the bound of an inhibiting place is missing or less than its initial marking. A
/// bound that is too small makes another net.
RewrittenNet without_inhibitors(const Net& net, std::span<const std::optional<Tokens>> bounds);

/// Replaces read arcs by loops, an input and an output arc. Interleaving stays the same; maximal steps do
/// where nothing is contested.
RewrittenNet without_reads(const Net& net);

inline constexpr std::size_t most_unfolded_transitions = 1'000'000;

/// Replaces every place with an arc of a weight above 1 by one place for each number of tokens that it can
/// hold, 0 to `bounds[p]`, of which one is marked; a transition is copied for each of the numbers that enable
/// it. All weights are then 1. Under interleaving the state space is that of the old net; under maximal steps
/// where nothing is `contested`.
///
/// Throws InputError where a bound is missing or less than the initial marking, or the new net would have
/// more transitions than most_unfolded_transitions. A bound that is too small makes another net.
RewrittenNet without_weights(const Net& net, std::span<const std::optional<Tokens>> bounds);

/// Throws InputError, with the node at fault, where a net has something that formats for plain
/// place/transition nets have no word for: inhibitor arcs, or immediate transitions or priorities that make a
/// difference. `format` is what the message calls the format.
void require_plain(const Net& net, std::string_view format);

/// Throws InputError where immediate transitions or priorities make a difference.
void require_no_order(const Net& net, std::string_view format);

}  // namespace warpnet
