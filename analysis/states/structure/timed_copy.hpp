#pragma once

#include "engine/net/net.hpp"
#include "engine/net/net_builder.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <set>
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

}  // namespace warpnet
