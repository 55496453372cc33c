// Counts and averages of a kernel, in the groups of classes for scripts, and the whole report as JSON.
//
// Groups are sums of classes and a class is in one group, so that the groups add up to the total. Averages
// follow from bytes if no address is known. A warp moves 32 times the bytes of a thread, in sectors of 32
// bytes or passes of 128 bytes. At most most_listed_groups groups of warps are written, because a launch can
// have as many groups as warps. O(classes + loops + blocks + groups).

#include "netgen/code/ptx/report.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include <nlohmann/json.hpp>

namespace warpnet::netgen {

std::int64_t PtxCounts::total() const {
    return std::accumulate(by_class.begin(), by_class.end(), std::int64_t{0});
}

std::int64_t PtxCounts::of(std::string_view group) const {
    const std::vector<PtxGroup> groups = ptx_groups(*this);
    const auto found =
        std::find_if(groups.begin(), groups.end(), [&](const PtxGroup& own) { return own.name == group; });
    return found == groups.end() ? 0 : found->count;
}

std::vector<PtxGroup> ptx_groups(const PtxCounts& counts) {
    using enum PtxClass;
    std::vector<PtxGroup> groups = {
        {"arith", {integer, multiply, divide, logic, shift, compare, move, convert, vote, float32, float16}},
        {"shared", {shared_load, shared_store, shared_atomic}},
        {"global", {global_load, global_store, global_atomic, async_copy}},
        {"special", {special}},
        {"double", {double_}},
        {"barrier", {barrier, warp_barrier}},
        {"local", {local_load, local_store}},
        {"constant", {constant_load, param_load, param_store}},
        {"control", {branch, call, leave, skipped}}};
    for (const PtxClass alone : {tensor, texture, shuffle, fence, other, unknown})
        groups.push_back({to_string(alone), {alone}});
    for (PtxGroup& group : groups)
        for (const PtxClass own : group.classes) group.count += counts[own];
    return groups;
}

WarpCounts ptx_warp_counts(const PtxCounts& counts) {
    WarpCounts result;
    for (std::size_t c = 0; c < ptx_class_count; ++c) {
        const PtxMemory memory = ptx_memory(static_cast<PtxClass>(c));
        (memory == PtxMemory::shared ? result.shared
         : memory == PtxMemory::dram ? result.global
                                     : result.arith) += counts.by_class[c];
    }
    return result;
}

PtxMix PtxExecution::averages() const {
    if (mix) return *mix;
    PtxMix whole;
    for (std::size_t c = 0; c < ptx_class_count; ++c)
        whole.by_class[c] = static_cast<double>(counts.by_class[c]);
    using enum AccessKind;
    const auto as_double = [](std::int64_t number) { return static_cast<double>(number); };
    const auto count = [&](PtxClass c) { return as_double(counts[c]); };
    for (const AccessKind kind : access_kinds) whole.bytes[kind] = as_double(bytes[kind]);
    const ByAccess<double> plain = {count(PtxClass::global_load), count(PtxClass::global_store),
                                    count(PtxClass::shared_load), count(PtxClass::shared_store)};
    whole.requests = plain;
    whole.requests[global_load] += count(PtxClass::async_copy) + count(PtxClass::texture);
    whole.requests[global_store] += count(PtxClass::global_atomic);
    whole.requests[shared_load] += count(PtxClass::shared_atomic);
    for (const AccessKind kind : access_kinds) {
        // A warp moves 32 times the bytes of a thread: in sectors of 32 bytes, or in passes of 128.
        const double transactions = whole.bytes[kind] / (is_global(kind) ? 1 : 4);
        // Requests without a width count as those that have one.
        if (plain[kind] > 0)
            whole.transactions[kind] =
                std::max(transactions, plain[kind]) * (whole.requests[kind] / plain[kind]);
        if (is_global(kind)) whole.dense_sectors[kind] = whole.transactions[kind];
    }
    whole.dram_sectors = whole.transactions[global_load];
    whole.wide_conversions = static_cast<double>(wide_conversions);
    whole.integer_conversions = static_cast<double>(integer_conversions);
    return whole;
}

std::optional<double> transactions_of(const PtxExecution& profile, AccessKind kind) {
    const PtxMix mix = profile.averages();
    const double accesses = mix.requests[kind];
    return accesses > 0 ? std::optional(mix.transactions[kind] / accesses) : std::nullopt;
}

namespace {

using nlohmann::ordered_json;

ordered_json counts_json(const PtxCounts& counts) {
    ordered_json object;
    for (const PtxGroup& group : ptx_groups(counts)) object[std::string(group.name)] = group.count;
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
        if (!loop.source_loop.empty()) array.back()["source_loop"] = loop.source_loop;
        if (loop.factor > 1) array.back()["iterations_per_trip"] = loop.factor;
        if (loop.remainder) array.back()["remainder"] = true;
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
        if (block.lanes != CfgLanes::unknown) array.back()["lanes"] = to_string(block.lanes);
    }
    return array;
}

struct AccessName {
    AccessKind kind;
    std::string_view name;
};
constexpr std::array access_names = {AccessName{AccessKind::global_load, "load_sectors"},
                                     AccessName{AccessKind::global_store, "store_sectors"},
                                     AccessName{AccessKind::shared_load, "load_passes"},
                                     AccessName{AccessKind::shared_store, "store_passes"}};

ordered_json accesses_json(const PtxExecution& profile) {
    ordered_json object = ordered_json::object();
    for (const AccessName& row : access_names)
        if (const auto each = transactions_of(profile, row.kind)) object[std::string(row.name)] = *each;
    object["unknown"] = profile.unknown_accesses;
    object["needs_shape"] = profile.needs_shape;
    object["busy_warps"] = profile.busy_share;
    return object;
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

}  // namespace

nlohmann::ordered_json to_json(const PtxFileReport& file) {
    ordered_json object = {{"file", file.file},
                           {"ptx_version", file.version},
                           {"target", file.target},
                           {"paths", to_string(file.paths)},
                           {"kernels", ordered_json::array()}};
    for (const PtxKernelReport& kernel : file.kernels)
        object["kernels"].push_back(kernel_json(kernel, file.show_blocks));
    return object;
}

}  // namespace warpnet::netgen
