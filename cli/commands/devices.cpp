// `devices`: presets, one device with its sources, or the device that collect.sh measured with its
// differences to the preset.

#include "analysis/studies/files/measured_device.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/sm_input.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/report/table_text.hpp"
#include "cli/report/texts.hpp"
#include "engine/base/to_json.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/presets.hpp"

#include <memory>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

struct DevicesFlags {
    std::string name;
    std::string file;
    std::string from;
    bool columns = false;
    bool table = false;
    bool json = false;
    TableFormat format = TableFormat::text;
};

/// The device that collect.sh measured.
ExitCode measured_device(const DevicesFlags& options) {
    if (!options.name.empty())
        throw UsageError("--from", "expected no NAME with it, since the folder names its device");
    const auto file = [&](const char* name) {
        const std::string path = options.from + "/" + name;
        return studies::SourceText{read_text(path), path};
    };
    const studies::SourceText device = file("device.csv");
    const studies::MeasuredDevice measured =
        studies::read_measured_device(device, file("microbenchmarks.csv"));
    const netgen::Device* preset = netgen::preset_devices().nearest(measured.device);
    const auto differences = preset == nullptr ? std::vector<studies::FactDifference>()
                                               : studies::device_differences(measured.device, *preset);
    if (options.json) {
        print_answer(json_answer({"devices", {}, {}}, to_json(measured, preset, differences)));
    } else {
        print_measured_text(measured, preset, differences);
    }
    return ExitCode::done;
}

/// An unknown device is a usage error.
const netgen::Device& device_of(const netgen::DeviceTable& table, const std::string& name) {
    try {
        return table.at(name);
    } catch (const InputError& error) {
        throw UsageError(error.what());
    }
}

ExitCode devices(const DevicesFlags& options) {
    if (!options.from.empty()) return measured_device(options);
    if (options.columns) {
        for (const netgen::DeviceColumn& column : netgen::device_columns())
            fmt::print("{:<16} {:<8} {}\n", column.name, column.unit, column.meaning);
        return ExitCode::done;
    }
    const netgen::DeviceTable table = netgen::load_devices(options.file);
    if (options.table) {
        if (options.name.empty()) throw UsageError("--table: expected the NAME of a device");
        fmt::print("{}", netgen::write_device_table(device_of(table, options.name), table.sources));
        return ExitCode::done;
    }
    const std::vector<netgen::Device> chosen =
        options.name.empty() ? table.devices : std::vector<netgen::Device>{device_of(table, options.name)};
    if (options.json) {
        print_answer(json_answer({"devices", {}, {}}, to_json(table, chosen)));
    } else if (options.format != TableFormat::text) {
        print_answer(formatted_table(overview_csv(chosen), options.format));
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
    command.add_option("name", options->name, "Show all facts of this device").type_name("NAME");
    command.add_option("--file", options->file, "A table of your own in place of the presets")
        .type_name("FILE");
    command
        .add_option("--from", options->from,
                    "A table of the device that examples/kernels/collect.sh measured, from its folder; the "
                    "differences to the preset go to stderr")
        .type_name("FOLDER");
    command.add_flag("--table", options->table, "Write the device as a table, a starting point for your own");
    command.add_flag("--columns", options->columns, "List the facts that a table can have");
    add_json(command, options->json);
    Option format = add_table_format(command, options->format);
    for (const char* other : {"name", "--from", "--table", "--columns"}) format.excludes(other);
    command.get_option("--table").excludes("--json").excludes("--columns");
    command.get_option("--from").excludes("--file").excludes("--table").excludes("--columns");
    command.get_option("--columns").excludes("name").excludes("--file").excludes("--json");
    command.footer(
        "A table is tab-separated text: a row of column names, 'device' first, then one row per device. A "
        "fact is\nVALUE, VALUE@SOURCE, VALUE@SOURCE? (not verified) or '-'. Lines with # are comments; "
        "'#source KEY = TEXT'\ndescribes a source. Columns may be left out.\n"
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
