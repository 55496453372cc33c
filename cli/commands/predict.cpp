// `predict` for one launch, for the launches of a table, or for a space of launches (--tune). An interrupt
// prints the launches predicted so far. With deadlines, the exit code is the worst verdict of any launch.
//
// A space of launches (--tune) is ranked and excludes certificates and questions about doubled facts, which
// belong to one launch. Launches that an interrupt leaves out are counted on stderr, and the exit code is
// then that of the interrupt and not of a verdict.

#include "analysis/studies/predict/predict.hpp"

#include "analysis/studies/files/schedule_csv.hpp"
#include "analysis/studies/predict/assumptions.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/input/predict_input.hpp"
#include "cli/input/tune_input.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/report/table_text.hpp"
#include "cli/report/texts.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/progress.hpp"
#include "engine/base/to_json.hpp"

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

struct PredictFlags {
    PredictInput predict;
    CommonOptions common;
    TuneInput tune;
    pictures::PictureStyle style;
    std::string csv, plot;
    TableFormat format = TableFormat::text;
};

/// The exit code for all kernels: exceeded if one exceeds its deadline, else open if one is open.
ExitCode code_of(const std::vector<studies::PredictedLaunch>& predicted) {
    ExitCode code = ExitCode::done;
    for (const studies::PredictedLaunch& launch : predicted) {
        if (!launch.deadline_us || launch.verdict() == worst::DeadlineVerdict::certified) continue;
        code = deadline_exit_code(launch.verdict());
        if (code == ExitCode::no) break;
    }
    return code;
}

/// The launches of a space, ranked.
ExitCode predict_tuned(const PredictFlags& flags, const PredictInput& asked) {
    const bool file_to_stdout = takes_standard_output({flags.csv, flags.plot}, flags.common.json);
    const netgen::Device device = asked.input.device.device();
    studies::SmPredictOptions options = asked.options;
    options.program = asked.input.program;
    const studies::TunedSpace space = predict_space(asked.input, flags.tune, options);
    if (space.launches.empty()) return interrupted_without_result();
    if (!flags.csv.empty()) write_text(flags.csv, studies::to_csv(space));
    if (!flags.plot.empty()) write_text(flags.plot, tune_svg(device, space, flags.style));
    if (!file_to_stdout)
        print_answer(
            flags.common.json ? json_answer({"predict", flags.common.seed, {}, space.not_predicted > 0},
                                            to_json(device, space))
            : flags.format != TableFormat::text ? formatted_table(studies::to_csv(space), flags.format)
                                                : tune_text(device, space));
    if (space.not_predicted == 0) return ExitCode::done;
    fmt::print(stderr, "warpnet: interrupted: {} of {} launches are left out\n", space.not_predicted,
               space.not_predicted + space.launches.size() + space.left_out.size());
    return ExitCode::interrupted;
}

ExitCode predict(const PredictFlags& flags) {
    PredictInput asked = flags.predict;
    asked.input.require_device();
    asked.options.seed = flags.common.seed;
    asked.options.threads = flags.common.threads;
    const Interrupt interrupt;
    asked.options.interrupt = &interrupt.flag();
    asked.options.progress = progress_of();
    if (flags.tune.given()) return predict_tuned(flags, asked);
    const bool file_to_stdout = takes_standard_output({flags.csv, flags.plot}, flags.common.json);
    const netgen::Device device = asked.input.device.device();
    const std::vector<studies::KernelLaunch> launches = asked.input.launches();
    if (!flags.plot.empty() && launches.size() != 1)
        throw UsageError("--plot", fmt::format("expected one kernel, found {}; --row chooses one of a table",
                                               launches.size()));
    const std::vector<studies::PredictedLaunch> predicted = asked.predictions(launches);
    if (predicted.empty() && !launches.empty()) return interrupted_without_result();
    if (!flags.csv.empty()) write_text(flags.csv, studies::to_csv(predicted));
    if (!flags.plot.empty()) write_text(flags.plot, predict_svg(device, predicted.front(), flags.style));
    nlohmann::ordered_json json = to_json(device, predicted);
    std::string text = predict_text(device, predicted);
    if (asked.what_if) {
        const double us = predicted.front().prediction.us;
        const auto answers = asked.doubled_facts(launches, us);
        json["what_if"] = studies::to_json(answers);
        text += what_if_text(us, answers);
    }
    const bool interrupted = predicted.size() < launches.size();
    if (!file_to_stdout)
        print_answer(flags.common.json ? json_answer({"predict", flags.common.seed, {}, interrupted}, json)
                                       : text);
    if (!interrupted) return code_of(predicted);
    fmt::print(stderr, "warpnet: interrupted: {} of {} kernels are left out\n",
               launches.size() - predicted.size(), launches.size());
    return ExitCode::interrupted;
}

}  // namespace

void add_predict(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<PredictFlags>();
    Command command =
        program.add_subcommand("predict", "How long a kernel takes on a GPU, and what limits it");
    studies::SmPredictOptions& asked = options->predict.options;
    add_sm_input(command, options->predict.input);
    add_tune_input(command, options->tune);
    add_common(command, options->common);
    add_number(command, "--seeds", asked.seeds, "Runs; the time is their median", std::uint64_t{1},
               std::uint64_t{1'000});
    command.add_flag("--full", asked.full,
                     "Run every block and every trip of each loop, without extrapolation");
    auto [worst, what_if] = add_predict_questions(command, options->predict);
    worst.excludes("--tune");
    what_if.excludes("--tune");
    add_output(command, "--csv", options->csv, "csv",
               "Write the predictions as a table; '-': instead of the report");
    add_svg(command, "--plot", options->plot,
            "The time that each limit alone would take, as bars; with --tune: predicted times over an axis, "
            "or over their rank");
    add_style(command, options->style, "--plot");
    add_table_format(command, options->format).needs("--tune");
    command.footer(
        "Runs the net of 'warpnet generate sm' and adds the costs outside it. Nothing is fitted to the "
        "kernel.\n"
        "Model, constants and accuracy: docs/reference/family-sm.md.\n"
        "\n"
        "Examples:\n"
        "  warpnet predict --device GTX950 --blocks 4096 --block-threads 256 --counts "
        "fp32=40,integer=20,loads=2,stores=1\n"
        "  warpnet predict --device H200 --ptx matmul.ptx --trips '#1=16,#2=0' --blocks 256 --block-threads "
        "256\n"
        "  warpnet predict --device GTX950 --metrics kernels.csv --row transposeNaive --json\n"
        "  warpnet predict --device GTX950 --metrics metrics.csv --metrics trace.csv\n"
        "  warpnet predict --device GTX950 --blocks 4096 --block-threads 256 --counts fp32=40,loads=2 "
        "--what-if\n"
        "  warpnet predict --device GTX950 --blocks 4096 --block-threads 256 --counts fp32=40,loads=2 "
        "--plot limits.svg\n"
        "  warpnet predict --device JetsonOrin --ptx conv.ptx --grid 64 --block 256 --worst --margin "
        "unverified=20% --deadline 2ms\n"
        "  warpnet predict --device RTX3070 --tune block=64..1024,ptx=add.ptx,add4.ptx --work 1e6\n"
        "  warpnet predict --device A100 --tune tilings.csv --work 4096x4096 --plot tilings.svg\n"
        "\n"
        "Exit code with --deadline: 0 certified, 1 a run takes longer, 4 open (--full may decide it).");
    command.callback([options, &exit_code] { exit_code = predict(*options); });
}

}  // namespace warpnet::cli
