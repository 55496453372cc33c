// The text of `worst` and the exit code for a deadline. The search and the bounds judge a deadline in steps,
// and the certificate of the launch judges one in units of time. A deadline is exceeded only if a known run
// takes longer, and certified only by a bound; otherwise it is open.
//
// The verdict on a deadline is the first line and the bracket the second. A run that never ends exceeds every
// deadline in steps, so such nets are judged before any number is compared. A gap is the share of the larger
// value that separates the found run from the bound.

#include "analysis/worst/worst_json.hpp"
#include "cli/report/texts.hpp"
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

std::string gap_text(double found, double bound) {
    const auto [low, high] = std::minmax(found, bound);
    return fmt::format("gap {:.1f} %", 100 * (high - low) / high);
}

std::string text_of(worst::DeadlineVerdict verdict) {
    switch (verdict) {
        case worst::DeadlineVerdict::certified:
            return "certified: no run takes longer";
        case worst::DeadlineVerdict::exceeded:
            return "exceeded: a run takes longer";
        case worst::DeadlineVerdict::open:
            break;
    }
    return "open: no known run takes longer, and no bound excludes one";
}

ExitCode deadline_exit_code(worst::DeadlineVerdict verdict) {
    switch (verdict) {
        case worst::DeadlineVerdict::certified:
            return ExitCode::done;
        case worst::DeadlineVerdict::exceeded:
            return ExitCode::no;
        case worst::DeadlineVerdict::open:
            break;
    }
    return ExitCode::limit;
}

namespace {

/// "64 blocks of 256 threads on 16 SMs: 4 blocks on the busiest, 6 at a time, 1 round of 32 warps".
std::string launch_text(const studies::PredictedLaunch& launch) {
    const auto counted = [](std::int64_t count, const char* noun) {
        return amount(static_cast<std::uint64_t>(count), noun);
    };
    const studies::SmPrediction& prediction = launch.prediction;
    const std::int64_t at_once = std::min(prediction.blocks, prediction.resident);
    const char* const in_turn =
        prediction.dispatcher == studies::Dispatcher::any ? " if they go to the SMs in turn" : "";
    return fmt::format("{} of {}: {} on the busiest SM{}, {} of {} at a time, {}",
                       counted(launch.kernel.blocks, "block"), counted(launch.kernel.threads, "thread"),
                       prediction.blocks, in_turn, at_once, counted(launch.kernel.warps_per_block(), "warp"),
                       counted((prediction.blocks - 1) / at_once + 1, "round"));
}

}  // namespace

worst::DeadlineVerdict deadline_verdict(const worst::WorstCase& worst, const WorstAnswer& answer) {
    if (answer.deadline->us)
        return answer.launch != nullptr ? answer.launch->verdict() : worst::DeadlineVerdict::open;
    if (worst.endless == worst::EndlessRuns::every || worst.endless == worst::EndlessRuns::some ||
        worst.endless == worst::EndlessRuns::one)
        return worst::DeadlineVerdict::exceeded;
    return worst::judge_deadline(worst.found, worst.bound, *answer.deadline->steps);
}

std::string worst_text(const Net& net, const worst::WorstCase& worst, const WorstAnswer& answer) {
    const studies::PredictedLaunch* launch = answer.launch;
    const bool longest = worst.objective == worst::Objective::longest;
    std::string text;
    const auto line = [&](std::string_view name, const std::string& value) {
        text += fmt::format("{:<12}{}\n", name, value);
    };
    if (answer.verdict)
        line("deadline", fmt::format("{}, {}", answer.deadline->text, text_of(*answer.verdict)));
    const std::string no_worst = worst::no_worst_case(worst);
    line(longest ? "longest" : "shortest",
         !no_worst.empty()                                  ? no_worst
         : worst.bound_only && !worst.bound && !worst.found ? longest ? "no upper bound" : "no lower bound"
         : !worst.found && worst.bound ? worst.chains == 0 ? "not searched" : "no run that ends was found"
         : !worst.found                ? "none: no run that ends was found"
                                       : amount(*worst.found, "step") +
                              (worst.exact      ? ", exact"
                               : worst.replayed ? " found, with a schedule that was replayed"
                                                : " found") +
                              (worst.replayed ? "" : "; not replayed: no time or memory was left"));
    if (worst.bound && !worst.exact) {
        line(longest ? "at most" : "at least",
             fmt::format("{}, certified{}", amount(*worst.bound, "step"),
                         worst.found ? "; " + gap_text(static_cast<double>(*worst.found),
                                                       static_cast<double>(*worst.bound))
                                     : ""));
    }
    if (worst.found || worst.bound) {
        line("machine", to_text(worst.machine));
        if (!worst.covers.empty()) line("covers", worst.covers);
        line("semantics", "maximal steps");
    }
    if (!worst.leaves_out.empty()) line("leaves out", fmt::format("{}", fmt::join(worst.leaves_out, "; ")));
    if (worst.closed_form) {
        line("closed form",
             fmt::format("{}: {}", amount(static_cast<std::uint64_t>(*worst.closed_form), "step"),
                         !worst.exact || !worst.found ? "not compared, the exact value is not known"
                         : static_cast<std::uint64_t>(*worst.closed_form) == *worst.found ? "equal"
                         : static_cast<std::uint64_t>(*worst.closed_form) < *worst.found
                             ? "too small, this is no bound here"
                             : "not reached"));
    }
    if (worst.policy)
        line("policy",
             std::string(to_string(*worst.policy)) +
                 (!worst.policy_decides
                      ? " has nothing to decide, since no warps of this net wait for each other: this is "
                        "the answer without a policy"
                  : worst.bound && !worst.exact
                      ? " fixes the service order; the bound holds for every service order"
                      : " fixes the service order"));
    if (!worst.method.empty()) line("method", with_grouped_numbers(worst.method));
    for (const std::string& argument : worst.arguments) line("  proof", with_grouped_numbers(argument));
    for (const std::string& limit : worst.limits_hit) line("  limit", with_grouped_numbers(limit));
    if (worst.chains > 0) {
        line("search", fmt::format("{}, {}, {:.1f} s", amount(worst.chains, "chain"),
                                   amount(worst.iterations, "iteration"), worst.seconds));
    }
    for (const auto& [start, value] : worst.start_values)
        line("  start", fmt::format("{} {}", start, grouped(value)));
    if (!worst.cycle.empty()) {
        line("forever",
             fmt::format("after {} {} without end:", amount(worst.cycle_prefix.size(), "step"),
                         worst.cycle.size() == 1 ? "this one repeats"
                                                 : fmt::format("these {} repeat", worst.cycle.size())));
        for (const ScheduledStep& step : worst.cycle) {
            std::string ids;
            for (const std::uint32_t t : step.transitions) ids += " " + net.transitions()[t].id;
            line("", ids);
        }
    }
    if (launch != nullptr) {
        line("launch", launch_text(*launch));
        line("  machine",
             "the net of 'generate sm': schedulers fixed to warps, barriers, caches and rates; a step is " +
                 amount(static_cast<std::uint64_t>(launch->prediction.step_cycles), "cycle"));
        if (launch->prediction.worst) text += certificate_text(*launch, "  ");
    }
    if (worst.interrupted) line("interrupted", "the figures above are the results so far");
    return text;
}

nlohmann::ordered_json worst_json(const Net& net, const worst::WorstCase& worst, const WorstAnswer& answer) {
    nlohmann::ordered_json json = to_json(net, worst, answer.schedule);
    if (answer.launch != nullptr) json["launch"] = studies::to_json(*answer.device, {*answer.launch});
    if (answer.verdict)
        json["deadline"] = {{"value", answer.deadline->text}, {"verdict", to_string(*answer.verdict)}};
    return json;
}

ExitCode worst_exit_code(const worst::WorstCase& worst) {
    if (worst.interrupted) return ExitCode::interrupted;
    return worst.limit_reached ? ExitCode::limit : ExitCode::done;
}

}  // namespace warpnet::cli
