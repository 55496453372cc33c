#include "engine/run.hpp"

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/net_io.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "cli/run_report.hpp"
#include "cli/schedule_csv.hpp"
#include "cli/trace.hpp"
#include "engine/plain_run.hpp"
#include "engine/replay.hpp"
#include "engine/run_many.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

struct Options {
    CommonOptions common;
    std::string net;
    RunOptions run;
    std::uint64_t runs = 1;
    std::optional<std::chrono::milliseconds> time_limit;
    std::string trace_file;
    std::string schedule_file;
    std::string replay_file;
    bool marking = false;
    bool counts = false;
    bool plain = false;
    bool all = false;
};

TraceFormat trace_format(const std::string& file) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (extension == ".csv" || file == "-") return TraceFormat::csv;
    if (extension == ".json") return TraceFormat::json;
    if (extension == ".jsonl") return TraceFormat::json_lines;
    throw CLI::ValidationError(
        "--trace", "expected a file name that ends in .csv, .json or .jsonl, found '" + file + "'");
}

/// What is written down about a run: whatever of it the user asked for.
class Recorder : public Observer {
  public:
    Recorder(const Net& net, const Options& options) : net_(net), options_(options) {
        if (!options.trace_file.empty()) trace_.emplace(net, trace_format(options.trace_file));
        if (!options.schedule_file.empty()) schedule_.emplace();
    }

    /// Nothing where nothing is to be written down: a run without an observer is faster.
    Observer* observer() { return trace_ || schedule_ ? this : nullptr; }

    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override {
        if (trace_) trace_->step(number, immediate, firings, marking);
        if (schedule_) schedule_->step(number, immediate, firings, marking);
    }

    void write_files() {
        if (trace_) write_text(options_.trace_file, trace_->finish());
        if (schedule_) {
            write_text(options_.schedule_file, write_schedule_csv(net_, schedule_->schedule()));
        }
    }

  private:
    const Net& net_;
    const Options& options_;
    std::optional<Trace> trace_;
    std::optional<ScheduleRecorder> schedule_;
};

std::vector<std::uint64_t> count_firings(const Net& net, const Schedule& schedule) {
    std::vector<std::uint64_t> counts(net.transitions().size());
    for (const ScheduledStep& step : schedule) {
        for (const std::uint32_t transition : step.transitions) ++counts[transition];
    }
    return counts;
}

RunResult replay_file(const Net& net, const CompiledNet& compiled, const Options& options,
                      Observer* observer) {
    const std::string source = input_name(options.replay_file);
    const Schedule schedule = read_schedule_csv(read_text(options.replay_file), source, net);
    try {
        RunResult result = replay(compiled, net, schedule, options.run.semantics, observer);
        if (options.counts) result.counts = count_firings(net, schedule);
        return result;
    } catch (const ReplayError& error) {
        throw InputError(source + ": " + error.what());
    }
}

std::vector<RunResult> execute(const Net& net, const Options& options, const Interrupt& interrupt,
                               Observer* observer) {
    const CompiledNet compiled = compile(net);
    if (!options.replay_file.empty()) return {replay_file(net, compiled, options, observer)};

    std::atomic<std::uint64_t> finished = 0;
    ManyOptions many;
    many.run = options.run;
    many.run.seed = options.common.seed;
    many.run.count_firings = options.counts;
    many.run.interrupt = &interrupt.flag();
    if (options.time_limit) many.run.deadline = std::chrono::steady_clock::now() + *options.time_limit;
    many.runs = options.runs;
    many.threads = options.common.threads;
    many.markings = options.marking;
    many.plain = options.plain;
    many.finished = &finished;

    const Progress progress("runs", options.runs, finished);
    if (observer == nullptr) return run_many(compiled, many);
    return {options.plain ? plain_run(compiled, many.run, observer) : run(compiled, many.run, observer)};
}

void check(const Options& options) {
    const auto single_run_only = [&](const char* flag, const std::string& file) {
        if (!file.empty() && options.runs != 1) {
            throw CLI::ValidationError(flag, "is for a single run; leave out --runs");
        }
    };
    single_run_only("--trace", options.trace_file);
    single_run_only("--schedule", options.schedule_file);
    single_run_only("--replay", options.replay_file);
    if (!options.trace_file.empty()) trace_format(options.trace_file);
    if (options.net == "-" && options.replay_file == "-") {
        throw CLI::ValidationError("--replay", "the standard input is already the net");
    }
}

ExitCode run_command(const Options& options) {
    check(options);
    const Net net = read_net(options.net);
    const Interrupt interrupt;
    Recorder recorder(net, options);
    RunReport report{.net = net, .policy = {}, .results = {}};
    report.results = execute(net, options, interrupt, recorder.observer());
    recorder.write_files();
    report.semantics = options.run.semantics;
    report.policy = options.replay_file.empty() ? to_string(options.run.policy) : "replay";
    report.seed = options.common.seed;
    report.requested = options.runs;
    report.interrupted = interrupt.requested();
    report.markings = options.marking;
    report.counts = options.counts;
    report.all = options.all;
    fmt::print("{}", options.common.json ? run_json(report) : run_text(report));
    return exit_code_of(report);
}

}  // namespace

void add_run(CLI::App& program, ExitCode& exit_code) {
    const auto options = std::make_shared<Options>();
    CLI::App& command =
        *program.add_subcommand("run", "Execute a net to its dead marking, once or many times");
    command.add_option("net", options->net, "A PNML file; FILE#ID: one of its nets; '-': standard input")
        ->required()
        ->type_name("NET");
    add_number(command, "--runs", options->runs, "How many runs", std::uint64_t{1});
    add_number(command, "--first-run", options->run.run,
               "Number of the first run: run R of a seed is the same run in every experiment");
    add_choice(command, "--semantics", options->run.semantics, "What one step is",
               {Semantics::maximal, Semantics::multiset, Semantics::interleaving});
    add_choice(command, "--policy", options->run.policy, "Who wins a conflict",
               {Policy::random, Policy::first, Policy::last, Policy::round_robin});
    add_number(command, "--max-steps", options->run.max_steps, "Stop a run after so many steps");
    add_duration(command, "--time-limit", options->time_limit,
                 "Stop after so much time, e.g. 500ms, 30s, 2m");
    command.add_flag("--marking", options->marking, "Show the last marking");
    command.add_flag("--counts", options->counts, "Show the firings of each transition");
    command.add_flag("--all", options->all, "With --json: list all results, not only the first 1000");
    command
        .add_option("--trace", options->trace_file,
                    "Write each step of a single run: what fired, and the marking after it")
        ->type_name("FILE.{csv,json,jsonl}");
    command
        .add_option("--schedule", options->schedule_file,
                    "Write what fired in each step of a single run, for --replay")
        ->type_name("FILE.csv");
    command
        .add_option("--replay", options->replay_file,
                    "Follow a schedule (columns step,immediate,transition) and check each of its steps")
        ->type_name("FILE.csv");
    command.add_flag("--plain", options->plain, "Use the reference executor: slow, and easy to check");
    command.add_flag("--keyed", options->run.keyed,
                     "Random choices by hash, so that --plain makes the identical runs");
    add_common(command, options->common);
    command.footer(
        "Examples:\n"
        "  warpnet run kernel.pnml\n"
        "  warpnet run kernel.pnml --runs 1000 --seed 7 --json\n"
        "  warpnet run kernel.pnml --schedule witness.csv && warpnet run kernel.pnml --replay witness.csv\n"
        "  warpnet run mutex.pnml --semantics interleaving --max-steps 100000 --counts\n"
        "\n"
        "Exit code 4: a run stopped at a limit before the net was dead.");
    command.callback([options, &exit_code] { exit_code = run_command(*options); });
}

}  // namespace warpnet::cli
