// The text of `ptx`: counts by unit, loops with their trips, open branches and accesses. It also shows the
// arguments of `generate warps` for the same kernel.
//
// Rows for kinds of access come from one table. Warps that execute different instructions are grouped, and
// eight groups are listed, because a launch can have as many groups as warps. Counts that are upper bounds
// have "at most" in front of them.

#include "cli/report/texts.hpp"
#include "engine/base/text.hpp"
#include "netgen/code/ptx/kernel_profile_from_ptx.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

struct AccessRow {
    netgen::AccessKind kind;
    std::string_view text, unit;
};
constexpr std::array access_rows = {
    AccessRow{netgen::AccessKind::global_load, "of a global load", "sector"},
    AccessRow{netgen::AccessKind::global_store, "of a global store", "sector"},
    AccessRow{netgen::AccessKind::shared_load, "of a shared load", "pass"},
    AccessRow{netgen::AccessKind::shared_store, "of a shared store", "pass"},
};

std::string accesses_text(const netgen::PtxExecution& profile, bool warps_listed) {
    std::string text;
    for (const AccessRow& row : access_rows)
        if (const auto each = netgen::transactions_of(profile, row.kind))
            text += fmt::format("{}{:.4g} {}{} {}", text.empty() ? "" : ", ", *each, row.unit,
                                *each == 1                ? ""
                                : row.unit.ends_with('s') ? "es"
                                                          : "s",
                                row.text);
    if (text.empty()) return "";
    text = fmt::format("  accesses  {}\n", text);
    if (!profile.unknown_accesses.empty()) {
        text += fmt::format("            taken as neighbouring words: line {}{}\n",
                            netgen::ptx_lines(profile.unknown_accesses),
                            profile.needs_shape ? " (--block X,Y gives the shape)" : "");
    }
    if (profile.busy_share < 1 && !warps_listed)
        text +=
            fmt::format("  warps     the mean warp executes {:.3g} times the instructions of the busiest\n",
                        profile.busy_share);
    return text;
}

std::string instructions_text(std::int64_t count) {
    return amount(static_cast<std::uint64_t>(count), "instruction");
}

/// "200,50,20": the format of `generate warps --warp`.
std::string warp_text(const netgen::PtxCounts& counts) {
    const netgen::WarpCounts warp = netgen::ptx_warp_counts(counts);
    return fmt::format("{},{},{}", warp.arith, warp.shared, warp.global);
}

/// The groups of a launch whose warps do not all execute the same instructions.
std::string groups_text(const std::vector<netgen::PtxWarpGroup>& groups) {
    constexpr std::size_t most = 8;
    std::string text;
    if (groups.size() < 2) return text;
    double warps = 0;
    double instructions = 0;
    for (const netgen::PtxWarpGroup& group : groups) {
        warps += static_cast<double>(group.warps);
        instructions += static_cast<double>(group.warps) * static_cast<double>(group.counts.total());
    }
    const bool exact = std::all_of(groups.begin(), groups.end(),
                                   [](const netgen::PtxWarpGroup& group) { return group.exact; });
    text += fmt::format("  warps     {} of {} kinds, {}{:.6g} instructions on average\n", warps,
                        groups.size(), exact ? "" : "at most ", instructions / warps);
    for (std::size_t g = 0; g < std::min(most, groups.size()); ++g) {
        text += fmt::format("            {} of {}{}: --warp {}\n", groups[g].warps,
                            groups[g].exact ? "" : "at most ", instructions_text(groups[g].counts.total()),
                            warp_text(groups[g].counts));
    }
    if (groups.size() > most)
        text +=
            fmt::format("            and {} kinds with fewer (--json lists them)\n", groups.size() - most);
    return text;
}

/// "integer 20, float32 64": the classes of a group that occur; empty if the group has only one class.
std::string parts_text(const netgen::PtxCounts& counts, const netgen::PtxGroup& group) {
    std::string text;
    if (group.classes.size() == 1) return text;
    for (const netgen::PtxClass c : group.classes)
        if (counts[c] != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(c), counts[c]);
    return text;
}

std::string loop_text(const netgen::PtxLoopReport& loop, const std::string& kernel) {
    std::string trips =
        loop.trips ? amount(static_cast<std::uint64_t>(*loop.trips), "trip") : "unknown trips, counted once";
    if (loop.source == netgen::PtxTripSource::proved) trips += ", proved";
    if (loop.source == netgen::PtxTripSource::proved_at_most)
        trips = (loop.least ? fmt::format("{} to ", *loop.least) : "at most ") + trips + ", proved";
    if (loop.factor > 1)
        trips += fmt::format(", {} iterations of source loop {} each", loop.factor, loop.source_loop);
    if (loop.remainder) trips += fmt::format(", the rest of source loop {}", loop.source_loop);
    return fmt::format("  loop {:<16} line {}, depth {}: {}{}\n", loop.label, loop.line, loop.depth, trips,
                       loop.function == kernel ? "" : fmt::format(" (in {})", loop.function));
}

std::string blocks_text(const netgen::PtxReport& report) {
    const bool lanes = std::any_of(
        report.blocks.begin(), report.blocks.end(),
        [](const netgen::PtxBlockReport& block) { return block.lanes != netgen::CfgLanes::unknown; });
    std::string text = fmt::format("  block   line  instructions  executions  next          {}label\n",
                                   lanes ? "lanes      " : "");
    for (const netgen::PtxBlockReport& block : report.blocks) {
        std::string line = fmt::format(
            "  {:<6} {:>5}  {:>12}  {:>10}  {:<12}  {}{}", block.id, block.line, block.instructions,
            report.profile.averaged ? fmt::format("{:.4g}", block.average)
                                    : fmt::format("{}", block.executions),
            fmt::format("{}", fmt::join(block.successors, " ")),
            lanes ? fmt::format("{:<9}  ", to_string(block.lanes)) : "", block.label);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

std::string sides_text(const netgen::PtxReport& report, netgen::PtxPaths paths) {
    constexpr std::size_t most_named = 4;
    if (paths == netgen::PtxPaths::longest) return "longest path";
    const std::vector<std::string>& open = report.profile.both_sides;
    std::string text = report.profile.averaged ? "branches by their shares, rounded" : "";
    if (open.empty()) return text.empty() ? "no branch left open" : text;
    if (!text.empty()) text += "; ";
    if (open.size() > most_named)
        return fmt::format("{}both sides of the branches to {} labels (--json names them)", text,
                           open.size());
    return fmt::format("{}both sides of the {} to {}", text, open.size() == 1 ? "branch" : "branches",
                       fmt::join(open, ", "));
}

std::string kernel_text(const netgen::PtxKernelReport& kernel, netgen::PtxPaths paths, bool show_blocks) {
    const netgen::PtxReport& report = kernel.report;
    const netgen::PtxExecution& profile = report.profile;
    std::string text = fmt::format("{}: {} of a warp, {}\n", profile.kernel,
                                   instructions_text(profile.counts.total()), sides_text(report, paths));
    for (const netgen::PtxGroup& group : netgen::ptx_groups(profile.counts)) {
        if (group.count == 0) continue;
        const std::string parts = parts_text(profile.counts, group);
        text +=
            fmt::format("  {:<9} {:>10}{}{}\n", group.name, group.count, parts.empty() ? "" : "   ", parts);
    }
    for (const netgen::PtxLoopReport& loop : report.loops) text += loop_text(loop, profile.kernel);
    text += fmt::format("  string    {}\n", report.formula);
    if (kernel.until) text += fmt::format("  until     {}\n", *kernel.until);
    if (kernel.expanded) text += fmt::format("  expanded  {}\n", *kernel.expanded);
    const netgen::WarpCounts warps = netgen::ptx_warp_counts(profile.counts);
    text += fmt::format("  as warps  --arith {} --shared {} --global {}\n", warps.arith, warps.shared,
                        warps.global);
    text += groups_text(report.groups);
    text += accesses_text(profile, report.groups.size() > 1);
    if (profile.static_shared_bytes > 0)
        text += fmt::format("  shared memory of a block: {} bytes, plus the dynamic part of the launch\n",
                            profile.static_shared_bytes);
    if (report.unreachable_instructions > 0)
        text += fmt::format("  {} cannot be reached and {} not count\n",
                            instructions_text(report.unreachable_instructions),
                            report.unreachable_instructions == 1 ? "does" : "do");
    return show_blocks ? text + blocks_text(report) : text;
}

}  // namespace

std::string ptx_text(const netgen::PtxFileReport& file) {
    std::string text;
    for (const netgen::PtxKernelReport& kernel : file.kernels) {
        if (!text.empty()) text += '\n';
        text += kernel_text(kernel, file.paths, file.show_blocks);
    }
    return text;
}

}  // namespace warpnet::cli
