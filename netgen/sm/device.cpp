#include "netgen/sm/device.hpp"

#include "engine/base/round_up.hpp"
#include "engine/net/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpnet::netgen {

SmWaves waves_of_busiest_sm(const SmDevice& device, const KernelProfile& kernel) {
    const std::int64_t resident = resident_blocks(device, kernel);
    const std::int64_t wave = device.sms * resident;
    SmWaves waves;
    waves.full = kernel.blocks / wave;
    const std::int64_t rest = kernel.blocks % wave;
    waves.last = divided_up(rest, device.sms);
    if (rest > 0) waves.last_sms = static_cast<double>(rest) / static_cast<double>(waves.last);
    return waves;
}

std::int64_t resident_blocks(const SmDevice& device, const KernelProfile& kernel) {
    try {
        return resident_blocks(device.limits, {kernel.threads, kernel.registers, kernel.shared_bytes});
    } catch (const InputError& error) {
        throw InputError(fmt::format("{} on {}: {}", kernel.name, device.name, error.what()));
    }
}

std::int64_t blocks_of_busiest_sm(const SmDevice& device, const KernelProfile& kernel) {
    return divided_up(kernel.blocks, device.sms);
}

std::int64_t active_sms(const SmDevice& device, const KernelProfile& kernel) {
    return std::min(device.sms, kernel.blocks);
}

}  // namespace warpnet::netgen
