// Launches in the terms of the models: blocks on the busiest SM, and counts of a warp in the three classes of
// the family `warps`. Everything that is neither shared nor global memory counts as arithmetic. The same
// texts are parsed for flags and for Python.

#include "netgen/code/launch.hpp"

#include "engine/base/text.hpp"
#include "engine/input/flag_items.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/kernel_metrics.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warpnet::netgen {

LaunchOnSm launch_on_sm(const KernelProfile& kernel, const SmDevice& device) {
    const std::int64_t blocks = blocks_of_busiest_sm(device, kernel);
    return {kernel.warps_per_block(), blocks, std::min(blocks, resident_blocks(device, kernel))};
}

LaunchOnSm launch_on_sm(const KernelProfile& kernel, const DeviceInput& device) {
    if (device.given()) return launch_on_sm(kernel, device.sm());
    return {.block_warps = kernel.warps_per_block()};
}

std::array<double, 3> warp_classes(const KernelProfile& kernel) {
    const double shared = kernel.shared_loads + kernel.shared_stores;
    const double global = kernel.loads.requests + kernel.stores.requests;
    return {kernel.instructions() - shared - global, shared, global};
}

CountedKernel counted_kernel(const PtxInput& ptx, const PtxReport& report) {
    CountedKernel kernel{ptx_warp_counts(report.profile.counts), launch_profile_of(ptx, report)};
    for (const PtxCounts& warp : report.warps_of_block) kernel.block.push_back(ptx_warp_counts(warp));
    return kernel;
}

CountedKernel counted_kernel(const KernelProfile& kernel) {
    const auto [arith, shared, global] = warp_classes(kernel);
    const WarpCounts counts{std::llround(arith), std::llround(shared), std::llround(global)};
    return {counts, kernel,
            std::vector<WarpCounts>(static_cast<std::size_t>(kernel.warps_per_block()), counts)};
}

void add_warps(const CountedKernel& kernel, const LaunchOnSm& launch, WarpsSpec& spec) {
    for (std::int64_t block = 0; block < launch.resident; ++block)
        spec.warps.insert(spec.warps.end(), kernel.block.begin(), kernel.block.end());
}

void check_warps(const WarpsSpec& spec, std::size_t most_warps) {
    if (spec.sms > most_warps / spec.warps.size())
        throw UsageError("--sms", fmt::format("expected at most {} warps in all, found {} SMs of {}",
                                              most_warps, spec.sms, spec.warps.size()));
    if (std::all_of(spec.warps.begin(), spec.warps.end(),
                    [](const WarpCounts& warp) { return warp == WarpCounts(); }))
        throw UsageError(
            "--arith",
            "expected --arith, --shared or --global above 0, or else no warp has anything to do; for example "
            "--arith 20 --shared 5 --global 2");
}

WarpCounts parse_warp(const std::string& text, Tokens most) {
    std::vector<Tokens> counts;
    each_item(text, [&](const std::string& item) {
        const auto count = parse_number<std::int64_t>(item);
        counts.push_back(count && *count <= most ? *count : -1);
    });
    if (counts.size() != 3 || *std::min_element(counts.begin(), counts.end()) < 0)
        throw UsageError("--warp",
                         "expected three counts ARITH,SHARED,GLOBAL such as 200,50,20, found '" + text + "'");
    return {counts[0], counts[1], counts[2]};
}

void add_field(const std::string& flag, const std::string& field, double value, ProfileFields& fields) {
    require_once(
        std::none_of(fields.begin(), fields.end(), [&](const auto& before) { return before.first == field; }),
        flag, field);
    fields.emplace_back(field, value);
}

/// A misspelt name gets the nearest name as a suggestion; for any other name the next step is the list.
std::string unknown_count(const std::string& item) {
    const std::size_t equals = item.find('=');
    const std::string name = item.substr(0, equals);
    const std::string expected = equals == std::string::npos || equals == 0
                                     ? "expected NAME=VALUE such as fp32=40"
                                     : "expected the name of a count";
    if (parse_number<std::int64_t>(name))
        return fmt::format("{}, found '{}'; write a number without commas", expected, item);
    const std::string nearest = most_similar(name, profile_fields());
    return fmt::format(
        "{}, found '{}'; {}", expected, equals == 0 ? item : name,
        nearest.empty() ? "'warpnet compare --columns' lists the names" : "did you mean " + nearest + "?");
}

void parse_counts(const std::string& text, ProfileFields& fields) {
    each_item(text, [&](const std::string& item) {
        KernelProfile scratch;
        if (item.find('=') == std::string::npos && set_profile_field(scratch, item, 1))
            throw UsageError("--counts", fmt::format("'{}' has no value; write {}=40", item, item));
        const NamedItem field(item);
        if (!set_profile_field(scratch, field.name, 1)) throw UsageError("--counts", unknown_count(item));
        try {
            add_field("--counts", field.name, profile_number(field.name, field.value, field.name), fields);
        } catch (const InputError& error) {
            throw UsageError("--counts", error.what());
        }
    });
}

}  // namespace warpnet::netgen
