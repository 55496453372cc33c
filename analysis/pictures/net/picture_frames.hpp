#pragma once

#include "engine/base/no_index.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::pictures {

/// The groups of nodes of a net, by their ids: w1_ready and w1_issue belong to frame w1.
struct PictureFrames {
    /// "w1_", in the order of first use; of numbered frames "_12", the ends of ids, by their numbers.
    std::vector<std::string> prefixes;
    std::vector<std::uint32_t> of_place;       ///< index into prefixes, or none
    std::vector<std::uint32_t> of_transition;  ///< index into prefixes, or none
    std::vector<std::uint8_t> far_place;       ///< reaches into more other frames than a near node may
    std::vector<std::uint8_t> far_transition;  ///< likewise
    bool numbered = false;                     ///< the frames are those of find_numbered_frames()
    /// No other frame counts as near (otherwise two do): arcs are within frames, or at far nodes.
    bool apart = false;
};

/// "w12_" of "w12_ready"; empty if the id has no such form.
std::string_view frame_prefix(std::string_view id);

/// A frame needs at least one place and one transition with ids that begin with letters, a number and an
/// underscore, or with the name of a kernel of the family `blocks`; other nodes belong to no frame. If a
/// frame would have more than 200 nodes, such as an SM of many warps, its inner groups are frames: sm1_w2.
/// More than 200 frames, and the SMs of kernels, are apart. O(net).
PictureFrames find_frames(const Net& net);

/// The frames of a net that consists of numbered parts, such as a thousand philosophers: Think_12 and End_12
/// belong to frame 12. There are at least five frames of at most 200 nodes, and at most a third of all arcs
/// join two frames. They are apart. No frames if the ids of a tenth of the nodes have no such form. O(net log
/// net).
PictureFrames find_numbered_frames(const Net& net);

/// All nodes in no frame.
PictureFrames no_frames(const Net& net);

}  // namespace warpnet::pictures
