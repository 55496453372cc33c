#include "analysis/worst/kernel/annealing.hpp"
#include "analysis/worst/kernel/bracket.hpp"
#include "analysis/worst/kernel/net_schedule.hpp"
#include "cli/commands/worst_search.hpp"

#include <limits>

namespace warpnet::cli {

namespace {

constexpr std::chrono::seconds unasked_proof_time{30};
constexpr double hottest_temperature = 0.9;  // of tempering; measured in analysis/worst/kernel/README.md

AnnealingSearchOptions search_options(const WorstOptions& options) {
    AnnealingSearchOptions search = search_options_of<KernelStrings>(options);
    if (!options.iterations) search.annealing.iterations = options.paper ? 2'000'000 : 200'000;
    if (options.paper) search.annealing.method = AnnealingMethod::paper;
    if (!options.temperature) {
        if (options.method == AnnealingMethod::tempering) search.annealing.temperature = hottest_temperature;
        if (options.paper) search.annealing.temperature = 0.3;
    }
    return search;
}

AnnealingResult anneal(const WorstOptions& options, const KernelInstance& instance,
                       const Interrupt& interrupt, Team& team) {
    const auto read = [&](std::string_view text) {
        AnnealingState state = read_checkpoint(text);
        if (state.instance != instance) throw InputError("this is a search of another kernel");
        return state;
    };
    const auto ended =
        run_search<KernelStrings>(options, instance, search_options(options), read, interrupt, team);
    return annealing_result(ended.state, ended.stop);
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

BracketOptions bracket_options(const WorstOptions& options, const Interrupt& interrupt) {
    BracketOptions proof;
    proof.objective = options.best ? Objective::shortest : Objective::longest;
    proof.limits = {.memory = options.memory, .interrupt = &interrupt.flag()};
    proof.scratch = options.scratch;
    proof.seed = options.common.seed;
    // Who asks for a proof, or says how long one may take, gets what memory and time allow.
    if (options.exact || options.time_limit) proof.states = std::numeric_limits<std::uint64_t>::max();
    return proof;
}

/// Ranks other than the first: with the search, then with the proof.
void help(const WorstOptions& options, const KernelInstance& instance, const Interrupt& interrupt,
          Team& team) {
    const bool goes_on =
        options.bound || help_search<KernelStrings>(instance, search_options(options), interrupt, team);
    if (goes_on && !options.paper) follow_bracket(team, instance, bracket_options(options, interrupt));
}

}  // namespace

WorstReport worst_of_kernel(const WorstOptions& options, const KernelNet& kernel, const Interrupt& interrupt,
                            Team& team) {
    WorstReport report;
    if (team.rank() > 0) {
        help(options, kernel.instance, interrupt, team);
        return report;
    }
    KernelSchedule witness;
    if (!options.bound) {
        const AnnealingResult result = anneal(options, kernel.instance, interrupt, team);
        add_search<KernelStrings>(report, result);
        report.method = options.method == AnnealingMethod::tempering
                            ? "parallel tempering over pseudo-precedence strings"
                            : "annealing over pseudo-precedence strings";
        witness = result.schedule;
    }
    if (!options.paper && !interrupt.requested()) {
        BracketOptions proof = bracket_options(options, interrupt);
        proof.known = witness;
        if (options.time_limit || !(options.exact || options.bound))
            proof.limits.deadline =
                std::chrono::steady_clock::now() + options.time_limit.value_or(unasked_proof_time);
        std::optional<CommandSession> session;
        if (team.size() > 1) proof.session = &session.emplace(team);
        const Bracket bracket = bracket_makespan(kernel.instance, proof);
        if (session) session->end();
        add_proof(report, bracket);
        witness = bracket.witness;
        if (options.exact && !bracket.exact) report.limit_reached = true;
    }
    if (!kernel.other_sms.empty() && !report.arguments.empty())
        report.arguments.insert(
            report.arguments.begin(),
            fmt::format("{} equal SMs share nothing, so that together they take as long as one",
                        kernel.other_sms.size() + 1));
    report.schedule = net_schedule(kernel, witness);
    if (!options.write_order_file.empty()) report.order_csv = write_order_csv(kernel.instance, witness);
    return report;
}

}  // namespace warpnet::cli
