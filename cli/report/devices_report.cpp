#include "cli/report/devices_report.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

std::string cell(const Device& device, std::string_view column) {
    const auto found = device.facts.find(column);
    if (found == device.facts.end()) return "-";
    return fmt::format("{:g}{}", found->second.value, found->second.verified ? "" : "?");
}

}  // namespace

void print_overview(const std::vector<Device>& devices) {
    fmt::print("{:<12} {:<8} {:>4} {:>5} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6} {:>7} {:>8}\n", "device", "arch",
               "cc", "SMs", "sched", "fp32", "fp64", "shared", "L2", "DRAM", "MHz", "GB/s");
    for (const Device& device : devices) {
        fmt::print("{:<12} {:<8} {:>4} {:>5} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6} {:>7} {:>8}\n", device.name,
                   device.architecture, device.compute_capability, cell(device, "sms"),
                   cell(device, "schedulers"), cell(device, "fp32"), cell(device, "fp64"),
                   cell(device, "lat_shared"), cell(device, "lat_l2"), cell(device, "lat_dram"),
                   cell(device, "clock_mhz"), cell(device, "dram_gbs"));
    }
    fmt::print(
        "\nshared, L2, DRAM: latencies in cycles; ?: not verified; -: not known. 'warpnet devices NAME' has "
        "all "
        "facts and\ntheir sources.\n");
}

void print_device(const DeviceTable& table, const Device& device) {
    fmt::print("{} ({}, compute capability {})\n\n", device.name, device.architecture,
               device.compute_capability);
    std::vector<std::string> used;
    for (const DeviceColumn& column : device_columns()) {
        const auto found = device.facts.find(column.name);
        const std::string source = found == device.facts.end() ? "" : found->second.source;
        fmt::print("  {:<16} {:>8} {:<8} {:<14} {}\n", column.name, cell(device, column.name), column.unit,
                   source, column.meaning);
        for (std::size_t begin = 0; begin < source.size();) {
            const std::size_t end = std::min(source.find('/', begin), source.size());
            const std::string key = source.substr(begin, end - begin);
            if (std::find(used.begin(), used.end(), key) == used.end()) used.push_back(key);
            begin = end + 1;
        }
    }
    fmt::print("\n?: not verified; -: not known\n");
    if (const auto missing = missing_facts(device); !missing.empty())
        fmt::print("no source was found for what is not known: 'predict' and 'compare' need --set {}=VALUE\n",
                   fmt::join(missing, "=VALUE,"));
    for (const std::string& key : used) {
        const auto found = table.sources.find(key);
        if (found != table.sources.end()) fmt::print("  {} = {}\n", key, found->second);
    }
}

void print_measured_text(const MeasuredDevice& measured, const Device* preset,
                         const std::vector<FactDifference>& differences) {
    fmt::print("{}", write_device_table(measured.device, measured.sources));
    for (const std::string& missing : measured.missing)
        fmt::print(stderr, "warpnet: not measured: {}\n", missing);
    if (!measured.ignored.empty())
        fmt::print(stderr, "warpnet: ignored columns: {}\n", fmt::join(measured.ignored, ", "));
    if (preset == nullptr) {
        fmt::print(stderr, "warpnet: there is no preset of a device called like '{}'\n",
                   measured.device.name);
        return;
    }
    fmt::print(stderr, "warpnet: {} {} from the preset {}\n", plural(differences.size(), "fact"),
               differences.size() == 1 ? "differs" : "differ", preset->name);
    if (differences.empty()) return;
    const auto text = [](std::optional<double> value) { return value ? fmt::format("{:g}", *value) : "-"; };
    fmt::print(stderr, "  {:<16} {:>9} {:>9}\n", "fact", "measured", "preset");
    for (const FactDifference& one : differences)
        fmt::print(stderr, "  {:<16} {:>9} {:>9}\n", one.column, text(one.measured), text(one.preset));
}

}  // namespace warpnet::cli
