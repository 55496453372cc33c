#include "netgen/sm/sm_device.hpp"

#include "engine/net/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpnet {

std::int64_t resident_blocks(const SmDevice& device, const KernelProfile& kernel) {
    const std::int64_t warps = kernel.warps_per_block();
    std::int64_t blocks = std::min(device.max_blocks, device.max_warps / warps);
    if (kernel.registers > 0) {
        const std::int64_t per_warp = (kernel.registers * 32 + 255) / 256 * 256;
        blocks = std::min(blocks, device.registers / per_warp / warps);
    }
    if (kernel.shared_bytes > 0) blocks = std::min(blocks, device.shared_bytes / kernel.shared_bytes);
    if (blocks < 1) {
        throw InputError(
            fmt::format("{}: a block of {} threads, {} registers a thread and {} bytes of shared memory does "
                        "not fit on an "
                        "SM of {} ({} warps, {} registers, {} bytes)",
                        kernel.name, kernel.threads, kernel.registers, kernel.shared_bytes, device.name,
                        device.max_warps, device.registers, device.shared_bytes));
    }
    return blocks;
}

std::int64_t blocks_of_busiest_sm(const SmDevice& device, const KernelProfile& kernel) {
    return (kernel.blocks + device.sms - 1) / device.sms;
}

std::int64_t active_sms(const SmDevice& device, const KernelProfile& kernel) {
    return std::min(device.sms, kernel.blocks);
}

double issue_slots(const SmDevice& device, const KernelProfile& kernel) {
    return device.issue > 1 ? 1 - std::clamp(kernel.dual_issue, 0.0, 0.5) : 1;
}

double scatter_factor(const SmDevice& device, const MemoryRequests& requests) {
    return requests.sectors > device.scatter_sectors ? device.scatter_cost : 1;
}

double dram_sectors_per_cycle(const SmDevice& device, const KernelProfile& kernel) {
    const double bytes_per_cycle = device.dram_gbs * device.dram_efficiency * 1000 / device.clock_mhz;
    return bytes_per_cycle / 32 / static_cast<double>(active_sms(device, kernel));
}

}  // namespace warpnet
