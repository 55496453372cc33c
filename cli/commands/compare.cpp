#include "analysis/compare/compare.hpp"

#include "analysis/compare/scatter_svg.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/device_input.hpp"
#include "cli/input/measured_csv.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/report/compare_report.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/progress.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

struct Options {
    std::string file;
    DeviceInput device;
    CommonOptions common;
    CompareOptions compare;
    bool families_given = false;
    std::string plot;
};

void parse_families(const std::string& text, Options& options) {
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

/// The measured values of a table in microseconds, where the models predict those.
void to_microseconds(MeasuredTable& table, const SmDevice& device) {
    if (table.unit == "us") return;
    for (Measurement& measurement : table.measurements) measurement.measured /= device.clock_mhz;
    table.unit = "us";
}

Comparison run_compare(std::vector<Measurement> measurements, CompareOptions options) {
    std::atomic<std::uint64_t> finished = 0;
    options.finished = &finished;
    const Progress progress("kernels", measurements.size(), finished);
    return compare(std::move(measurements), options);
}

ExitCode compare_command(const Options& options) {
    MeasuredTable table = read_measured_csv(read_text(options.file), input_name(options.file));
    if (!table.ignored.empty())
        fmt::print(stderr, "columns without a meaning here: {}\n", fmt::join(table.ignored, ", "));
    CompareOptions compare_options = options.compare;
    compare_options.predict.seed = options.common.seed;
    compare_options.predict.threads = options.common.threads;
    if (options.device.given()) {
        compare_options.device = sm_device(options.device.device());
        to_microseconds(table, *compare_options.device);
    } else if (!options.families_given) {
        compare_options.families = {ModelFamily::warps};
    }
    const Interrupt interrupt;
    compare_options.predict.interrupt = &interrupt.flag();
    const Comparison comparison = run_compare(std::move(table.measurements), compare_options);
    if (!options.plot.empty()) write_text(options.plot, scatter_svg(comparison, table.unit));
    fmt::print("{}", options.common.json ? compare_json(comparison, table.unit)
                                         : compare_text(comparison, table.unit));
    return comparison.interrupted ? ExitCode::interrupted : ExitCode::done;
}

}  // namespace

void add_compare(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<Options>();
    Command command = program.add_subcommand("compare", "Models against measured timings");
    command.add_option("measured", options->file, "Table of measurements; - is the standard input")
        .type_name("MEASURED.csv")
        .required();
    add_device_input(command, options->device, "The GPU of the measurements, a preset of 'warpnet devices'");
    command
        .add_option_function<std::string>(
            "--family", [options](const std::string& text) { parse_families(text, *options); },
            "sm (with --device), warps (without), closed-form, throughput; several with commas")
        .type_name("NAME,...");
    add_number(command, "--schedulers", options->compare.schedulers, "Of the family warps, without --device",
               Tokens{1}, Tokens{1'000'000});
    add_number(command, "--shared-latency", options->compare.shared_latency, "Steps, of the family warps",
               Tokens{1}, Tokens{1'000'000});
    add_number(command, "--global-latency", options->compare.global_latency, "Steps, of the family warps",
               Tokens{1}, Tokens{1'000'000});
    add_number(command, "--seeds", options->compare.predict.seeds,
               "Runs of the family sm; a time is their median", std::uint64_t{1}, std::uint64_t{1'000});
    command.add_option("--plot", options->plot, "Predicted against measured, both axes logarithmic")
        .type_name("FILE.svg");
    add_common(command, options->common);
    command.footer(
        "A table of counts has the columns kernel, time_us or cycles, and warps, arith, shared, global (of "
        "one warp;\n"
        "family warps), or blocks, threads and the counts of netgen/sm/README.md (all families). Tables of "
        "nvprof "
        "(one\n"
        "kernel a row, columns named like its metrics, kernel, grid, block, dur_med_us) and of Nsight "
        "Compute\n"
        "(ncu --csv) are read as they are. analysis/README.md explains the figures.\n"
        "\n"
        "Examples:\n"
        "  warpnet compare counts.csv\n"
        "  warpnet compare kernels.csv --device GTX950 --family sm,warps,closed-form --plot scatter.svg\n"
        "  ncu --csv --print-units base --metrics ... ./program | warpnet compare - --device A100");
    command.callback([options, &exit_code] { exit_code = compare_command(*options); });
}

}  // namespace warpnet::cli
