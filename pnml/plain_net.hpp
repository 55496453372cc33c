#pragma once

#include "engine/net/net.hpp"

#include <string_view>

namespace warpnet {

/// Throws InputError, with the node at fault, where a net has something that formats for plain
/// place/transition nets have no word for: inhibitor arcs, or immediate transitions or priorities that make a
/// difference. `format` is what the message calls the format.
void require_plain(const Net& net, std::string_view format);

/// Throws InputError where immediate transitions or priorities make a difference.
void require_no_order(const Net& net, std::string_view format);

}  // namespace warpnet
