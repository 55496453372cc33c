#include "analysis/pictures/schedule_svg.hpp"

#include "analysis/pictures/picture_frames.hpp"
#include "analysis/pictures/svg_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace warpnet {

namespace {

constexpr double row_height = 18, left_margin = 70, top_margin = 26, right_margin = 20;
constexpr double legend_gap = 12, legend_row_height = 18, least_width = 640;

constexpr std::string_view palette[] = {"#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2",
                                        "#eeca3b", "#b279a2", "#9d755d", "#ff9da6", "#bab0ac"};

/// What decides the colour of a transition: w1_i3_L is an L, w1_issue an issue.
std::string kind_of(std::string_view id, std::string_view prefix) {
    id.remove_prefix(prefix.size());
    const std::size_t underscore = id.rfind('_');
    const bool numbered = id.size() > 1 && id[0] == 'i' && id[1] >= '0' && id[1] <= '9';
    return std::string(numbered && underscore != std::string_view::npos ? id.substr(underscore + 1) : id);
}

/// A colour of its own for every kind: the palette, then hues far from their neighbours, now lighter, now
/// darker.
std::string colour_of(std::size_t kind) {
    if (kind < std::size(palette)) return std::string(palette[kind]);
    const double hue = std::fmod(static_cast<double>(kind) * 137.508, 360);
    return fmt::format("hsl({:.1f},{}%,{}%)", hue, 45 + 10 * (kind % 3), 35 + 15 * (kind % 4) / 2);
}

struct Cell {
    std::size_t row;
    std::uint64_t step;
    std::size_t kind;
    std::uint32_t transition;
};

struct Chart {
    std::vector<std::string> rows;
    std::vector<std::string> kinds;
    std::vector<Cell> cells;
    std::uint64_t steps = 0;
};

Chart chart_of(const Net& net, const Schedule& schedule) {
    const PictureFrames frames = find_frames(net);
    Chart chart;
    for (const std::string& prefix : frames.prefixes)
        chart.rows.push_back(prefix.substr(0, prefix.size() - 1));
    std::map<std::string, std::size_t> kinds;
    bool unframed = false;
    for (const ScheduledStep& step : schedule) {
        if (!step.immediate) ++chart.steps;
        for (const std::uint32_t t : step.transitions) {
            const std::uint32_t frame = frames.of_transition[t];
            unframed |= frame == PictureFrames::none;
            const std::string_view prefix =
                frame == PictureFrames::none ? std::string_view() : frames.prefixes[frame];
            const std::string kind = kind_of(net.transitions()[t].id, prefix);
            const std::size_t number = kinds.try_emplace(kind, kinds.size()).first->second;
            if (number == chart.kinds.size()) chart.kinds.push_back(kind);
            if (step.immediate) continue;  // takes no time: named in the legend only
            chart.cells.push_back(
                {std::min<std::size_t>(frame, frames.prefixes.size()), chart.steps, number, t});
        }
    }
    if (unframed) chart.rows.emplace_back("others");
    return chart;
}

/// Where the names of the kinds stand below a chart, in as many rows as they need.
struct Legend {
    struct Entry {
        double x, y;  // of the first row: 0
    };
    std::vector<Entry> entries;
    double height = 0;

    Legend(const std::vector<std::string>& kinds, double width) {
        double x = left_margin, y = 0;
        for (const std::string& kind : kinds) {
            const double needed = width_of(kind);
            if (x > left_margin && x + needed > width) x = left_margin, y += legend_row_height;
            entries.push_back({x, y});
            x += needed;
        }
        height = y + legend_row_height;
    }

    static double width_of(const std::string& kind) { return 30 + 7 * static_cast<double>(kind.size()); }
};

/// As wide as the chart, as its title needs, and as the longest name in the legend.
double width_of(const Chart& chart, double cell_width) {
    double width = left_margin + static_cast<double>(chart.steps) * cell_width + right_margin;
    for (const std::string& kind : chart.kinds) width = std::max(width, left_margin + Legend::width_of(kind));
    return std::max(width, least_width);
}

std::string legend_svg(const Chart& chart, const Legend& legend, double top) {
    std::string svg;
    for (std::size_t kind = 0; kind < chart.kinds.size(); ++kind) {
        const auto [x, y] = legend.entries[kind];
        svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>", x,
                           top + y, colour_of(kind));
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 14, top + y + 9,
                           svg_text(chart.kinds[kind]));
    }
    return svg;
}

}  // namespace

std::string schedule_svg(const Net& net, const Schedule& schedule) {
    const Chart chart = chart_of(net, schedule);
    const double cell_width = chart.steps <= 400 ? 14 : 4;
    const double width = width_of(chart, cell_width);
    const double chart_width = static_cast<double>(chart.steps) * cell_width;
    const double chart_height = static_cast<double>(chart.rows.size()) * row_height;
    const Legend legend(chart.kinds, width);
    const double height = top_margin + chart_height + legend_gap + legend.height;
    const auto x_of = [&](std::uint64_t step) {
        return left_margin + static_cast<double>(step - 1) * cell_width;
    };
    const auto y_of = [&](std::size_t row) { return top_margin + static_cast<double>(row) * row_height; };

    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
        "{0:.0f} {1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"white\"/>\n",
        width, height);
    svg += fmt::format("<title>{}: {} steps</title>\n", svg_text(net.name().empty() ? net.id() : net.name()),
                       chart.steps);
    for (std::size_t row = 0; row < chart.rows.size(); ++row) {
        svg += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left_margin - 6,
                           y_of(row) + 13, svg_text(chart.rows[row]));
        svg += fmt::format(
            "<line x1=\"{0:.0f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/>\n",
            left_margin, left_margin + chart_width, y_of(row) + row_height);
    }
    const std::uint64_t tick = chart.steps <= 40 ? 5 : chart.steps <= 400 ? 10 : 100;
    for (std::uint64_t step = tick; step <= chart.steps; step += tick) {
        svg += fmt::format("<text x=\"{0:.1f}\" y=\"16\" text-anchor=\"middle\" fill=\"#555\">{1}</text>\n",
                           x_of(step) + cell_width / 2, step);
        svg += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"20\" y2=\"{1:.1f}\" stroke=\"#eee\"/>\n",
                           x_of(step + 1), top_margin + chart_height);
    }
    for (const Cell& cell : chart.cells) {
        svg += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"><title>step {}: "
            "{}</title></rect>\n",
            x_of(cell.step) + 0.5, y_of(cell.row) + 2, cell_width - 1, row_height - 4, colour_of(cell.kind),
            cell.step, svg_text(net.transitions()[cell.transition].id));
        const std::string& kind = chart.kinds[cell.kind];
        if (kind.size() > 1 || cell_width < 14) continue;
        svg += fmt::format(
            "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"white\" "
            "font-size=\"10\">{}</text>\n",
            x_of(cell.step) + cell_width / 2, y_of(cell.row) + 13, svg_text(kind));
    }
    svg += legend_svg(chart, legend, top_margin + chart_height + legend_gap);
    return svg + "</svg>\n";
}

}  // namespace warpnet
