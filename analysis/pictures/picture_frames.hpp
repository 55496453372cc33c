#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// Which nodes of a net belong together, read off their ids: w1_ready and w1_issue to frame w1.
struct PictureFrames {
    static constexpr std::uint32_t none = 0xffffffff;

    std::vector<std::string> prefixes;         ///< "w1_", in the order of first use
    std::vector<std::uint32_t> of_place;       ///< index into prefixes, or none
    std::vector<std::uint32_t> of_transition;  ///< index into prefixes, or none
    std::vector<std::uint8_t> far_place;       ///< reaches into more than two frames other than its own
    std::vector<std::uint8_t> far_transition;  ///< reaches into more than two frames other than its own
};

/// "w12_" of "w12_ready"; empty where the id has no such form.
std::string_view frame_prefix(std::string_view id);

/// A frame needs at least one place and one transition whose ids begin with letters, a number and an
/// underscore; other nodes belong to none. Where a frame would have more than 200 nodes, such as an SM of
/// many warps, what stands for itself within it is a frame: sm1_w2. O(net).
PictureFrames find_frames(const Net& net);

/// All nodes in no frame.
PictureFrames no_frames(const Net& net);

}  // namespace warpnet
