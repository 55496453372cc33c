#include "analysis/worst/bounds/grid_schedule.hpp"
#include "cli/commands/worst.hpp"
#include "engine/run/replay.hpp"

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

/// A schedule of more firings is not made: it would take gigabytes.
constexpr std::uint64_t most_firings = 50'000'000;

}  // namespace

std::optional<WarpsSpec> recognise_grid(const Net& net) {
    std::optional<WarpsSpec> spec = recognise_warps(net);
    if (spec && (spec->published || (spec->sms == 1 && spec->blocks <= 1))) spec.reset();
    return spec;
}

WorstReport worst_of_grid(const WorstOptions& options, const WarpsSpec& spec, const Net& net,
                          const Interrupt& interrupt, Team& team) {
    const Net block = warps_net(one_block(spec));
    WorstReport report = worst_of_net(options, block, interrupt, team);
    if (team.rank() > 0) return report;
    const auto whole = [&](std::uint64_t steps) {
        return static_cast<std::uint64_t>(grid_steps(spec, static_cast<Tokens>(steps)));
    };
    const std::string lift = fmt::format(
        "one block: {{}}; {} blocks on {} SMs take {} rounds, with a step for each dispatch, whatever their "
        "order",
        spec.blocks == 0 ? spec.sms : static_cast<std::size_t>(spec.blocks), spec.sms,
        (spec.blocks == 0 ? 0 : (static_cast<std::size_t>(spec.blocks) - 1) / spec.sms) + 1);
    for (StepBound& bound : report.bounds) {
        bound.steps = whole(bound.steps);
        bound.argument = fmt::format(fmt::runtime(lift), bound.argument);
    }
    for (std::string& argument : report.arguments) argument = fmt::format(fmt::runtime(lift), argument);
    for (auto& [start, steps] : report.start_values) steps = whole(steps);
    for (LogRow& row : report.log) row.value = whole(row.value);
    if (report.bound) report.bound = whole(*report.bound);
    if (!report.found) return report;
    report.method += ", of one block; the grid repeats it on every SM";
    const std::optional<std::uint64_t> found = report.found;
    report.found = whole(*found);
    if (!report.has_schedule()) {
        report.replayed = false;
    } else if (grid_firings(spec, report.schedule) <= most_firings) {
        report.schedule = grid_schedule(spec, net, block, report.schedule);
    } else {
        report.replayed = replay_witness(block, report.schedule, *found, limits_of(options, interrupt));
        report.schedule.clear();
        report.witness_of_part = true;
    }
    return report;
}

}  // namespace warpnet::cli
