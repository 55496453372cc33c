#include "cli/commands/worst.hpp"

#include "analysis/studies/files/schedule_csv.hpp"
#include "analysis/worst/worst_json.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/output_file.hpp"
#include "cli/report/texts.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/process.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/team.hpp"
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

using OrderedJson = nlohmann::ordered_json;

std::string log_csv(const std::vector<worst::WorstCaseImprovement>& rows) {
    std::string text = "time,chain,iteration,value\n";
    for (const worst::WorstCaseImprovement& row : rows)
        text += fmt::format("{:.6f},{},{},{}\n", row.seconds, row.chain, row.iteration, row.value);
    return text;
}

/// A flag that says how to search or what to keep of a search; empty: none is given.
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

void check(const WorstFlags& flags) {
    if (flags.paper && flags.options.method != worst::AnnealingMethod::portfolio)
        throw UsageError("--method", "--paper is a method of its own");
    if (flags.paper && flags.options.policy)
        throw UsageError("--policy", "--paper searches the worst service order and knows no policy");
    if (flags.paper && flags.options.exact)
        throw UsageError("--exact", "--paper searches and nothing else: it proves no value");
    if (const std::string flag = flag_of_search(flags); flags.bound && !flag.empty())
        throw UsageError(flag, "belongs to a search, and --bound makes none");
    if (flags.net == "-" && flags.order_file == "-")
        throw UsageError("--order", "the standard input is already the net");
}

/// The options with what files, limits of time and ranks say.
worst::WorstCaseOptions options_of(const WorstFlags& flags, const Interrupt& interrupt,
                                   ranks::Collectives& ranks) {
    worst::WorstCaseOptions options = flags.options;
    options.objective = flags.best ? worst::Objective::shortest : worst::Objective::longest;
    options.search = !flags.bound;
    if (flags.paper) options.method = worst::AnnealingMethod::paper;
    limit_time(options.limits, flags.time_limit, interrupt);
    options.seed = flags.common.seed;
    options.threads = threads_of(flags.common, ranks);
    if (ranks.size() > 1) options.ranks = &ranks;
    options.wants_order = !flags.write_order_file.empty();
    const auto known = std::make_shared<std::string>();
    options.proved = [known, best = flags.best](const worst::StepBound& bound) {
        *known = fmt::format("at {} {}, certified; ", best ? "least" : "most", plural(bound.steps, "step"));
    };
    options.progress = progress_of("candidates", progress_lines_of(ranks), known);
    if (ranks.rank() > 0) return options;
    if (!flags.order_file.empty())
        options.order = {input_name(flags.order_file), read_text(flags.order_file)};
    const std::string& file = flags.resume_file;
    if (file.empty()) return options;
    if (std::filesystem::exists(file)) options.saved = {file, read_text(file)};
    options.save = [&flags, saved = std::chrono::steady_clock::now()](
                       const std::function<std::string()>& text, bool last) mutable {
        if (!last && std::chrono::steady_clock::now() - saved < flags.save_every) return;
        write_text(flags.resume_file, text());
        saved = std::chrono::steady_clock::now();
    };
    return options;
}

/// Writes the files that were asked for.
void write_files(const WorstFlags& flags, const Net& net, worst::WorstCase& worst) {
    if (!flags.log_file.empty()) write_text(flags.log_file, log_csv(worst.log));
    if (!worst.order.empty()) write_text(flags.write_order_file, worst.order);
    if (flags.schedule_file.empty()) return;
    if (worst.has_schedule())
        return write_text(flags.schedule_file, studies::write_schedule_csv(net, worst.schedule));
    worst.limits_hit.push_back(
        worst.bound_only && !worst.found ? "nothing was searched, and no schedule is written"
        : !worst.found                   ? "no run that ends was found, and no schedule is written"
        : worst.witness_of_part          ? "the schedule of the whole grid is too large to be written"
                                : "no time or memory was left for the schedule, and none is written");
    worst.limit_reached |= worst.found.has_value();
}

/// What no run of the whole launch exceeds, if the flags say which it is.
std::optional<studies::PredictedLaunch> certified_launch(const WorstFlags& flags,
                                                         const Interrupt& interrupt) {
    PredictInput asked = flags.launch;
    const auto input = flags.kernel.launch_input();
    if (!input || flags.best) return {};
    asked.input = *input;
    if (asked.deadline && !asked.deadline->us) asked.deadline.reset();  // in steps of the net
    asked.options.worst = true;
    asked.options.seed = flags.common.seed;
    asked.options.threads = flags.common.threads;
    asked.options.interrupt = &interrupt.flag();
    std::vector<studies::PredictedLaunch> predicted = asked.predictions({input->launch()});
    if (predicted.empty()) return {};
    return std::move(predicted.front());
}

/// Whether the answer meets the deadline; nothing if there is none.
std::optional<worst::DeadlineVerdict> verdict_of(const WorstFlags& flags, const worst::WorstCase& worst,
                                                 const std::optional<studies::PredictedLaunch>& launch) {
    const std::optional<Deadline>& deadline = flags.launch.deadline;
    if (!deadline) return {};
    if (deadline->us) return launch ? launch->verdict() : worst::DeadlineVerdict::open;
    if (worst.endless == worst::EndlessRuns::every || worst.endless == worst::EndlessRuns::some ||
        worst.endless == worst::EndlessRuns::one)
        return worst::DeadlineVerdict::exceeded;
    return worst::judge_deadline(worst.found, worst.bound, *deadline->steps);
}

void check_launch(const WorstFlags& flags) {
    if (flags.best || !flags.kernel.launch_input())
        refuse(flags.of_launch,
               "is about the longest time of a whole launch: --ptx, --device, --grid and --block");
    const std::optional<Deadline>& deadline = flags.launch.deadline;
    if (!deadline) return;
    if (flags.best)
        throw UsageError("--deadline", "asks for the longest run, and --best searches the shortest");
    if (deadline->us && !flags.kernel.launch_input())
        throw UsageError("--deadline",
                         "expected steps, since only a launch (--ptx, --device, --grid, --block) "
                         "has a time; found '" +
                             deadline->text + "'");
}

OrderedJson answer_json(const WorstFlags& flags, const Net& net, const worst::WorstCase& worst,
                        const std::optional<studies::PredictedLaunch>& launch,
                        const std::optional<worst::DeadlineVerdict>& verdict) {
    OrderedJson json = to_json(net, worst, !flags.schedule_file.empty());
    if (launch) json["launch"] = studies::to_json(flags.kernel.device.device(), {*launch});
    if (verdict)
        json["deadline"] = {{"value", flags.launch.deadline->text}, {"verdict", to_string(*verdict)}};
    return json;
}

std::string answer_text(const WorstFlags& flags, const Net& net, const worst::WorstCase& worst,
                        const std::optional<studies::PredictedLaunch>& launch,
                        const std::optional<worst::DeadlineVerdict>& verdict) {
    std::string text = worst_text(net, worst, launch ? &*launch : nullptr);
    if (verdict && !flags.launch.deadline->us)
        text += fmt::format("{:<12}{}, {}\n", "deadline", flags.launch.deadline->text, text_of(*verdict));
    return text;
}

ExitCode run_worst(const WorstFlags& flags) {
    check(flags);
    check_launch(flags);
    const bool file_to_stdout = takes_standard_output(
        {flags.schedule_file, flags.write_order_file, flags.log_file}, flags.common.json);
    const auto team = open_team();
    std::optional<KernelModel> kernel;  // of flags
    ranks::Collectives ranks(*team);
    const Net net = share_net(ranks, [&] {
        if (flags.kernel.given() != flags.net.empty())
            throw UsageError("worst", "expected either a net or a kernel by --string, --ptx or --template");
        if (!flags.kernel.given()) return read_net(flags.net);
        kernel = flags.kernel.model();
        if (flags.options.policy && kernel->spec.assignment == netgen::Assignment::any)
            throw UsageError(
                "--policy",
                "orders the warps of each scheduler, and --assignment any leaves open which they "
                "are; expected --assignment fixed");
        return netgen::kernel_net(kernel->spec, flags.kernel.pessimistic
                                                    ? netgen::MultiCycle::repeated
                                                    : netgen::MultiCycle::non_preemptive);
    });
    const Interrupt interrupt;
    // It takes little time, and what a limit leaves is for the search.
    const auto launch = ranks.rank() == 0 ? certified_launch(flags, interrupt) : std::nullopt;
    worst::WorstCase worst = worst::worst_case(net, options_of(flags, interrupt, ranks));
    if (ranks.rank() > 0) return ExitCode::done;
    if (kernel) {
        worst.machine = kernel->machine;
        worst.covers = kernel->covers;
        worst.leaves_out = kernel->leaves_out;
        if (!flags.best) worst.closed_form = kernel->closed_form;  // of the longest run
    }
    write_files(flags, net, worst);
    const auto verdict = verdict_of(flags, worst, launch);
    if (!file_to_stdout)
        print_answer(flags.common.json ? json_text(answer_json(flags, net, worst, launch, verdict), 2) + "\n"
                                       : answer_text(flags, net, worst, launch, verdict));
    flush_standard_output();
    if (verdict && !worst.interrupted) return deadline_exit_code(*verdict);
    return worst_exit_code(worst);
}

}  // namespace

void add_worst(Command& program, ExitCode& exit_code) {
    const auto flags = std::make_shared<WorstFlags>();
    Command command =
        program.add_subcommand("worst", "Search the longest (shortest) run, certify it where possible");
    add_worst_flags(command, *flags);
    command.callback([flags, &exit_code] { exit_code = run_worst(*flags); });
}

}  // namespace warpnet::cli
