#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::pictures {

enum class PictureTheme : std::uint8_t {
    light,
    dark,
    print,  ///< only black, white and grey; areas are hatched
};

std::string_view to_string(PictureTheme theme);

/// The colours of a theme by their meaning, six hexadecimal digits each.
struct PictureColours {
    const char* ground;
    const char* ink;    ///< lines, names, numbers
    const char* soft;   ///< secondary: notes, numbers of an axis
    const char* faint;  ///< marginal details
    const char* edge;   ///< outlines
    const char* grid;
    const char *node, *frame, *frame_edge;  ///< of nets: fill colours of nodes and frames
    const char *inhibitor, *read;           ///< arcs
    const char* highlight;
    const char* missed;               ///< beyond a deadline
    std::array<const char*, 6> heat;  ///< from few to many; `ink` can be read on each
};

/// The look of pictures. Every picture of nets, schedules and figures takes its colours and its font size
/// from here.
struct PictureStyle {
    PictureTheme theme = PictureTheme::light;
    /// The font size of names and numbers, in points (of figures: pixels); titles and notes keep their
    /// proportions to it. 0: the picture's own size.
    double font_size = 0;

    /// The font size as a multiple of a picture's default.
    double scale(double usual_size) const { return font_size > 0 ? font_size / usual_size : 1; }
    const PictureColours& colours() const;
    /// A colour for the n-th of several lines or marks; in print there are three greys, so marks need shapes
    /// too.
    std::string line_colour(std::size_t n) const;
    /// The width of lines as a multiple of that on a screen: printers draw thin lines too thin.
    double line_scale() const { return theme == PictureTheme::print ? 1.5 : 1; }
    /// A fill for the n-th of several areas; all areas of one picture differ.
    std::string area_fill(std::size_t n) const;
    /// The hatching that area_fill() refers to, for this number of areas; empty except in print.
    std::string hatching(std::size_t areas) const;
    /// Attributes of such an area's edge: none if colours distinguish areas.
    std::string area_edge() const;
    /// Attributes of text on such an area.
    std::string on_area() const;
};

/// The head of an SVG file of this width and height, with text of the default size. If the style makes text
/// larger, the whole picture grows, and the caller makes its chart smaller.
std::string svg_begin(const PictureStyle& style, double width, double height, double usual_size);

}  // namespace warpnet::pictures
