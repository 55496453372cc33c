#include "cli/commands/worst.hpp"

#include "analysis/studies/files/schedule_csv.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/output_file.hpp"
#include "cli/shell/standard_output.hpp"
#include "cli/shell/team.hpp"
#include "engine/run/replay.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace warpnet::cli {

std::optional<std::chrono::steady_clock::time_point> deadline_of(const WorstOptions& options) {
    if (!options.time_limit) return std::nullopt;
    return options.begun + *options.time_limit;
}

WorkLimits limits_of(const WorstOptions& options, const Interrupt& interrupt) {
    return {.deadline = deadline_of(options), .interrupt = &interrupt.flag()};
}

std::chrono::milliseconds save_interval_of(const WorstOptions& options) {
    return options.save_every.value_or(std::chrono::seconds(2));
}

namespace {

std::string log_csv(const std::vector<LogRow>& rows) {
    std::string text = "time,chain,iteration,value\n";
    for (const LogRow& row : rows)
        text += fmt::format("{:.6f},{},{},{}\n", row.seconds, row.chain, row.iteration, row.value);
    return text;
}

}  // namespace

bool replay_witness(const Net& net, const Schedule& schedule, std::uint64_t steps, WorkLimits limits,
                    const CompiledNet* compiled) {
    constexpr std::size_t short_work = 50'000'000;  // steps x nodes: a tenth of a second
    const std::size_t nodes = net.places().size() + net.transitions().size() + 1;
    if (schedule.size() <= short_work / nodes) limits.deadline.reset();
    std::optional<CompiledNet> own;
    if (compiled == nullptr) compiled = &own.emplace(compile(net));
    const RunResult result = replay(*compiled, net, schedule, Semantics::maximal, nullptr, limits);
    if (result.reason == StopReason::interrupted || result.reason == StopReason::time_limit) return false;
    if (result.steps != steps || result.reason != StopReason::dead)
        throw std::logic_error("the witness of a search is not a complete run of the net");
    return true;
}

WorstReport find_worst(const WorstOptions& options, const Net& net, const Interrupt& interrupt, Team& team,
                       const CompiledNet* compiled) {
    const int wanted = threads_of(options.common, team);
    const int threads = wanted > 0 ? wanted : tbb::this_task_arena::max_concurrency();
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    WorstReport report;
    const std::optional<KernelNet> kernel = recognise_kernel(net);
    const std::optional<WarpsSpec> grid = kernel ? std::nullopt : recognise_grid(net);
    arena.execute([&] {
        // The algorithms for kernels and grids know no policies.
        const bool any_service = !serves_parts(options.policy);
        report = kernel && any_service ? worst_of_kernel(options, *kernel, interrupt, team)
                 : grid && any_service ? worst_of_grid(options, *grid, net, interrupt, team)
                                       : worst_of_net(options, net, interrupt, team, compiled);
    });
    if (team.rank() > 0) return report;
    report.machine = machine_of(net);
    if (report.found && !report.witness_of_part) {
        const WorkLimits limits = limits_of(options, interrupt);
        report.replayed =
            report.has_schedule() && replay_witness(net, report.schedule, *report.found, limits, compiled);
    }
    report.longest = !options.best;
    report.interrupted = interrupt.requested();
    return report;
}

namespace {

/// A flag that says how to search or what to keep of a search; empty: none is given.
std::string flag_of_search(const WorstOptions& options) {
    if (!options.order_file.empty()) return "--order";
    if (!options.write_order_file.empty()) return "--write-order";
    if (!options.log_file.empty()) return "--log";
    if (!options.resume_file.empty()) return "--resume";
    if (options.chains) return "--chains";
    if (options.iterations) return "--iterations";
    if (options.temperature) return "--temperature";
    if (options.start != WorstOptions().start) return "--start";
    return options.method != AnnealingMethod::portfolio ? "--method" : "";
}

ExitCode worst(const WorstOptions& options) {
    if (options.paper && options.method != AnnealingMethod::portfolio)
        throw UsageError("--method", "--paper is a method of its own");
    if (options.paper && options.exact)
        throw UsageError("--exact", "--paper searches and nothing else: it proves no value");
    if (const std::string flag = flag_of_search(options); options.bound && !flag.empty())
        throw UsageError(flag, "belongs to a search, and --bound makes none");
    if (options.net == "-" && options.order_file == "-")
        throw UsageError("--order", "the standard input is already the net");
    const bool file_to_stdout = takes_standard_output(
        {options.schedule_file, options.write_order_file, options.log_file}, options.common.json);
    const auto team = open_team();
    std::optional<KernelModel> kernel;  // of flags
    const std::optional<Net> shared_net = share_net(*team, [&] {
        if (options.kernel.given() != options.net.empty())
            throw UsageError("worst", "expected either a net or a kernel by --string, --ptx or --template");
        if (!options.kernel.given()) return read_net(options.net);
        kernel = options.kernel.model();
        return kernel_net(kernel->spec,
                          options.kernel.pessimistic ? MultiCycle::repeated : MultiCycle::non_preemptive);
    });
    if (!shared_net) return ExitCode::done;
    const Net& net = *shared_net;
    const Interrupt interrupt;
    WorstReport report = find_worst(options, net, interrupt, *team);
    if (team->rank() > 0) return ExitCode::done;
    if (kernel) {
        report.machine = kernel->machine;
        report.leaves_out = kernel->leaves_out;
        report.fermi_bound = kernel->closed_form;
    }
    report.with_schedule = !options.schedule_file.empty();
    if (!options.log_file.empty()) write_text(options.log_file, log_csv(report.log));
    if (report.with_schedule && report.has_schedule()) {
        write_text(options.schedule_file, write_schedule_csv(net, report.schedule));
    } else if (report.with_schedule && report.found) {
        report.limits_hit.push_back(report.witness_of_part
                                        ? "the schedule of the whole grid is too large to be written"
                                        : "no time or memory was left for the schedule, and none is written");
        report.limit_reached = true;
    }
    if (!report.order_csv.empty()) write_text(options.write_order_file, report.order_csv);
    if (!file_to_stdout)
        print_answer(options.common.json ? worst_json(net, report) : worst_text(net, report));
    flush_standard_output();
    return exit_code_of(report);
}

}  // namespace

void add_worst(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<WorstOptions>();
    Command command =
        program.add_subcommand("worst", "Search the longest (shortest) run, certify it where possible");
    command.add_option("net", options->net, "A PNML file; FILE#ID: one of its nets; '-': standard input")
        .type_name("NET");
    add_kernel_input(command, options->kernel, "--gpu-threads");
    command.add_option("--chains", options->chains, "Independent chains of the search; default 8")
        .between(1, 100'000)
        .type_name("N");
    command
        .add_option(
            "--iterations", options->iterations,
            "Candidates that each chain tries; default 200000 (kernels), 20000 (other nets, fewer where "
            "runs are long), 2000000 (--paper)")
        .type_name("N");
    command
        .add_option("--temperature", options->temperature,
                    "Of the annealing at its start, in steps; default 0.6 (kernels), 1 (nets whose "
                    "parts meet in hubs), 0.3 (other nets, --paper); of the hottest chain of --method "
                    "tempering 0.9 for kernels")
        .not_negative()
        .type_name("T");
    command
        .add_option("--start", options->start,
                    "Where chains begin; starvation: nets whose parts meet in hubs, most-pending: kernels")
        .one_of({"starvation", "round-robin", "fixed-priority", "most-pending", "random", "mixed"})
        .capture_default_str();
    command
        .add_option_function<std::string>(
            "--policy",
            [options](const std::string& name) {
                options->policy = name == to_string(Policy::gto) ? Policy::gto : Policy::lrr;
            },
            "Whom a scheduler serves, as in 'run': the search is for the order of each warp's own choices. "
            "Without it, whoever is worst")
        .one_of({"gto", "lrr"});
    add_choice(command, "--method", options->method,
               "How chains search: each anneals by itself, or parallel tempering, in which they exchange "
               "temperatures",
               {AnnealingMethod::portfolio, AnnealingMethod::tempering});
    command.add_flag("--paper", options->paper,
                     "The annealing of the paper to the letter, and nothing else (kernels)");
    command.add_flag("--exact", options->exact,
                     "Go on until the value is proved; exit code 4 where a limit forbids it");
    command.add_flag("--bound", options->bound, "Certify a bound, without the search");
    command.add_flag("--best", options->best, "The shortest run instead of the longest");
    add_number(command, "--max-steps", options->max_steps, "A longer run counts as one that does not end",
               std::uint64_t{1});
    command.add_option("--memory", options->memory, "For proofs, e.g. 4G").as_size().type_name("BYTES");
    command
        .add_option("--scratch", options->scratch,
                    "A folder for what a proof of a kernel has no memory for; nothing is left there")
        .existing_directory()
        .type_name("DIR");
    add_duration(command, "--time-limit", options->time_limit,
                 "Stop after so much time, e.g. 30s; the answer then depends on the machine. Without it "
                 "proofs of kernels "
                 "that were not asked for by --exact or --bound get 30s");
    add_output(command, "--schedule", options->schedule_file, "csv",
               "Write the witness, for 'run --replay' and 'draw --schedule'");
    command
        .add_option(
            "--order", options->order_file,
            "Begin the search at this order (of --write-order, or your own: cli/README.md) instead of "
            "--start")
        .type_name("FILE.csv")
        .excludes("--start");
    add_output(command, "--write-order", options->write_order_file, "csv",
               "Write the order behind the longest run: who goes first where several could");
    add_output(command, "--log", options->log_file, "csv",
               "Write every improvement: time,chain,iteration,value");
    command
        .add_option("--resume", options->resume_file,
                    "Continue the search in this file if it exists, with more --iterations if they are "
                    "raised; save it there. With --exact: the exact search, after each of its parts")
        .type_name("FILE");
    add_duration(command, "--save-every", options->save_every, "How often --resume saves; default 2s");
    add_common(command, options->common);
    command.footer(
        "The value found is a lower bound with a schedule that was replayed; 'at most' is certified, with "
        "its proof\n"
        "in words; 'exact' only when they meet or everything was looked at. All are true of the machine that "
        "is\n"
        "printed, and do not count what 'leaves out' names.\n"
        "\n"
        "Examples:\n"
        "  warpnet worst --string LCL --warps 4 --units C=1,L=1\n"
        "  warpnet worst kernel.pnml --schedule worst.csv && warpnet run kernel.pnml --replay worst.csv\n"
        "  warpnet worst big.pnml --write-order big.csv && warpnet worst big.pnml --order big.csv --seed 2\n"
        "  warpnet worst --template fermi --repeat 2 --gpu-threads 64\n"
        "  mpirun -n 16 warpnet worst kernel.pnml --method tempering --chains 64\n"
        "  warpnet worst big.pnml --iterations 1000000 --resume big.json --log convergence.csv\n"
        "\n"
        "An endless run is an answer too: there is then no finite worst case, and no bound.\n"
        "\n"
        "Exit code 4: a time limit ended the search, --exact met a limit, --bound found no bound, or a run "
        "did not\n"
        "end within the limits without being endless for certain.");
    command.callback([options, &exit_code] { exit_code = worst(*options); });
}

}  // namespace warpnet::cli
