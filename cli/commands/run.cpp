// `run`: runs, a replayed schedule, an exact distribution, or all semantics side by side. Saved runs belong
// to an experiment, which is compared before they are continued.

#include "cli/commands/run.hpp"

#include "analysis/studies/files/schedule_csv.hpp"
#include "analysis/studies/files/trace.hpp"
#include "analysis/studies/runs/run_json.hpp"
#include "analysis/worst/exact/markov_chain.hpp"
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
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/error.hpp"
#include "engine/run/replay.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

/// Adds the saved runs, and the file to save to.
void add_saved_runs(const Net& net, const RunFlags& flags, studies::RunStudyOptions& study) {
    const std::string& file = flags.resume_file;
    if (flags.save_every) study.runs.interval = *flags.save_every;
    study.runs.experiment = run_experiment(net, study);
    study.runs.saved_name = file;
    study.runs.saved = read_saved(file, "saved runs").value_or("");
    study.runs.save = [file](const std::string& text) { write_text(file, text); };
}

studies::RunStudyOptions study_of(const RunFlags& flags, const WorkLimits& limits,
                                  const ranks::Collectives& ranks) {
    studies::RunStudyOptions study{.until = flags.until,
                                   .statistics = flags.statistics,
                                   .tail = flags.tail,
                                   .stop_endless = flags.run.max_steps == RunOptions().max_steps,
                                   .progress = progress_of(progress_lines_of(ranks))};
    ManyOptions& many = study.runs.many;
    many.run = flags.run;
    many.run.seed = flags.common.seed;
    many.run.count_firings = flags.counts;
    many.run.limits = limits;
    many.runs = flags.runs;
    many.threads = threads_of(flags.common, ranks);
    many.markings = flags.marking;
    many.plain = flags.plain;
    return study;
}

studies::RunReport report_of(const Net& net, const RunFlags& flags, studies::RunStudyOptions study,
                             ranks::Collectives& ranks) {
    if (!flags.replay_file.empty()) {
        const std::string source = input_name(flags.replay_file);
        const Schedule schedule = studies::read_schedule_csv(read_text(flags.replay_file), source, net);
        try {
            return studies::replay_study(net, schedule, study);
        } catch (const ReplayError& error) {
            throw InputError(source + ": " + error.what());
        }
    }
    if (ranks.size() > 1) study.runs.ranks = &ranks;
    if (!flags.resume_file.empty() && ranks.rank() == 0) add_saved_runs(net, flags, study);
    return studies::run_study(net, study);
}

/// Writes the chain in the format of the file's extension.
ExitCode write_chain(const std::string& file, const Net& net, const WorkLimits& limits) {
    const worst::MarkovChain chain = worst::markov_chain(compile(net), limits);
    if (chain.stop != WorkEnd::complete) {
        std::cerr << message_text(fmt::format(
            "warpnet: {} is not written: the limits ended after {} states\n", file, chain.markings.size()));
        return exit_code_of(chain.stop);
    }
    if (!file.ends_with(".tra")) {
        write_text(file, worst::storm_file(chain));
        return ExitCode::done;
    }
    const std::string base = file.substr(0, file.size() - std::string_view(".tra").size());
    for (const worst::ChainFile& part : worst::prism_files(net, chain))
        write_text(base + part.extension, part.text);
    return ExitCode::done;
}

/// Adds the limits that ended runs early.
void add_limits_of(const studies::RunReport& report, AnswerHead& head) {
    head.interrupted |= report.interrupted;
    for (const auto& [reason, runs] : report.reasons())
        if (reason != StopReason::dead && reason != StopReason::condition &&
            reason != StopReason::interrupted && !report.followed_schedule(reason))
            head.add_limit(with_underscores(to_string(reason)));
}

/// The distribution of the step count instead of runs.
ExitCode exact_command(const RunFlags& flags, const Net& net, const WorkLimits& limits) {
    const worst::DistributionOptions exact{.max_steps = flags.run.max_steps, .limits = limits};
    const worst::StepDistribution distribution =
        studies::distribution_study(net, exact, flags.common.threads);
    AnswerHead head{"run", {}, {}};
    head.add(distribution.stop);
    print_answer(flags.common.json ? json_answer(head, studies::to_json(net, distribution))
                                   : distribution_text(net, distribution));
    const ExitCode written =
        flags.chain_file.empty() ? ExitCode::done : write_chain(flags.chain_file, net, limits);
    return std::max(exit_code_of(distribution), written);
}

/// The same runs under each semantics.
ExitCode compare_semantics(const RunFlags& flags, const Net& net, const studies::RunStudyOptions& study) {
    const std::vector<studies::RunReport> reports = studies::semantics_study(net, study);
    ExitCode exit_code = ExitCode::done;
    AnswerHead head{"run", flags.common.seed, {}};
    for (const studies::RunReport& report : reports) {
        exit_code = std::max(exit_code, exit_code_of(report));
        add_limits_of(report, head);
    }
    print_answer(flags.common.json ? json_answer(head, to_json(reports, flags.all))
                                   : semantics_text(reports));
    return exit_code;
}

ExitCode run_command(const RunFlags& flags) {
    check(flags);
    const bool file_to_stdout =
        takes_standard_output({flags.trace_file, flags.schedule_file}, flags.common.json);
    const auto team = flags.exact ? std::make_unique<ranks::Alone>() : open_team();
    if (flags.all_semantics && team->size() > 1)
        throw UsageError("--semantics", "all is for one process, without mpirun");
    ranks::Collectives ranks(*team);
    const Net net = read_shared_net(ranks, flags.net);
    const Interrupt interrupt;
    WorkLimits limits{.memory = flags.memory};
    limit_time(limits, flags.time_limit, interrupt);
    if (flags.exact) return exact_command(flags, net, limits);
    studies::RunStudyOptions study = study_of(flags, limits, ranks);
    if (flags.all_semantics) return compare_semantics(flags, net, study);
    studies::RunRecorder recorder(
        net, flags.trace_file.empty() ? std::nullopt : studies::trace_format(flags.trace_file),
        !flags.schedule_file.empty());
    study.observer = recorder.observer();
    const studies::RunReport report = report_of(net, flags, std::move(study), ranks);
    if (ranks.rank() > 0) return ExitCode::done;
    if (!flags.trace_file.empty()) write_text(flags.trace_file, recorder.finish_trace());
    if (!flags.schedule_file.empty()) write_schedule(flags.schedule_file, net, recorder.schedule());
    AnswerHead head{"run", flags.common.seed, {}};
    add_limits_of(report, head);
    if (report.results.size() < flags.runs && !interrupt.requested())
        head.add(flags.time_limit ? WorkEnd::time_limit : WorkEnd::memory_limit);
    if (report.results.size() < flags.runs && !flags.time_limit && !interrupt.requested())
        std::cerr << "warpnet: results would take more than --memory: no further run was started\n";
    if (!file_to_stdout)
        print_answer(flags.common.json ? json_answer(head, to_json(report, flags.all)) : run_text(report));
    flush_standard_output();
    return exit_code_of(report);
}

}  // namespace

void add_run(Command& program, ExitCode& exit_code) {
    const auto flags = std::make_shared<RunFlags>();
    Command command = program.add_subcommand("run", "Execute a net to its dead marking, once or many times");
    add_run_flags(command, *flags);
    command.callback([flags, &exit_code] { exit_code = run_command(*flags); });
}

}  // namespace warpnet::cli
