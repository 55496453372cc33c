#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::states {

/// Structures of a net that are probably bugs.
enum class NetWarningKind : std::uint8_t {
    never_enabled,     ///< a transition needs more tokens from a place than it ever holds, or an inhibitor
                       ///< place always holds too many
    source,            ///< a transition takes and needs nothing: it can fire forever
    idle_inhibitor,    ///< an inhibitor arc that never inhibits: its place never holds enough tokens
    isolated,          ///< a place without arcs
    may_forget_token,  ///< a transition waits until a place is empty, but not for the tokens that were just
                       ///< taken from it, and competes with the transition that needs those
};

std::string_view to_string(NetWarningKind kind);

struct NetWarning {
    NetWarningKind kind;
    std::string node;     ///< id of the transition (or isolated place)
    std::string message;  ///< a sentence with the ids of all nodes concerned
    bool operator==(const NetWarning&) const = default;
};

/// Warnings in the order of the net's nodes, from arcs and the initial marking alone, without any run. A
/// warning may be harmless (may_forget_token above all), and the absence of warnings proves nothing.
///
/// `may_forget_token` explains how the published warps net loses an instruction: w1_terminate waits for
/// w1_arith_left to be empty. But w1_select_arith has moved the last token to w1_issueable, where w1_issue
/// needs it and w1_ready, and w1_terminate may take w1_ready first.
///
/// O(arcs) except for may_forget_token: O(consumers²) around each inhibitor arc.
std::vector<NetWarning> net_warnings(const Net& net);

}  // namespace warpnet::states
