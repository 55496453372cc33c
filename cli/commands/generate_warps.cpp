#include "analysis/studies/compare/compare.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/launch_input.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/sm_input.hpp"
#include "engine/base/text.hpp"
#include "netgen/warps/warps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

namespace warpnet::cli {

namespace {

constexpr Tokens most_tokens = 2'147'483'647;  // what readers of PNML take (pnml/FORMAT.md)
constexpr std::size_t most_warps = 1'000'000;

struct GenerateWarpsFlags {
    std::size_t warps = 1;
    WarpCounts counts;
    WarpsSpec spec;  ///< spec.warps: the warps given one by one
    SmInput input;   ///< --device, --ptx, --metrics
    bool schedulers_given = false, shared_latency_given = false, global_latency_given = false;
    bool warps_given = false, blocks_given = false;
    NetOutput output;
};

WarpCounts parse_warp(const std::string& text) {
    std::array<Tokens, 3> counts = {};
    std::string_view rest = text;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::size_t end = i + 1 < counts.size() ? rest.find(',') : rest.size();
        const auto count = parse_number<std::int64_t>(rest.substr(0, end));
        if (end == std::string_view::npos || !count || *count < 0 || *count > most_tokens) {
            throw UsageError(
                "--warp",
                "expected three counts ARITH,SHARED,GLOBAL such as 200,50,20, found '" + text + "'");
        }
        counts[i] = *count;
        rest.remove_prefix(i + 1 < counts.size() ? end + 1 : end);
    }
    return {counts[0], counts[1], counts[2]};
}

/// Schedulers and latencies of the device, a cycle a step, where flags do not give them.
void fill_from_device(const GenerateWarpsFlags& options, WarpsSpec& spec) {
    const Device device = options.input.device.device();
    const auto cycles = [&](std::string_view column) {
        return static_cast<Tokens>(std::llround(device.at(column)));
    };
    if (!options.schedulers_given) spec.schedulers = cycles("schedulers");
    if (!options.shared_latency_given) spec.shared_latency = cycles("lat_shared");
    if (!options.global_latency_given) spec.global_latency = cycles("lat_dram");
}

void check_size(const WarpsSpec& spec) {
    if (spec.sms <= most_warps / spec.warps.size()) return;
    throw UsageError("--sms", "expected at most " + std::to_string(most_warps) + " warps in all, found " +
                                  std::to_string(spec.sms) + " SMs of " + std::to_string(spec.warps.size()));
}

void check_work(const WarpsSpec& spec) {
    if (std::any_of(spec.warps.begin(), spec.warps.end(),
                    [](const WarpCounts& warp) { return warp.arith + warp.shared + warp.global > 0; }))
        return;
    throw UsageError("--arith",
                     "expected --arith, --shared or --global above 0, or else no warp has anything to do");
}

/// A kernel of which a file says what its warps execute.
struct CountedKernel {
    WarpCounts counts;                     ///< of a warp, or the most of any
    std::optional<KernelProfile> profile;  ///< with the shape of its launch, if that is known
    std::vector<WarpCounts> block;         ///< its warps, if their number is known
};

CountedKernel kernel_of_ptx(const PtxInput& ptx, const DeviceInput& device) {
    const PtxReport report = ptx_report_of(ptx);
    warn_of_ptx(report, device.given() ? device.device().compute_capability : "");
    CountedKernel kernel{ptx_warp_counts(report.profile.counts), launch_profile_of(ptx, report), {}};
    for (const PtxCounts& warp : report.warps_of_block) kernel.block.push_back(ptx_warp_counts(warp));
    return kernel;
}

CountedKernel kernel_of_metrics(const SmInput& input) {
    CountedKernel kernel;
    kernel.profile = input.profile();
    const auto [arith, shared, global] = warp_classes(*kernel.profile);
    kernel.counts = {std::llround(arith), std::llround(shared), std::llround(global)};
    kernel.block.assign(static_cast<std::size_t>(kernel.profile->warps_per_block()), kernel.counts);
    return kernel;
}

/// The warps of the busiest SM and the rounds of its blocks, as far as flags do not give them.
void fill_from_launch(const GenerateWarpsFlags& options, const CountedKernel& kernel, WarpsSpec& spec) {
    const LaunchOnSm launch = launch_on_sm(*kernel.profile, options.input.device);
    const bool rounds = !options.blocks_given && !options.warps_given && !spec.published;
    note_launch(*kernel.profile, launch, options.input.device,
                options.warps_given ? static_cast<std::int64_t>(options.warps) : 0,
                rounds || options.blocks_given);
    if (options.warps_given) return;
    for (std::int64_t block = 0; block < launch.resident; ++block)
        spec.warps.insert(spec.warps.end(), kernel.block.begin(), kernel.block.end());
    if (rounds && launch.waves > 1) spec.blocks = launch.waves * static_cast<Tokens>(spec.sms);
}

ExitCode generate_warps(const GenerateWarpsFlags& options) {
    WarpsSpec spec = options.spec;
    if (options.input.device.given()) fill_from_device(options, spec);
    CountedKernel kernel{options.counts, {}, {}};
    if (options.input.ptx.given()) kernel = kernel_of_ptx(options.input.ptx, options.input.device);
    if (!options.input.metrics.empty()) kernel = kernel_of_metrics(options.input);
    if (kernel.profile) fill_from_launch(options, kernel, spec);
    if (spec.warps.empty()) spec.warps.assign(options.warps, kernel.counts);
    check_size(spec);
    check_work(spec);
    write_net(warps_net(spec), options.output);
    return ExitCode::done;
}

}  // namespace

void add_generate_warps(Command& generate, ExitCode& exit_code, std::optional<Net>* kept) {
    const auto options = std::make_shared<GenerateWarpsFlags>();
    options->output.kept = kept;
    Command command = generate.add_subcommand(
        "warps", "Warps on SMs as instruction counts and latencies (Gogolinska et al., PNSE'17)");
    Option warps =
        add_number(command, "--warps", options->warps, "Equal warps of an SM", std::size_t{1}, most_warps);
    Option arith = add_number(command, "--arith", options->counts.arith, "Arithmetic instructions of a warp",
                              Tokens{0}, most_tokens);
    Option shared = add_number(command, "--shared", options->counts.shared,
                               "Shared-memory accesses of a warp", Tokens{0}, most_tokens);
    Option global = add_number(command, "--global", options->counts.global,
                               "Global-memory accesses of a warp", Tokens{0}, most_tokens);
    Option ptx = add_ptx_input(command, options->input.ptx);
    Option metrics = add_metrics_input(command, options->input, "");
    for (Option counted : {arith, shared, global}) {
        ptx.excludes(counted);
        metrics.excludes(counted);
    }
    ptx.excludes(metrics);
    command
        .add_option_function<std::vector<std::string>>(
            "--warp",
            [options](const std::vector<std::string>& texts) {
                for (const std::string& text : texts) options->spec.warps.push_back(parse_warp(text));
            },
            "One warp with its own counts; repeat for more")
        .type_name("ARITH,SHARED,GLOBAL")
        .excludes(warps)
        .excludes(ptx)
        .excludes(metrics)
        .excludes(arith)
        .excludes(shared)
        .excludes(global);
    Option sms = add_number(command, "--sms", options->spec.sms,
                            "Equal SMs side by side, with these warps each", std::size_t{1}, most_warps);
    Option blocks = add_number(
        command, "--blocks", options->spec.blocks,
        "A grid of blocks, each the warps of an SM: an SM whose warps have all ended takes the next, "
        "which costs a step (default: one for each SM)",
        Tokens{1}, most_tokens);
    Option schedulers = add_number(command, "--schedulers", options->spec.schedulers,
                                   "Warp schedulers of an SM", Tokens{1}, most_tokens);
    Option shared_latency = add_number(command, "--shared-latency", options->spec.shared_latency, "Steps",
                                       Tokens{1}, most_tokens - 1);
    Option global_latency = add_number(command, "--global-latency", options->spec.global_latency, "Steps",
                                       Tokens{1}, most_tokens - 1);
    add_device_input(
        command, options->input.device,
        "Schedulers and latencies of a preset ('warpnet devices'), where no flag gives them; with "
        "a launch also the blocks on an SM");
    metrics.needs("--device");
    command
        .add_flag("--published", options->spec.published,
                  "The net as printed in the paper, of one SM, with its two flaws: the last instruction of a "
                  "warp can be lost, and the net never dies")
        .excludes(sms)
        .excludes(blocks);
    add_net_output(command, options->output);
    command.footer(
        "Examples:\n"
        "  warpnet generate warps --warps 4 --arith 200 --shared 50 --global 20 -o kernel.pnml\n"
        "  warpnet generate warps --warp 200,50,20 --warp 10,0,5 --schedulers 4 -o uneven.pnml\n"
        "  warpnet generate warps --warps 2 --arith 8 --global 1 --global-latency 400 | warpnet run -\n"
        "  warpnet generate warps --sms 132 --warps 64 --arith 20 --global 2 --blocks 1000 "
        "--device H100SXM -o gpu.pnml\n"
        "  warpnet generate warps --ptx kernel.ptx --trips '$L__BB0_2=64' --grid 64 --block 16,16 "
        "--device V100 -o kernel.pnml\n"
        "  warpnet generate warps --metrics kernels.csv --row transposeNaive --device GTX950 -o naive.pnml");
    command.callback([=, &exit_code] {
        options->warps_given = warps.count() > 0;
        options->blocks_given = blocks.count() > 0;
        options->schedulers_given = schedulers.count() > 0;
        options->shared_latency_given = shared_latency.count() > 0;
        options->global_latency_given = global_latency.count() > 0;
        exit_code = generate_warps(*options);
    });
}

}  // namespace warpnet::cli
