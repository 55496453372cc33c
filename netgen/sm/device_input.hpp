#pragma once

#include "netgen/sm/presets.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warpnet::netgen {

/// The chosen GPU: the name of a preset, or of a device in a file of the user.
struct DeviceInput {
    std::string name;
    std::string file;
    std::vector<std::pair<std::string, double>> changes = {};  ///< facts that replace those of the preset
    SmMechanisms mechanisms = {};

    bool given() const { return !name.empty(); }
    /// The device, with its changes. Throws InputError.
    Device device() const;
    /// The data of this device that the family `sm` needs. Throws InputError.
    SmDevice sm() const;
};

/// The devices of a file, or the presets if `file` is empty. Throws InputError.
DeviceTable load_devices(const std::string& file);

}  // namespace warpnet::netgen
