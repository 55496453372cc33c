// Reads the layout of a piece back from Graphviz and applies it to similar pieces. Every statement of a piece
// has a line number as an attribute, so positions are assigned to statements and not to names. Two pieces are
// similar if their text is equal after digits are replaced by zeros (digits have equal width) and fill
// colours are removed.

#include "analysis/pictures/net/piece_layout.hpp"

#include "analysis/pictures/net/draw.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace warpnet::pictures {

namespace {

constexpr std::string_view line_attribute = "line";
constexpr double points_per_inch = 72;
constexpr std::array<std::string_view, 2> sides = {"width", "height"}, title_sides = {"lwidth", "lheight"};

/// Digits are zeros, and nodes have no fill colour.
void append_form(std::string_view text, std::string& form) {
    constexpr std::string_view filled = "fillcolor=\"#";
    for (std::size_t at = 0; at < text.size(); ++at) {
        form += is_digit(text[at]) ? '0' : text[at];
        if (text[at] == '#' && text.substr(0, at + 1).ends_with(filled))
            at = std::min(text.find('"', at), text.size()) - 1;
    }
}

/// Reads graphs in Graphviz' language as Graphviz writes them.
class LayoutReader {
  public:
    explicit LayoutReader(std::string_view text) : text_(text) {}

    std::vector<PieceLayout> read() {
        constexpr std::string_view graph = "digraph";
        while (at_ < text_.size()) {
            if (text_[at_] == '"') {
                quoted();
            } else if (text_[at_] == '[') {
                attributes();
            } else if (text_.substr(at_).starts_with(graph) && (at_ == 0 || text_[at_ - 1] == '\n')) {
                layouts_.emplace_back();
                at_ += graph.size();
            } else {
                ++at_;
            }
        }
        return std::move(layouts_);
    }

  private:
    [[noreturn]] static void fail() {
        throw RenderError(RenderError::Reason::failed, "Graphviz' layout is not understood");
    }

    char next() {
        if (at_ >= text_.size()) fail();
        return text_[at_++];
    }

    /// A string without its quotes. In long ones a backslash at the end of a line is a line break.
    std::string quoted() {
        std::string value;
        ++at_;
        for (char c = next(); c != '"'; c = next()) {
            if (c == '\\') {
                c = next();
                if (c == '\n') continue;
                value += '\\';
            }
            value += c;
        }
        return value;
    }

    void skip_html() {
        std::size_t depth = 0;
        do {
            const char c = next();
            if (c == '<') ++depth;
            if (c == '>') --depth;
        } while (depth > 0);
    }

    std::string word(std::string_view ends) {
        const std::size_t begin = at_;
        at_ = text_.find_first_of(ends, at_);
        if (at_ == std::string_view::npos) fail();
        return std::string(text_.substr(begin, at_ - begin));
    }

    void attributes() {
        std::vector<PieceLayout::Coordinates> found;
        std::string line;
        PieceLayout::Size size{};
        ++at_;
        while (true) {
            at_ = text_.find_first_not_of(", \t\r\n;", at_);
            if (at_ == std::string_view::npos) fail();
            if (text_[at_] == ']') break;
            const std::string name = word("=]");
            if (next() != '=') fail();
            if (at_ < text_.size() && text_[at_] == '<') {
                skip_html();
                continue;
            }
            const std::string value = at_ < text_.size() && text_[at_] == '"' ? quoted() : word(", \t\r\n;]");
            if (name == line_attribute) line = value;
            for (std::size_t side = 0; side < 2; ++side) {
                // In inches, of nodes and of the titles of clusters.
                if (name == sides[side] || name == title_sides[side])
                    size[side] = points_per_inch * std::strtod(value.c_str(), nullptr);
            }
            if (name == "bb" || name == "pos" || name == "lp" || name == "xlp" || name == "head_lp" ||
                name == "tail_lp")
                found.push_back(coordinates(name, value));
        }
        ++at_;
        if (!line.empty()) {
            add(line, std::move(found), size);
        } else if (!layouts_.empty() && layouts_.back().height == 0) {
            add_size(found);
        }
    }

    void add(const std::string& line, std::vector<PieceLayout::Coordinates> found, PieceLayout::Size size) {
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
        if (error != std::errc() || end != line.data() + line.size() || layouts_.empty() ||
            number > text_.size())
            fail();
        auto& lines = layouts_.back().lines;
        auto& sizes = layouts_.back().sizes;
        if (lines.size() <= number) {
            lines.resize(number + 1);
            sizes.resize(number + 1);
        }
        lines[number] = std::move(found);
        sizes[number] = size;
    }

    void add_size(const std::vector<PieceLayout::Coordinates>& found) {
        if (found.size() != 1 || found.front().numbers.size() != 4) return;
        const std::vector<double>& box = found.front().numbers;
        layouts_.back().width = box[2] - box[0];
        layouts_.back().height = box[3] - box[1];
    }

    static PieceLayout::Coordinates coordinates(const std::string& name, std::string_view value) {
        PieceLayout::Coordinates result{name, {}, {}};
        char before = ' ';
        while (!value.empty()) {
            double number = 0;
            const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
            if (error == std::errc()) {
                result.numbers.push_back(number);
                result.before.push_back(std::exchange(before, ' '));
                value.remove_prefix(static_cast<std::size_t>(end - value.data()));
            } else {
                if (value.front() == 's' || value.front() == 'e') before = value.front();
                value.remove_prefix(1);
            }
        }
        return result;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<PieceLayout> layouts_;
};

std::string moved(const PieceLayout::Coordinates& coordinates, double right, double up) {
    std::string text;
    for (std::size_t i = 0; i < coordinates.numbers.size(); ++i) {
        const bool is_x = i % 2 == 0;
        const char before = coordinates.before[i];
        if (i > 0) text += !is_x || coordinates.attribute == "bb" ? ',' : ' ';
        if (before != ' ') (text += before) += ',';
        fmt::format_to(std::back_inserter(text), "{:.2f}", coordinates.numbers[i] + (is_x ? right : up));
    }
    return text;
}

}  // namespace

std::string piece_form(std::string_view piece) {
    std::string form;
    std::map<std::string_view, std::size_t> numbers;
    for_each_line(piece, [&](std::string_view line, std::size_t) {
        const Statement statement(line);
        for (const std::string_view name : statement.names()) {
            if (name.empty()) continue;
            const std::size_t number = numbers.emplace(name, numbers.size()).first->second;
            fmt::format_to(std::back_inserter(form), "{} ", number);
        }
        append_form(statement.rest(), form);
        form += '\n';
    });
    return form;
}

std::string with_line_numbers(std::string_view piece) {
    std::string text;
    for_each_line(piece, [&](std::string_view line, std::size_t number) {
        const Statement statement(line);
        text += statement.is_placed() ? statement.with(line_attribute, std::to_string(number))
                                      : std::string(line);
        text += '\n';
    });
    return text;
}

std::vector<PieceLayout> read_layouts(std::string_view text) { return LayoutReader(text).read(); }

std::string placed_piece(std::string_view piece, const PieceLayout& layout, double right, double up) {
    std::string text;
    for_each_line(piece, [&](std::string_view line, std::size_t number) {
        std::string placed(line);
        if (number < layout.lines.size()) {
            for (const PieceLayout::Coordinates& coordinates : layout.lines[number])
                placed = Statement(placed).with(coordinates.attribute, moved(coordinates, right, up));
        }
        text += placed + '\n';
    });
    return text;
}

}  // namespace warpnet::pictures
