#include "analysis/studies/compare/compare.hpp"

#include "analysis/pictures/plots/scatter_svg.hpp"
#include "analysis/studies/files/measured_device.hpp"
#include "analysis/studies/files/result_csv.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/device_input.hpp"
#include "cli/input/measured_input.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/input/ptx_input.hpp"
#include "cli/report/compare_report.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/no_result.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/standard_output.hpp"
#include "engine/base/parse_number.hpp"
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/kernel_profile_from_ptx.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

struct CompareFlags {
    std::vector<std::string> files;
    std::string metrics_for;
    std::string facts;
    std::vector<std::string> ptx;
    DeviceInput device;
    CommonOptions common;
    CompareOptions compare;
    bool families_given = false;
    std::string plot;
    PictureStyle style;
    std::string csv;
    CompareParts parts;
    bool columns = false;
    std::vector<std::pair<const char*, Option>> of_comparisons;  ///< flags that only a comparison takes
    std::vector<std::pair<const char*, Option>> of_warps;        ///< of the family warps
    std::vector<std::pair<const char*, Option>> of_devices;      ///< of all other families
};

void parse_families(const std::string& text, CompareFlags& options) {
    constexpr std::array all = {ModelFamily::sm, ModelFamily::warps, ModelFamily::closed_form,
                                ModelFamily::throughput};
    if (!options.families_given) options.compare.families.clear();
    options.families_given = true;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string name = text.substr(begin, end - begin);
        const auto found =
            std::find_if(all.begin(), all.end(), [&](ModelFamily f) { return to_string(f) == name; });
        if (found == all.end())
            throw UsageError("--family",
                             "expected sm, warps, closed-form or throughput, found '" + name + "'");
        if (std::find(options.compare.families.begin(), options.compare.families.end(), *found) !=
            options.compare.families.end())
            throw UsageError("--family", "gives " + name + " twice");
        options.compare.families.push_back(*found);
        begin = end + 1;
    }
}

Comparison run_compare(std::vector<Measurement> measurements, CompareOptions options) {
    std::atomic<std::uint64_t> finished = 0;
    options.finished = &finished;
    const Progress progress("kernels", measurements.size(), finished);
    return compare(std::move(measurements), options);
}

/// The preset that a file names, as "GeForce GTX 950 (0)"; empty where there is none.
std::string preset_of(const std::string& name) {
    const Device* device = preset_devices().find(name.substr(0, name.find('(')));
    return device == nullptr ? "" : device->name;
}

void refuse(const std::vector<std::pair<const char*, Option>>& flags, const std::string& why) {
    for (const auto& [flag, option] : flags)
        if (option.count() > 0) throw UsageError(flag, why);
}

/// Reads the tables and compares what is in them; sets the device where they name one.
Comparison compare_files(CompareFlags& options, const MeasuredCode& code, const Interrupt& interrupt) {
    MeasuredOptions reading;
    if (options.device.given()) reading = measured_options(options.device, options.facts);
    reading.interrupt = &interrupt.flag();
    reading.progress = progress_of("kernels read");
    MeasuredTable table = read_measured_files(options.files, reading, code);
    if (table.interrupted) return {};
    if (!options.ptx.empty()) {
        std::vector<PtxModule> modules;
        for (const std::string& file : options.ptx) modules.push_back(read_ptx_file(file));
        const FoundKinds kinds = take_integer_kinds(table, modules);
        fmt::print(stderr, "warpnet: integer instructions by their kinds in PTX for {} of {}{}{}\n",
                   kinds.found, plural(table.measurements.size(), "kernel"),
                   kinds.without.empty() ? "" : "; none of ", fmt::join(kinds.without, ", "));
    }
    if (!options.device.given() && !options.families_given) {
        options.device.name = preset_of(table.device);
        if (options.device.given())
            fmt::print(stderr, "warpnet: the measurements name '{}': --device {}\n", table.device,
                       options.device.name);
    }
    CompareOptions compare_options = options.compare;
    compare_options.predict.seed = options.common.seed;
    compare_options.predict.threads = options.common.threads;
    compare_options.unit = table.unit;
    if (options.device.given()) {
        compare_options.device = options.device.sm();
        warn_of_other_gpus(table, options.device.device());
    } else if (!options.families_given) {
        compare_options.families = {ModelFamily::warps};
    }
    const std::vector<ModelFamily>& families = compare_options.families;
    if (std::find(families.begin(), families.end(), ModelFamily::warps) == families.end())
        refuse(options.of_warps, "belongs to the family warps, which is not compared");
    if (std::count(families.begin(), families.end(), ModelFamily::warps) == std::ssize(families))
        refuse(options.of_devices, "belongs to a family with a device, and none is compared");
    compare_options.predict.interrupt = &interrupt.flag();
    return run_compare(std::move(table.measurements), compare_options);
}

bool is_file(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

/// Reads device.csv of a folder, for the preset of its device.
std::string folder_preset(const std::string& folder) {
    const std::string path = folder + "/device.csv";
    const Device device = read_measured_device({read_text(path), path}, {}).device;
    const Device* preset = preset_devices().nearest(device);
    if (preset == nullptr)
        throw InputError(
            fmt::format("{}: there is no preset of a device called like '{}'; give --device "
                        "('warpnet devices --from {}' makes a table for it)",
                        path, device.name, folder));
    fmt::print(stderr, "warpnet: {} names '{}': --device {}\n", path, device.name, preset->name);
    return preset->name;
}

/// Compares the tables in a folder of examples/kernels/collect.sh, one after the other.
ExitCode compare_folder(CompareFlags options) {
    const std::string folder = options.files.front();
    if (options.files.size() > 1)
        throw UsageError(fmt::format("expected one folder, or files, found {} and more", folder));
    for (const auto& [flag, value] : {std::pair("--plot", options.plot), std::pair("--csv", options.csv)})
        if (!value.empty())
            throw UsageError(flag,
                             fmt::format("expected one table, as {}/times.csv, found a folder", folder));
    if (!options.device.given()) options.device.name = folder_preset(folder);
    if (!options.families_given)
        options.compare.families = {ModelFamily::sm, ModelFamily::closed_form, ModelFamily::warps};
    options.parts.functions = true;
    MeasuredCode code{options.ptx};
    if (const std::string path = folder + "/resources.txt"; is_file(path))
        code.resources = read_ptxas_resources(read_text(path));
    nlohmann::ordered_json json = {
        {"folder", folder}, {"device", options.device.name}, {"tables", nlohmann::ordered_json::object()}};
    std::size_t tables = 0;
    ExitCode exit_code = ExitCode::done;
    const Interrupt interrupt;
    for (const auto& [name, meaning] :
         {std::pair("counters.csv", "counters of Nsight Compute, time of the GPU alone"),
          std::pair("times.csv", "counts of the code, time between two events")}) {
        options.files = {folder + "/" + name};
        options.compare.between_events = std::string_view(name) == "times.csv";
        if (!is_file(options.files.front())) continue;
        const Comparison comparison = compare_files(options, code, interrupt);
        if (interrupt.requested()) exit_code = ExitCode::interrupted;
        if (comparison.measurements.empty()) {
            fmt::print(stderr, "warpnet: {}: interrupted before there was a result\n", name);
            break;
        }
        // The table is printed before the next one is read.
        if (!options.common.json)
            print_answer(fmt::format("{}{}: {}\n\n{}", tables == 0 ? "" : "\n", name, meaning,
                                     compare_text(comparison, options.parts)));
        std::fflush(stdout);
        json["tables"][name] = to_json(comparison, options.parts);
        ++tables;
        if (exit_code != ExitCode::done) break;
    }
    if (exit_code == ExitCode::done && tables == 0)
        throw InputError(
            fmt::format("{}: expected counters.csv or times.csv in the folder, found neither", folder));
    json["interrupted"] = exit_code != ExitCode::done;
    if (options.common.json && tables > 0) print_answer(json_line(json));
    return exit_code;
}

ExitCode compare_command(CompareFlags options) {
    if (options.columns || !options.metrics_for.empty())
        refuse(options.of_comparisons, fmt::format("belongs to a comparison, and {} makes none",
                                                   options.columns ? "--columns" : "--metrics-for"));
    if (!options.metrics_for.empty()) {
        fmt::print("{}", options.metrics_for == "nvprof" ? nvprof_command() : nsight_command());
        return ExitCode::done;
    }
    if (options.columns) {
        print_columns();
        return ExitCode::done;
    }
    if (options.files.empty()) throw UsageError("measured is required");
    for (const std::string& file : options.files) {
        std::error_code error;
        if (!std::filesystem::is_directory(file, error)) continue;
        std::swap(options.files.front(),
                  options.files[static_cast<std::size_t>(&file - options.files.data())]);
        return compare_folder(std::move(options));
    }
    const bool file_to_stdout = takes_standard_output({options.csv, options.plot}, options.common.json);
    const Interrupt interrupt;
    const Comparison comparison = compare_files(options, {options.ptx}, interrupt);
    if (comparison.measurements.empty()) return interrupted_without_result();
    if (!options.plot.empty())
        write_text(options.plot, scatter_svg(comparison, comparison.unit, options.style));
    if (!options.csv.empty()) write_text(options.csv, to_csv(comparison));
    if (!file_to_stdout)
        print_answer(options.common.json ? json_line(to_json(comparison, options.parts))
                                         : compare_text(comparison, options.parts));
    return comparison.interrupted ? ExitCode::interrupted : ExitCode::done;
}

}  // namespace

void add_compare(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<CompareFlags>();
    Command command = program.add_subcommand("compare", "Models against measured timings");
    command
        .add_option("measured", options->files,
                    "Tables of measurements; a log of nvprof's metrics goes with its trace; - is the "
                    "standard input; or a folder "
                    "of examples/kernels/collect.sh: its counters.csv and times.csv, one after the other, "
                    "with --functions")
        .type_name("MEASURED.csv");
    command
        .add_option_function<std::string>(
            "--metrics-for",
            [options](const std::string& tool) {
                if (tool != "nvprof" && tool != "ncu")
                    throw UsageError("--metrics-for", "expected ncu or nvprof, found '" + tool + "'");
                options->metrics_for = tool;
            },
            "Print the command that collects all that is needed, and end")
        .type_name("ncu|nvprof");
    command.add_flag("--columns", options->columns,
                     "List the columns that are understood, with their units and meanings, and end");
    add_device_input(command, options->device, "The GPU of the measurements, a preset of 'warpnet devices'");
    add_device_changes(command, options->device);
    command
        .add_option(
            "--facts", options->facts,
            "What the source of the kernels says and no counter has, by function (netgen/sm/README.md)")
        .type_name("FACTS.csv")
        .needs("--device");
    command
        .add_option("--ptx", options->ptx,
                    "PTX or SASS of the kernels: their integer instructions by kinds, which no counter tells "
                    "apart, and all counts of kernels in tables with times alone (nsys, nvbench, T4)")
        .type_name("FILE...");
    command
        .add_option_function<std::string>(
            "--clock",
            [options](const std::string& text) {
                if (text == "preset") {
                    options->device.mechanisms.run_clock = false;
                } else if (text != "run") {
                    const auto mhz = parse_number<std::int64_t>(text);
                    check_range("--clock", text, mhz, 1, 100'000);
                    options->compare.clock_mhz = static_cast<double>(*mhz);
                }
            },
            "The SM clock of the runs in MHz: what the file says (run), that of the device, or a number")
        .type_name("run|preset|MHZ")
        .default_str("run");
    command
        .add_option_function<std::string>(
            "--family", [options](const std::string& text) { parse_families(text, *options); },
            "sm (with --device), warps (without), closed-form, throughput; several with commas")
        .type_name("NAME,...");
    command.add_flag(
        "--events", options->compare.between_events,
        "The times lie between two events, whose own time is event_us of the device; of a folder's "
        "times.csv this is known");
    add_number(command, "--schedulers", options->compare.schedulers, "Of the family warps, without --device",
               Tokens{1}, Tokens{1'000'000});
    add_number(command, "--shared-latency", options->compare.shared_latency, "Steps, of the family warps",
               Tokens{1}, Tokens{1'000'000});
    add_number(command, "--global-latency", options->compare.global_latency, "Steps, of the family warps",
               Tokens{1}, Tokens{1'000'000});
    add_number(command, "--seeds", options->compare.predict.seeds,
               "Runs of the family sm; a time is their median", std::uint64_t{1}, std::uint64_t{1'000});
    add_svg(command, "--plot", options->plot, "Predicted against measured, both axes logarithmic");
    add_style(command, options->style, "--plot");
    add_output(command, "--csv", options->csv, "csv",
               "Write the points as a table; '-': instead of the report");
    command.add_flag("--totals", options->parts.totals,
                     "The kernels as a sequence: the sum over all their launches, measured and predicted");
    command.add_flag("--functions", options->parts.functions,
                     "Correlations with the measured times per function, over its launches");
    add_common(command, options->common);
    for (const char* flag : {"--device", "--set", "--without", "--ptx", "--clock", "--events", "--family",
                             "--schedulers", "--shared-latency", "--global-latency", "--seeds", "--plot",
                             "--csv", "--totals", "--functions", "--json"})
        options->of_comparisons.emplace_back(flag, command.get_option(flag));
    for (const char* flag : {"--schedulers", "--shared-latency", "--global-latency"})
        options->of_warps.emplace_back(flag, command.get_option(flag));
    for (const char* flag : {"--set", "--without", "--clock", "--events", "--seeds"})
        options->of_devices.emplace_back(flag, command.get_option(flag));
    command.get_option("--metrics-for").excludes("--columns");
    command.footer(
        "A table of counts has the columns kernel, time_us or cycles, and warps, arith, shared, global (of "
        "one warp;\n"
        "family warps), or blocks, threads and the counts of netgen/sm/README.md (all families). What "
        "nvprof\n"
        "(--csv --metrics with --csv --print-gpu-trace) and Nsight Compute (ncu --csv) write is read as it "
        "is, with "
        "the\n"
        "program's own output in it; so are tables of one kernel a row, with columns named like nvprof's "
        "metrics,\n"
        "kernel, grid, block, dur_med_us. Counters that are missing are named with what that does to the "
        "answer.\n"
        "A trace of nsys (nsys stats -r cuda_gpu_trace --format csv), benchmarks of nvbench (--csv) and "
        "results "
        "of an\n"
        "auto-tuner (T4, Kernel Tuner) have times alone: they go with a table of ncu or --ptx. What the axes "
        "of "
        "a\n"
        "benchmark do not say of its launch is in --facts (columns kernel, blocks, threads).\n"
        "A row with a bad value is left out and named; columns and metrics without an influence are named "
        "too.\n"
        "Fields stand between commas, semicolons or tabs. In place of counts a row may name a file in column "
        "ptx.\n"
        "analysis/README.md explains the figures.\n"
        "\n"
        "Examples:\n"
        "  warpnet compare counts.csv\n"
        "  warpnet compare kernels.csv --device GTX950 --family sm,warps,closed-form --plot scatter.svg\n"
        "  warpnet compare metrics.csv trace.csv --device GTX950 --totals\n"
        "  warpnet compare examples/measurements/h100 --seeds 1\n"
        "  warpnet compare --columns\n"
        "  warpnet compare --metrics-for ncu\n"
        "  ncu --csv --page raw --metrics ... ./program | warpnet compare - --device A100");
    command.callback([options, &exit_code] { exit_code = compare_command(*options); });
}

}  // namespace warpnet::cli
