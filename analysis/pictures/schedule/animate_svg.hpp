#pragma once

#include "analysis/pictures/net/draw.hpp"
#include "analysis/pictures/picture_style.hpp"
#include "engine/net/net.hpp"
#include "engine/run/run.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::pictures {

/// One picture of a film: the last firings, and the marking after them.
struct TraceFrame {
    std::uint64_t step = 0;  ///< timed steps so far
    bool immediate = false;
    std::vector<Firing> fired;
    Marking marking;
};

/// Makes the SVG picture of a net (of draw_picture()) show a trace in a loop: tokens change,
/// transitions light up when they fire, and a bar and a number show the step. The file plays in every browser
/// (SMIL), without scripts; elsewhere it shows the first frame. O(picture + changes).
///
/// Throws InputError if there is no frame, or if the text is no such picture.
std::string animate_svg(std::string_view svg, const Net& net, const std::vector<TraceFrame>& frames,
                        std::chrono::milliseconds time_per_frame, const PictureStyle& style = {});

/// The same for the picture that draw_picture() makes, with the layout of its first frame. Throws RenderError
/// as draw_picture() does.
std::string animate_net(const Net& net, const std::vector<TraceFrame>& frames,
                        std::chrono::milliseconds time_per_frame, DrawOptions picture = {},
                        std::chrono::milliseconds limit = default_render_limit);

}  // namespace warpnet::pictures
