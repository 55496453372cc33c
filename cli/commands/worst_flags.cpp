// The flags of `worst`, and the rules for their combinations.

#include "cli/commands/worst.hpp"
#include "cli/input/output_file.hpp"
#include "engine/base/text.hpp"
#include "engine/net/error.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

/// A given flag about the search or its files; empty if there is none.
std::string flag_of_search(const WorstFlags& flags) {
    if (!flags.order_file.empty()) return "--order";
    if (!flags.write_order_file.empty()) return "--write-order";
    if (!flags.log_file.empty()) return "--log";
    if (!flags.resume_file.empty()) return "--resume";
    if (flags.options.chains) return "--chains";
    if (flags.options.iterations) return "--iterations";
    if (flags.options.temperature) return "--temperature";
    if (flags.options.start != worst::SearchStart::mixed) return "--start";
    return flags.options.method != worst::AnnealingMethod::portfolio ? "--method" : "";
}

void check_search(const WorstFlags& flags) {
    if (flags.paper && flags.options.method != worst::AnnealingMethod::portfolio)
        throw UsageError("--method", "--paper is a method of its own");
    if (flags.paper && flags.options.policy)
        throw UsageError("--policy", "--paper searches for the worst service order and supports no policy");
    if (flags.paper && flags.options.exact)
        throw UsageError("--exact", "--paper only searches, and proves no value");
    if (const std::string flag = flag_of_search(flags); flags.bound && !flag.empty())
        throw UsageError(flag, "applies to a search, and --bound makes none");
    if (flags.net == "-" && flags.order_file == "-")
        throw UsageError("--order", "the standard input is already the net");
}

void check_launch(const WorstFlags& flags) {
    if (flags.best || !flags.kernel.launch_input())
        refuse(flags.of_launch,
               "applies to the longest time of a whole launch (--ptx, --device, --grid, --block)");
    const std::optional<Deadline>& deadline = flags.launch.deadline;
    if (!deadline) return;
    if (flags.best)
        throw UsageError("--deadline", "applies to the longest run, and --best searches for the shortest");
    if (deadline->us && !flags.kernel.launch_input())
        throw UsageError("--deadline",
                         "expected steps, since only a launch (--ptx, --device, --grid, --block) "
                         "has a time; found '" +
                             deadline->text + "'");
}

}  // namespace

void check(const WorstFlags& flags) {
    if (flags.kernel.given() && !flags.net.empty())
        throw UsageError("a net and a kernel were both given (--string, --ptx or --template); choose one");
    if (!flags.kernel.given() && flags.net.empty())
        throw UsageError("argument NET is missing: a net, or a kernel by --string, --ptx or --template");
    check_search(flags);
    check_launch(flags);
}

void add_worst_flags(Command& command, WorstFlags& flags) {
    command
        .add_option_function<std::string>(
            "net",
            [&flags](const std::string& net) {
                // Before the flags of kernels, which all go with --ptx, are judged.
                if (net.ends_with(".ptx"))
                    throw InputError(fmt::format(
                        "{0}: expected a net, found a name of PTX; give the kernel as --ptx {0}", net));
                flags.net = net;
            },
            "A PNML file; FILE#ID: one of its nets; '-': standard input")
        .type_name("NET");
    add_kernel_input(command, flags.kernel, "--gpu-threads");
    add_number(command, "--chains", flags.options.chains, "Independent chains of the search; default 8",
               std::uint32_t{1}, std::uint32_t{100'000});
    add_number(command, "--iterations", flags.options.iterations,
               "Candidates that each chain tries; default 200000 (kernels), 20000 (other nets, fewer if "
               "runs are long), 2000000 (--paper)");
    command
        .add_option_function<std::string>(
            "--temperature",
            [&flags](const std::string& text) {
                const auto temperature = parse_number<double>(text);
                if (!temperature || !(*temperature >= 0 && std::isfinite(*temperature)))
                    throw UsageError("--temperature",
                                     "expected a number of at least 0, found '" + text + "'");
                flags.options.temperature = *temperature;
            },
            "Initial temperature of the annealing, in steps; default 0.6 (kernels), 1 (nets whose parts meet "
            "in "
            "hubs), 0.3 (other nets, --paper); of the hottest chain of --method tempering 0.9 for kernels")
        .type_name("T");
    add_choice(command, "--start", flags.options.start,
               "Where chains start; starvation: nets whose parts meet in hubs, most-pending: kernels",
               std::vector(worst::search_starts));
    command
        .add_option_function<std::string>(
            "--policy",
            [&flags](const std::string& name) {
                flags.options.policy = name == to_string(Policy::gto) ? Policy::gto : Policy::lrr;
            },
            "Use this policy as the service order, as in 'run'; the search then decides only each warp's own "
            "choices. Without it: the worst service order")
        .one_of({"gto", "lrr"});
    add_choice(command, "--method", flags.options.method,
               "How chains search: each anneals by itself, or parallel tempering, in which they exchange "
               "temperatures",
               {worst::AnnealingMethod::portfolio, worst::AnnealingMethod::tempering});
    command.add_flag("--paper", flags.paper,
                     "The annealing exactly as in the paper, without a proof (kernels whose instructions "
                     "take one step)");
    command.add_flag("--exact", flags.options.exact,
                     "Continue until the value is proved; exit code 4 if a limit prevents it");
    command.add_flag("--bound", flags.bound, "Certify a bound, without the search").excludes("--exact");
    command.add_flag("--best", flags.best, "The shortest run instead of the longest");
    add_number(command, "--max-steps", flags.options.max_steps, "Treat a longer run as one that does not end",
               std::uint64_t{1});
    command.add_option("--memory", flags.options.limits.memory, "Memory of proofs, e.g. 4G")
        .as_size()
        .type_name("BYTES");
    command
        .add_option("--scratch", flags.options.scratch,
                    "A folder for proof data of a kernel that do not fit into memory; no file is left there")
        .existing_directory()
        .type_name("DIR");
    flags.of_launch = add_certificate_options(command, flags.launch);
    for (Option& option : flags.of_launch) option.needs("--device");
    add_deadline(command, flags.launch.deadline,
                 "Check that no run exceeds this deadline, in steps (a whole number) or, for a whole launch "
                 "(--ptx, --device, --grid, --block), a time such as 2ms; exit code 0: certified, 1: a run "
                 "exceeds it, 4: open");
    add_duration(command, "--time-limit", flags.time_limit,
                 "Stop after this time, e.g. 30s; the answer then depends on the machine. Without it, the "
                 "proof for a kernel that was not requested by --exact or --bound stops after a fixed "
                 "effort, about half a minute of two cores");
    add_schedule_output(command, flags.schedule_file,
                        "Write the witness, for 'run --replay' and 'draw --schedule'");
    command
        .add_option("--order", flags.order_file,
                    "Start the search at this order (of --write-order, or your own: "
                    "docs/reference/orders-and-sweeps.md) "
                    "instead of --start")
        .type_name("FILE.csv")
        .excludes("--start");
    add_output(command, "--write-order", flags.write_order_file, "csv",
               "Write the order behind the longest run: the service order, and the choices of each part");
    add_output(command, "--log", flags.log_file, "csv",
               "Write every improvement: time,chain,iteration,value");
    Option resume =
        command
            .add_option("--resume", flags.resume_file,
                        "Continue the search in this file if it exists, with more --iterations if they are "
                        "raised; save it there. With --exact: the exact search, after each of its parts")
            .type_name("FILE");
    add_duration(
        command, "--save-every", [&flags](std::chrono::milliseconds time) { flags.save_every = time; },
        "How often --resume saves; default 2s")
        .needs(resume);
    add_common(command, flags.common);
    command.footer(
        "'longest' is a run that was found, and its schedule was replayed. 'at most' is a certified upper "
        "bound, with\n"
        "its proof in words. 'exact': the two are equal, or every run was explored. All hold for the\n"
        "printed machine, without the effects that 'leaves out' lists.\n"
        "\n"
        "Examples:\n"
        "  warpnet worst --string LCL --warps 4 --units C=1,L=1\n"
        "  warpnet worst kernel.pnml --write-schedule worst.csv && warpnet run kernel.pnml --replay "
        "worst.csv\n"
        "  warpnet worst big.pnml --write-order big.csv && warpnet worst big.pnml --order big.csv --seed 2\n"
        "  warpnet worst --template fermi --repeat 2 --gpu-threads 64\n"
        "  warpnet worst --ptx vector_add.O3.sm_80.ptx --grid 64 --block 256 --param 3=16384 --device "
        "JetsonOrin --deadline 2ms\n"
        "  mpirun -n 16 warpnet worst kernel.pnml --method tempering --chains 64\n"
        "  warpnet worst big.pnml --iterations 1000000 --resume big.json --log convergence.csv\n"
        "\n"
        "An endless run is an answer too: there is then no finite worst case, and no bound.\n"
        "\n"
        "Exit code 4: a time limit ended the search, --exact met a limit, --bound found no bound, or a run "
        "exceeded\n"
        "--max-steps and is not certainly endless.");
}

}  // namespace warpnet::cli
