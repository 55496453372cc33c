#pragma once

#include "cli/input/command.hpp"
#include "netgen/sm/device_input.hpp"
#include "netgen/sm/presets.hpp"

#include <string>

namespace warpnet::cli {

/// --device NAME, --devices FILE. Returns --device.
Option add_device_input(Command& command, DeviceInput& input, const std::string& help);

/// --set FACT=VALUE, --without MECHANISM: of the family `sm`.
void add_device_changes(Command& command, DeviceInput& input);

}  // namespace warpnet::cli
