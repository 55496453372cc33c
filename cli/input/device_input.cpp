#include "cli/input/device_input.hpp"

#include "engine/net/error.hpp"
#include "netgen/sm/kernel_metrics.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

void add_change(const std::string& item, DeviceInput& input) {
    const std::size_t equal = item.find('=');
    const std::string fact = item.substr(0, equal);
    const auto columns = device_columns();
    const bool known = std::any_of(columns.begin(), columns.end(),
                                   [&](const DeviceColumn& column) { return column.name == fact; });
    if (equal == std::string::npos || !known)
        throw UsageError(
            "--set",
            fmt::format("expected FACT=VALUE with a fact of 'warpnet devices --columns', found '{}'", item));
    try {
        const double value = metric_number(item.substr(equal + 1), fact);
        check_fact(fact, value);
        if (std::any_of(input.changes.begin(), input.changes.end(),
                        [&](const auto& change) { return change.first == fact; }))
            throw InputError(fmt::format("{} is given twice", fact));
        input.changes.emplace_back(fact, value);
    } catch (const InputError& error) {
        throw UsageError("--set", error.what());
    }
}

}  // namespace

void add_device_changes(Command& command, DeviceInput& input) {
    command
        .add_option_function<std::vector<std::string>>(
            "--set",
            [&input](const std::vector<std::string>& texts) {
                for (const std::string& text : texts)
                    each_item(text, [&](const std::string& item) { add_change(item, input); });
            },
            "Facts of the device in place of those of the preset ('warpnet devices --columns')")
        .type_name("FACT=VALUE,...");
    command
        .add_option_function<std::string>(
            "--without",
            [&input](const std::string& text) {
                each_item(text, [&](const std::string& item) {
                    if (!switch_off(input.mechanisms, item))
                        throw UsageError("--without",
                                         fmt::format("expected one of {}; found '{}'",
                                                     fmt::join(sm_mechanism_names(), ", "), item));
                });
            },
            "Switch parts of the model off, to see what each is worth (netgen/sm/README.md)")
        .type_name("MECHANISM,...");
}

Option add_device_input(Command& command, DeviceInput& input, const std::string& help) {
    Option device = command.add_option("--device", input.name, help + ", or a file with one device in it")
                        .type_name("NAME|FILE.tsv");
    command
        .add_option("--devices", input.file,
                    "A table of your own in place of the presets ('warpnet devices')")
        .type_name("FILE")
        .needs(device);
    return device;
}

}  // namespace warpnet::cli
