#include "analysis/kernel/annealing_search.hpp"
#include "analysis/kernel/annealing_team.hpp"
#include "analysis/kernel/bracket.hpp"
#include "analysis/kernel/checkpoint.hpp"
#include "analysis/kernel/net_schedule.hpp"
#include "cli/commands/worst.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/team.hpp"

#include <filesystem>
#include <limits>
#include <mutex>

#include <oneapi/tbb/task_arena.h>

namespace warpnet::cli {

namespace {

constexpr std::chrono::seconds unasked_proof_time{30};
constexpr double hottest_temperature = 0.9;  // of tempering; measured in analysis/kernel/README.md

AnnealingSearchOptions search_options(const WorstOptions& options) {
    AnnealingSearchOptions search;
    search.annealing.objective = options.best ? Objective::shortest : Objective::longest;
    search.annealing.seed = options.common.seed;
    search.annealing.iterations = options.iterations.value_or(options.paper ? 2'000'000 : 200'000);
    search.annealing.method = options.method;
    if (options.method == AnnealingMethod::tempering) search.annealing.temperature = hottest_temperature;
    if (options.paper) {
        search.annealing.method = AnnealingMethod::paper;
        search.annealing.temperature = 0.3;
    }
    if (options.temperature) search.annealing.temperature = *options.temperature;
    if (options.chains) search.chains = *options.chains;
    for (const Start start :
         {Start::round_robin, Start::fixed_priority, Start::most_pending, Start::random}) {
        if (options.start == to_string(start)) search.start = start;
    }
    return search;
}

/// The search of --resume's file, or a new one.
AnnealingState first_state(const WorstOptions& options, const KernelInstance& instance) {
    const AnnealingSearchOptions search = search_options(options);
    if (options.resume_file.empty() || !std::filesystem::exists(options.resume_file))
        return begin_annealing(instance, search);
    AnnealingState state = read_saved_search(options.resume_file, read_checkpoint);
    if (state.instance != instance)
        throw InputError(options.resume_file + ": this is a search of another kernel");
    if (state.options != search)
        throw InputError(options.resume_file +
                         ": this search has other options (chains, iterations, seed, ...)");
    return state;
}

/// The search alone; nothing on other ranks than the first, which help with it.
std::optional<AnnealingResult> anneal(const WorstOptions& options, const KernelInstance& instance,
                                      const Interrupt& interrupt, Team& team) {
    std::atomic<std::uint64_t> iterations = 0;
    AnnealingLimits limits;
    limits.interrupt = &interrupt.flag();
    limits.deadline = deadline_of(options);
    limits.iterations = &iterations;
    const int threads = oneapi::tbb::this_task_arena::max_concurrency();
    if (team.rank() > 0) {
        follow_annealing(team, threads, instance, search_options(options), limits);
        return {};
    }
    AnnealingState state = first_state(options, instance);
    for (const Chain& chain : state.chains) iterations += chain.iteration;
    const Progress progress("candidates", state.options.annealing.iterations * state.chains.size(),
                            iterations, progress_lines_of(team));
    auto saved = std::chrono::steady_clock::now();
    if (!options.resume_file.empty()) {
        limits.checkpoint = [&](const AnnealingState& reached) {
            if (std::chrono::steady_clock::now() - saved < save_interval_of(options)) return;
            write_text(options.resume_file, write_checkpoint(reached));
            saved = std::chrono::steady_clock::now();
        };
    }
    const AnnealingStop stop =
        team.size() > 1 ? lead_annealing(team, threads, state, limits) : continue_annealing(state, limits);
    if (!options.resume_file.empty()) write_text(options.resume_file, write_checkpoint(state));
    return annealing_result(state, stop);
}

void add_search(WorstReport& report, AnnealingMethod method, const AnnealingResult& result) {
    report.found = static_cast<std::uint64_t>(result.found);
    report.method = method == AnnealingMethod::tempering ? "parallel tempering over pseudo-precedence strings"
                                                         : "annealing over pseudo-precedence strings";
    report.chains = result.chains;
    report.iterations = result.iterations;
    report.seconds = result.seconds;
    for (const StartValue& start : result.start_values) {
        report.start_values[std::string(to_string(start.start))] = static_cast<std::uint64_t>(start.value);
    }
    report.limit_reached = result.stop == AnnealingStop::time_limit;
}

void add_proof(WorstReport& report, const Bracket& bracket) {
    report.found = static_cast<std::uint64_t>(bracket.found);
    report.bound = static_cast<std::uint64_t>(bracket.bound);
    report.exact = bracket.exact;
    report.method += report.method.empty() ? "certified bracket" : ", then a certified bracket";
    report.arguments = bracket.arguments;
    report.limits_hit = bracket.limits_hit;
    report.seconds += bracket.seconds;
}

}  // namespace

WorstReport worst_of_kernel(const WorstOptions& options, const KernelNet& kernel, const Interrupt& interrupt,
                            Team& team) {
    WorstReport report;
    KernelSchedule witness;
    if (!options.bound || team.rank() > 0) {
        const auto result = anneal(options, kernel.instance, interrupt, team);
        if (!result) return report;
        add_search(report, options.method, *result);
        witness = result->schedule;
        for (const AnnealingLogEntry& entry : result->log)
            report.log.push_back(
                {entry.seconds, entry.chain, entry.iteration, static_cast<std::uint64_t>(entry.value)});
    }
    if (!options.paper && !interrupt.requested()) {
        BracketOptions proof;
        proof.objective = options.best ? Objective::shortest : Objective::longest;
        proof.memory = options.memory;
        proof.scratch = options.scratch;
        proof.seed = options.common.seed;
        proof.known = witness;
        proof.interrupt = &interrupt.flag();
        // Who asks for a proof, or says how long one may take, gets what memory and time allow.
        if (options.exact || options.time_limit) proof.states = std::numeric_limits<std::uint64_t>::max();
        if (options.time_limit || !(options.exact || options.bound)) {
            proof.seconds =
                std::chrono::duration<double>(options.time_limit.value_or(unasked_proof_time)).count();
        }
        const Bracket bracket = bracket_makespan(kernel.instance, proof);
        add_proof(report, bracket);
        witness = bracket.witness;
        if (options.exact && !bracket.exact) report.limit_reached = true;
    }
    report.schedule = net_schedule(kernel, witness);
    return report;
}

}  // namespace warpnet::cli
