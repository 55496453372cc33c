#include "analysis/worst/exact/checkpoint.hpp"
#include "analysis/worst/exact/extremes.hpp"
#include "cli/commands/worst.hpp"
#include "cli/input/output_file.hpp"

#include <filesystem>
#include <optional>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

/// Units of work that are done even unasked: a second or two.
constexpr std::uint64_t unasked_effort = 2'000'000;
/// Where a bound is to be had at once.
constexpr std::uint64_t little_effort = 20'000;

/// What became of a search that ended before it was done.
std::string unfinished(const WorstOptions& options, const ExactResult& result) {
    const std::string what =
        fmt::format("the exact search was not {}: ", result.states > 0 ? "finished" : "begun");
    if (options.exact || result.stop != WorkEnd::effort_limit)
        return what + std::string(to_string(result.stop));
    return what + "it takes more effort than is spent unasked; --exact spends it";
}

ExactOptions exact_options(const WorstOptions& options, const Interrupt& interrupt) {
    ExactOptions exact;
    exact.objective = options.best ? Objective::shortest : Objective::longest;
    exact.limits.memory = options.memory;
    exact.limits.interrupt = &interrupt.flag();
    return exact;
}

}  // namespace

bool holds_exact_search(const std::string& file) {
    return std::filesystem::exists(file) && is_exact_checkpoint(read_text(file));
}

CommandHelper multisets_helper(const WorstOptions& options, const Plan& planned, const Interrupt& interrupt) {
    return exact_extremes_helper(planned, exact_options(options, interrupt));
}

bool search_multisets(const WorstOptions& options, const Net& net, const Plan& planned,
                      const Interrupt& interrupt, CommandSession* session, WorstReport& report) {
    ExactOptions exact = exact_options(options, interrupt);
    exact.bound = report.bound;
    if (!options.exact) exact.limits.effort = options.bound ? little_effort : unasked_effort;
    exact.limits.deadline = deadline_of(options);
    exact.session = session;
    // The file of another search that went on where no exact one could is left to that.
    const std::string& file = options.resume_file;
    const bool resumes = options.exact && !file.empty() && holds_exact_search(file);
    const bool saves = options.exact && !file.empty() && (resumes || !std::filesystem::exists(file));
    if (resumes)
        exact.from = read_saved_search(file, [&](std::string_view text) {
            return read_exact_checkpoint(planned.net(), net, exact.objective, text);
        });
    ExactProgress reached = exact.from.value_or(ExactProgress{});
    const auto save = [&] { write_text(file, write_checkpoint(planned.net(), exact.objective, reached)); };
    auto saved = std::chrono::steady_clock::now();
    if (saves) {
        exact.checkpoint = [&](const ExactProgress& progress) {
            reached = progress;
            if (std::chrono::steady_clock::now() - saved < save_interval_of(options)) return;
            save();
            saved = std::chrono::steady_clock::now();
        };
    }
    ExactResult result = exact_extremes(planned, exact);
    if (saves && result.stop != WorkEnd::not_applicable) save();
    if (result.stop == WorkEnd::endless) report.endless = EndlessRuns::one;
    if (result.stop == WorkEnd::not_applicable || result.stop == WorkEnd::endless) return false;
    const bool sharper = result.bound && result.bound != report.bound;
    if (result.found) {
        report.found = result.found;
        report.schedule = std::move(result.schedule);
    }
    if (result.bound) report.bound = result.bound;
    report.exact = result.exact;
    if (result.states > 0 || result.exact) {
        report.method = "exact search over multisets of equal parts: " +
                        (result.states > 0 ? fmt::format("{} states", result.states)
                                           : std::string("nothing is left to decide after the first step"));
    }
    if (!result.exact) {
        if (!options.bound) report.limits_hit.push_back(unfinished(options, result));
        report.limit_reached |= options.exact;
    }
    if (!sharper && (report.found || !result.exact)) return true;  // what proved the bound still does
    report.arguments.clear();
    report.arguments.emplace_back(
        result.exact && !report.found
            ? "no dead marking can be reached"
            : "every state from which a run could be better was looked at: a part that moves last waits "
              "only while the others hold what it waits for");
    if (sharper)
        report.bounds.insert(report.bounds.begin(), StepBound{*result.bound, report.arguments.front()});
    return true;
}

}  // namespace warpnet::cli
