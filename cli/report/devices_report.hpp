#pragma once

#include "analysis/studies/files/measured_device.hpp"
#include "netgen/sm/presets.hpp"

#include <vector>

namespace warpnet::cli {

// What `devices` prints.

/// A line for each.
void print_overview(const std::vector<Device>& devices);
/// All facts of one with their sources.
void print_device(const DeviceTable& table, const Device& device);
/// Its table; how it differs from the preset, if there is one, goes to stderr.
void print_measured_text(const MeasuredDevice& measured, const Device* preset,
                         const std::vector<FactDifference>& differences);

}  // namespace warpnet::cli
