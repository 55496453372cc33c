#pragma once

#include "cli/input/device_input.hpp"
#include "netgen/sm/kernel_profile.hpp"

#include <cstdint>
#include <string>

namespace warpnet::cli {

/// The blocks of a launch on the busiest SM of a device.
struct LaunchOnSm {
    std::int64_t block_warps = 1;  ///< of a block
    std::int64_t resident = 1;     ///< blocks that the SM executes at a time
    std::int64_t waves = 1;        ///< rounds of so many blocks, the last one perhaps of fewer

    std::int64_t warps() const { return block_warps * resident; }
};

/// One block if no device is given. Throws InputError if not one block fits on an SM.
LaunchOnSm launch_on_sm(const KernelProfile& kernel, const DeviceInput& device);

/// Says once per command, on stderr, how the warps of a net come from a launch: what a device would add, or,
/// if `given` warps (0: none) differ from those of the launch, that the given ones are taken.
void note_launch(const KernelProfile& kernel, const LaunchOnSm& launch, const DeviceInput& device,
                 std::int64_t given, bool has_waves);

}  // namespace warpnet::cli
