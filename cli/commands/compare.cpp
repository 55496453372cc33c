// `compare` for tables, or for the tables of a folder of collect.sh one by one. Without a device and a
// family, the device is a preset that the table names, and the family `warps` if it names none.
//
// The tables of a folder are compared and printed one after another, so that an interrupt keeps the finished
// ones. Each table has its own way of timing (between events or not), which is why a folder is not one large
// table. --columns and --metrics-for answer at once and exclude all flags of a comparison.

#include "cli/commands/compare.hpp"

#include "analysis/pictures/plots/scatter_svg.hpp"
#include "analysis/studies/files/schedule_csv.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/measured_input.hpp"
#include "cli/input/output_file.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/output/notes.hpp"
#include "cli/report/texts.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/progress.hpp"
#include "engine/base/to_json.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

/// Reads the tables and compares their measurements. If the tables name a device, it is stored in the flags.
studies::Comparison compare_files(CompareFlags& flags, const studies::MeasuredCode& code,
                                  const Interrupt& interrupt) {
    studies::MeasuredOptions reading;
    if (flags.device.given()) reading = studies::measured_options(flags.device, flags.facts);
    reading.interrupt = &interrupt.flag();
    reading.progress = progress_of();
    studies::MeasuredTable table = read_measured_files(flags.files, reading, code);
    if (table.interrupted) return {};
    if (!flags.device.given() && !flags.families_given) flags.device.name = preset_of_table(table);
    studies::CompareOptions options = flags.compare;
    options.predict.seed = flags.common.seed;
    options.predict.threads = flags.common.threads;
    options.predict.interrupt = &interrupt.flag();
    options.progress = progress_of();
    options.unit = table.unit;
    if (flags.device.given()) {
        options.device = flags.device.sm();
        warn_of_other_gpus(table, flags.device.device());
        leave_out_failing(table, *options.device, studies::needs_shapes(options));
        options.between_events |= flags.events;
        check_events(flags, options);
    } else if (!flags.families_given) {
        options.families = {studies::ModelFamily::warps};
    }
    const auto of_warps = std::ranges::count(options.families, studies::ModelFamily::warps);
    if (of_warps == 0) refuse(flags.of_warps, "applies to the family warps, which is not compared");
    if (of_warps == std::ssize(options.families))
        refuse(flags.of_devices, "applies to families with a device, and none is compared");
    return studies::compare(std::move(table.measurements), options);
}

/// Compares the tables in a folder of examples/kernels/collect.sh, one after the other.
ExitCode compare_folder(CompareFlags flags) {
    const std::string folder = flags.files.front();
    if (flags.files.size() > 1)
        throw UsageError(fmt::format("expected one folder, or files, found {} and more", folder));
    const std::string format = flags.format == TableFormat::text ? "" : std::string(to_string(flags.format));
    for (const auto& [flag, value] :
         {std::pair("--plot", flags.plot), std::pair("--csv", flags.csv), std::pair("--format", format)})
        if (!value.empty())
            throw UsageError(flag,
                             fmt::format("expected one table, such as {}/times.csv, found a folder", folder));
    if (!flags.device.given()) flags.device.name = preset_of_folder(folder);
    if (!flags.families_given)
        flags.compare.families = {studies::ModelFamily::sm, studies::ModelFamily::closed_form,
                                  studies::ModelFamily::warps};
    flags.parts.functions = true;
    if (!flags.resources.empty())
        throw UsageError("--resources",
                         fmt::format("the resources.txt of the folder {} is already used", folder));
    const studies::MeasuredFolder measured =
        studies::read_measured_folder(folder, flags.device.device().compute_capability);
    for (const std::string& warning : measured.warnings) print_note("warpnet: {}\n", warning);
    nlohmann::ordered_json json = {
        {"folder", folder}, {"device", flags.device.name}, {"tables", nlohmann::ordered_json::object()}};
    const Interrupt interrupt;
    for (const auto& [name, meaning, between_events] : measured.tables) {
        flags.files = {fmt::format("{}/{}", folder, name)};
        flags.compare.between_events = between_events;
        const studies::Comparison comparison = compare_files(
            flags, {flags.ptx, measured.resources, between_events ? "" : measured.launches}, interrupt);
        if (comparison.measurements.empty()) {
            std::cerr << "warpnet: " << message_text(name) << ": interrupted before there was a result\n";
            break;
        }
        // The table is printed before the next one is read.
        if (!flags.common.json)
            print_answer(fmt::format("{}{}: {}\n\n{}", json["tables"].empty() ? "" : "\n", name, meaning,
                                     compare_text(comparison, flags.parts)));
        std::fflush(stdout);
        json["tables"][name] = to_json(comparison, flags.parts);
        if (interrupt.requested()) break;
    }
    if (flags.common.json && !json["tables"].empty())
        print_answer(json_answer({"compare", flags.common.seed, {}, interrupt.requested()}, json));
    return interrupt.requested() ? ExitCode::interrupted : ExitCode::done;
}

ExitCode run_compare(CompareFlags flags) {
    if (flags.columns || !flags.metrics_for.empty())
        refuse(flags.of_comparisons, fmt::format("applies to a comparison, and {} makes none",
                                                 flags.columns ? "--columns" : "--metrics-for"));
    if (!flags.metrics_for.empty()) {
        fmt::print("{}", flags.metrics_for == "nvprof" ? netgen::nvprof_command() : netgen::nsight_command());
        return ExitCode::done;
    }
    if (flags.columns) {
        print_columns();
        return ExitCode::done;
    }
    if (flags.files.empty()) throw UsageError("argument MEASURED is missing: a table, or a folder");
    const auto folder = std::find_if(flags.files.begin(), flags.files.end(), [](const std::string& file) {
        std::error_code error;
        return std::filesystem::is_directory(file, error);
    });
    if (folder != flags.files.end()) {
        std::iter_swap(flags.files.begin(), folder);
        return compare_folder(std::move(flags));
    }
    const bool file_to_stdout = takes_standard_output({flags.csv, flags.plot}, flags.common.json);
    const Interrupt interrupt;
    const studies::Comparison comparison =
        compare_files(flags, {flags.ptx, read_resources_file(flags.resources, flags.device)}, interrupt);
    if (comparison.measurements.empty()) return interrupted_without_result();
    if (!flags.plot.empty())
        write_text(flags.plot, pictures::scatter_svg(comparison, comparison.unit, flags.style));
    if (!flags.csv.empty()) write_text(flags.csv, studies::to_csv(comparison));
    if (!file_to_stdout)
        print_answer(
            flags.common.json ? json_answer({"compare", flags.common.seed, {}, comparison.interrupted},
                                            to_json(comparison, flags.parts))
            : flags.format != TableFormat::text ? formatted_table(studies::to_csv(comparison), flags.format)
                                                : compare_text(comparison, flags.parts));
    return comparison.interrupted ? ExitCode::interrupted : ExitCode::done;
}

}  // namespace

void add_compare(Command& program, ExitCode& exit_code) {
    const auto flags = std::make_shared<CompareFlags>();
    Command command = program.add_subcommand("compare", "Models against measured timings");
    add_compare_flags(command, *flags);
    command.callback([flags, &exit_code] { exit_code = run_compare(*flags); });
}

}  // namespace warpnet::cli
