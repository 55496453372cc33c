#pragma once

#include <algorithm>
#include <climits>
#include <map>
#include <string>

namespace warpnet::testing {

/// The slow twin of resident_blocks(): NVIDIA's occupancy calculation by its published formulas, with the
/// properties that deviceQuery prints. It shares nothing with the library.
struct DeviceQuery {
    int max_threads_per_multiprocessor;
    int max_blocks_per_multiprocessor;
    int regs_per_block;
    int regs_per_multiprocessor;
    int shared_mem_per_block_optin;
    int shared_mem_per_multiprocessor;
    int reserved_shared_mem_per_block;
};

inline const std::map<std::string, DeviceQuery>& device_queries() {
    static const std::map<std::string, DeviceQuery> table = {
        {"2.0", {1536, 8, 32768, 32768, 49152, 49152, 0}},
        {"2.1", {1536, 8, 32768, 32768, 49152, 49152, 0}},
        {"3.0", {2048, 16, 65536, 65536, 49152, 49152, 0}},
        {"3.2", {2048, 16, 32768, 65536, 49152, 49152, 0}},
        {"3.5", {2048, 16, 65536, 65536, 49152, 49152, 0}},
        {"3.7", {2048, 16, 65536, 131072, 49152, 114688, 0}},
        {"5.0", {2048, 32, 65536, 65536, 49152, 65536, 0}},
        {"5.2", {2048, 32, 65536, 65536, 49152, 98304, 0}},
        {"5.3", {2048, 32, 32768, 65536, 49152, 65536, 0}},
        {"6.0", {2048, 32, 65536, 65536, 49152, 65536, 0}},
        {"6.1", {2048, 32, 65536, 65536, 49152, 98304, 0}},
        {"6.2", {2048, 32, 32768, 65536, 49152, 65536, 0}},
        {"7.0", {2048, 32, 65536, 65536, 98304, 98304, 0}},
        {"7.2", {2048, 32, 65536, 65536, 98304, 98304, 0}},
        {"7.5", {1024, 16, 65536, 65536, 65536, 65536, 0}},
        {"8.0", {2048, 32, 65536, 65536, 166912, 167936, 1024}},
        {"8.6", {1536, 16, 65536, 65536, 101376, 102400, 1024}},
        {"8.7", {1536, 16, 65536, 65536, 166912, 167936, 1024}},
        {"8.9", {1536, 24, 65536, 65536, 101376, 102400, 1024}},
        {"9.0", {2048, 32, 65536, 65536, 232448, 233472, 1024}},
        {"10.0", {2048, 32, 65536, 65536, 232448, 233472, 1024}},
        {"10.3", {2048, 32, 65536, 65536, 232448, 233472, 1024}},
        {"11.0", {1536, 24, 65536, 65536, 232448, 233472, 1024}},
        {"12.0", {1536, 24, 65536, 65536, 101376, 102400, 1024}},
        {"12.1", {1536, 24, 65536, 65536, 101376, 102400, 1024}},
    };
    return table;
}

/// Active blocks per multiprocessor; 0: the launch fails. Caching in half SMs is off.
inline int active_blocks(const std::string& compute_capability, int threads, int registers, int shared) {
    const DeviceQuery& query = device_queries().at(compute_capability);
    const int major = std::stoi(compute_capability);
    const auto ceiling = [](int value, int unit) { return unit * ((value + unit - 1) / unit); };
    if (threads > 1024) return 0;
    const int warps = ceiling(threads, 32) / 32;
    const int by_warps = query.max_threads_per_multiprocessor / 32 / warps;

    // Shared memory: static, dynamic and reserved bytes, in units.
    const int shared_unit = major == 2 || major >= 8 ? 128 : 256;
    const int allocated = ceiling(shared + query.reserved_shared_mem_per_block, shared_unit);
    if (allocated > query.shared_mem_per_block_optin + query.reserved_shared_mem_per_block) return 0;
    const int by_shared = allocated == 0 ? INT_MAX : query.shared_mem_per_multiprocessor / allocated;

    // Registers, per warp and from the sub-partition of the warp. GP100 has two sub-partitions, but runs only
    // launches that fit on other Pascal GPUs.
    const bool gp100 = compute_capability == "6.0";
    const int most_registers = major == 2 || compute_capability == "3.0" ? 63 : 255;
    if (registers > most_registers) return 0;
    int register_unit = 256;
    if (major == 2) {
        register_unit = 64;
        for (const int special : {21, 22, 29, 30, 37, 38, 45, 46})
            if (registers == special) register_unit = 128;
    }
    const int per_warp = ceiling(registers * 32, register_unit);
    const auto by_partitions = [&](int partitions) {
        if (query.regs_per_block < per_warp * ceiling(warps, partitions)) return 0;
        if (per_warp == 0) return INT_MAX;
        return query.regs_per_multiprocessor / partitions / per_warp * partitions / warps;
    };
    int by_registers = by_partitions(major == 2 || gp100 ? 2 : 4);
    if (gp100 && by_partitions(4) == 0) by_registers = 0;

    return std::min(std::min(by_warps, query.max_blocks_per_multiprocessor),
                    std::min(by_shared, by_registers));
}

}  // namespace warpnet::testing
