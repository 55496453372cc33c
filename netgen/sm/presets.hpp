#pragma once

#include "netgen/sm/device.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::netgen {

/// One number about a GPU and where it comes from.
struct DeviceFact {
    double value = 0;
    std::string source;    ///< a key of DeviceTable::sources, several with '/' between them; may be empty
    bool verified = true;  ///< false: from memory, borrowed from a relative, or assumed
    bool operator==(const DeviceFact&) const = default;
};

/// A GPU as a preset describes it; facts that are not known are absent.
struct Device {
    std::string name;
    std::string architecture;
    std::string compute_capability;  ///< one of compute_capabilities(); empty: not known
    std::map<std::string, DeviceFact, std::less<>> facts;  ///< by the names of device_columns()

    std::optional<double> find(std::string_view column) const;
    /// Throws InputError that names the device and the fact where it is absent.
    double at(std::string_view column) const;
    bool operator==(const Device&) const = default;
};

struct DeviceColumn {
    std::string_view name;
    std::string_view unit;
    std::string_view meaning;
    bool needed = true;  ///< sm_device() needs it; else there is something to take in its place
};

/// The facts that a device can have, in the order of the file.
std::span<const DeviceColumn> device_columns();

/// Throws InputError unless a fact has a value of its range: above 0, a share up to 1, a clock up to 100 GHz,
/// whole if it is counted (SMs, schedulers, warps, blocks, threads, registers, KiB, slices).
void check_fact(std::string_view column, double value);

struct DeviceTable {
    std::vector<Device> devices;
    std::map<std::string, std::string, std::less<>> sources;  ///< what the keys of DeviceFact::source mean

    /// Case, blanks, hyphens and the words NVIDIA, GeForce, Tesla in front are ignored. Nothing if no
    /// device is called so.
    const Device* find(std::string_view name) const;
    /// The same. Throws InputError with the names that exist, and those that are alike.
    const Device& at(std::string_view name) const;
    /// The device called like this one, else the one with a name alike, the same compute capability (where
    /// both are known) and the nearest number of SMs: a driver says "NVIDIA H100 80GB HBM3". Nothing if no
    /// name is alike.
    const Device* nearest(const Device& device) const;
};

/// Whether a name, as a driver or a profiler has it ("NVIDIA A100-SXM4-80GB (0)"), may be that of the device:
/// not if it is the name of another preset.
bool is_name_of(std::string_view name, const Device& device);

/// Reads a table of devices: the format of netgen/sm/devices.tsv, described in its head. Columns may be left
/// out and be in any order. Limits of an SM that a device does not give are those of its compute
/// capability. `file` names the text in errors. Throws InputError (file:line: …).
DeviceTable read_devices(std::string_view text, const std::string& file);

/// The presets of the project: netgen/sm/devices.tsv as it was when the library was built.
const DeviceTable& preset_devices();

/// A device as a table that read_devices() reads back to the same facts and the sources that they name: all
/// columns, each with a comment that says what it is, '-' where nothing is known.
std::string write_device_table(const Device& device,
                               const std::map<std::string, std::string, std::less<>>& sources);

/// The facts that sm_device() needs and that the device does not have, in the order of device_columns().
std::vector<std::string_view> missing_facts(const Device& device);

/// The limits of an SM: the facts max_warps, max_threads, max_blocks, registers and shared_kb, all else by
/// the compute capability. Throws InputError if a fact is absent.
SmLimits sm_limits(const Device& device);

/// What the family `sm` needs of a device. Throws InputError that names all missing_facts(). A fact that only
/// some kernels need (the latency of double precision) may be absent: 0 then.
SmDevice sm_device(const Device& device);

/// Warps that can execute an instruction of each letter (C, L, S, D) in the same cycle: lanes of the SM
/// divided by 32, as text for parse_units_per_warp ("4", "1/8"). Absent if the lanes are not known.
std::map<char, std::string> units_per_warp(const Device& device);
/// The same of one scheduler, for the letters whose units each scheduler has for its own warps: since compute
/// capability 5.0 those of C, S and D, unless the SM has fewer of them than schedulers. The units of L are
/// shared by the SM.
std::map<char, std::string> units_per_scheduler(const Device& device);

/// Instructions that a scheduler can issue in a cycle, as a whole number.
std::int64_t dispatch_units(const Device& device);

/// {name, architecture, compute_capability, facts: {name: {value, source, verified}}}
nlohmann::ordered_json to_json(const Device& device);

/// Devices of a table: {devices, sources, columns}.
nlohmann::ordered_json to_json(const DeviceTable& table, const std::vector<Device>& devices);

}  // namespace warpnet::netgen
