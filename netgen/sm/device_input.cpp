// The device that a user names: a preset, the only device of a file, or a device in a file of several.
// Changes of single facts are applied last. A change of the warps of an SM also changes its threads, so the
// two limits agree.

#include "netgen/sm/device_input.hpp"

#include "engine/input/input_file.hpp"
#include "engine/input/usage_error.hpp"
#include "engine/net/error.hpp"

#include <fmt/format.h>

namespace warpnet::netgen {

DeviceTable load_devices(const std::string& file) {
    return file.empty() ? preset_devices() : read_devices(read_text(file), input_name(file));
}

namespace {

/// The only device of a file.
Device device_of(const std::string& file) {
    DeviceTable table = load_devices(file);
    if (table.devices.size() == 1) return std::move(table.devices.front());
    std::string names;
    for (const Device& device : table.devices) names += (names.empty() ? "" : ", ") + device.name;
    throw InputError(fmt::format("{}: expected one device, found {}; --devices {} --device NAME chooses one",
                                 file, names.empty() ? "none" : names, file));
}

bool is_file_name(const std::string& name) {
    return name.find('/') != std::string::npos || name.ends_with(".tsv") || name.ends_with(".txt") ||
           name.ends_with(".csv");
}

}  // namespace

Device DeviceInput::device() const {
    const bool is_file = file.empty() && is_file_name(name);
    const DeviceTable table = is_file ? DeviceTable{} : load_devices(file);
    Device device;
    try {
        device = is_file ? device_of(name) : table.at(name);
    } catch (const InputError& error) {
        if (is_file) throw;
        throw UsageError("--device", error.what());
    }
    for (const auto& [fact, value] : changes)
        if (fact == "max_warps") device.facts["max_threads"] = {value * 32, "", true};
    for (const auto& [fact, value] : changes) device.facts[fact] = {value, "", true};
    return device;
}

SmDevice DeviceInput::sm() const {
    SmDevice device = sm_device(this->device());
    device.mechanisms = mechanisms;
    return device;
}

}  // namespace warpnet::netgen
