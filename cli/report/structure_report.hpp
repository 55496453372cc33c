#pragma once

#include "analysis/states/structure/net_structure.hpp"
#include "engine/net/net.hpp"

#include <string>

namespace warpnet::cli {

/// What `inspect` prints of the structure of a net. It names the limits that were reached.
std::string structure_text(const Net& net, const Structure& structure);

}  // namespace warpnet::cli
