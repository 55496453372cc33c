#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

// Pieces of a picture in Graphviz' language, one statement a line, as draw_pieces() writes them: pieces that
// look alike are laid out once, and drawn where they belong.

/// Equal for pieces of which one layout does for all: they differ in the names of nodes, in digits, which are
/// all equally wide, and in the colours that nodes are filled with. O(piece).
std::string piece_form(std::string_view piece);

/// The piece, in which every statement that Graphviz finds a place for says on which line it stands: what
/// read_layouts() knows it by.
std::string with_line_numbers(std::string_view piece);

/// Where Graphviz put the statements of a piece.
struct PieceLayout {
    /// An attribute with coordinates in points, such as pos="e,x,y x,y x,y ...": x and y by turns, y upwards.
    struct Coordinates {
        std::string attribute;
        std::vector<double> numbers;
        std::vector<char> before;  ///< per number: 's' or 'e', the end of an arrow; ' ': neither
    };
    double width = 0, height = 0;                 ///< in points
    std::vector<std::vector<Coordinates>> lines;  ///< of the piece; there may be fewer
};

/// Reads what `dot -Tdot` makes of pieces with line numbers, several graphs one after another. Throws
/// RenderError where it is no such text. O(text).
std::vector<PieceLayout> read_layouts(std::string_view text);

/// The piece with the coordinates of a layout, moved by so many points.
std::string placed_piece(std::string_view piece, const PieceLayout& layout, double right, double up);

}  // namespace warpnet
