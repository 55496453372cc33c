#include "cli/report/distribution_report.hpp"

#include "engine/base/text.hpp"

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

constexpr std::size_t listed_probabilities = 12;  // in the text

std::string row(std::string_view name, std::string_view min, std::string_view mean, std::string_view max,
                std::string_view deviation) {
    return fmt::format("  {:<8}{:>12}{:>14}{:>12}{:>10}\n", name, min, mean, max, deviation);
}

std::string fit_text(std::string_view name, const TailFit& fit) {
    return fmt::format(
        "  {:<8} location {:.2f}, scale {:.2f}, shape {:.3f}; Anderson-Darling {:.2f}, p = {:.3f}{}\n", name,
        fit.distribution.location, fit.distribution.scale, fit.distribution.shape, fit.anderson_darling,
        fit.p, fit.p < 0.05 ? ": does not fit" : "");
}

}  // namespace

std::string distribution_text(const Net& net, const StepDistribution& distribution) {
    std::string text = fmt::format("{}: exact distribution, maximal semantics, policy random\n\n", net.id());
    const std::string states = fmt::format(
        "{} {}", distribution.states,
        distribution.multisets ? "states, multisets of equal parts" : "pairs of a marking and a time");
    if (distribution.stop != WorkEnd::complete)
        return text + fmt::format("  not known: {} after {}\n", to_string(distribution.stop), states);
    const auto& steps = distribution.steps;
    if (!steps.empty()) {
        text += row("", "min", "mean", "max", "stddev");
        text += row("steps", fmt::format("{}", steps.front().steps), fmt::format("{:.4f}", mean_steps(steps)),
                    fmt::format("{}", steps.back().steps), fmt::format("{:.4f}", standard_deviation(steps)));
    }
    if (!steps.empty() && steps.size() <= listed_probabilities) {
        text += "\n  steps     probability\n";
        for (const auto [count, probability] : steps)
            text += fmt::format("  {:<8}{:>13.9f}\n", count, probability);
    }
    if (!steps.empty() && distribution.endless + distribution.longer == 0) {
        text += "\n  quantile       steps\n";
        for (const double probability : shown_quantiles)
            text += fmt::format("  {:<12}{:>8}\n", probability, quantile(steps, probability));
    }
    if (!steps.empty()) text += '\n';
    if (distribution.endless > 0)
        text += fmt::format("  A run goes on for ever with probability {:.9f}.\n", distribution.endless);
    if (distribution.longer > 0)
        text += fmt::format("  A run is longer than the step limit with probability {:.9f}.\n",
                            distribution.longer);
    return text + fmt::format("  {}; {}\n", plural(steps.size(), "step count"), states);
}

ExitCode exit_code_of(const StepDistribution& distribution) {
    if (distribution.stop == WorkEnd::interrupted) return ExitCode::interrupted;
    return distribution.stop == WorkEnd::complete && distribution.endless + distribution.longer == 0
               ? ExitCode::done
               : ExitCode::limit;
}

std::string tail_text(const TailEstimate& tail, const std::optional<QuickBound>& bound) {
    const std::string certified =
        bound ? fmt::format("  Certified: no run of this net takes more than {}. Machine: {}.\n",
                            plural(bound->steps, "step"), to_text(bound->machine))
              : "";
    std::string text = fmt::format("\nTail of {}: probabilistic, not a bound\n", plural(tail.runs, "run"));
    if (!tail.quantiles.empty()) text += "  quantile       steps\n";
    for (const auto [probability, steps] : tail.quantiles)
        text += fmt::format("  {:<12}{:>8}\n", probability, steps);
    if (tail.block == 0) return text + fmt::format("  no fit: {}\n", tail.why_no_fit) + certified;
    text += fmt::format("  Fitted to the longest run of each of {} blocks of {} runs:\n", tail.blocks,
                        tail.block);
    text += fit_text("Gumbel", tail.gumbel) + fit_text("GEV", tail.extreme_value);
    text += "  A run is estimated to exceed, with probability\n";
    text += fmt::format("  {:<10}{:>12}{:>12}\n", "", "Gumbel", "GEV");
    for (const TailLevel& level : tail.levels) {
        text += fmt::format("  {:<10}{:>12.1f}{:>12.1f}\n", fmt::format("{:.0e}", level.probability),
                            level.gumbel, level.extreme_value);
    }
    return text +
           "  These are estimates for runs with random choices. A scheduler does not choose at random, and "
           "the\n"
           "  longest possible run may lie far beyond: 'worst' searches and bounds it.\n" +
           certified;
}

}  // namespace warpnet::cli
