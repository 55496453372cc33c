#pragma once

#include "analysis/pictures/schedule/animate_svg.hpp"
#include "engine/net/net.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpnet::pictures {

/// The steps in the text of a trace that `run --trace` wrote as CSV, JSON or JSON lines; the text itself
/// shows the format. Throws InputError (source: or source:line: ...) for a text that is no trace of the net,
/// or has more steps than an animation can show.
std::vector<TraceFrame> read_trace(std::string_view text, const std::string& source, const Net& net);

}  // namespace warpnet::pictures
