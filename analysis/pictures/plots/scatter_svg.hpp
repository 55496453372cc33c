#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "analysis/studies/compare/compare.hpp"

#include <string>
#include <string_view>

namespace warpnet::pictures {

/// Predicted against measured values as a self-contained SVG: both axes logarithmic with the same range, the
/// line of equal values, a band of ±25 %, and one colour and shape per family. The points with the largest
/// errors have names. Every point shows its name and error under the pointer. `unit` is that of both axes
/// ("us").
std::string scatter_svg(const studies::Comparison& comparison, std::string_view unit,
                        const PictureStyle& style = {});

}  // namespace warpnet::pictures
