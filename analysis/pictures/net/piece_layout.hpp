#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

// Pieces of a picture in Graphviz' language, one statement per line, as draw_pieces() writes them: similar
// pieces are laid out once, and each is drawn at its position.

/// Equal for pieces that can share a layout: they differ in the names of nodes, in digits, which have equal
/// width, and in fill colours of nodes. O(piece).
std::string piece_form(std::string_view piece);

/// The piece with a line number in every statement that gets a position from Graphviz, by which
/// read_layouts() identifies it.
std::string with_line_numbers(std::string_view piece);

/// The positions of the statements of a piece.
struct PieceLayout {
    /// An attribute with coordinates in points, such as pos="e,x,y x,y x,y ...": x and y alternate, y points
    /// upwards.
    struct Coordinates {
        std::string attribute;
        std::vector<double> numbers;
        std::vector<char> before;  ///< per number: 's' or 'e', the end of an arrow; ' ': neither
    };
    double width = 0, height = 0;                 ///< in points
    std::vector<std::vector<Coordinates>> lines;  ///< of the piece; there may be fewer
};

/// Reads the output of `dot -Tdot` for pieces with line numbers, several graphs one after another. Throws
/// RenderError for any other text. O(text).
std::vector<PieceLayout> read_layouts(std::string_view text);

/// The piece with the coordinates of a layout, moved by this number of points.
std::string placed_piece(std::string_view piece, const PieceLayout& layout, double right, double up);

}  // namespace warpnet
