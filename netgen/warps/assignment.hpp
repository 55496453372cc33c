#pragma once

#include <cstdint>
#include <string_view>

namespace warpnet::netgen {

/// The warp schedulers of its SM that a warp may use. The worst cases differ, and a bound for one of these
/// machines does not hold for the other two.
enum class Assignment : std::uint8_t {
    shared,  ///< any of them at any time: the machine of [Gogolinska17]
    fixed,   ///< warp i of an SM only scheduler (i - 1) mod S: NVIDIA's GPUs since Kepler
    any,     ///< the run chooses one as the block starts; each scheduler has as many warps as if fixed
};

constexpr std::string_view to_string(Assignment assignment) noexcept {
    switch (assignment) {
        case Assignment::fixed:
            return "fixed";
        case Assignment::any:
            return "any";
        case Assignment::shared:
            break;
    }
    return "shared";
}

}  // namespace warpnet::netgen
