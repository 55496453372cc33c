// `generate warps`: the warps come from flags, or from a kernel with its launch. Each value that no flag
// gives is taken from the device, and the warps from the busiest SM of the launch.

#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/sm_input.hpp"
#include "engine/base/text.hpp"
#include "netgen/code/launch.hpp"
#include "netgen/warps/warps.hpp"

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

constexpr Tokens most_tokens = 2'147'483'647;  // the limit of readers of PNML (docs/reference/pnml.md)
constexpr std::size_t most_warps = 1'000'000;

struct GenerateWarpsFlags {
    std::size_t warps = 1;
    netgen::WarpCounts counts;
    netgen::WarpsSpec spec;  ///< spec.warps: the warps given one by one
    SmInput input;           ///< --device, --ptx, --metrics
    AssignmentInput assignment;
    struct Given {
        bool warps, blocks, schedulers, shared_latency, global_latency;
    } given = {};
    NetOutput output;
};

netgen::CountedKernel counted_kernel(const GenerateWarpsFlags& options) {
    const SmInput& input = options.input;
    if (!input.metrics.empty()) return warpnet::netgen::counted_kernel(input.profile());
    if (!input.ptx.given()) return {options.counts};
    const netgen::PtxReport report = ptx_report_of(input.ptx);
    warn_of_ptx(report, input.device.given() ? input.device.device().compute_capability : "");
    return warpnet::netgen::counted_kernel(input.ptx, report);
}

/// The warps of the busiest SM and the rounds of its blocks, unless flags give them.
void fill_from_launch(const GenerateWarpsFlags& options, const netgen::CountedKernel& kernel,
                      netgen::WarpsSpec& spec) {
    const netgen::LaunchOnSm launch = netgen::launch_on_sm(*kernel.profile, options.input.device);
    const bool rounds = !options.given.blocks && !options.given.warps && !spec.published && !spec.active;
    note_launch(*kernel.profile, launch, options.input.device,
                options.given.warps ? static_cast<std::int64_t>(options.warps) : 0,
                rounds || options.given.blocks);
    if (options.given.warps) return;
    netgen::add_warps(kernel, launch, spec);
    if (rounds && launch.waves() > 1) spec.blocks = launch.waves() * static_cast<Tokens>(spec.sms);
}

ExitCode generate_warps(const GenerateWarpsFlags& options) {
    netgen::WarpsSpec spec = options.spec;
    if (options.input.device.given()) {
        const netgen::Device device = options.input.device.device();
        const auto take = [&](bool given, const char* fact, Tokens& target) {
            if (!given) target = static_cast<Tokens>(std::llround(device.at(fact)));
        };
        take(options.given.schedulers, "schedulers", spec.schedulers);
        take(options.given.shared_latency, "lat_shared", spec.shared_latency);
        take(options.given.global_latency, "lat_dram", spec.global_latency);
    }
    const netgen::CountedKernel kernel = counted_kernel(options);
    if (kernel.profile) fill_from_launch(options, kernel, spec);
    if (spec.warps.empty()) spec.warps.assign(options.warps, kernel.counts);
    netgen::check_warps(spec, most_warps);
    if (spec.active > spec.warps.size())
        throw UsageError("--active", fmt::format("expected at most the {} warps of the net, found {}",
                                                 spec.warps.size(), *spec.active));
    if (options.input.device.given()) {
        const netgen::Device device = options.input.device.device();
        const auto most = static_cast<std::size_t>(std::llround(device.at("max_warps")));
        if (spec.warps.size() > most)
            throw UsageError("--warps", fmt::format("expected at most {} warps on an SM of {}, found {}; "
                                                    "--blocks makes a grid of blocks",
                                                    most, device.name, spec.warps.size()));
    }
    if (!spec.published) options.assignment.fill(options.input.device, spec.assignment, spec.dispatch_units);
    if (spec.active && spec.assignment == netgen::Assignment::any)
        throw UsageError("--active", "requires --assignment shared or fixed, found any");
    write_net(netgen::warps_net(spec), options.output);
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
    for (Option file : {ptx, metrics})
        for (Option counted : {arith, shared, global}) file.excludes(counted);
    ptx.excludes(metrics);
    Option warp = command.add_option_function<std::vector<std::string>>(
        "--warp",
        [options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
                options->spec.warps.push_back(netgen::parse_warp(text, most_tokens));
        },
        "One warp with its own counts; repeat for more");
    warp.type_name("ARITH,SHARED,GLOBAL");
    for (Option other : {warps, ptx, metrics, arith, shared, global}) warp.excludes(other);
    Option sms = add_number(command, "--sms", options->spec.sms,
                            "Equal SMs side by side, with these warps each", std::size_t{1}, most_warps);
    Option blocks = add_number(
        command, "--blocks", options->spec.blocks,
        "A grid of blocks, each the warps of an SM: an SM whose warps have all ended takes the next, "
        "which costs a step (default: one for each SM)",
        Tokens{1}, most_tokens);
    Option active = add_number(command, "--active", options->spec.active,
                               "The number of warps that run, the first ones; the net contains the others, "
                               "but they never start; default all",
                               std::size_t{1}, most_warps);
    for (Option grid : {sms, blocks}) active.excludes(grid);
    Option schedulers = add_number(command, "--schedulers", options->spec.schedulers,
                                   "Warp schedulers per SM", Tokens{1}, most_tokens);
    const auto [assignment, dispatch] = add_assignment(command, options->assignment);
    Option shared_latency = add_number(command, "--shared-latency", options->spec.shared_latency,
                                       "Latency of shared memory in steps", Tokens{1}, most_tokens - 1);
    Option global_latency = add_number(command, "--global-latency", options->spec.global_latency,
                                       "Latency of global memory in steps", Tokens{1}, most_tokens - 1);
    add_device_input(
        command, options->input.device,
        "Schedulers, fixed to warps, and latencies of a preset ('warpnet devices'), if no flag gives "
        "them; with a launch also the blocks on an SM");
    metrics.needs("--device");
    command
        .add_flag(
            "--published", options->spec.published,
            "The net as printed in the paper, of one SM, with its three flaws: the last instruction of a "
            "warp can be lost, the net has no dead marking, and inactive warps run anyway")
        .excludes(sms)
        .excludes(blocks)
        .excludes(assignment)
        .excludes(dispatch);
    add_net_output(command, options->output);
    command.footer(
        "Examples:\n"
        "  warpnet generate warps --warps 4 --arith 200 --shared 50 --global 20 -o kernel.pnml\n"
        "  warpnet generate warps --warp 200,50,20 --warp 10,0,5 --schedulers 4 -o uneven.pnml\n"
        "  warpnet generate warps --warps 5 --arith 200 --schedulers 4 --assignment fixed | warpnet worst -\n"
        "  warpnet generate warps --warps 2 --arith 8 --global 1 --global-latency 400 | warpnet run -\n"
        "  warpnet generate warps --sms 132 --warps 64 --arith 20 --global 2 --blocks 1000 "
        "--device H100SXM -o gpu.pnml\n"
        "  warpnet generate warps --ptx kernel.ptx --trips '$L__BB0_2=64' --grid 64 --block 16,16 "
        "--device V100 -o kernel.pnml\n"
        "  warpnet generate warps --metrics kernels.csv --row transposeNaive --device GTX950 -o naive.pnml");
    command.callback([=, &exit_code] {
        options->given = {warps.count() > 0, blocks.count() > 0, schedulers.count() > 0,
                          shared_latency.count() > 0, global_latency.count() > 0};
        exit_code = generate_warps(*options);
    });
}

}  // namespace warpnet::cli
