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

    /// "w1_", in the order of first use; of numbered frames "_12", the ends of ids, by their numbers.
    std::vector<std::string> prefixes;
    std::vector<std::uint32_t> of_place;       ///< index into prefixes, or none
    std::vector<std::uint32_t> of_transition;  ///< index into prefixes, or none
    std::vector<std::uint8_t> far_place;       ///< reaches into more frames other than its own than are near
    std::vector<std::uint8_t> far_transition;  ///< likewise
    bool numbered = false;                     ///< the frames are those of find_numbered_frames()
    /// No other frame is near one (else two are): arcs are within frames, or at far nodes.
    bool apart = false;
};

/// "w12_" of "w12_ready"; empty where the id has no such form.
std::string_view frame_prefix(std::string_view id);

/// A frame needs at least one place and one transition whose ids begin with letters, a number and an
/// underscore; other nodes belong to none. Where a frame would have more than 200 nodes, such as an SM of
/// many warps, what stands for itself within it is a frame: sm1_w2. More than 200 frames are apart. O(net).
PictureFrames find_frames(const Net& net);

/// The frames of a net that consists of numbered parts, such as a thousand philosophers: Think_12 and End_12
/// to frame 12. At least five of at most 200 nodes, of which few arcs lead from one to another: at most a
/// third of all. They are apart. No frames where the ids of a tenth of the nodes have no such form.
/// O(net log net).
PictureFrames find_numbered_frames(const Net& net);

/// All nodes in no frame.
PictureFrames no_frames(const Net& net);

}  // namespace warpnet
