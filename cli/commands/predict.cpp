#include "analysis/studies/predict/predict.hpp"

#include "analysis/studies/files/result_csv.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/input/sm_input.hpp"
#include "cli/input/tune_input.hpp"
#include "cli/report/texts.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/process.hpp"
#include "cli/shell/progress.hpp"
#include "engine/base/to_json.hpp"

#include <memory>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

struct PredictFlags {
    SmInput input;
    CommonOptions common;
    SmPredictOptions predict;
    TuneInput tune;
    PictureStyle style;
    std::string csv, plot;
};

/// The launches of a space, ranked.
ExitCode predict_tuned(const PredictFlags& options, const SmPredictOptions& predict_options) {
    const bool file_to_stdout = takes_standard_output({options.csv, options.plot}, options.common.json);
    const Device device = options.input.device.device();
    const TunedSpace space =
        predict_space(options.input, options.tune, predict_options, progress_of("launches"));
    if (space.launches.empty()) return interrupted_without_result();
    if (!options.csv.empty()) write_text(options.csv, to_csv(space));
    if (!options.plot.empty()) write_text(options.plot, tune_svg(device, space, options.style));
    if (!file_to_stdout)
        print_answer(options.common.json ? json_line(to_json(device, space)) : tune_text(device, space));
    if (space.not_predicted == 0) return ExitCode::done;
    fmt::print(stderr, "warpnet: interrupted: {} of {} launches are left out\n", space.not_predicted,
               space.not_predicted + space.launches.size() + space.left_out.size());
    return ExitCode::interrupted;
}

ExitCode predict(const PredictFlags& options) {
    SmPredictOptions predict_options = options.predict;
    predict_options.program = options.input.program;
    predict_options.seed = options.common.seed;
    predict_options.threads = options.common.threads;
    const Interrupt interrupt;
    predict_options.interrupt = &interrupt.flag();
    if (options.tune.given()) return predict_tuned(options, predict_options);
    const bool csv_to_stdout = takes_standard_output({options.csv}, options.common.json);
    const Device device = options.input.device.device();
    const std::vector<SmLaunch> launches = options.input.launches();
    const SmDevice sm = options.input.device.sm();
    std::vector<PredictedLaunch> predicted;
    predicted.reserve(launches.size());
    for (const SmLaunch& launch : launches) {
        auto prediction = predict_sm(sm, launch.profile, predict_options);
        if (!prediction && predicted.empty()) return interrupted_without_result();
        if (!prediction) break;
        predicted.push_back({launch.profile, launch.launches, std::move(*prediction), launch.assumed});
    }
    if (!options.csv.empty()) write_text(options.csv, to_csv(predicted));
    if (!csv_to_stdout)
        print_answer(options.common.json ? json_line(to_json(device, predicted))
                                         : predict_text(device, predicted));
    if (predicted.size() == launches.size()) return ExitCode::done;
    fmt::print(stderr, "warpnet: interrupted: {} of {} kernels are left out\n",
               launches.size() - predicted.size(), launches.size());
    return ExitCode::interrupted;
}

}  // namespace

void add_predict(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<PredictFlags>();
    Command command =
        program.add_subcommand("predict", "How long a kernel takes on a GPU, and what limits it");
    add_sm_input(command, options->input);
    add_tune_input(command, options->tune);
    add_common(command, options->common);
    add_number(command, "--seeds", options->predict.seeds, "Runs; the time is their median", std::uint64_t{1},
               std::uint64_t{1'000});
    command.add_flag("--full", options->predict.full,
                     "Run every block and every trip of the loops, extrapolate nothing");
    command
        .add_flag("--worst", options->predict.worst,
                  "Also what no run of the net exceeds, with all blocks: certified for the model, not for "
                  "the GPU")
        .excludes("--tune");
    add_output(command, "--csv", options->csv, "csv",
               "Write the predictions as a table; '-': instead of the report");
    add_svg(command, "--plot", options->plot, "With --tune: predicted times over an axis, or over their rank")
        .needs("--tune");
    add_style(command, options->style, "--plot");
    command.footer(
        "Runs the net of 'warpnet generate sm' and adds what lies outside it. Nothing is fitted to the "
        "kernel.\n"
        "Model, constants and accuracy: netgen/sm/README.md.\n"
        "\n"
        "Examples:\n"
        "  warpnet predict --device GTX950 --blocks 4096 --block-threads 256 --counts "
        "fp32=40,integer=20,loads=2,stores=1\n"
        "  warpnet predict --device H200 --ptx matmul.ptx --trips '#1=16,#2=0' --blocks 256 --block-threads "
        "256\n"
        "  warpnet predict --device GTX950 --metrics kernels.csv --row transposeNaive --json\n"
        "  warpnet predict --device GTX950 --metrics metrics.csv --metrics trace.csv\n"
        "  warpnet predict --device RTX3070 --ptx add.ptx --tune block=64..1024,ptx=add.ptx,add4.ptx --work "
        "1e6\n"
        "  warpnet predict --device A100 --tune tilings.csv --work 4096x4096 --plot tilings.svg");
    command.callback([options, &exit_code] { exit_code = predict(*options); });
}

}  // namespace warpnet::cli
