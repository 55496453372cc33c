#include "analysis/studies/files/measured_device.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/device_input.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

struct DevicesFlags {
    std::string name;
    std::string file;
    std::string from;
    bool columns = false;
    bool table = false;
    bool json = false;
};

nlohmann::ordered_json device_json(const Device& device) {
    nlohmann::ordered_json facts = nlohmann::ordered_json::object();
    for (const DeviceColumn& column : device_columns()) {
        const auto found = device.facts.find(column.name);
        if (found == device.facts.end()) continue;
        const DeviceFact& fact = found->second;
        facts[std::string(column.name)] = {
            {"value", fact.value}, {"source", fact.source}, {"verified", fact.verified}};
    }
    return {{"name", device.name},
            {"architecture", device.architecture},
            {"compute_capability", device.compute_capability},
            {"facts", facts}};
}

void print_json(const DeviceTable& table, const std::vector<Device>& devices) {
    nlohmann::ordered_json json;
    json["devices"] = nlohmann::ordered_json::array();
    for (const Device& device : devices) json["devices"].push_back(device_json(device));
    json["sources"] = table.sources;
    json["columns"] = nlohmann::ordered_json::array();
    for (const DeviceColumn& column : device_columns())
        json["columns"].push_back(
            {{"name", column.name}, {"unit", column.unit}, {"meaning", column.meaning}});
    fmt::print("{}\n", json.dump());
}

std::string cell(const Device& device, std::string_view column) {
    const auto found = device.facts.find(column);
    if (found == device.facts.end()) return "-";
    return fmt::format("{:g}{}", found->second.value, found->second.verified ? "" : "?");
}

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

nlohmann::ordered_json optional_json(std::optional<double> value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

void print_measured_json(const MeasuredDevice& measured, const Device* preset,
                         const std::vector<FactDifference>& differences) {
    nlohmann::ordered_json json = {{"device", device_json(measured.device)},
                                   {"sources", measured.sources},
                                   {"missing", measured.missing},
                                   {"ignored", measured.ignored},
                                   {"preset", nullptr},
                                   {"differences", nlohmann::ordered_json::array()}};
    if (preset != nullptr) json["preset"] = preset->name;
    for (const FactDifference& one : differences)
        json["differences"].push_back({{"fact", one.column},
                                       {"measured", optional_json(one.measured)},
                                       {"preset", optional_json(one.preset)}});
    fmt::print("{}\n", json.dump());
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
    fmt::print(stderr, "warpnet: {} facts differ from the preset {}\n", differences.size(), preset->name);
    if (differences.empty()) return;
    const auto text = [](std::optional<double> value) { return value ? fmt::format("{:g}", *value) : "-"; };
    fmt::print(stderr, "  {:<16} {:>9} {:>9}\n", "fact", "measured", "preset");
    for (const FactDifference& one : differences)
        fmt::print(stderr, "  {:<16} {:>9} {:>9}\n", one.column, text(one.measured), text(one.preset));
}

/// The device that collect.sh measured.
ExitCode measured_device(const DevicesFlags& options) {
    if (!options.name.empty())
        throw UsageError("--from", "expected no NAME beside it, since the folder names its device");
    const auto file = [&](const char* name) {
        const std::string path = options.from + "/" + name;
        return SourceText{read_text(path), path};
    };
    const SourceText device = file("device.csv");
    const MeasuredDevice measured = read_measured_device(device, file("microbenchmarks.csv"));
    const Device* preset = preset_devices().nearest(measured.device);
    const auto differences =
        preset == nullptr ? std::vector<FactDifference>() : device_differences(measured.device, *preset);
    if (options.json) {
        print_measured_json(measured, preset, differences);
    } else {
        print_measured_text(measured, preset, differences);
    }
    return ExitCode::done;
}

ExitCode devices(const DevicesFlags& options) {
    if (!options.from.empty()) return measured_device(options);
    if (options.columns) {
        for (const DeviceColumn& column : device_columns())
            fmt::print("{:<16} {:<8} {}\n", column.name, column.unit, column.meaning);
        return ExitCode::done;
    }
    const DeviceTable table = load_devices(options.file);
    if (options.table) {
        if (options.name.empty()) throw UsageError("--table: expected the NAME of a device");
        fmt::print("{}", write_device_table(table.at(options.name), table.sources));
        return ExitCode::done;
    }
    const std::vector<Device> chosen =
        options.name.empty() ? table.devices : std::vector<Device>{table.at(options.name)};
    if (options.json) {
        print_json(table, chosen);
    } else if (options.name.empty()) {
        print_overview(chosen);
    } else {
        print_device(table, chosen.front());
    }
    return ExitCode::done;
}

}  // namespace

void add_devices(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<DevicesFlags>();
    Command command = program.add_subcommand("devices", "The GPU presets, every fact with its source");
    command.add_option("name", options->name, "All facts of this device").type_name("NAME");
    command.add_option("--file", options->file, "A table of your own in place of the presets")
        .type_name("FILE");
    command
        .add_option("--from", options->from,
                    "A table of the device that examples/kernels/collect.sh measured, from its folder; the "
                    "differences to the preset go to stderr")
        .type_name("FOLDER");
    command.add_flag("--table", options->table, "Write the device as such a table: a start for your own");
    command.add_flag("--columns", options->columns, "The facts that a table can have");
    add_json(command, options->json);
    command.get_option("--table").excludes("--json").excludes("--columns");
    command.get_option("--from").excludes("--file").excludes("--table").excludes("--columns");
    command.get_option("--columns").excludes("name").excludes("--file").excludes("--json");
    command.footer(
        "A table is a text with tabs: a row of column names, 'device' first, then one device a row; a fact "
        "is\n"
        "VALUE, VALUE@SOURCE, VALUE@SOURCE? (not verified) or '-'. Lines with # are comments, '#source KEY = "
        "TEXT'\n"
        "says what a source is. Columns may be left out.\n"
        "\n"
        "Examples:\n"
        "  warpnet devices\n"
        "  warpnet devices GTX950\n"
        "  warpnet devices RTX4090 --table > mine.tsv\n"
        "  warpnet devices --file mine.tsv --json\n"
        "  warpnet devices --from examples/measurements/h100 > h100.tsv");
    command.callback([options, &exit_code] { exit_code = devices(*options); });
}

}  // namespace warpnet::cli
