#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "engine/net/net.hpp"

#include <span>
#include <string>
#include <string_view>

namespace warpnet::dot {

// What the nodes of a picture say, in Graphviz' language.

inline constexpr double usual_font_size_of_nets = 9;

/// A string of the DOT language.
std::string quote(std::string_view text);

/// What stands inside the circle of a place, as Graphviz' HTML: dots up to four, else the number.
std::string token_text(Tokens tokens);
int token_font_size(Tokens tokens);
/// Both, with a font size of its own, so that the name beside the node keeps the common one.
std::string token_label(Tokens tokens, const PictureStyle& style = {});

/// A name beside a node. Arcs behind it pale on a ground that is half transparent, and so are not cut.
std::string name_label(std::string_view text, const char* ground);

/// A label that is wide and low is broken where two words meet nearest to its middle.
std::string broken_label(std::string text);

/// "w" and "3" of "w3_", and "SM 1" in addition of "sm1_w3_".
struct FrameName {
    std::string within;
    std::string letters;
    std::string number;

    explicit FrameName(std::string_view prefix);
    /// "warp" for "w"; empty where the letters are no known abbreviation.
    std::string word() const;
    /// "warp 3", "SM 1, warp 3"
    std::string title() const;
};

/// A frame that shows and names each symbol.
std::string symbol_legend(const PictureStyle& style);

/// The colour of a transition that fired so often, `most` being the most that any did; logarithmic, that of
/// nodes for 0.
std::string heat_colour(double firings, double most, const PictureStyle& style);
/// A node that shows these colours.
std::string heat_legend(double most, const PictureStyle& style);

}  // namespace warpnet::dot
