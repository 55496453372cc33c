#pragma once

#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <nlohmann/json_fwd.hpp>

namespace warpnet::cli {

/// What fires in each step: an array of arrays of ids.
nlohmann::ordered_json schedule_json(const Net& net, const Schedule& schedule);

}  // namespace warpnet::cli
