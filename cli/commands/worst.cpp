// `worst`: a net or a kernel by flags, the search, its files, and the certificate of a whole launch. The
// certificate is computed and reported before the search, because it takes little time and alone decides a
// deadline in units of time. Only rank 0 reads, writes and prints.
//
// A deadline in units of time is judged by the certificate alone, and one in steps by the search and its
// bounds. Steps have no length in a net that does not come from a launch. A search that is saved writes its
// file at most every --save-every, and once at its end. Files are written before the answer is printed, so
// that the answer can report those that are missing.

#include "cli/commands/worst.hpp"

#include "analysis/studies/files/schedule_csv.hpp"
#include "analysis/worst/kernel/precedence_string.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/output_file.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/output/notes.hpp"
#include "cli/report/texts.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/process.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/team.hpp"
#include "engine/base/to_json.hpp"
#include "engine/net/error.hpp"

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

/// The options, with files, time limits and ranks. `saved` becomes true when the search is saved. The
/// progress of the search shows `judged` first.
worst::WorstCaseOptions options_of(const WorstFlags& flags, const Interrupt& interrupt,
                                   ranks::Collectives& ranks, const std::string& judged, bool& saved) {
    worst::WorstCaseOptions options = flags.options;
    options.objective = flags.best ? worst::Objective::shortest : worst::Objective::longest;
    options.search = !flags.bound;
    if (flags.paper) options.method = worst::AnnealingMethod::paper;
    limit_time(options.limits, flags.time_limit, interrupt);
    options.seed = flags.common.seed;
    options.threads = threads_of(flags.common, ranks);
    if (ranks.size() > 1) options.ranks = &ranks;
    options.wants_order = !flags.write_order_file.empty();
    options.progress = progress_of(progress_lines_of(ranks), judged);
    if (ranks.rank() > 0) return options;
    if (!flags.order_file.empty())
        options.order = {input_name(flags.order_file), read_text(flags.order_file)};
    const std::string& file = flags.resume_file;
    if (file.empty()) return options;
    if (auto text = read_saved(file, "a saved search")) options.saved = {file, *std::move(text)};
    options.save = [&flags, &saved, at = std::chrono::steady_clock::now()](
                       const std::function<std::string()>& text, bool last) mutable {
        if (!last && std::chrono::steady_clock::now() - at < flags.save_every) return;
        write_text(flags.resume_file, text());
        saved = true;
        at = std::chrono::steady_clock::now();
    };
    return options;
}

/// Writes the requested files.
void write_files(const WorstFlags& flags, const Net& net, worst::WorstCase& worst) {
    if (!flags.log_file.empty()) write_text(flags.log_file, studies::to_csv(worst.log));
    if (!worst.order.empty()) write_text(flags.write_order_file, worst.order);
    if (flags.schedule_file.empty()) return;
    if (worst.has_schedule()) return write_schedule(flags.schedule_file, net, worst.schedule);
    worst.limits_hit.push_back(
        worst.bound_only && !worst.found ? "nothing was searched, and no schedule is written"
        : !worst.found                   ? "no run that ends was found, and no schedule is written"
        : worst.witness_of_part          ? "the schedule of the whole grid is too large to be written"
                                : "no time or memory was left for the schedule, and none is written");
    worst.limit_reached |= worst.found.has_value();
}

/// The certificate of the whole launch, if the flags describe it.
std::optional<studies::PredictedLaunch> certified_launch(const WorstFlags& flags,
                                                         const Interrupt& interrupt) {
    PredictInput asked = flags.launch;
    const auto input = flags.kernel.launch_input();
    if (!input || flags.best) return {};
    asked.input = *input;
    if (asked.deadline && !asked.deadline->us) asked.deadline.reset();  // steps are about the net
    asked.options.worst = true;
    asked.options.seed = flags.common.seed;
    asked.options.threads = flags.common.threads;
    asked.options.interrupt = &interrupt.flag();
    asked.options.progress = progress_of();
    std::vector<studies::PredictedLaunch> predicted = asked.predictions({input->launch()});
    if (predicted.empty()) return {};
    return std::move(predicted.front());
}

/// Reports the verdict on a deadline of the launch before the search, which cannot change it. Returns its
/// short form for the progress of the search.
std::string announce_verdict(const WorstFlags& flags, const studies::PredictedLaunch& launch) {
    if (!launch.deadline_us) return "";
    const std::string& deadline = flags.launch.deadline->text;
    const worst::DeadlineVerdict verdict = launch.verdict();
    if (!flags.bound)
        print_note("deadline {}, {}{}; the search for a long run of the warps follows (--bound skips it)\n",
                   deadline, text_of(verdict),
                   launch.uncounted.empty()
                       ? ""
                       : fmt::format(": the net leaves out {}", fmt::join(launch.uncounted, "; ")));
    return fmt::format("deadline {} {}; ", deadline, to_string(verdict));
}

ExitCode run_worst(const WorstFlags& flags) {
    check(flags);
    const bool file_to_stdout = takes_standard_output(
        {flags.schedule_file, flags.write_order_file, flags.log_file}, flags.common.json);
    const auto team = open_team();
    std::optional<KernelModel> kernel;  // the kernel that flags describe
    std::optional<studies::PredictedLaunch> launch;
    std::string judged;
    std::optional<Interrupt> interrupt;
    ranks::Collectives ranks(*team);
    const Net net = share_net(ranks, [&] {
        if (!flags.kernel.given()) return read_net(flags.net);
        // The certificate takes little time, and the search gets the rest of a time limit.
        interrupt.emplace();
        launch = certified_launch(flags, *interrupt);
        if (launch) judged = announce_verdict(flags, *launch);
        kernel = flags.kernel.model();
        if (kernel->spec.warps > worst::max_search_warps && !flags.bound)
            throw UsageError("--warps",
                             fmt::format("expected at most {} warps, found {}; --bound has no such limit",
                                         worst::max_search_warps, kernel->spec.warps));
        if (flags.options.policy && kernel->spec.assignment == netgen::Assignment::any)
            throw UsageError(
                "--policy",
                "orders the warps of each scheduler, and --assignment any leaves open which they "
                "are; expected --assignment fixed");
        return netgen::kernel_net(kernel->spec, flags.kernel.pessimistic
                                                    ? netgen::MultiCycle::repeated
                                                    : netgen::MultiCycle::non_preemptive);
    });
    if (!interrupt) interrupt.emplace();
    bool saved = false;
    worst::WorstCase worst = worst::worst_case(net, options_of(flags, *interrupt, ranks, judged, saved));
    if (ranks.rank() > 0) return ExitCode::done;
    if (!flags.resume_file.empty() && !saved)
        print_note("note: {} is not written: {}\n", flags.resume_file,
                   worst.exact ? "the answer was proved without a search that is saved"
                               : "no search that is saved was begun");
    if (kernel) {
        worst.machine = kernel->machine;
        worst.covers = kernel->covers;
        worst.leaves_out = kernel->leaves_out;
        if (!flags.best) worst.closed_form = kernel->closed_form;  // the closed form of the longest run
    }
    write_files(flags, net, worst);
    WorstAnswer answer{.launch = launch ? &*launch : nullptr,
                       .device = launch ? std::optional(flags.kernel.device.device()) : std::nullopt,
                       .deadline = flags.launch.deadline,
                       .schedule = !flags.schedule_file.empty()};
    if (answer.deadline) answer.verdict = deadline_verdict(worst, answer);
    AnswerHead head{"worst", flags.common.seed, {}, worst.interrupted};
    if (worst.limit_reached && !worst.interrupted)
        head.add(flags.time_limit && time_left(*flags.time_limit) <= std::chrono::milliseconds(1)
                     ? WorkEnd::time_limit
                     : WorkEnd::effort_limit);
    if (!file_to_stdout && flags.common.json)
        print_answer(json_answer(head, worst_json(net, worst, answer), 2));
    if (!file_to_stdout && !flags.common.json) print_verdict(worst_text(net, worst, answer));
    flush_standard_output();
    if (answer.verdict && !worst.interrupted) return deadline_exit_code(*answer.verdict);
    return worst_exit_code(worst);
}

}  // namespace

void add_worst(Command& program, ExitCode& exit_code) {
    const auto flags = std::make_shared<WorstFlags>();
    Command command =
        program.add_subcommand("worst", "Search for the longest (shortest) run, and certify it if possible");
    add_worst_flags(command, *flags);
    command.callback([flags, &exit_code] { exit_code = run_worst(*flags); });
}

}  // namespace warpnet::cli
