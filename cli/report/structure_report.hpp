#pragma once

#include "engine/net/net.hpp"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::cli {

// What `inspect` says about the structure of a net: conflict clusters, class, invariants, rank, boundedness
// and, for nets of at most 200 places, siphons. It names the limits that were reached.

void add_structure_json(const Net& net, nlohmann::ordered_json& report);
std::string structure_text(const Net& net);

}  // namespace warpnet::cli
