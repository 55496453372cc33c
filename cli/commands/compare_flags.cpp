// The flags of `compare`.

#include "cli/commands/compare.hpp"
#include "cli/input/output_file.hpp"
#include "cli/output/notes.hpp"
#include "engine/base/text.hpp"
#include "engine/input/flag_items.hpp"

#include <algorithm>
#include <array>

namespace warpnet::cli {

namespace {

void parse_families(const std::string& text, CompareFlags& flags) {
    constexpr std::array all = {studies::ModelFamily::sm, studies::ModelFamily::warps,
                                studies::ModelFamily::closed_form, studies::ModelFamily::throughput};
    if (!flags.families_given) flags.compare.families.clear();
    flags.families_given = true;
    each_item(text, [&](const std::string& name) {
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](studies::ModelFamily f) { return to_string(f) == name; });
        if (found == all.end())
            throw UsageError("--family",
                             "expected sm, warps, closed-form or throughput, found '" + name + "'");
        auto& families = flags.compare.families;
        require_once(std::find(families.begin(), families.end(), *found) == families.end(), "--family", name);
        families.push_back(*found);
    });
}

}  // namespace

void add_compare_flags(Command& command, CompareFlags& flags) {
    command.add_option(
        "measured", flags.files,
        "Tables of measurements (a log of nvprof's metrics needs its trace; '-': standard input), or a "
        "folder of examples/kernels/collect.sh: its counters.csv and times.csv in turn, with --functions",
        "MEASURED.csv");
    command
        .add_option_function<std::string>(
            "--metrics-for",
            [&flags](const std::string& tool) {
                if (tool != "nvprof" && tool != "ncu")
                    throw UsageError("--metrics-for", "expected ncu or nvprof, found '" + tool + "'");
                flags.metrics_for = tool;
            },
            "Print the command that collects all required counters, and exit")
        .type_name("ncu|nvprof");
    command.add_flag("--columns", flags.columns,
                     "List the supported columns with their units and meanings, and exit");
    add_device_input(command, flags.device, "The GPU of the measurements, a preset of 'warpnet devices'");
    add_device_changes(command, flags.device);
    command
        .add_option(
            "--facts", flags.facts,
            "Facts from the source code that no counter gives, per function (docs/reference/family-sm.md)",
            "FACTS.csv")
        .needs("--device");
    command.add_option(
        "--ptx", flags.ptx,
        "PTX or SASS of the kernels: the kinds of their integer instructions, which no counter "
        "distinguishes, and all counts of kernels in tables that have only times (nsys, nvbench, T4)",
        "FILE...");
    command
        .add_option("--resources", flags.resources,
                    "Registers, shared memory and spills of kernels with PTX: the output of 'nvcc -Xptxas "
                    "-v' or 'cuobjdump -res-usage'; for a folder, its resources.txt is used",
                    "FILE")
        .needs("--device");
    command
        .add_option_function<std::string>(
            "--clock",
            [&flags](const std::string& text) {
                if (text == "preset") {
                    flags.device.mechanisms.run_clock = false;
                } else if (text != "run") {
                    const auto mhz = parse_number<std::int64_t>(text);
                    check_range("--clock", text, mhz, 1, 100'000);
                    flags.compare.clock_mhz = static_cast<double>(*mhz);
                }
            },
            "The SM clock of the runs in MHz: from the file (run), from the device (preset), or a number")
        .type_name("run|preset|MHZ")
        .default_str("run");
    command
        .add_option_function<std::string>(
            "--family", [&flags](const std::string& text) { parse_families(text, flags); },
            "sm (with --device), warps (without), closed-form, throughput; separate several by commas")
        .type_name("NAME,...");
    command.add_flag("--events", flags.events,
                     "The times are between two events, which themselves take event_us of the device; "
                     "implied for times.csv of a folder");
    add_number(command, "--schedulers", flags.compare.schedulers,
               "Schedulers of the family warps, without --device", Tokens{1}, Tokens{1'000'000});
    add_number(command, "--shared-latency", flags.compare.shared_latency,
               "Latency of shared memory in steps, for the family warps", Tokens{1}, Tokens{1'000'000});
    add_number(command, "--global-latency", flags.compare.global_latency,
               "Latency of global memory in steps, for the family warps", Tokens{1}, Tokens{1'000'000});
    add_number(command, "--seeds", flags.compare.predict.seeds,
               "Runs of the family sm; the predicted time is their median", std::uint64_t{1},
               std::uint64_t{1'000});
    add_svg(command, "--plot", flags.plot, "Predicted against measured, both axes logarithmic");
    add_style(command, flags.style, "--plot");
    add_output(command, "--csv", flags.csv, "csv", "Write the points as a table; '-': instead of the report");
    command.add_flag(
        "--totals", flags.parts.totals,
        "Compare the kernels as a sequence: the measured and the predicted sum over all their launches");
    command.add_flag("--functions", flags.parts.functions,
                     "Print the correlations with the measured times per function, over its launches");
    add_common(command, flags.common);
    add_table_format(command, flags.format);
    for (const char* of_text : {"--totals", "--functions"}) command.get_option("--format").excludes(of_text);
    for (const char* flag : {"--device", "--set", "--without", "--ptx", "--resources", "--clock", "--events",
                             "--family", "--schedulers", "--shared-latency", "--global-latency", "--seeds",
                             "--plot", "--csv", "--totals", "--functions", "--json", "--format"})
        flags.of_comparisons.push_back(command.get_option(flag));
    for (const char* flag : {"--schedulers", "--shared-latency", "--global-latency"})
        flags.of_warps.push_back(command.get_option(flag));
    for (const char* flag : {"--set", "--without", "--clock", "--events", "--seeds"})
        flags.of_devices.push_back(command.get_option(flag));
    command.get_option("--metrics-for").excludes("--columns");
    command.footer(
        R"(A table of counts has the columns kernel, time_us or cycles, and warps, arith, shared, global (of one warp;
family warps), or blocks, threads and the counts of docs/reference/family-sm.md (all families). What nvprof
(--csv --metrics with --csv --print-gpu-trace) and Nsight Compute (ncu --csv) write is read as it is, with the
program's own output in it; so are tables of one kernel a row, with columns named like nvprof's metrics,
kernel, grid, block, dur_med_us. Counters that are missing are named with what that does to the answer.
A trace of nsys (nsys stats -r cuda_gpu_trace --format csv), benchmarks of nvbench (--csv) and results of an
auto-tuner (T4, Kernel Tuner) have times alone: they go with a table of ncu or --ptx. What the axes of a
benchmark do not say of its launch is in --facts (columns kernel, blocks, threads).
A row with a bad value is left out and named; columns and metrics without an influence are named too.
Fields are separated by commas, semicolons or tabs. In place of counts a row may name a file in column ptx.
docs/reference/measured-tables.md explains the figures.

Examples:
  warpnet compare counts.csv
  warpnet compare kernels.csv --device GTX950 --family sm,warps,closed-form --plot scatter.svg
  warpnet compare metrics.csv trace.csv --device GTX950 --totals
  warpnet compare examples/measurements/h100 --seeds 1
  warpnet compare --columns
  warpnet compare --metrics-for ncu
  ncu --csv --page raw --metrics ... ./program | warpnet compare - --device A100)");
}

void check_events(const CompareFlags& flags, const studies::CompareOptions& options) {
    if (!options.between_events || options.device->event_us != 0) return;
    const std::string lacks = fmt::format(
        "{} has no event_us, the time that two events add to a measurement; 'devices --from' computes it, "
        "'--set event_us=4' gives it",
        flags.device.device().name);
    if (flags.events) throw UsageError("--events", lacks);
    print_note("warpnet: times are between two events, and {}\n", lacks);
}

}  // namespace warpnet::cli
