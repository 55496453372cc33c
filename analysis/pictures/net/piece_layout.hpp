#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace warpnet::pictures {

// Pieces of a picture in Graphviz' language, one statement per line, as draw_pieces() writes them: similar
// pieces are laid out once, and each is drawn at its position.

/// One line of a piece. Holds views into the line.
class Statement {
  public:
    explicit Statement(std::string_view line) : line_(line) {
        constexpr std::string_view arrow_sign = " -> ";
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        const std::size_t name = line.find_first_of(" =");
        if (line.starts_with("label=")) {
            sort_ = Sort::cluster;
        } else if (name != std::string_view::npos && line.substr(name).starts_with(arrow_sign)) {
            sort_ = Sort::arrow;
            names_ = {line.substr(0, name), line.substr(name + arrow_sign.size())};
            names_[1] = names_[1].substr(0, names_[1].find(' '));
        } else if (name != std::string_view::npos && line.substr(name).starts_with(" [")) {
            sort_ = Sort::node;
            names_[0] = line.substr(0, name);
        }
    }

    /// The name of a node, those of the ends of an arrow, or empty.
    const std::array<std::string_view, 2>& names() const { return names_; }
    /// The text after the names; empty for lines that begin or end a cluster.
    std::string_view rest() const {
        if (sort_ == Sort::other) return {};
        const std::string_view last = sort_ == Sort::arrow ? names_[1] : names_[0];
        if (last.empty()) return line_;
        return line_.substr(static_cast<std::size_t>(last.data() - line_.data()) + last.size());
    }
    bool is_placed() const { return sort_ != Sort::other; }

    bool is_node() const { return sort_ == Sort::node; }
    bool is_arrow() const { return sort_ == Sort::arrow; }

    /// Needs is_placed().
    std::string with(std::string_view attribute, std::string_view value) const {
        if (sort_ == Sort::cluster) return fmt::format("{}; {}=\"{}\"", line_, attribute, value);
        if (!line_.ends_with(']')) return fmt::format("{} [{}=\"{}\"]", line_, attribute, value);
        return fmt::format("{}, {}=\"{}\"]", line_.substr(0, line_.size() - 1), attribute, value);
    }

  private:
    enum class Sort : unsigned char { node, arrow, cluster, other };

    std::string_view line_;
    Sort sort_ = Sort::other;
    std::array<std::string_view, 2> names_;
};

/// visit(line, number) for each line, without its end.
template <class Visit>
void for_each_line(std::string_view text, Visit&& visit) {
    for (std::size_t number = 0; !text.empty(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        visit(line, number);
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
}

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
    using Size = std::array<double, 2>;           ///< width and height, in points
    double width = 0, height = 0;                 ///< in points
    std::vector<std::vector<Coordinates>> lines;  ///< of the piece; there may be fewer
    std::vector<Size> sizes;                      ///< per line: of the node, or of the title of a cluster

    const Coordinates* find(std::size_t line, std::string_view attribute) const {
        if (line >= lines.size()) return nullptr;
        for (const Coordinates& coordinates : lines[line])
            if (coordinates.attribute == attribute) return &coordinates;
        return nullptr;
    }
};

/// Reads the output of `dot -Tdot` for pieces with line numbers, several graphs one after another. Throws
/// RenderError for any other text. O(text).
std::vector<PieceLayout> read_layouts(std::string_view text);

/// The piece with the coordinates of a layout, moved by this number of points.
std::string placed_piece(std::string_view piece, const PieceLayout& layout, double right, double up);

}  // namespace warpnet::pictures
