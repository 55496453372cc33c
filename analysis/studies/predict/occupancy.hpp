#pragma once

#include "netgen/sm/device.hpp"
#include "netgen/sm/kernel_profile.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpnet::studies {

/// The number of blocks of a kernel that an SM holds at a time, and the resource that limits it.
struct Occupancy {
    struct Limit {
        std::string_view resource;           ///< "block slots", "warps", "registers", "shared memory"
        std::optional<std::int64_t> blocks;  ///< that it alone would allow; nothing: it is not used
    };
    std::int64_t blocks = 1;
    std::int64_t warps = 1;
    std::int64_t warp_slots = 1;  ///< of the SM
    std::array<Limit, 4> limits = {};

    double share() const { return static_cast<double>(warps) / static_cast<double>(warp_slots); }
    /// The resources that allow no more blocks than there are.
    std::vector<std::string_view> limited_by() const;
};

/// Throws InputError if the launch would fail (netgen::resident_blocks()).
Occupancy occupancy(const netgen::SmDevice& device, const netgen::KernelProfile& kernel);

}  // namespace warpnet::studies
