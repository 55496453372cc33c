#pragma once

#include "engine/net/net.hpp"

#include <string>
#include <string_view>

namespace warpnet::pnml {

/// A net in LoLA's format (PLACE ...; MARKING ...; TRANSITION ... CONSUME ...; PRODUCE ...;), low-level nets
/// only. SAFE and FAIR declarations are ignored, since they do not change the net. Throws InputError
/// ("source:line: ...").
Net read_lola(std::string_view text, const std::string& source);

/// Writes LoLA's format, which has neither inhibitor arcs nor priorities: throws InputError for nets with
/// them. Read arcs become loops. Ids that LoLA could not read are changed.
std::string write_lola(const Net& net);

}  // namespace warpnet::pnml
