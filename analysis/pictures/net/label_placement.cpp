// Names next to nodes and weights next to arcs. Graphviz places such labels after the arcs and knows only
// nodes and other labels, so its labels lie on arcs and arrow heads. Here the layout first leaves room: dot
// widens a node to the right by the label of a loop, and no arc passes there. Then every label takes the
// cheapest of about a hundred positions around its node or along its arc. The cost of a position counts the
// points along arcs, arrow heads, nodes and other labels that it would cover, found in a grid. All labels are
// placed in turn until none moves, at most four times. Rejected: nodes that contain their names (HTML tables
// with ports), because arcs to a port cross the table.

#include "analysis/pictures/net/label_placement.hpp"

#include "analysis/pictures/svg_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::pictures {

namespace {

constexpr double line_height = 1.2;  // of the font size

struct ArcPoint {
    double x = 0, y = 0;
};

struct Box {
    double left = 0, bottom = 0, right = 0, top = 0;

    static Box around(double x, double y, double width, double height) {
        return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
    }
    bool contains(const ArcPoint& point) const {
        return point.x > left && point.x < right && point.y > bottom && point.y < top;
    }
    double overlap(const Box& other) const {
        const double width = std::min(right, other.right) - std::max(left, other.left);
        const double height = std::min(top, other.top) - std::max(bottom, other.bottom);
        return width > 0 && height > 0 ? width * height : 0;
    }
};

/// The value of an attribute of a statement, without quotes; of HTML, the content of its only cell.
std::string_view attribute_of(std::string_view rest, std::string_view name) {
    const std::string before = fmt::format("{}=", name);
    std::size_t at = rest.find(before);
    while (at != std::string_view::npos && at > 0 && rest[at - 1] != ' ' && rest[at - 1] != '[')
        at = rest.find(before, at + 1);
    if (at == std::string_view::npos) return {};
    rest.remove_prefix(at + before.size());
    constexpr std::string_view cell = "<TD>", cell_end = "</TD>";
    if (rest.starts_with("<")) {
        const std::size_t begin = rest.find(cell), end = rest.find(cell_end);
        if (begin == std::string_view::npos || end == std::string_view::npos) return {};
        return rest.substr(begin + cell.size(), end - begin - cell.size());
    }
    if (!rest.starts_with("\"")) return {};
    rest.remove_prefix(1);
    return rest.substr(0, rest.find('"'));
}

/// The width and height of a label with its line breaks, <BR/> or \n; entities count as one character.
PieceLayout::Size size_of(std::string_view label, double font_size) {
    constexpr std::string_view breaks[] = {"<BR/>", "\\n"};
    double width = 0, lines = 1;
    std::string line;
    const auto end_line = [&] { width = std::max(width, text_width(std::exchange(line, {}), font_size)); };
    while (!label.empty()) {
        std::size_t length = 1;
        const auto* const found =
            std::find_if(std::begin(breaks), std::end(breaks),
                         [&](std::string_view text) { return label.starts_with(text); });
        if (found != std::end(breaks)) {
            length = found->size();
            end_line();
            ++lines;
        } else {
            const std::size_t end = label.front() == '&' ? label.find(';') : std::string_view::npos;
            if (end != std::string_view::npos) length = end + 1;
            line += length > 1 ? 'm' : label.front();
        }
        label.remove_prefix(length);
    }
    end_line();
    return {width, lines * line_height * font_size};
}

/// Everything that labels should not cover.
class Obstacles {
  public:
    void add(const Box& box) {
        for_each_cell(box, [&](std::uint64_t cell) { grid_[cell].boxes.push_back(box); });
    }
    void add(const ArcPoint& point) {
        grid_[key(cell_of(point.x), cell_of(point.y))].points.push_back(point);
    }

    /// The number of covered points, and the covered area of boxes for each cell.
    double cost(const Box& box) const {
        double sum = 0;
        for_each_cell(box, [&](std::uint64_t number) {
            const auto cell = grid_.find(number);
            if (cell == grid_.end()) return;
            for (const ArcPoint& point : cell->second.points) sum += box.contains(point) ? 1 : 0;
            for (const Box& other : cell->second.boxes) sum += box.overlap(other);
        });
        return sum;
    }

  private:
    struct Cell {
        std::vector<Box> boxes;
        std::vector<ArcPoint> points;
    };

    static std::int64_t cell_of(double value) {
        constexpr double cell_size = 40;
        return static_cast<std::int64_t>(std::floor(value / cell_size));
    }
    static std::uint64_t key(std::int64_t column, std::int64_t row) {
        return static_cast<std::uint64_t>(column) << 32U ^ (static_cast<std::uint64_t>(row) & 0xFFFFFFFFU);
    }
    template <class Visit>
    static void for_each_cell(const Box& box, Visit&& visit) {
        for (std::int64_t column = cell_of(box.left); column <= cell_of(box.right); ++column) {
            for (std::int64_t row = cell_of(box.bottom); row <= cell_of(box.top); ++row)
                visit(key(column, row));
        }
    }

    std::unordered_map<std::uint64_t, Cell> grid_;
};

/// A straight line or a curve of Bézier with four control points, about one point apart, without its end.
void append_curve(std::vector<ArcPoint>& points, const std::array<ArcPoint, 4>& control) {
    double length = 0;
    for (std::size_t i = 0; i + 1 < control.size(); ++i)
        length += std::hypot(control[i + 1].x - control[i].x, control[i + 1].y - control[i].y);
    const double steps = std::max(1.0, std::ceil(length));
    for (double step = 0; step < steps; ++step) {
        const double u = step / steps, v = 1 - u;
        const std::array<double, 4> weights = {v * v * v, 3 * v * v * u, 3 * v * u * u, u * u * u};
        ArcPoint point;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            point.x += weights[i] * control[i].x;
            point.y += weights[i] * control[i].y;
        }
        points.push_back(point);
    }
}

/// The points of an arc from its tail to its head.
std::vector<ArcPoint> points_of(const PieceLayout::Coordinates& arc) {
    std::vector<ArcPoint> knots, points;
    std::optional<ArcPoint> head, tail;
    for (std::size_t i = 0; i + 1 < arc.numbers.size(); i += 2) {
        const ArcPoint point{arc.numbers[i], arc.numbers[i + 1]};
        if (arc.before[i] == 'e') {
            head = point;
        } else if (arc.before[i] == 's') {
            tail = point;
        } else {
            knots.push_back(point);
        }
    }
    if (knots.empty()) return points;
    const auto append_line = [&](const ArcPoint& from, const ArcPoint& to) {
        append_curve(points, {from, from, to, to});
    };
    if (tail) append_line(*tail, knots.front());
    for (std::size_t i = 0; i + 3 < knots.size(); i += 3)
        append_curve(points, {knots[i], knots[i + 1], knots[i + 2], knots[i + 3]});
    if (head) append_line(knots.back(), *head);
    points.push_back(head.value_or(knots.back()));
    return points;
}

class LabelPlacement {
  public:
    LabelPlacement(std::string_view piece, double font_size, PieceLayout& layout)
        : font_size_(font_size), layout_(layout) {
        for_each_line(piece, [&](std::string_view line, std::size_t number) {
            if (number < layout_.lines.size()) read(Statement(line), number);
        });
        for (Label& label : labels_) add_costs(label);
        find_neighbours();
    }

    void place() {
        constexpr std::size_t most_rounds = 4;
        bool moved = true;
        for (std::size_t round = 0; round < most_rounds && moved; ++round) {
            moved = false;
            for (Label& label : labels_) moved |= choose(label);
        }
        for (const Label& label : labels_) write(label);
    }

  private:
    struct Label {
        std::size_t line;
        std::string_view attribute;  ///< of its position
        PieceLayout::Size size;
        std::vector<Box> candidates;  ///< the preferred ones first
        std::vector<double> costs;    ///< for covering points, heads and nodes, which do not move
        std::vector<std::size_t> neighbours;
        std::size_t chosen;

        Box region() const {
            Box all = candidates.front();
            for (const Box& box : candidates)
                all = {std::min(all.left, box.left), std::min(all.bottom, box.bottom),
                       std::max(all.right, box.right), std::max(all.top, box.top)};
            return all;
        }
    };

    void read(const Statement& statement, std::size_t line) {
        const PieceLayout::Coordinates* const position = layout_.find(line, "pos");
        if (statement.is_node() && position != nullptr && position->numbers.size() == 2) {
            read_node(statement, line, position->numbers[0], position->numbers[1]);
        } else if (statement.is_arrow() && position != nullptr) {
            read_arc(statement, line, points_of(*position));
        } else if (const PieceLayout::Coordinates* const box = layout_.find(line, "bb")) {
            if (box->numbers.size() == 4) read_cluster(line, box->numbers);
        }
    }

    void read_node(const Statement& statement, std::size_t line, double x, double y) {
        const auto [width, height] = layout_.sizes[line];
        obstacles_.add(Box::around(x, y, width + 2, height + 2));
        const std::string_view name = attribute_of(statement.rest(), "xlabel");
        if (name.empty()) return;
        Label label = label_at(line, "xlp", size_of(name, font_size_));
        const auto [name_width, name_height] = label.size;
        for (const double gap : {2.0, 7.0}) {
            for (const double share : {0.0, 0.3, -0.3, 0.6, -0.6, 0.9, -0.9}) {
                const double right = (width + name_width) / 2 + gap,
                             up = (height + name_height) / 2 + gap / 2;
                for (const double side : {1.0, -1.0}) {
                    add_candidate(label, x + side * right, y + share * up);
                    add_candidate(label, x + share * right, y + side * up);
                }
            }
        }
        labels_.push_back(std::move(label));
    }

    /// The weight of an arc may be anywhere along it, if possible at the end that Graphviz was asked for.
    void read_arc(const Statement& statement, std::size_t line, const std::vector<ArcPoint>& points) {
        if (points.size() < 2) return;
        for (const ArcPoint& point : points) obstacles_.add(point);
        add_arrow_head(points, layout_.find(line, "pos")->before);
        constexpr std::pair<std::string_view, std::string_view> positions[] = {
            {"label", "lp"}, {"headlabel", "head_lp"}, {"taillabel", "tail_lp"}};
        for (const auto& [name, attribute] : positions) {
            const std::string_view text = attribute_of(statement.rest(), name);
            if (text.empty()) continue;
            Label label = label_at(line, attribute, size_of(text, font_size_));
            const auto count = static_cast<double>(points.size());
            for (const double at : {0.0, 6.0, -6.0, 14.0, -14.0, 24.0, -24.0, 36.0, -36.0, 60.0, -60.0}) {
                const double from_end = 14 + std::abs(at) + (at < 0 ? 3 : 0);
                const double position = name == "label"       ? count / 2 + at
                                        : name == "headlabel" ? count - from_end
                                                              : from_end;
                add_beside(label, points, std::clamp(position, 1.0, count - 1));
            }
            labels_.push_back(std::move(label));
        }
    }

    void add_arrow_head(const std::vector<ArcPoint>& points, const std::vector<char>& before) {
        constexpr std::size_t length = 6;
        constexpr double half_width = 2.5;
        const auto add = [&](const ArcPoint& tip, const ArcPoint& base) {
            obstacles_.add({std::min(tip.x, base.x) - half_width, std::min(tip.y, base.y) - half_width,
                            std::max(tip.x, base.x) + half_width, std::max(tip.y, base.y) + half_width});
        };
        const std::size_t inside = std::min(length, points.size() - 1);
        if (std::find(before.begin(), before.end(), 'e') != before.end())
            add(points.back(), points[points.size() - 1 - inside]);
        if (std::find(before.begin(), before.end(), 's') != before.end()) add(points.front(), points[inside]);
    }

    void read_cluster(std::size_t line, const std::vector<double>& box) {
        for (double x = box[0]; x <= box[2]; ++x)
            for (const double y : {box[1], box[3]}) obstacles_.add(ArcPoint{x, y});
        for (double y = box[1]; y <= box[3]; ++y)
            for (const double x : {box[0], box[2]}) obstacles_.add(ArcPoint{x, y});
        const PieceLayout::Coordinates* const title = layout_.find(line, "lp");
        if (title == nullptr || title->numbers.size() != 2) return;
        Label label = label_at(line, "lp", layout_.sizes[line]);
        const double middle = (box[0] + box[2]) / 2, free = box[2] - box[0] - label.size[0];
        for (const double share : {0.0, 0.25, -0.25, 0.47, -0.47, 0.12, -0.12, 0.36, -0.36})
            add_candidate(label, middle + share * std::max(0.0, free), title->numbers[1]);
        labels_.push_back(std::move(label));
    }

    static Label label_at(std::size_t line, std::string_view attribute, PieceLayout::Size size) {
        return {line, attribute, size, {}, {}, {}, 0};
    }

    void add_candidate(Label& label, double x, double y) const {
        label.candidates.push_back(Box::around(x, y, label.size[0], label.size[1]));
    }

    /// On both sides of a point of an arc.
    void add_beside(Label& label, const std::vector<ArcPoint>& points, double position) const {
        constexpr double gap = 2;
        const auto at = static_cast<std::size_t>(position);
        const ArcPoint& point = points[at];
        const ArcPoint& before = points[at - std::min<std::size_t>(at, 3)];
        const double length = std::max(1e-9, std::hypot(point.x - before.x, point.y - before.y));
        const double right = (point.y - before.y) / length, up = (before.x - point.x) / length;
        const double away = std::abs(right) * label.size[0] / 2 + std::abs(up) * label.size[1] / 2 + gap;
        for (const double side : {1.0, -1.0})
            add_candidate(label, point.x + side * away * right, point.y + side * away * up);
    }

    void add_costs(Label& label) const {
        constexpr double outside = 1000, per_rank = 0.15;
        for (std::size_t i = 0; i < label.candidates.size(); ++i) {
            const Box& box = label.candidates[i];
            const bool is_inside =
                box.left >= 0 && box.bottom >= 0 && box.right <= layout_.width && box.top <= layout_.height;
            label.costs.push_back(obstacles_.cost(box) + (is_inside ? 0 : outside) +
                                  per_rank * static_cast<double>(i));
        }
    }

    /// Labels that may cover each other.
    void find_neighbours() {
        std::vector<std::pair<double, std::size_t>> by_left;
        std::vector<Box> regions;
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            regions.push_back(labels_[i].region());
            by_left.emplace_back(regions[i].left, i);
        }
        std::sort(by_left.begin(), by_left.end());
        for (auto one = by_left.begin(); one != by_left.end(); ++one) {
            for (auto other = one + 1; other != by_left.end() && other->first < regions[one->second].right;
                 ++other) {
                if (regions[one->second].overlap(regions[other->second]) <= 0) continue;
                labels_[one->second].neighbours.push_back(other->second);
                labels_[other->second].neighbours.push_back(one->second);
            }
        }
    }

    bool choose(Label& label) const {
        std::size_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < label.candidates.size(); ++i) {
            double cost = label.costs[i];
            for (const std::size_t other : label.neighbours)
                cost += label.candidates[i].overlap(labels_[other].candidates[labels_[other].chosen]);
            if (cost < least) least = cost, best = i;
        }
        return std::exchange(label.chosen, best) != best;
    }

    void write(const Label& label) {
        auto& coordinates = layout_.lines[label.line];
        std::erase_if(coordinates, [&](const auto& old) { return old.attribute == label.attribute; });
        const Box& box = label.candidates[label.chosen];
        coordinates.push_back({std::string(label.attribute),
                               {(box.left + box.right) / 2, (box.bottom + box.top) / 2},
                               {' ', ' '}});
    }

    const double font_size_;
    PieceLayout& layout_;
    Obstacles obstacles_;
    std::vector<Label> labels_;
};

}  // namespace

std::string with_room_for_names(std::string_view piece, double font_size) {
    // A loop itself takes this width; the name lies closer to its node.
    constexpr double width_of_loop = 12;
    std::string text;
    for_each_line(piece, [&](std::string_view line, std::size_t) {
        (text += line) += '\n';
        const Statement statement(line);
        const std::string_view name = attribute_of(statement.rest(), "xlabel");
        if (!statement.is_node() || name.empty()) return;
        const auto [width, height] = size_of(name, font_size);
        text += fmt::format(
            "{0} -> {0} [label=<<TABLE BORDER=\"0\" CELLPADDING=\"0\" CELLSPACING=\"0\"><TR><TD "
            "FIXEDSIZE=\"TRUE\" WIDTH=\"{1:.0f}\" HEIGHT=\"{2:.0f}\"></TD></TR></TABLE>>]\n",
            statement.names()[0], std::max(1.0, width - width_of_loop), height);
    });
    return text;
}

void place_labels(std::string_view piece, double font_size, PieceLayout& layout) {
    LabelPlacement(piece, font_size, layout).place();
}

}  // namespace warpnet::pictures
