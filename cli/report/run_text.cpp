// The texts of `run`: step counts, reasons for the ends of runs, statistics, distributions and tails. Nodes
// with a value of 0 are counted and not listed. An estimate of a tail is no bound, so the certified bound
// follows it, if there is one.
//
// A mean alone would hide runs that did not end, so the reasons for ends are counted in the answer. If a
// policy has nothing to decide, a note explains that its runs are those of the policy random. Few step counts
// are listed with their probabilities, many as quantiles.

#include "cli/report/texts.hpp"
#include "engine/base/text.hpp"
#include "engine/run_many.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

constexpr std::size_t listed_probabilities = 12;  // in the text

std::string row(std::string_view name, std::string_view min, std::string_view mean, std::string_view max,
                std::string_view deviation) {
    return fmt::format("  {:<8}{:>12}{:>14}{:>12}{:>10}\n", name, min, mean, max, deviation);
}

std::string fit_text(std::string_view name, const studies::TailFit& fit) {
    return fmt::format(
        "  {:<8} location {:.2f}, scale {:.2f}, shape {:.3f}; Anderson-Darling {:.2f}, p = {:.3f}{}\n", name,
        fit.distribution.location, fit.distribution.scale, fit.distribution.shape, fit.anderson_darling,
        fit.p, fit.p < 0.05 ? ": does not fit" : "");
}

/// A note that the policy has no effect, because no parts of the net wait for each other.
std::string policy_note(const studies::RunReport& report) {
    if (report.policy_decides) return "";
    return fmt::format(
        "  {} has nothing to decide, since no warps of this net wait for each other: these are runs of the "
        "policy random\n\n",
        report.policy);
}

}  // namespace

std::string distribution_text(const Net& net, const worst::StepDistribution& distribution) {
    std::string text = fmt::format("{}: exact distribution, maximal semantics, policy random\n\n", net.id());
    const std::string states = fmt::format(
        "{} {}", distribution.states,
        distribution.multisets ? "states, multisets of equal parts" : "pairs of a marking and a time");
    if (distribution.stop != WorkEnd::complete)
        return text + fmt::format("  not known: {} after {}\n", to_string(distribution.stop), states);
    const auto& steps = distribution.steps;
    if (!steps.empty()) {
        text += row("", "min", "mean", "max", "stddev");
        text += row("steps", grouped(steps.front().steps), grouped(worst::mean_steps(steps), 4),
                    grouped(steps.back().steps), grouped(worst::standard_deviation(steps), 4));
    }
    if (!steps.empty() && steps.size() <= listed_probabilities) {
        text += "\n  steps     probability\n";
        for (const auto [count, probability] : steps)
            text += fmt::format("  {:<8}{:>13.9f}\n", count, probability);
    }
    if (!steps.empty() && distribution.endless + distribution.longer == 0) {
        text += "\n  quantile       steps\n";
        for (const double probability : studies::shown_quantiles)
            text += fmt::format("  {:<12}{:>8}\n", probability, quantile(steps, probability));
    }
    if (!steps.empty()) text += '\n';
    if (distribution.endless > 0)
        text += fmt::format("  A run goes on forever with probability {:.9f}.\n", distribution.endless);
    if (distribution.longer > 0)
        text += fmt::format("  A run is longer than the step limit with probability {:.9f}.\n",
                            distribution.longer);
    return text + fmt::format("  {}; {}\n", amount(steps.size(), "step count"), states);
}

ExitCode exit_code_of(const worst::StepDistribution& distribution) {
    if (distribution.stop == WorkEnd::interrupted) return ExitCode::interrupted;
    return distribution.stop == WorkEnd::complete && distribution.endless + distribution.longer == 0
               ? ExitCode::done
               : ExitCode::limit;
}

std::string tail_text(const studies::TailEstimate& tail, const std::optional<worst::QuickBound>& bound) {
    const std::string certified =
        bound ? fmt::format("  Certified: no run of this net takes more than {}. Machine: {}.\n",
                            amount(bound->steps, "step"), to_text(bound->machine))
              : "";
    std::string text = fmt::format("\nTail of {}: probabilistic, not a bound\n", amount(tail.runs, "run"));
    if (!tail.quantiles.empty()) text += "  quantile       steps\n";
    for (const auto [probability, steps] : tail.quantiles)
        text += fmt::format("  {:<12}{:>8}\n", probability, steps);
    if (tail.block == 0) return text + fmt::format("  no fit: {}\n", tail.why_no_fit) + certified;
    text += fmt::format("  Fitted to the longest run of each of {} blocks of {} runs:\n", tail.blocks,
                        tail.block);
    text += fit_text("Gumbel", tail.gumbel) + fit_text("GEV", tail.extreme_value);
    text += "  A run is estimated to exceed, with probability\n";
    text += fmt::format("  {:<10}{:>12}{:>12}\n", "", "Gumbel", "GEV");
    for (const studies::TailLevel& level : tail.levels) {
        text += fmt::format("  {:<10}{:>12.1f}{:>12.1f}\n", fmt::format("{:.0e}", level.probability),
                            level.gumbel, level.extreme_value);
    }
    return text +
           "  These are estimates for runs with random choices. A scheduler does not choose at random, and "
           "the\n"
           "  longest possible run may lie far beyond: 'worst' searches and bounds it.\n" +
           certified;
}

namespace {

const char* sentence(const studies::RunReport& report, StopReason reason) {
    if (report.followed_schedule(reason))
        return "followed the schedule to its end; transitions can still fire";
    switch (reason) {
        case StopReason::dead:
            return "ended in a dead marking";
        case StopReason::step_limit:
            return "stopped at the step limit";
        case StopReason::time_limit:
            return "stopped at the time limit";
        case StopReason::interrupted:
            return "interrupted";
        case StopReason::overflow:
            return "stopped: a place would have held more than 2^63-1 tokens";
        case StopReason::immediate_loop:
            return "stopped: immediate transitions fire forever, time does not advance";
        case StopReason::condition:
            return "met the condition";
    }
    return "";
}

std::string number_table(const RunStatistics& statistics) {
    const auto row = [](std::string_view name, auto min, auto mean, auto max, auto stddev) {
        return fmt::format("  {:<8}{:>12}{:>14}{:>12}{:>10}\n", name, min, mean, max, stddev);
    };
    return row("", "min", "mean", "max", "stddev") +
           row("steps", grouped(statistics.min_steps), grouped(statistics.mean_steps, 2),
               grouped(statistics.max_steps), grouped(statistics.stddev_steps, 2)) +
           row("firings", "", grouped(statistics.mean_firings, 2), "", "");
}

/// Two columns, numbers right-aligned; nodes with a value of 0 are left out.
template <class Node, class Number>
std::string node_table(std::string_view title, std::span<const Node> nodes,
                       const std::vector<Number>& values) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] != 0) width = std::max(width, nodes[i].id.size());
    }
    std::string table = fmt::format("\n{}\n", title);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] != 0) table += fmt::format("  {:<{}}  {:>12}\n", nodes[i].id, width, values[i]);
    }
    return width == 0 ? table + "  (none)\n" : table;
}

std::string markings_text(const studies::RunReport& report) {
    std::map<Marking, std::uint64_t> runs;
    for (const RunResult& result : report.results) ++runs[result.marking];
    const auto most = std::max_element(runs.begin(), runs.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::string title =
        report.results.size() == 1 ? "Last marking"
        : runs.size() == 1         ? "Last marking of every run"
                           : fmt::format("{} different last markings; of {}, the most frequent:", runs.size(),
                                         amount(most->second, "run"));
    return node_table(title, report.net.places(), most->first);
}

std::string counts_text(const studies::RunReport& report) {
    std::vector<double> means(report.net.transitions().size());
    for (const RunResult& result : report.results) {
        for (std::size_t t = 0; t < means.size(); ++t) means[t] += static_cast<double>(result.counts[t]);
    }
    for (double& mean : means) mean /= static_cast<double>(report.results.size());
    return node_table(report.results.size() == 1 ? "Firings" : "Firings, mean over the runs",
                      report.net.transitions(), means);
}

/// The steps of the runs that met the condition, if some runs did not.
std::string until_text(const studies::RunReport& report) {
    const std::vector<RunResult> met = report.met();
    if (met.empty() || met.size() == report.results.size()) return "";
    const RunStatistics steps = statistics(met);
    return fmt::format("  Steps to the condition: min {}, mean {:.2f}, max {}, stddev {:.2f}\n",
                       steps.min_steps, steps.mean_steps, steps.max_steps, steps.stddev_steps);
}

/// Schedulers and units: the share in use, and the share of steps in which none was in use.
std::string hubs_text(const Net& net, const NodeTally& tally, const std::vector<std::uint32_t>& hubs) {
    if (hubs.empty()) return "";
    std::size_t width = 0;
    for (const std::uint32_t hub : hubs) width = std::max(width, net.places()[hub].id.size());
    std::string text =
        fmt::format("\nShared by the parts, over {}\n  {:<{}}  {:>12}{:>12}{:>14}\n",
                    amount(tally.steps(), "step"), "", width, "tokens", "in use", "none in use");
    for (const std::uint32_t hub : hubs) {
        const Tokens tokens = net.initial_marking()[hub];
        const PlaceStatistics place = tally.place(hub);
        text += fmt::format("  {:<{}}  {:>12}{:>10.2f} %{:>12.2f} %\n", net.places()[hub].id, width, tokens,
                            100 * place.in_use(tokens), 100 * place.idle);
    }
    return text;
}

/// Nodes that never had a token or never fired are only counted.
std::string statistics_text(const Net& net, const NodeTally& tally) {
    const auto width_of = [](const auto& nodes) {
        std::size_t width = 0;
        for (const auto& node : nodes) width = std::max(width, node.id.size());
        return width;
    };
    const auto left_out = [](std::size_t count, std::string_view noun, std::string_view never) {
        return count == 0 ? "" : fmt::format("  {} never {}\n", amount(count, noun), never);
    };
    std::size_t width = width_of(net.places()), unused = 0;
    std::string text = fmt::format("\nPlaces, over {}\n  {:<{}}  {:>12}{:>12}{:>10}\n",
                                   amount(tally.steps(), "step"), "", width, "mean", "max", "marked");
    for (std::size_t p = 0; p < net.places().size(); ++p) {
        const PlaceStatistics place = tally.place(p);
        if (place.max == 0) ++unused;
        if (place.max > 0)
            text += fmt::format("  {:<{}}  {:>12.4f}{:>12}{:>8.2f} %\n", net.places()[p].id, width,
                                place.mean, place.max, 100 * place.marked);
    }
    text += left_out(unused, "place", "marked");
    width = width_of(net.transitions());
    unused = 0;
    text += fmt::format("\nFirings of transitions, over {}\n  {:<{}}  {:>10}{:>14}{:>10}{:>10}\n",
                        amount(tally.runs(), "run"), "", width, "min", "mean", "max", "stddev");
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const TransitionStatistics transition = tally.transition(t);
        if (transition.max == 0) ++unused;
        if (transition.max > 0)
            text += fmt::format("  {:<{}}  {:>10}{:>14.2f}{:>10}{:>10.2f}\n", net.transitions()[t].id, width,
                                transition.min, transition.mean, transition.max, transition.stddev);
    }
    return text + left_out(unused, "transition", "fired");
}

/// "3 runs ended in a dead marking", for each way in which runs ended.
std::vector<std::string> ends_of(const studies::RunReport& report) {
    std::vector<std::string> ends;
    for (const auto& [reason, runs] : report.reasons()) {
        const std::uint64_t early = reason == StopReason::step_limit ? report.stopped_endless : 0;
        if (runs > early) ends.push_back(amount(runs - early, "run") + " " + sentence(report, reason));
        if (early > 0)
            ends.push_back(fmt::format("{} stopped before the step limit{}", amount(early, "run"),
                                       early == 1 ? "" : ", because they never end"));
    }
    if (report.results.size() < report.requested)
        ends.push_back(amount(report.requested - report.results.size(), "run") + " not started");
    return ends;
}

/// Whether a run without an end never ends, or may never end. Nothing if that is not known.
std::string endless_text(const studies::RunReport& report) {
    if (report.repeats) {
        const auto& [after, period, forever] = report.repeats->marking;
        const std::string marking =
            after == 0 ? "the initial marking" : fmt::format("the marking after step {}", grouped(after));
        return fmt::format(
            "  {} {}: {} {} {}.\n",
            report.results.size() == 1 ? "The run" : fmt::format("Run {}", grouped(report.repeats->run)),
            forever ? "never ends" : "may never end", marking, forever ? "repeats every" : "comes back after",
            forever && period == 1 ? "step" : amount(period, "step"));
    }
    if (std::ranges::none_of(report.results, &RunResult::endless)) return "";
    return "  The marking at the step limit repeats forever: no limit would have been enough.\n";
}

}  // namespace

std::string semantics_text(std::span<const studies::RunReport> reports) {
    const studies::RunReport& first = reports.front();
    std::string text =
        fmt::format("{}: {} under each semantics, policy {}, seed {}\n\n{}  {:<24}", first.net.id(),
                    amount(first.requested, "run"), first.policy, first.seed, policy_note(first), "");
    for (const studies::RunReport& report : reports)
        text += fmt::format("{:>14}", to_string(report.semantics));
    const auto row = [&](std::string_view name, const auto& cell) {
        text += fmt::format("\n  {:<24}", name);
        for (const studies::RunReport& report : reports) {
            const std::string value = report.results.empty() ? "-" : cell(report);
            text += fmt::format("{:>14}", value);
        }
    };
    row("steps, least",
        [&](const studies::RunReport& report) { return grouped(report.complete_runs().min_steps); });
    row("steps, mean",
        [&](const studies::RunReport& report) { return grouped(report.complete_runs().mean_steps, 2); });
    row("steps, most",
        [&](const studies::RunReport& report) { return grouped(report.complete_runs().max_steps); });
    row("steps, deviation", [&](const studies::RunReport& report) {
        return fmt::format("{:.2f}", report.complete_runs().stddev_steps);
    });
    row("firings, mean",
        [&](const studies::RunReport& report) { return grouped(report.complete_runs().mean_firings, 2); });
    text += '\n';
    for (const studies::RunReport& report : reports) {
        text += fmt::format("\n  {}:", to_string(report.semantics));
        std::string separator = " ";
        for (const std::string& end : ends_of(report)) {
            text += separator + end;
            separator = ", ";
        }
    }
    return text + '\n';
}

std::string run_text(const studies::RunReport& report) {
    std::string text = fmt::format("{}: {}, {} semantics, policy {}, seed {}\n\n", report.net.id(),
                                   amount(report.results.size(), "run"), to_string(report.semantics),
                                   report.policy, report.seed);
    text += policy_note(report);
    if (report.results.size() == 1) {
        const RunResult& result = report.results.front();
        text += fmt::format("  steps   {:>12}\n  firings {:>12}\n", grouped(result.steps),
                            grouped(result.firings));
    } else if (!report.results.empty()) {
        text += number_table(report.complete_runs());
    }
    text += '\n';
    for (const std::string& end : ends_of(report)) text += fmt::format("  {}\n", end);
    text += endless_text(report);
    text += until_text(report);
    if (report.markings && !report.results.empty()) text += markings_text(report);
    if (report.counts && !report.results.empty()) text += counts_text(report);
    if (report.statistics)
        text += statistics_text(report.net, *report.statistics) +
                hubs_text(report.net, *report.statistics, report.hubs);
    if (report.tail) text += tail_text(*report.tail, report.bound);
    return text;
}

ExitCode exit_code_of(const studies::RunReport& report) {
    if (report.interrupted) return ExitCode::interrupted;
    const bool all_ended =
        std::all_of(report.results.begin(), report.results.end(), [&](const RunResult& result) {
            return result.reason == StopReason::dead || result.reason == StopReason::condition ||
                   report.followed_schedule(result.reason);
        });
    return all_ended && report.results.size() == report.requested ? ExitCode::done : ExitCode::limit;
}

}  // namespace warpnet::cli
