#include "cli/report/ptx_report.hpp"

#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"
#include "netgen/code/ptx/kernel_profile_from_ptx.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

using nlohmann::ordered_json;

struct Group {
    std::string_view name;
    std::int64_t count;
    std::vector<PtxClass> classes;
};

/// The classes of scripts (CLI.md), which add up to the total, and what each is made of.
std::vector<Group> groups_of(const PtxCounts& counts) {
    using enum PtxClass;
    std::vector<Group> groups = {
        {"arith",
         counts.arith(),
         {integer, multiply, divide, logic, shift, compare, move, convert, vote, float32, float16}},
        {"shared", counts.shared(), {shared_load, shared_store, shared_atomic}},
        {"global", counts.global(), {global_load, global_store, global_atomic, async_copy}},
        {"special", counts[special], {}},
        {"double", counts[double_], {}},
        {"barrier", counts.barriers(), {barrier, warp_barrier}},
        {"local", counts.local(), {local_load, local_store}},
        {"constant", counts.constant(), {constant_load, param_load, param_store}},
        {"control", counts.control(), {branch, call, leave}}};
    for (const PtxClass alone : {tensor, texture, shuffle, fence, other, unknown})
        groups.push_back({to_string(alone), counts[alone], {}});
    return groups;
}

ordered_json counts_json(const PtxCounts& counts) {
    ordered_json object;
    for (const Group& group : groups_of(counts)) object[std::string(group.name)] = group.count;
    object["total"] = counts.total();
    return object;
}

ordered_json classes_json(const PtxCounts& counts) {
    ordered_json object = ordered_json::object();
    for (std::size_t c = 0; c < ptx_class_count; ++c)
        if (counts.by_class[c] != 0) object[std::string(to_string(PtxClass(c)))] = counts.by_class[c];
    return object;
}

ordered_json loops_json(const PtxReport& report) {
    ordered_json array = ordered_json::array();
    for (const PtxLoopReport& loop : report.loops) {
        array.push_back({{"label", loop.label},
                         {"depth", loop.depth},
                         {"trips", loop.trips ? ordered_json(*loop.trips) : ordered_json()},
                         {"source", to_string(loop.source)},
                         {"line", loop.line},
                         {"function", loop.function},
                         {"nounroll", loop.nounroll}});
        if (loop.least) array.back()["least"] = *loop.least;
        if (!loop.needs.empty()) array.back()["needs"] = loop.needs;
    }
    return array;
}

ordered_json blocks_json(const PtxReport& report) {
    ordered_json array = ordered_json::array();
    for (const PtxBlockReport& block : report.blocks) {
        array.push_back({{"id", block.id},
                         {"label", block.label},
                         {"line", block.line},
                         {"instructions", block.instructions},
                         {"executions", block.executions},
                         {"successors", block.successors}});
        if (report.profile.averaged) array.back()["average"] = block.average;
    }
    return array;
}

struct AccessRow {
    AccessKind kind;
    std::string_view name;
    std::string_view text, unit;
};
constexpr std::array access_rows = {
    AccessRow{AccessKind::global_load, "load_sectors", "of a global load", "sector"},
    AccessRow{AccessKind::global_store, "store_sectors", "of a global store", "sector"},
    AccessRow{AccessKind::shared_load, "load_passes", "of a shared load", "pass"},
    AccessRow{AccessKind::shared_store, "store_passes", "of a shared store", "pass"},
};

/// Transactions of one access of a kind; nothing where there is none.
std::optional<double> transactions_of(const PtxExecution& profile, AccessKind kind) {
    const PtxMix mix = profile.averages();
    const double accesses = mix.requests[kind];
    return accesses > 0 ? std::optional(mix.transactions[kind] / accesses) : std::nullopt;
}

ordered_json accesses_json(const PtxExecution& profile) {
    ordered_json object = ordered_json::object();
    for (const AccessRow& row : access_rows)
        if (const auto each = transactions_of(profile, row.kind)) object[std::string(row.name)] = *each;
    object["unknown"] = profile.unknown_accesses;
    object["needs_shape"] = profile.needs_shape;
    object["busy_warps"] = profile.busy_share;
    return object;
}

std::string accesses_text(const PtxExecution& profile, bool warps_listed) {
    std::string text;
    for (const AccessRow& row : access_rows)
        if (const auto each = transactions_of(profile, row.kind))
            text += fmt::format("{}{:.4g} {}{} {}", text.empty() ? "" : ", ", *each, row.unit,
                                *each == 1                ? ""
                                : row.unit.ends_with('s') ? "es"
                                                          : "s",
                                row.text);
    if (text.empty()) return "";
    text = fmt::format("  accesses  {}\n", text);
    if (!profile.unknown_accesses.empty()) {
        text += fmt::format("            taken as neighbouring words: line {}{}\n",
                            ptx_lines(profile.unknown_accesses),
                            profile.needs_shape ? " (--block X,Y gives the shape)" : "");
    }
    if (profile.busy_share < 1 && !warps_listed)
        text += fmt::format("  warps     the mean executes {:.3g} of what the busiest does\n",
                            profile.busy_share);
    return text;
}

std::string instructions_text(std::int64_t count) {
    return plural(static_cast<std::uint64_t>(count), "instruction");
}

/// "200,50,20": as `generate warps --warp` takes it.
std::string warp_text(const PtxCounts& counts) {
    const WarpCounts warp = ptx_warp_counts(counts);
    return fmt::format("{},{},{}", warp.arith, warp.shared, warp.global);
}

/// The warps of a launch that do not all execute the same.
std::string groups_text(const std::vector<PtxWarpGroup>& groups) {
    constexpr std::size_t most = 8;
    std::string text;
    if (groups.size() < 2) return text;
    double warps = 0;
    double instructions = 0;
    for (const PtxWarpGroup& group : groups) {
        warps += static_cast<double>(group.warps);
        instructions += static_cast<double>(group.warps) * static_cast<double>(group.counts.total());
    }
    const bool exact =
        std::all_of(groups.begin(), groups.end(), [](const PtxWarpGroup& group) { return group.exact; });
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

constexpr std::size_t most_listed_groups = 1000;  // in JSON

ordered_json groups_json(const std::vector<PtxWarpGroup>& groups) {
    ordered_json array = ordered_json::array();
    for (const PtxWarpGroup& group : std::span(groups).first(std::min(most_listed_groups, groups.size()))) {
        const WarpCounts warp = ptx_warp_counts(group.counts);
        array.push_back({{"warps", group.warps},
                         {"exact", group.exact},
                         {"instructions", group.counts.total()},
                         {"arith", warp.arith},
                         {"shared", warp.shared},
                         {"global", warp.global}});
    }
    return array;
}

ordered_json kernel_json(const PtxKernelReport& kernel, bool show_blocks) {
    const PtxReport& report = kernel.report;
    const PtxExecution& profile = report.profile;
    const WarpCounts warps = ptx_warp_counts(profile.counts);
    ordered_json object = {
        {"name", profile.kernel},
        {"counts", counts_json(profile.counts)},
        {"string", profile.string},
        {"loops", loops_json(report)},
        {"complete", report.complete()},
        {"classes", classes_json(profile.counts)},
        {"formula", report.formula},
        {"warps", {{"arith", warps.arith}, {"shared", warps.shared}, {"global", warps.global}}},
        {"bytes",
         {{"global_load", profile.bytes[AccessKind::global_load]},
          {"global_store", profile.bytes[AccessKind::global_store]},
          {"shared_load", profile.bytes[AccessKind::shared_load]},
          {"shared_store", profile.bytes[AccessKind::shared_store]}}},
        {"static_shared_bytes", profile.static_shared_bytes},
        {"max_threads", profile.max_threads},
        {"min_blocks", profile.min_blocks},
        {"unresolved_generic", profile.unresolved_generic},
        {"unknown_opcodes", profile.unknown_opcodes},
        {"unsized_operations", profile.unsized_operations},
        {"unknown_modifiers", profile.unknown_modifiers},
        {"undeclared_names", profile.undeclared_names},
        {"both_sides", profile.both_sides},
        {"accesses", accesses_json(profile)},
        {"not_in_file", report.not_in_file},
        {"unreachable_instructions", report.unreachable_instructions}};
    if (!report.groups.empty()) object["launch_warps"] = groups_json(report.groups);
    if (report.groups.size() > most_listed_groups)
        object["launch_groups_left_out"] = report.groups.size() - most_listed_groups;
    if (kernel.until) object["until"] = *kernel.until;
    if (kernel.expanded) object["expanded"] = *kernel.expanded;
    if (show_blocks) object["blocks"] = blocks_json(report);
    return object;
}

/// "integer 20, float32 64": the classes of a group that occur; empty where the group is one class.
std::string parts_text(const PtxCounts& counts, const Group& group) {
    std::string text;
    for (const PtxClass c : group.classes)
        if (counts[c] != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(c), counts[c]);
    return text;
}

std::string loop_text(const PtxLoopReport& loop, const std::string& kernel) {
    std::string trips = loop.trips ? plural(static_cast<std::uint64_t>(*loop.trips), "trip")
                                   : "trips not known, counted once";
    if (loop.source == PtxTripSource::proved) trips += ", proved";
    if (loop.source == PtxTripSource::proved_at_most)
        trips = (loop.least ? fmt::format("{} to ", *loop.least) : "at most ") + trips + ", proved";
    return fmt::format("  loop {:<16} line {}, depth {}: {}{}\n", loop.label, loop.line, loop.depth, trips,
                       loop.function == kernel ? "" : fmt::format(" (in {})", loop.function));
}

std::string blocks_text(const PtxReport& report) {
    std::string text = "  block   line  instructions  executions  next          label\n";
    for (const PtxBlockReport& block : report.blocks) {
        std::string line =
            fmt::format("  {:<6} {:>5}  {:>12}  {:>10}  {:<12}  {}", block.id, block.line, block.instructions,
                        report.profile.averaged ? fmt::format("{:.4g}", block.average)
                                                : fmt::format("{}", block.executions),
                        fmt::format("{}", fmt::join(block.successors, " ")), block.label);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

std::string sides_text(const PtxReport& report, PtxPaths paths) {
    constexpr std::size_t most_named = 4;
    if (paths == PtxPaths::longest) return "longest path";
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

std::string kernel_text(const PtxKernelReport& kernel, PtxPaths paths, bool show_blocks) {
    const PtxReport& report = kernel.report;
    const PtxExecution& profile = report.profile;
    std::string text = fmt::format("{}: {} of a warp, {}\n", profile.kernel,
                                   instructions_text(profile.counts.total()), sides_text(report, paths));
    for (const Group& group : groups_of(profile.counts)) {
        if (group.count == 0) continue;
        const std::string parts = parts_text(profile.counts, group);
        text +=
            fmt::format("  {:<9} {:>10}{}{}\n", group.name, group.count, parts.empty() ? "" : "   ", parts);
    }
    for (const PtxLoopReport& loop : report.loops) text += loop_text(loop, profile.kernel);
    text += fmt::format("  string    {}\n", report.formula);
    if (kernel.until) text += fmt::format("  until     {}\n", *kernel.until);
    if (kernel.expanded) text += fmt::format("  expanded  {}\n", *kernel.expanded);
    const WarpCounts warps = ptx_warp_counts(profile.counts);
    text += fmt::format("  as warps  --arith {} --shared {} --global {}\n", warps.arith, warps.shared,
                        warps.global);
    text += groups_text(report.groups);
    text += accesses_text(profile, report.groups.size() > 1);
    if (profile.static_shared_bytes > 0)
        text += fmt::format("  shared memory of a block: {} bytes, and what is asked for at launch\n",
                            profile.static_shared_bytes);
    if (report.unreachable_instructions > 0)
        text += fmt::format("  {} cannot be reached and {} not count\n",
                            instructions_text(report.unreachable_instructions),
                            report.unreachable_instructions == 1 ? "does" : "do");
    return show_blocks ? text + blocks_text(report) : text;
}

}  // namespace

std::string ptx_json(const PtxFileReport& file) {
    ordered_json object = {{"file", file.file},
                           {"version", file.version},
                           {"target", file.target},
                           {"paths", to_string(file.paths)},
                           {"kernels", ordered_json::array()}};
    for (const PtxKernelReport& kernel : file.kernels)
        object["kernels"].push_back(kernel_json(kernel, file.show_blocks));
    return json_text(object) + "\n";
}

std::string ptx_text(const PtxFileReport& file) {
    std::string text;
    for (const PtxKernelReport& kernel : file.kernels) {
        if (!text.empty()) text += '\n';
        text += kernel_text(kernel, file.paths, file.show_blocks);
    }
    return text;
}

}  // namespace warpnet::cli
