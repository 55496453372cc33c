// Tables of measurements for a command. All data that a reader left out, ignored or assumed is listed on
// stderr. Two names of one file are an error, since its launches would count twice.
//
// Names of files are compared as the system does (equivalent()), so that links to one file are found, too. A
// preset follows from the name of the device in the table, if no flag gives one, and a note names it.
// Launches that the device rejects are left out with their reasons.

#include "cli/input/measured_input.hpp"

#include "analysis/studies/files/measured_device.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/ptx_input.hpp"
#include "cli/output/notes.hpp"
#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/kernel.hpp"
#include "netgen/code/ptx/kernel_profile_from_ptx.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

/// Throws InputError if two of the names refer to one file.
void require_distinct(const std::vector<std::string>& files) {
    for (auto file = files.begin(); file != files.end(); ++file) {
        const auto same = std::find_if(files.begin(), file, [&](const std::string& before) {
            std::error_code error;
            return before == *file || std::filesystem::equivalent(before, *file, error);
        });
        if (same != file)
            throw InputError(fmt::format("{}: expected each file once, found it twice{}", input_name(*file),
                                         *same == *file ? "" : ", also as " + *same));
    }
}

void print_left_out(const std::vector<std::string>& faults) {
    print_note("{}", studies::first_faults(faults, "warpnet: ", ": left out\n"));
}

}  // namespace

std::vector<studies::SourceText> read_measured_texts(const std::vector<std::string>& files) {
    require_distinct(files);
    std::vector<studies::SourceText> texts;
    texts.reserve(files.size());
    for (const std::string& file : files) texts.push_back({read_text(file), input_name(file)});
    return texts;
}

studies::MeasuredTable read_measured_files(const std::vector<std::string>& files,
                                           const studies::MeasuredOptions& options,
                                           const studies::MeasuredCode& code) {
    return table_of_texts(read_measured_texts(files), options, code);
}

studies::MeasuredTable table_of_texts(const std::vector<studies::SourceText>& texts,
                                      const studies::MeasuredOptions& options,
                                      const studies::MeasuredCode& code) {
    require_distinct(code.files);
    studies::MeasuredTable table = studies::read_measurements(
        texts, options, code, [](const std::string& warning) { print_note("warpnet: {}\n", warning); });
    if (!table.ignored.empty()) {
        constexpr std::size_t most = 10;
        const auto shown =
            table.ignored.begin() + static_cast<std::ptrdiff_t>(std::min(most, table.ignored.size()));
        print_note(
            "warpnet: ignored, as nothing is predicted from it: {}{}\n",
            fmt::join(table.ignored.begin(), shown, ", "),
            table.ignored.size() > most ? fmt::format(" and {} more", table.ignored.size() - most) : "");
    }
    print_left_out(table.faults);
    for (const std::string& warning : table.warnings) print_note("warpnet: {}\n", warning);
    for (const std::string& function : options.facts.functions()) {
        const bool there = std::any_of(
            table.measurements.begin(), table.measurements.end(),
            [&](const studies::Measurement& one) { return studies::fact_function(one.kernel) == function; });
        if (!there) print_note("warpnet: facts about '{}', which is not in the table\n", function);
    }
    if (code.files.empty() || table.interrupted) return table;
    std::vector<netgen::PtxModule> modules;
    for (const std::string& file : code.files) modules.push_back(read_ptx_file(file));
    const studies::FoundKinds kinds = take_integer_kinds(table, modules);
    if (kinds.asked == 0) {
        // If there are no counters, all counts come from the code.
        if (!table.counts_of_code)
            print_note(
                "warpnet: no kernel has integer instructions of unknown kind: nothing is taken from "
                "the code\n");
        return table;
    }
    print_note("warpnet: integer instructions by their kinds in PTX for {} of {}{}{}\n", kinds.found,
               plural(kinds.asked, "kernel"), kinds.without.empty() ? "" : "; none of ",
               fmt::join(kinds.without, ", "));
    return table;
}

std::string preset_of_table(const studies::MeasuredTable& table) {
    const netgen::Device* device =
        netgen::preset_devices().find(table.device.substr(0, table.device.find('(')));
    if (device == nullptr) return "";
    print_note("warpnet: the measurements name '{}': --device {}\n", table.device, device->name);
    return device->name;
}

std::string preset_of_folder(const std::string& folder) {
    const std::string path = folder + "/device.csv";
    const netgen::Device device = studies::read_measured_device({read_text(path), path}, {}).device;
    const netgen::Device* preset = netgen::preset_devices().nearest(device);
    if (preset == nullptr)
        throw InputError(
            fmt::format("{}: no preset matches the device '{}'; give --device "
                        "('warpnet devices --from {}' makes a table for it)",
                        path, device.name, folder));
    print_note("warpnet: {} names '{}': --device {}\n", path, device.name, preset->name);
    return preset->name;
}

void leave_out_failing(studies::MeasuredTable& table, const netgen::SmDevice& device, bool shapes) {
    print_left_out(studies::take_out_failing(table, device, shapes));
}

void warn_of_other_gpus(const studies::MeasuredTable& table, const netgen::Device& device) {
    for (const std::string& warning : studies::warn_of_gpus(table.gpus, device))
        print_note("warpnet: {}\n", warning);
}

studies::KernelFacts read_resources_file(const std::string& file, const netgen::DeviceInput& device) {
    if (file.empty()) return {};
    std::vector<std::string> warnings;
    studies::KernelFacts resources = studies::read_resources(read_text(file), input_name(file),
                                                             device.device().compute_capability, warnings);
    for (const std::string& warning : warnings) print_note("warpnet: {}\n", warning);
    return resources;
}

}  // namespace warpnet::cli
