#pragma once

#include "engine/net/net.hpp"

#include <string>
#include <string_view>

namespace warpnet::pnml {

/// A labelled transition system in Aldebaran's format, `des (initial, edges, states)` and a line `(from,
/// label, to)` per edge, as a state machine: one place per state, one token, and one transition per edge,
/// named by its label. Throws InputError ("source:line: ...").
Net read_aut(std::string_view text, const std::string& source);

}  // namespace warpnet::pnml
