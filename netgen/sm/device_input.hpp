#pragma once

#include "netgen/sm/presets.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warpnet::netgen {

/// Which GPU is meant: the name of a preset, or of a device in a file of one's own.
struct DeviceInput {
    std::string name;
    std::string file;
    std::vector<std::pair<std::string, double>> changes = {};  ///< facts in place of those of the preset
    SmMechanisms mechanisms = {};

    bool given() const { return !name.empty(); }
    /// The device, with its changes. Throws InputError.
    Device device() const;
    /// What the family `sm` needs of it. Throws InputError.
    SmDevice sm() const;
};

/// The devices of a file, or the presets if `file` is empty. Throws InputError.
DeviceTable load_devices(const std::string& file);

}  // namespace warpnet::netgen
