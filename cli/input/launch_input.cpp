#include "cli/input/launch_input.hpp"

#include "engine/base/text.hpp"
#include "netgen/sm/sm_device.hpp"

#include <algorithm>
#include <iostream>
#include <set>

#include <fmt/format.h>

namespace warpnet::cli {

LaunchOnSm launch_on_sm(const KernelProfile& kernel, const DeviceInput& device) {
    LaunchOnSm launch;
    launch.block_warps = kernel.warps_per_block();
    if (!device.given()) return launch;
    const SmDevice sm = device.sm();
    const std::int64_t blocks = blocks_of_busiest_sm(sm, kernel);
    launch.resident = std::min(blocks, resident_blocks(sm, kernel));
    launch.waves = (blocks + launch.resident - 1) / launch.resident;
    return launch;
}

void note_launch(const KernelProfile& kernel, const LaunchOnSm& launch, const DeviceInput& device,
                 std::int64_t given, bool has_waves) {
    static std::set<std::string> said;
    std::string text;
    const auto count = [](std::int64_t number, const char* what) {
        return plural(static_cast<std::uint64_t>(number), what);
    };
    if (given > 0) {
        if (given == launch.warps()) return;
        text = fmt::format("--warps {} is taken; {} has {}", given,
                           device.given() ? "the busiest SM of the launch" : "a block of the launch",
                           count(launch.warps(), "warp"));
    } else if (!device.given()) {
        if (kernel.blocks == 1) return;
        text = fmt::format("the net has the {} of one block of {}; --device says how many blocks an SM holds",
                           count(launch.block_warps, "warp"), kernel.blocks);
    } else if (launch.waves > 1 && !has_waves) {
        text = fmt::format(
            "the net has the {} that an SM holds at a time; the busiest SM works through {} "
            "rounds of them",
            count(launch.resident, "block"), launch.waves);
    } else {
        return;
    }
    const std::string line = fmt::format("warpnet: kernel '{}': {}\n", visible(kernel.name), text);
    if (said.insert(line).second) std::cerr << line;
}

}  // namespace warpnet::cli
