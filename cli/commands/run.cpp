#include "engine/run/run.hpp"

#include "analysis/studies/files/schedule_csv.hpp"
#include "analysis/studies/runs/run_json.hpp"
#include "analysis/worst/exact/step_distribution.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/report/distribution_report.hpp"
#include "cli/report/run_report.hpp"
#include "cli/report/trace.hpp"
#include "cli/report/vcd_trace.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/run_experiment.hpp"
#include "cli/shell/standard_output.hpp"
#include "cli/shell/team.hpp"
#include "engine/base/to_json.hpp"
#include "engine/base/with_threads.hpp"
#include "engine/net/error.hpp"
#include "engine/plan.hpp"
#include "engine/run/replay.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

struct RunFlags {
    CommonOptions common;
    std::string net;
    RunOptions run;
    std::uint64_t runs = 1;
    std::optional<std::chrono::milliseconds> time_limit;
    std::string trace_file;
    std::string schedule_file;
    std::string replay_file;
    std::string until;
    std::string resume_file;
    std::optional<std::chrono::milliseconds> save_every;
    bool exact = false;
    std::uint64_t memory = std::uint64_t{4} << 30;
    bool tail = false;
    bool statistics = false;
    bool marking = false;
    bool counts = false;
    bool plain = false;
    bool all = false;
    bool all_semantics = false;
};

constexpr std::array each_semantics = {Semantics::maximal, Semantics::multiset, Semantics::interleaving};

bool is_vcd(const std::string& file) { return std::filesystem::path(file).extension() == ".vcd"; }

TraceFormat trace_format(const std::string& file) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (extension == ".csv" || file == "-") return TraceFormat::csv;
    if (extension == ".json") return TraceFormat::json;
    if (extension == ".jsonl") return TraceFormat::json_lines;
    throw UsageError("--trace",
                     "expected a file name that ends in .csv, .json, .jsonl or .vcd, found '" + file + "'");
}

/// What is written down about a run: whatever of it the user asked for.
class Recorder : public Observer {
  public:
    Recorder(const Net& net, const RunFlags& options) : net_(net), options_(options) {
        if (is_vcd(options.trace_file)) {
            vcd_.emplace(net);
        } else if (!options.trace_file.empty()) {
            trace_.emplace(net, trace_format(options.trace_file));
        }
        if (!options.schedule_file.empty()) schedule_.emplace();
    }

    /// Nothing if nothing is to be written down: a run without an observer is faster.
    Observer* observer() { return trace_ || vcd_ || schedule_ ? this : nullptr; }

    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override {
        if (trace_) trace_->step(number, immediate, firings, marking);
        if (vcd_) vcd_->step(number, immediate, firings, marking);
        if (schedule_) schedule_->step(number, immediate, firings, marking);
    }

    void finish() {
        if (trace_) write_text(options_.trace_file, trace_->finish());
        if (vcd_) write_text(options_.trace_file, vcd_->finish());
        if (schedule_) write_text(options_.schedule_file, write_schedule_csv(net_, schedule_->schedule()));
    }

  private:
    const Net& net_;
    const RunFlags& options_;
    std::optional<Trace> trace_;
    std::optional<VcdTrace> vcd_;
    std::optional<ScheduleRecorder> schedule_;
};

WorkLimits limits_of(const RunFlags& options, const Interrupt& interrupt) {
    WorkLimits limits{.memory = options.memory};
    limit_time(limits, options.time_limit, interrupt);
    return limits;
}

/// Adds the runs saved before, and where to save them.
void add_saved_runs(const Net& net, const RunFlags& options, RunStudyOptions& study) {
    const std::string& file = options.resume_file;
    if (options.save_every) study.runs.interval = *options.save_every;
    study.runs.experiment = run_experiment(net, study);
    study.runs.saved_name = file;
    if (std::filesystem::exists(file)) {
        if (!std::filesystem::is_regular_file(file))
            throw InputError(file + ": expected a file of saved runs, found a folder or a device");
        study.runs.saved = read_text(file);
        if (study.runs.saved.empty()) throw InputError(file + ": expected saved runs, found an empty file");
    }
    study.runs.save = [file](const std::string& text) { write_text(file, text); };
}

RunReport report_of(const Net& net, const RunFlags& options, const Interrupt& interrupt, Observer* observer,
                    Collectives& ranks) {
    std::atomic<std::uint64_t> finished = 0;
    RunStudyOptions study{
        .until = options.until, .statistics = options.statistics, .tail = options.tail, .observer = observer};
    ManyOptions& many = study.runs.many;
    many.run = options.run;
    many.run.seed = options.common.seed;
    many.run.count_firings = options.counts;
    many.run.limits = limits_of(options, interrupt);
    many.runs = options.runs;
    many.threads = threads_of(options.common, ranks);
    many.markings = options.marking;
    many.plain = options.plain;
    many.finished = &finished;
    if (!options.replay_file.empty()) {
        const std::string source = input_name(options.replay_file);
        const Schedule schedule = read_schedule_csv(read_text(options.replay_file), source, net);
        try {
            return replay_study(net, schedule, study);
        } catch (const ReplayError& error) {
            throw InputError(source + ": " + error.what());
        }
    }
    if (ranks.size() > 1) study.runs.ranks = &ranks;
    if (!options.resume_file.empty() && ranks.rank() == 0) add_saved_runs(net, options, study);
    const Progress progress("runs", options.runs, finished, progress_lines_of(ranks));
    return run_study(net, study);
}

void check(const RunFlags& options) {
    const auto single_run_only = [&](const char* flag, const std::string& file) {
        if (!file.empty() && options.runs != 1) {
            throw UsageError(flag, "is for a single run; leave out --runs");
        }
    };
    single_run_only("--trace", options.trace_file);
    single_run_only("--schedule", options.schedule_file);
    single_run_only("--replay", options.replay_file);
    if (!options.trace_file.empty() && !is_vcd(options.trace_file)) trace_format(options.trace_file);
    if (!options.replay_file.empty() && !options.until.empty()) {
        throw UsageError("--until", "a schedule that is replayed ends where it ends");
    }
    if (!options.resume_file.empty() &&
        !(options.trace_file.empty() && options.schedule_file.empty() && options.replay_file.empty())) {
        throw UsageError("--resume", "saves the results of runs, not what happens in one");
    }
    if (!options.resume_file.empty() && options.statistics && options.runs == 1)
        throw UsageError("--resume", "saves no --statistics of a single run");
    if (options.net == "-" && options.replay_file == "-") {
        throw UsageError("--replay", "the standard input is already the net");
    }
}

void refuse(bool given, const char* flag, const char* why) {
    if (given) throw UsageError(flag, why);
}

/// Flags that say something of runs under one semantics, one by one or together.
void refuse_details(const RunFlags& options, const char* why) {
    refuse(!options.trace_file.empty(), "--trace", why);
    refuse(!options.schedule_file.empty(), "--schedule", why);
    refuse(!options.replay_file.empty(), "--replay", why);
    refuse(!options.resume_file.empty(), "--resume", why);
    refuse(options.tail, "--tail", why);
    refuse(options.statistics, "--statistics", why);
    refuse(options.marking, "--marking", why);
    refuse(options.counts, "--counts", why);
}

void check_exact(const RunFlags& options) {
    constexpr const char* why = "--exact is about all runs under the random policy, none is made";
    refuse(options.runs != 1, "--runs", why);
    refuse(options.run.policy != Policy::random, "--policy", why);
    refuse(options.run.semantics != Semantics::maximal, "--semantics", why);
    refuse(!options.until.empty(), "--until", why);
    refuse(options.plain, "--plain", why);
    refuse_details(options, why);
}

/// The distribution of the step count instead of runs.
ExitCode exact_command(const RunFlags& options) {
    check_exact(options);
    const Net net = read_net(options.net);
    const Interrupt interrupt;
    const Plan planned = plan(compile(net));
    DistributionOptions exact;
    exact.max_steps = options.run.max_steps;
    exact.limits = limits_of(options, interrupt);
    const StepDistribution distribution =
        with_threads(options.common.threads, [&] { return step_distribution(planned, exact); });
    print_answer(options.common.json ? json_line(to_json(net, distribution))
                                     : distribution_text(net, distribution));
    std::fflush(stdout);
    return exit_code_of(distribution);
}

/// The same runs under each semantics. The limit of time is that of all together.
ExitCode compare_semantics(RunFlags options) {
    constexpr const char* why = "goes with one semantics, not with --semantics all";
    refuse(options.exact, "--exact", why);
    refuse_details(options, why);
    const auto team = open_team();
    if (team->size() > 1) throw UsageError("--semantics", "all is for one process, without mpirun");
    Collectives ranks(*team);
    const Net net = read_net(options.net);
    const Interrupt interrupt;
    std::vector<RunReport> reports;
    for (const Semantics semantics : each_semantics) {
        options.run.semantics = semantics;
        reports.push_back(report_of(net, options, interrupt, nullptr, ranks));
    }
    print_answer(options.common.json ? json_line(to_json(reports, options.all)) : semantics_text(reports));
    flush_standard_output();
    ExitCode exit_code = ExitCode::done;
    for (const RunReport& report : reports) exit_code = std::max(exit_code, exit_code_of(report));
    return exit_code;
}

ExitCode run_command(const RunFlags& options) {
    if (options.all_semantics) {
        check(options);
        return compare_semantics(options);
    }
    if (options.exact) return exact_command(options);
    check(options);
    const bool file_to_stdout =
        takes_standard_output({options.trace_file, options.schedule_file}, options.common.json);
    const auto team = open_team();
    Collectives ranks(*team);
    const Net net = read_shared_net(ranks, options.net);
    const Interrupt interrupt;
    Recorder recorder(net, options);
    const RunReport report = report_of(net, options, interrupt, recorder.observer(), ranks);
    if (ranks.rank() > 0) return ExitCode::done;
    recorder.finish();
    if (report.results.size() < options.runs && !options.time_limit && !interrupt.requested())
        std::cerr << "warpnet: results would take more than --memory: no further run was begun\n";
    if (!file_to_stdout)
        print_answer(options.common.json ? json_line(to_json(report, options.all)) : run_text(report));
    flush_standard_output();
    return exit_code_of(report);
}

}  // namespace

void add_run(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<RunFlags>();
    Command command = program.add_subcommand("run", "Execute a net to its dead marking, once or many times");
    command.add_option("net", options->net, "A PNML file; FILE#ID: one of its nets; '-': standard input")
        .required()
        .type_name("NET");
    add_number(command, "--runs", options->runs, "How many runs", std::uint64_t{1});
    add_number(command, "--first-run", options->run.run,
               "Number of the first run: run R of a seed is the same run in every experiment");
    std::vector<std::string> names(each_semantics.size());
    std::transform(each_semantics.begin(), each_semantics.end(), names.begin(),
                   [](Semantics semantics) { return std::string(to_string(semantics)); });
    names.emplace_back("all");
    add_named_choice(command, "--semantics", "What one step is; all: the three side by side",
                     std::string(to_string(options->run.semantics)), names, [options](std::size_t chosen) {
                         options->all_semantics = chosen == each_semantics.size();
                         if (!options->all_semantics) options->run.semantics = each_semantics[chosen];
                     });
    add_choice(
        command, "--policy", options->run.policy,
        "Who wins a conflict; gto: greedy, then the oldest warp; lrr: the warps in turn, without those "
        "that are not ready",
        {Policy::random, Policy::first, Policy::last, Policy::round_robin, Policy::gto, Policy::lrr});
    add_number(command, "--max-steps", options->run.max_steps, "Stop a run after so many steps");
    add_duration(command, "--time-limit", options->time_limit,
                 "Stop after so much time, e.g. 500ms, 30s, 2m");
    command
        .add_option_function<std::string>(
            "--until",
            [options](const std::string& text) {
                if (text.find_first_not_of(" \t\n") == std::string::npos)
                    throw UsageError("--until", "expected a condition, found none");
                options->until = text;
            },
            "Stop a run in the first marking where this holds, e.g. 'p > 3 and (q = 0 or t >= 2)': "
            "places mean their tokens, transitions their firings so far")
        .type_name("CONDITION");
    Option exact = command.add_flag(
        "--exact", options->exact,
        "Instead of runs: the exact distribution of the step count under the random policy, for "
        "small nets");
    command
        .add_option(
            "--memory", options->memory,
            "For --exact, and for the results of runs: no run is begun when they take more; default 4G")
        .as_size()
        .type_name("BYTES");
    command.add_flag("--tail", options->tail,
                     "Quantiles of many runs, and a fit to the longest of them (extreme-value "
                     "distributions): probabilistic, not a bound");
    command.add_flag("--statistics", options->statistics,
                     "Show of each place its tokens (mean and maximum) and the share of steps in which it "
                     "has any, of each transition its firings in a run; of places where parts meet, such "
                     "as schedulers, how much of them is in use, and how often none");
    command.add_flag("--marking", options->marking, "Show the last marking");
    command.add_flag("--counts", options->counts, "Show the firings of each transition");
    Option all =
        command.add_flag("--all", options->all, "With --json: list all results, not only the first 1000");
    command
        .add_option("--trace", options->trace_file,
                    "Write each step of a single run: what fired, and the marking after it; .vcd opens in "
                    "waveform viewers such as GTKWave")
        .type_name("FILE.{csv,json,jsonl,vcd}");
    add_output(command, "--schedule", options->schedule_file, "csv",
               "Write what fired in each step of a single run, for --replay");
    Option replay =
        command
            .add_option("--replay", options->replay_file,
                        "Follow a schedule (columns step,immediate,transition) and check each of its steps")
            .type_name("FILE.csv");
    Option resume = command
                        .add_option("--resume", options->resume_file,
                                    "Go on with the runs in this file if it exists; save them there")
                        .type_name("FILE");
    add_duration(command, "--save-every", options->save_every, "How often --resume saves; default 10s")
        .needs(resume);
    command.add_flag("--plain", options->plain, "Use the reference executor: slow, and easy to check");
    command.add_flag("--keyed", options->run.keyed,
                     "Random choices by hash, so that --plain makes the identical runs");
    add_common(command, options->common);
    for (const char* of_random_runs : {"--first-run", "--seed", "--keyed"}) {
        exact.excludes(of_random_runs);
        replay.excludes(of_random_runs);
    }
    exact.excludes(all);
    all.needs("--json");
    for (const char* of_runs : {"--policy", "--max-steps", "--plain", "--tail"}) replay.excludes(of_runs);
    command.footer(
        "Examples:\n"
        "  warpnet run kernel.pnml\n"
        "  warpnet run kernel.pnml --runs 1000 --seed 7 --json\n"
        "  warpnet run kernel.pnml --schedule witness.csv && warpnet run kernel.pnml --replay witness.csv\n"
        "  warpnet run small.pnml --exact\n"
        "  warpnet run kernel.pnml --runs 10000 --tail\n"
        "  warpnet run kernel.pnml --runs 1000 --until 'w1_active = 0 or w2_active = 0'\n"
        "  warpnet run kernel.pnml --trace kernel.vcd && gtkwave kernel.vcd\n"
        "  mpirun -n 4 warpnet run kernel.pnml --runs 1000000 --resume kernel.runs\n"
        "  warpnet run mutex.pnml --semantics interleaving --max-steps 100000 --counts\n"
        "\n"
        "Exit code 4: a run stopped at a limit before the net was dead, the condition held or the schedule "
        "ended.");
    command.callback([options, &exit_code] { exit_code = run_command(*options); });
}

}  // namespace warpnet::cli
