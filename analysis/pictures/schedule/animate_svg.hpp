#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "engine/net/net.hpp"
#include "engine/run/run.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// One picture of a film: what has just fired, and the marking after it.
struct TraceFrame {
    std::uint64_t step = 0;  ///< timed steps made so far
    bool immediate = false;
    std::vector<Firing> fired;
    Marking marking;
};

/// Makes the SVG picture of a net (of draw_dot() through render_dot()) show a trace, again and again: tokens
/// change, transitions light up when they fire, a bar and a number say which step it is. One file that any
/// browser plays (SMIL), without scripts; elsewhere it shows the first frame. O(picture + changes).
///
/// Throws InputError where there is no frame, or the text is no such picture.
std::string animate_svg(std::string_view svg, const Net& net, const std::vector<TraceFrame>& frames,
                        std::chrono::milliseconds time_per_frame, const PictureStyle& style = {});

}  // namespace warpnet
