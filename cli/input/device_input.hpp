#pragma once

#include "cli/input/command.hpp"
#include "netgen/sm/device.hpp"

#include <string>

namespace warpnet::cli {

/// A GPU as flags: the name of a preset, or of a device in a file of one's own.
struct DeviceInput {
    std::string name;
    std::string file;

    bool given() const { return !name.empty(); }
    /// The device. Throws InputError.
    Device device() const;
};

/// --device NAME, --devices FILE.
void add_device_input(Command& command, DeviceInput& input, const std::string& help);

/// The devices of a file, or the presets where `file` is empty. Throws InputError.
DeviceTable load_devices(const std::string& file);

}  // namespace warpnet::cli
