// The blocks that an SM holds, and the resource that limits them. netgen::resident_blocks() has the rules of
// the occupancy calculator. Registers and shared memory are judged by calling it once per resource, on an SM
// on which every other resource is plentiful.

#include "analysis/studies/predict/occupancy.hpp"

namespace warpnet::studies {

namespace {

constexpr std::int64_t plenty = std::int64_t{1} << 40;

std::optional<std::int64_t> used(std::int64_t blocks) {
    return blocks > plenty / (std::int64_t{1} << 12) ? std::nullopt : std::optional(blocks);
}

}  // namespace

std::vector<std::string_view> Occupancy::limited_by() const {
    std::vector<std::string_view> names;
    for (const Limit& limit : limits)
        if (limit.blocks && *limit.blocks <= blocks) names.push_back(limit.resource);
    return names;
}

Occupancy occupancy(const netgen::SmDevice& device, const netgen::KernelProfile& kernel) {
    const netgen::SmLimits& limits = device.limits;
    const std::int64_t warps = kernel.warps_per_block();
    Occupancy result;
    result.blocks = netgen::resident_blocks(device, kernel);
    result.warps = result.blocks * warps;
    result.warp_slots = limits.warps;
    netgen::SmLimits wide = limits;
    wide.blocks = wide.warps = plenty;
    result.limits = {{{"block slots", limits.blocks},
                      {"warps", limits.warps / warps},
                      {"registers", {}},
                      {"shared memory", {}}}};
    netgen::SmLimits other = wide;
    other.shared_bytes = other.block_shared_bytes = plenty;
    result.limits[2].blocks = used(netgen::resident_blocks(other, {kernel.threads, kernel.registers, 0}));
    if (kernel.shared_bytes > 0)
        result.limits[3].blocks =
            used(netgen::resident_blocks(wide, {kernel.threads, 0, kernel.shared_bytes}));
    return result;
}

}  // namespace warpnet::studies
