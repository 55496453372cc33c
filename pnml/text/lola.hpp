#pragma once

#include "engine/net/net.hpp"

#include <string>
#include <string_view>

namespace warpnet {

/// A net in LoLA's format (PLACE ...; MARKING ...; TRANSITION ... CONSUME ...; PRODUCE ...;), low level only.
/// SAFE and FAIR promises are passed over: they do not change the net. Throws InputError ("source:line:
/// ...").
Net read_lola(std::string_view text, const std::string& source);

/// LoLA has neither inhibitor arcs nor priorities: throws InputError for nets with them. Read arcs become
/// loops. Ids are changed where LoLA could not read them.
std::string write_lola(const Net& net);

}  // namespace warpnet
