#pragma once

#include "netgen/sm/presets.hpp"

#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet {

/// {name, architecture, compute_capability, facts: {name: {value, source, verified}}}
nlohmann::ordered_json to_json(const Device& device);

/// Devices of a table: {devices, sources, columns}.
nlohmann::ordered_json to_json(const DeviceTable& table, const std::vector<Device>& devices);

}  // namespace warpnet
