// The worst case of instruction strings: annealing over pseudo-precedence strings [Berezovskyi13], then a
// certified bracket that begins with the best run found. The bound by counting is known before both. A proof
// that was not requested gets a fixed effort, so the answer takes seconds.
//
// With a time limit the search gets half of it. If the limit ends the search, a proof with the default effort
// comes next, and the rest of the time continues the search. So with enough time the answer is never worse
// than without a limit.

#include "analysis/ranks/collectives.hpp"
#include "analysis/worst/case_search.hpp"
#include "analysis/worst/kernel/annealing.hpp"
#include "analysis/worst/kernel/bracket.hpp"
#include "engine/base/text.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

namespace warpnet::worst {

namespace {

constexpr double hottest_temperature = 0.9;  // of tempering; measured in docs/explanation/kernel-makespan.md

/// `bound`: of the steps of a run, known by counting. The search ends if it reaches the bound. A kernel with
/// long runs gets fewer candidates, so that an answer takes seconds.
AnnealingSearchOptions kernel_search_options(const WorstCaseOptions& options, std::uint64_t bound) {
    AnnealingSearchOptions search = search_options_of<KernelStrings>(options);
    const bool paper = options.method == AnnealingMethod::paper;
    if (!options.iterations)
        search.annealing.iterations = paper ? 2'000'000 : iterations_of_chain(bound, 200'000);
    if (!options.temperature && options.method == AnnealingMethod::tempering)
        search.annealing.temperature = hottest_temperature;
    if (!options.temperature && paper) search.annealing.temperature = 0.3;
    // The method of the paper and tempering always use all candidates.
    if (options.method == AnnealingMethod::portfolio)
        search.target = static_cast<KernelStrings::Value>(bound);
    return search;
}

BracketOptions bracket_options(const WorstCaseOptions& options) {
    BracketOptions proof;
    proof.objective = options.objective;
    proof.limits = {.memory = options.limits.memory, .interrupt = options.limits.interrupt};
    proof.ranks = options.ranks;
    proof.scratch = options.scratch;
    proof.seed = options.seed;
    // A requested proof, or one with a time limit, may use all memory and time.
    if (options.exact || options.limits.deadline)
        proof.states = std::numeric_limits<std::uint64_t>::max();
    else if (options.search)
        proof.limits.effort = default_bracket_effort;
    return proof;
}

/// Each bound with its argument, the best last: several may be listed.
void add_bounds(const std::vector<StepBound>& bounds, WorstCase& worst) {
    worst.bound = bounds.back().steps;
    for (const StepBound& bound : bounds)
        worst.arguments.push_back(fmt::format("{} {}: {}",
                                              worst.objective == Objective::longest ? "at most" : "at least",
                                              plural(bound.steps, "step"), bound.argument));
    worst.bounds.assign(bounds.rbegin(), bounds.rend());
}

void add_proof(Bracket bracket, WorstCase& worst) {
    add_bounds(bracket.bounds, worst);
    worst.found = static_cast<std::uint64_t>(bracket.found);
    worst.bound = static_cast<std::uint64_t>(bracket.bound);
    worst.exact = bracket.exact;
    worst.method += worst.method.empty() ? "certified bracket" : ", then a certified bracket";
    worst.limits_hit = std::move(bracket.limits_hit);
    worst.seconds += bracket.seconds;
    worst.instructions = std::move(bracket.witness);
}

/// The answer for a kernel that is too large for searches.
void add_counted(const std::vector<StepBound>& counted, WorstCase& worst) {
    add_bounds(counted, worst);
    worst.method = "counting";
    worst.bound_only = true;
    worst.limits_hit.push_back(fmt::format("beyond {} warps or {} instructions nothing else is tried",
                                           max_search_warps, max_search_letters));
}

/// Continues a search that ended after half of the time, after the proof with the default effort. With more
/// time than this proof takes, the answer is never worse than without a limit. Bounds and runs found go into
/// `proof`.
AnnealingResult finish_search(const WorstCaseOptions& options, const netgen::KernelInstance& instance,
                              EndedSearch<KernelStrings>& ended, BracketOptions& proof) {
    BracketOptions unasked = proof;
    unasked.limits.effort = default_bracket_effort;
    unasked.states = BracketOptions().states;
    auto part = show_part(options, "proof");
    Bracket bracket = bracket_makespan(instance, unasked);
    part.reset();
    proof.known = std::move(bracket.witness);
    proof.proved = std::move(bracket.bounds);
    if (!bracket.exact && !options.limits.must_end()) {
        AnnealingLimits limits;
        limits.work = options.limits;
        ended.stop = show_search(options, ended.state, limits, proof.proved.back().steps);
        if (options.save) options.save([&] { return write_checkpoint(ended.state); }, true);
    }
    AnnealingResult result = annealing_result(ended.state, ended.stop);
    if (better(options.objective, result.found, bracket.found)) proof.known = result.schedule;
    return result;
}

}  // namespace

WorstCase kernel_case(const WorstCaseOptions& options, const netgen::KernelInstance& instance) {
    check_start<KernelStrings>(options);
    WorstCase worst;
    worst.objective = options.objective;
    const bool paper = options.method == AnnealingMethod::paper;
    const bool only_counted = !options.search && !options.exact && !fits_search(instance);
    if (!only_counted) check_instance(instance);
    const std::vector<StepBound> counted = counted_bounds(instance, options.objective);
    BracketOptions proof = bracket_options(options);
    proof.limits.deadline = options.limits.deadline;
    if (options.search) {
        const auto read = [&](std::string_view text) {
            AnnealingState state = read_checkpoint(text);
            if (state.instance != instance) throw InputError("this is a search of another kernel");
            return state;
        };
        auto ended = run_search<KernelStrings>(
            options, instance, kernel_search_options(options, counted.back().steps),
            paper ? options.limits : half_the_time(options.limits), counted.back().steps, read);
        if (ranks::leads(options.ranks)) {
            AnnealingResult result = annealing_result(ended.state, ended.stop);
            proof.known = result.schedule;
            if (ended.stop == WorkEnd::time_limit && !paper && options.ranks == nullptr)
                result = finish_search(options, instance, ended, proof);
            add_search<KernelStrings>(result, worst);
            worst.method = options.method == AnnealingMethod::tempering
                               ? "parallel tempering over pseudo-precedence strings"
                               : "annealing over pseudo-precedence strings";
            worst.instructions = std::move(result.schedule);
        }
    }
    if (only_counted) {
        add_counted(counted, worst);
    } else if (!paper &&
               ranks::value_of_first(options.ranks, [&] { return !options.limits.interrupted(); })) {
        const auto part = show_part(options, "proof", counted.back().steps);
        add_proof(bracket_makespan(instance, proof), worst);
        worst.limit_reached = (worst.limit_reached || options.exact) && !worst.exact;
    } else if (!paper) {
        add_bounds(counted, worst);
        worst.exact = worst.found == worst.bound;
    }
    if (options.wants_order && ranks::leads(options.ranks))
        worst.order = write_order_csv(instance, worst.instructions);
    return worst;
}

}  // namespace warpnet::worst
