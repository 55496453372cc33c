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

/// One number about a GPU and its source.
struct DeviceFact {
    double value = 0;
    std::string source;    ///< a key of DeviceTable::sources, or several separated by '/'; may be empty
    bool verified = true;  ///< false: from memory, borrowed from a similar device, or assumed
    bool operator==(const DeviceFact&) const = default;
};

/// A GPU as a preset describes it; unknown facts are absent.
struct Device {
    std::string name;
    std::string architecture;
    std::string compute_capability;                        ///< one of compute_capabilities(); empty: unknown
    std::map<std::string, DeviceFact, std::less<>> facts;  ///< by the names of device_columns()

    std::optional<double> find(std::string_view column) const;
    /// Throws InputError that names the device and the fact if the fact is absent.
    double at(std::string_view column) const;
    bool operator==(const Device&) const = default;
};

/// A fact of a device: its name in tables and flags, its unit (empty for counts), and its meaning in words.
struct DeviceColumn {
    std::string_view name;
    std::string_view unit;
    std::string_view meaning;
    bool needed = true;  ///< sm_device() needs it; otherwise it has a substitute
};

/// The facts that a device can have, in the order of the file.
std::span<const DeviceColumn> device_columns();

/// Throws InputError if a fact is out of range: above 0, a share up to 1, a clock up to 100 GHz, and a whole
/// number for counts (SMs, schedulers, warps, blocks, threads, registers, KiB, slices).
void check_fact(std::string_view column, double value);

struct DeviceTable {
    std::vector<Device> devices;
    std::map<std::string, std::string, std::less<>> sources;  ///< the meaning of the keys

    /// Ignores case, blanks, hyphens and the words NVIDIA, GeForce and Tesla in front. Nothing if no device
    /// has that name.
    const Device* find(std::string_view name) const;
    /// The same. Throws InputError with the existing names and the similar ones.
    const Device& at(std::string_view name) const;
    /// The device of this name. Otherwise the one with a similar name, the same compute capability (if both
    /// are known) and the nearest number of SMs, since a driver says "NVIDIA H100 80GB HBM3". Nothing if no
    /// name is similar.
    const Device* nearest(const Device& device) const;
};

/// Whether a name given by a driver or a profiler ("NVIDIA A100-SXM4-80GB (0)") may be that of the device.
/// False if it is the name of another preset.
bool is_name_of(std::string_view name, const Device& device);

/// Reads a table of devices: the format of netgen/sm/devices.tsv, described in its head. Columns may be
/// absent and in any order. Missing limits of an SM are those of the compute capability. `file` names the
/// text in errors. Throws InputError (file:line: …).
DeviceTable read_devices(std::string_view text, const std::string& file);

/// The presets of the project: netgen/sm/devices.tsv at the time of the build.
const DeviceTable& preset_devices();

/// A device as a table from which read_devices() reads the same facts and their sources. It has all columns,
/// each with a comment on its meaning, and '-' for unknown facts.
std::string write_device_table(const Device& device,
                               const std::map<std::string, std::string, std::less<>>& sources);

/// The facts that sm_device() needs and the device lacks, in the order of device_columns().
std::vector<std::string_view> missing_facts(const Device& device);

/// The limits of an SM: the facts max_warps, max_threads, max_blocks, registers and shared_kb, and the
/// remaining limits by the compute capability. Throws InputError if a fact is absent.
SmLimits sm_limits(const Device& device);

/// The data of a device that the family `sm` needs. Throws InputError that names all missing_facts(). A fact
/// that only some kernels need (the latency of double precision) is 0 if it is absent.
SmDevice sm_device(const Device& device);

/// Warps that can execute an instruction of each letter (C, L, S, D) in the same cycle: lanes of the SM
/// divided by 32, as text for parse_units_per_warp ("4", "1/8"). Absent if the lanes are not known.
std::map<char, std::string> units_per_warp(const Device& device);
/// The same per scheduler, for the letters whose units each scheduler has for its own warps. Since compute
/// capability 5.0 these are C, S and D, unless the SM has fewer such units than schedulers. The SM shares the
/// units of L.
std::map<char, std::string> units_per_scheduler(const Device& device);

/// Instructions per cycle that a scheduler can issue, as a whole number.
std::int64_t dispatch_units(const Device& device);

/// {name, architecture, compute_capability, facts: {name: {value, source, verified}}}
nlohmann::ordered_json to_json(const Device& device);

/// Devices of a table: {devices, sources, columns}.
nlohmann::ordered_json to_json(const DeviceTable& table, const std::vector<Device>& devices);

}  // namespace warpnet::netgen
