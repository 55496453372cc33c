#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "analysis/studies/compare/compare.hpp"

#include <string>
#include <string_view>

namespace warpnet {

/// Predicted against measured values as a self-contained SVG: both axes logarithmic with the same range, the
/// line where they are equal, a band of ±25 %, one colour and shape a family; what lies furthest off carries
/// its name, every point shows name and error under the pointer. `unit` is that of both axes ("us").
std::string scatter_svg(const Comparison& comparison, std::string_view unit, const PictureStyle& style = {});

}  // namespace warpnet
