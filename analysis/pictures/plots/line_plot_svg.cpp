// Lines over a common x axis as SVG, in panels one below the other. All panels share the range of x, and a
// name has one colour in all of them. Each panel has its own y axis, with round ticks or in powers of ten. In
// print there are no colours, and the shapes of the marks distinguish the lines. A band shows a spread behind
// the line of its mean: three lines would suggest three results.
//
// Ticks have 1, 2 or 5 times a power of ten as distance, and at most six parts. An axis begins at 0 if the
// least value is below half of the largest, so that heights can be compared. Values that are not finite, or
// not positive on a logarithmic axis, are left out of the line. Positions have one decimal, so that equal
// data give equal text. O(points).

#include "analysis/pictures/plots/line_plot_svg.hpp"

#include "analysis/pictures/svg_text.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace warpnet::pictures {

namespace {

constexpr double left = 84, plot_head = 44, note_height = 16, panel_gap = 34, below = 36, legend_width = 210;
constexpr double usual_width = 560, usual_height = 240, usual_plot_font_size = 12;

/// Values from `low` to `high`, in powers of ten if it is logarithmic.
struct Axis {
    double low = 0, high = 1;
    double tick = 0.2;
    bool logarithmic = false;

    double share(double value) const {
        return ((logarithmic ? std::log10(value) : value) - low) / (high - low);
    }
    double value_at(double position) const { return logarithmic ? std::pow(10, position) : position; }
};

double width_of(const LinePlot& plot) { return usual_width / plot.style.scale(usual_plot_font_size); }

/// Whether the names of x do not fit next to each other.
bool turned(const LinePlot& plot) {
    const double space = width_of(plot) / static_cast<double>(std::max<std::size_t>(1, plot.x_labels.size()));
    return plot.x_labels.size() > 14 || std::ranges::any_of(plot.x_labels, [&](const std::string& label) {
               return text_width(label, usual_plot_font_size) > space;
           });
}

bool drawn(const PlotPanel& panel, const PlotPoint& point) {
    return std::isfinite(point.x) && std::isfinite(point.y) && (!panel.logarithmic || point.y > 0);
}

/// Calls visit(point) for all points that are drawn, those on the edges of bands included.
template <class Visit>
void for_each_drawn(const PlotPanel& panel, Visit&& visit) {
    const auto see = [&](const PlotPoint& point) {
        if (drawn(panel, point)) visit(point);
    };
    for (const PlotLine& line : panel.lines) std::ranges::for_each(line.points, see);
    for (const PlotBand& band : panel.bands) {
        for (const PlotBand::Edge& edge : band.edges) {
            see({edge.x, edge.low});
            see({edge.x, edge.high});
        }
    }
}

bool has_bars(const PlotPanel& panel) {
    return std::ranges::any_of(panel.lines, &PlotLine::bars) && !panel.logarithmic;
}

struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();

    void see(double value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    bool empty() const { return least > most; }
};

/// The least of 1, 2, 5, 10, … times a power of ten that divides `span` into six parts or fewer.
double round_tick(double span, bool whole) {
    const double unit = std::pow(10, std::floor(std::log10(span / 6)));
    double tick = 10 * unit;
    for (const double digit : {5.0, 2.0, 1.0}) {
        if (digit * unit * 6 >= span) tick = digit * unit;
    }
    return whole ? std::max(1.0, tick) : tick;
}

Axis y_axis(const PlotPanel& panel) {
    Range range;
    for_each_drawn(
        panel, [&](const PlotPoint& point) { range.see(panel.logarithmic ? std::log10(point.y) : point.y); });
    if (has_bars(panel)) range.see(0);
    if (range.empty()) return {0, 1, 1, panel.logarithmic};
    if (panel.logarithmic) {
        const double low = std::floor(range.least), high = std::max(low + 1, std::ceil(range.most));
        return {low, high, std::max(1.0, std::ceil((high - low) / 8)), true};
    }
    double low = range.least >= 0 && range.least < range.most / 2 ? 0 : range.least;
    double high = range.most;
    if (low >= high) {
        low -= 0.5;
        high += 0.5;
    }
    const double tick = round_tick(high - low, false);
    return {tick * std::floor(low / tick), tick * std::ceil(high / tick), tick, false};
}

Axis x_axis(const LinePlot& plot) {
    Range range;
    for (const PlotPanel& panel : plot.panels)
        for_each_drawn(panel, [&](const PlotPoint& point) { range.see(point.x); });
    if (!plot.x_labels.empty()) {
        range.see(-0.5);
        range.see(static_cast<double>(plot.x_labels.size()) - 0.5);
    }
    if (range.empty()) range = {0, 1};
    if (range.least >= range.most) return {range.least - 1, range.most + 1, 1, false};
    const double margin = plot.x_labels.empty() ? 0.03 * (range.most - range.least) : 0;
    return {range.least - margin, range.most + margin,
            plot.x_labels.empty() ? round_tick(range.most - range.least, true) : 1, false};
}

std::string label_of(double value) {
    if (value == 0) return "0";
    return std::abs(value) >= 1e7 || std::abs(value) < 1e-3 ? fmt::format("{:.0e}", value)
                                                            : grouped_digits(fmt::format("{:.7g}", value));
}

/// Three digits, or all of a larger number.
std::string short_number(double value) {
    return std::abs(value) < 1000 ? fmt::format("{:.3g}", value)
                                  : grouped_digits(fmt::format("{:.0f}", value));
}

/// The positions of the lines' names, the same in all panels.
std::map<std::string, std::size_t> names_of(const LinePlot& plot) {
    std::map<std::string, std::size_t> names;
    for (const PlotPanel& panel : plot.panels) {
        for (const PlotLine& line : panel.lines) names.try_emplace(line.name, names.size());
    }
    return names;
}

/// The height of the names below the axis: if there are many, all are turned.
double height_of_names(const LinePlot& plot) {
    if (!turned(plot)) return 18;
    std::size_t longest = 0;
    for (const std::string& label : plot.x_labels) longest = std::max(longest, label.size());
    return 16 + 6.5 * static_cast<double>(std::min<std::size_t>(longest, 30));
}

/// A plot with space for its panels: a larger font leaves less.
struct Plotter {
    const LinePlot& plot;
    const double width = width_of(plot);
    const double height = usual_height / plot.style.scale(usual_plot_font_size);
    const std::map<std::string, std::size_t> names = names_of(plot);

    std::string colour_of(const std::string& name) const { return plot.style.line_colour(names.at(name)); }
    /// Colours distinguish lines; without colours, shapes do.
    std::size_t shape_of(const std::string& name) const {
        return plot.style.theme == PictureTheme::print ? names.at(name) % 4 : 0;
    }
    bool has_circle(const std::string& name) const { return shape_of(name) == 0; }
    std::string mark_end(const std::string& name) const {
        return has_circle(name) ? "</circle>\n" : "</path>\n";
    }
    std::string mark_begin(const std::string& name, double x, double y) const {
        constexpr std::array<std::string_view, 4> shapes = {
            "", "m-2.6-2.6h5.2v5.2h-5.2z", "m0-3.6l3.4 6h-6.8z", "m0-3.6l3.6 3.6l-3.6 3.6l-3.6-3.6z"};
        if (has_circle(name))
            return fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='2.6' fill='{}'>", x, y, colour_of(name));
        return fmt::format("<path d='M{:.1f} {:.1f}{}' fill='{}'>", x, y, shapes[shape_of(name)],
                           colour_of(name));
    }
    double x_of(const Axis& x, double value) const { return left + x.share(value) * width; }
    double y_of(const Axis& y, double value, double panel_top) const {
        return panel_top + (1 - y.share(value)) * height;
    }

    std::string grid(const PlotPanel& panel, const Axis& x, const Axis& y, double panel_top) const {
        const PictureColours& colours = plot.style.colours();
        std::string svg =
            fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='{}'/>\n", left,
                        panel_top, width, height, colours.edge);
        const double first = y.tick * std::ceil(y.low / y.tick - 1e-9);
        for (double at = first; at <= y.high + 1e-9 * y.tick; at += y.tick) {
            const double near_zero = std::abs(at) < 1e-9 * y.tick ? 0 : at;
            const double line = panel_top + (1 - (at - y.low) / (y.high - y.low)) * height;
            svg += fmt::format("<path d='M{} {:.1f} h{}' stroke='{}'/>\n", left, line, width, colours.grid);
            svg += fmt::format("<text x='{}' y='{:.1f}' text-anchor='end'>{}</text>\n", left - 7, line + 4,
                               label_of(y.value_at(near_zero)));
        }
        for (double at = x.tick * std::ceil(x.low / x.tick - 1e-9); at <= x.high + 1e-9 * x.tick;
             at += x.tick)
            svg += fmt::format("<path d='M{:.1f} {} v{}' stroke='{}'/>\n", x_of(x, at), panel_top, height,
                               colours.grid);
        svg += fmt::format("<text transform='translate(18 {}) rotate(-90)' text-anchor='middle'>{}</text>\n",
                           panel_top + height / 2, svg_text(panel.y_name));
        return svg;
    }

    std::string x_names(const Axis& x, double bottom) const {
        std::string svg;
        for (double at = x.tick * std::ceil(x.low / x.tick - 1e-9); at <= x.high + 1e-9 * x.tick;
             at += x.tick) {
            std::string name = label_of(std::abs(at) < 1e-9 ? 0 : at);
            if (!plot.x_labels.empty()) {
                const auto number = static_cast<std::size_t>(std::llround(at));
                if (number >= plot.x_labels.size()) continue;
                name = svg_text(plot.x_labels[number]);
            }
            svg += turned(plot) ? fmt::format(
                                      "<text transform='translate({:.1f} {}) rotate(-60)' "
                                      "text-anchor='end'>{}</text>\n",
                                      x_of(x, at) + 4, bottom + 14, name)
                                : fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{}</text>\n",
                                              x_of(x, at), bottom + 18, name);
        }
        return svg + fmt::format("<text x='{}' y='{}' text-anchor='middle'>{}</text>\n", left + width / 2,
                                 bottom + height_of_names(plot) + 22, svg_text(plot.x_name));
    }

    /// A value of x in words, for the pointer.
    std::string place_name(double x) const {
        const auto number = static_cast<std::size_t>(std::max(0.0, x));
        return svg_text(plot.x_labels.empty() || number >= plot.x_labels.size()
                            ? fmt::format("{} {}", plot.x_name, label_of(x))
                            : plot.x_labels[number]);
    }

    /// Seen everywhere: an area has no width if there is one x, and no height where runs agree.
    std::string band_svg(const PlotPanel& panel, const PlotBand& band, const Axis& x, const Axis& y,
                         double panel_top) const {
        std::string above, below_it, texts;
        for (const PlotBand::Edge& edge : band.edges) {
            if (!drawn(panel, {edge.x, edge.low}) || !drawn(panel, {edge.x, edge.high})) continue;
            const double at = x_of(x, edge.x), high = y_of(y, edge.high, panel_top),
                         low = y_of(y, edge.low, panel_top);
            above += fmt::format("{:.1f},{:.1f} ", at, high);
            below_it.insert(0, fmt::format("{:.1f},{:.1f} ", at, low));
            texts += fmt::format(
                "<rect x='{:.1f}' y='{:.1f}' width='8' height='{:.1f}' fill-opacity='0'>"
                "<title>{}: {} to {}, {}</title></rect>\n",
                at - 4, high, low - high, svg_text(band.name), label_of(edge.low), label_of(edge.high),
                place_name(edge.x));
        }
        return fmt::format(
                   "<polygon fill='{0}' fill-opacity='.2' stroke='{0}' stroke-opacity='.4' "
                   "points='{1}{2}'/>\n",
                   colour_of(band.line), above, below_it) +
               texts;
    }

    std::string bars_svg(const PlotPanel& panel, const PlotLine& line, const Axis& x, const Axis& y,
                         double panel_top) const {
        std::string svg;
        const double bar = 0.7 * width * x.share(x.low + 1), base = y_of(y, 0, panel_top);
        for (const PlotPoint& point : line.points) {
            if (!drawn(panel, point)) continue;
            const double at = x_of(x, point.x), end = y_of(y, point.y, panel_top);
            svg += fmt::format(
                "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}'>"
                "<title>{}: {:.6g}, {}</title></rect>\n",
                at - bar / 2, std::min(base, end), bar, std::abs(base - end), colour_of(line.name),
                svg_text(line.name), point.y, place_name(point.x));
            svg += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n", at,
                               std::min(base, end) - 4, short_number(point.y));
        }
        return svg;
    }

    std::string line_svg(const PlotPanel& panel, const PlotLine& line, const Axis& x, const Axis& y,
                         double panel_top) const {
        if (line.bars) return bars_svg(panel, line, x, y, panel_top);
        const std::string colour = colour_of(line.name);
        std::string path, marks;
        for (const PlotPoint& point : line.points) {
            if (!drawn(panel, point)) continue;
            const double at_x = x_of(x, point.x), at_y = y_of(y, point.y, panel_top);
            path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", at_x, at_y);
            marks += fmt::format("{}<title>{}: {:.6g}, {}</title>{}", mark_begin(line.name, at_x, at_y),
                                 svg_text(line.name), point.y, place_name(point.x), mark_end(line.name));
        }
        return fmt::format("<polyline fill='none' stroke='{}' stroke-width='{:.4g}'{} points='{}'/>\n",
                           colour, 1.6 * plot.style.line_scale(),
                           line.dashed ? " stroke-dasharray='6 4'" : "", path) +
               marks;
    }

    std::string legend(const PlotPanel& panel, double panel_top) const {
        std::string svg;
        double at = panel_top + 12;
        for (const PlotLine& line : panel.lines) {
            svg += fmt::format("<path d='M{} {} h22' stroke='{}' stroke-width='{:.4g}'{}/>\n",
                               left + width + 14, at, colour_of(line.name), 2.4 * plot.style.line_scale(),
                               line.dashed ? " stroke-dasharray='6 4'" : "");
            if (plot.style.theme == PictureTheme::print)
                svg += mark_begin(line.name, left + width + 25, at) + mark_end(line.name);
            svg += fmt::format("<text x='{}' y='{}'>{}</text>\n", left + width + 42, at + 4,
                               svg_text(line.name));
            at += 19;
        }
        for (const PlotBand& band : panel.bands) {
            svg += fmt::format("<rect x='{}' y='{}' width='22' height='10' fill='{}' fill-opacity='.3'/>\n",
                               left + width + 14, at - 5, colour_of(band.line));
            svg += fmt::format("<text x='{}' y='{}'>{}</text>\n", left + width + 42, at + 4,
                               svg_text(band.name));
            at += 19;
        }
        return svg;
    }
};

}  // namespace

std::string line_plot_svg(const LinePlot& plot) {
    const Plotter plotter{plot};
    std::vector<std::string> notes;
    for (const std::string& note : plot.notes) {
        for (std::string& line : wrapped_text(note, plotter.width + legend_width - 10, usual_plot_font_size))
            notes.push_back(std::move(line));
    }
    const double top = plot_head + note_height * static_cast<double>(notes.size());
    const auto panels = static_cast<double>(plot.panels.size());
    const double bottom = top + panels * plotter.height + std::max(0.0, panels - 1) * panel_gap;
    std::string svg = svg_begin(plot.style, left + plotter.width + legend_width,
                                bottom + height_of_names(plot) + below, usual_plot_font_size);
    svg += fmt::format("<text x='{}' y='26' font-size='15'>{}</text>\n", left, svg_text(plot.title));
    for (std::size_t i = 0; i < notes.size(); ++i)
        svg += fmt::format("<text x='{}' y='{}' fill='{}'>{}</text>\n", left,
                           plot_head + note_height * static_cast<double>(i), plot.style.colours().soft,
                           svg_text(notes[i]));
    const Axis x = x_axis(plot);
    double panel_top = top;
    for (const PlotPanel& panel : plot.panels) {
        const Axis y = y_axis(panel);
        svg += plotter.grid(panel, x, y, panel_top);
        for (const PlotBand& band : panel.bands) svg += plotter.band_svg(panel, band, x, y, panel_top);
        for (const PlotLine& line : panel.lines) svg += plotter.line_svg(panel, line, x, y, panel_top);
        svg += plotter.legend(panel, panel_top);
        panel_top += plotter.height + panel_gap;
    }
    return svg + plotter.x_names(x, bottom) + "</svg>\n";
}

}  // namespace warpnet::pictures
