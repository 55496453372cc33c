#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "engine/net/net.hpp"

#include <span>
#include <string>
#include <string_view>

namespace warpnet::pictures::dot {

// The texts of nodes of a picture, in Graphviz' language.

inline constexpr double usual_font_size_of_nets = 9;

/// A string of the DOT language.
std::string quote(std::string_view text);

/// The content of the circle of a place, as Graphviz' HTML: dots up to four, otherwise the number.
std::string token_text(Tokens tokens);
int token_font_size(Tokens tokens);
/// Both, with a font size of its own, so that the name next to the node keeps the common one.
std::string token_label(Tokens tokens, const PictureStyle& style = {});

/// A name next to a node. Its ground is half transparent, so arcs behind it are pale but not interrupted.
std::string name_label(std::string_view text, const char* ground);

/// A wide and low label gets a line break at the space nearest to its middle.
std::string broken_label(std::string text);

/// "w" and "3" of "w3_", and also "SM 1" of "sm1_w3_"; "kernel" and "mm" of "mm_".
struct FrameName {
    std::string within;
    std::string letters;
    std::string number;

    explicit FrameName(std::string_view prefix);
    /// "warp" for "w"; empty if the letters are no known abbreviation.
    std::string word() const;
    /// "warp 3", "SM 1, warp 3"
    std::string title() const;
};

/// A frame that shows and names each symbol.
std::string symbol_legend(const PictureStyle& style);

/// The colour of a transition with this number of firings; `most` is the maximum of all transitions.
/// Logarithmic; the colour of nodes for 0.
std::string heat_colour(double firings, double most, const PictureStyle& style);
/// A node that shows these colours.
std::string heat_legend(double most, const PictureStyle& style);

}  // namespace warpnet::pictures::dot
