// Predicted against measured times as SVG. Both axes have the same range, so equal values are on the
// diagonal, and a relative error is a parallel band because the axes are logarithmic. Only the functions with
// the largest errors of the first family have names, to keep the picture readable.
//
// A name takes the free position around its point that covers the fewest marks. Names are placed one after
// another, the largest errors first, and not optimised together. That takes O(names x marks), and names of
// small errors are the ones that find no place.

#include "analysis/pictures/plots/scatter_svg.hpp"

#include "analysis/pictures/svg_text.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::pictures {

namespace {

constexpr double margin_left = 70, margin_top = 44, usual_side = 560, scatter_legend_width = 230,
                 margin_below = 56;
constexpr double usual_scatter_font_size = 12;
constexpr double band = 0.25;
constexpr std::size_t named_points = 6;

/// From 10^low to 10^high on both axes.
struct Scale {
    double low = 0, high = 1;
    double side = usual_side;  ///< of the square between the axes

    double share(double value) const { return (std::log10(value) - low) / (high - low); }
    double x(double measured) const { return margin_left + share(measured) * side; }
    double y(double predicted) const { return margin_top + (1 - share(predicted)) * side; }
};

Scale scale_of(const studies::Comparison& comparison, double side) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    const auto see = [&](double value) {
        if (!(value > 0)) return;
        least = std::min(least, value);
        most = std::max(most, value);
    };
    for (const studies::FamilyComparison& family : comparison.families) {
        for (const studies::ComparePoint& point : family.points) {
            see(point.predicted);
            see(comparison.measurements[point.measurement].measured);
        }
    }
    if (!(most > 0)) return {.side = side};
    const double margin = 0.06 * std::max(1.0, std::log10(most / least));
    return {std::log10(least) - margin, std::log10(most) + margin, side};
}

std::string tick_label(double value) {
    return value >= 1e6 || value < 1e-3 ? fmt::format("{:.0e}", value)
                                        : grouped_digits(fmt::format("{:g}", value));
}

std::string axes(const Scale& scale, std::string_view unit, const PictureColours& colours) {
    const double side = scale.side;
    std::string svg = fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='{}'/>\n",
                                  margin_left, margin_top, side, side, colours.edge);
    // Half decades have labels if there are few whole ones.
    const bool fine = scale.high - scale.low < 2;
    for (int decade = static_cast<int>(std::floor(scale.low)); decade <= static_cast<int>(scale.high);
         ++decade) {
        for (const double digit : {1.0, 2.0, 5.0}) {
            const double value = digit * std::pow(10, decade);
            if (scale.share(value) < 0 || scale.share(value) > 1 || (!fine && digit != 1.0)) continue;
            const double x = scale.x(value), y = scale.y(value);
            svg += fmt::format("<path d='M{0:.1f} {1} v{2} M{3} {4:.1f} h{2}' stroke='{5}'/>\n", x,
                               margin_top, side, margin_left, y, colours.grid);
            svg += fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{}</text>\n", x,
                               margin_top + side + 18, tick_label(value));
            svg += fmt::format("<text x='{}' y='{:.1f}' text-anchor='end'>{}</text>\n", margin_left - 7,
                               y + 4, tick_label(value));
        }
    }
    svg += fmt::format("<text x='{}' y='{}' text-anchor='middle'>measured, {}</text>\n",
                       margin_left + side / 2, margin_top + side + 42, svg_text(shown_unit(unit)));
    svg += fmt::format(
        "<text transform='translate(18 {}) rotate(-90)' text-anchor='middle'>predicted, {}</text>\n",
        margin_top + side / 2, svg_text(shown_unit(unit)));
    return svg;
}

std::string diagonal(const Scale& scale, const PictureColours& colours) {
    const double from = std::pow(10, scale.low), to = std::pow(10, scale.high);
    std::string svg = fmt::format(
        "<polygon clip-path='url(#frame)' fill-opacity='.07' points='{:.1f},{:.1f} {:.1f},{:.1f} "
        "{:.1f},{:.1f} "
        "{:.1f},{:.1f}' fill='{}'/>\n",
        scale.x(from), scale.y(from * (1 + band)), scale.x(to), scale.y(to * (1 + band)), scale.x(to),
        scale.y(to * (1 - band)), scale.x(from), scale.y(from * (1 - band)), colours.ink);
    svg += fmt::format("<path d='M{:.1f} {:.1f} L{:.1f} {:.1f}' stroke='{}' stroke-dasharray='5 4'/>\n",
                       scale.x(from), scale.y(from), scale.x(to), scale.y(to), colours.soft);
    return svg;
}

std::string mark(std::size_t shape, double x, double y, std::string_view colour) {
    switch (shape % 4) {
        case 0:
            return fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='4.5' fill='{}' fill-opacity='.75'", x, y,
                               colour);
        case 1:
            return fmt::format(
                "<path d='M{:.1f} {:.1f} l4.5 8 h-9 z' fill='none' stroke-width='1.6' stroke='{}'", x, y - 5,
                colour);
        case 2:
            return fmt::format(
                "<rect x='{:.1f}' y='{:.1f}' width='7.6' height='7.6' fill='none' stroke-width='1.6' "
                "stroke='{}'",
                x - 3.8, y - 3.8, colour);
        default:
            return fmt::format("<path d='M{0:.1f} {1:.1f} l8 8 m0 -8 l-8 8' stroke-width='1.8' stroke='{2}'",
                               x - 4, y - 4, colour);
    }
}

/// The points of the first family, the largest errors first, without those in the band.
std::vector<std::size_t> furthest(const studies::FamilyComparison& family) {
    std::vector<std::size_t> order(family.points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto distance = [&](std::size_t i) { return std::abs(std::log1p(family.points[i].error)); };
    std::erase_if(order, [&](std::size_t i) { return distance(i) < std::log1p(band); });
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return distance(a) > distance(b); });
    return order;
}

struct ScatterBox {
    double left, top, right, bottom;

    bool meets(const ScatterBox& other) const {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
};

/// Names next to points, inside the axes and not on each other: each takes the free position around its point
/// that covers the fewest marks. A function is named once.
class PointNames {
  public:
    PointNames(const studies::Comparison& comparison, const Scale& scale)
        : comparison_(comparison), scale_(scale) {
        for (const studies::FamilyComparison& family : comparison.families)
            for (const studies::ComparePoint& point : family.points) marks_.push_back(box_of(point));
    }

    std::string svg() {
        std::set<std::string> named;
        std::string svg;
        const studies::FamilyComparison& family = comparison_.families.front();
        for (const std::size_t i : furthest(family)) {
            if (named.size() == named_points) break;
            const studies::ComparePoint& point = family.points[i];
            const std::string& function = comparison_.measurements[point.measurement].function;
            if (named.contains(function)) continue;
            const std::string name = shortened_text(function, most_name_width, name_size);
            const auto box = position(box_of(point), text_width(name, name_size));
            if (!box) continue;
            named.insert(function);
            taken_.push_back(*box);
            svg += fmt::format("<text x='{:.1f}' y='{:.1f}' class='name'>{}</text>\n", box->left,
                               box->bottom - 3, svg_text(name));
        }
        return svg;
    }

  private:
    static constexpr double name_size = 11, most_name_width = 180, half_mark = 5;

    ScatterBox box_of(const studies::ComparePoint& point) const {
        const double x = scale_.x(comparison_.measurements[point.measurement].measured);
        const double y = scale_.y(point.predicted);
        return {x - half_mark, y - half_mark, x + half_mark, y + half_mark};
    }

    /// Nothing if no position is free.
    std::optional<ScatterBox> position(const ScatterBox& mark, double width) const {
        constexpr double height = 13, gap = 3;
        const ScatterBox axes{margin_left, margin_top, margin_left + scale_.side, margin_top + scale_.side};
        const double x = (mark.left + mark.right) / 2, y = (mark.top + mark.bottom) / 2;
        std::optional<ScatterBox> best;
        std::ptrdiff_t fewest = std::numeric_limits<std::ptrdiff_t>::max();
        for (const double down : {0.0, -1.0, 1.0, -2.0, 2.0}) {
            const double side = std::abs(down) < 2 ? half_mark + gap : -width / 2;
            for (const double left : {x + side, x - side - width}) {
                const double top = y - height / 2 + down * (height / 2 + gap);
                const ScatterBox box{left, top, left + width, top + height};
                const bool outside = box.left < axes.left || box.right > axes.right || box.top < axes.top ||
                                     box.bottom > axes.bottom;
                const auto meets = [&](const ScatterBox& other) { return box.meets(other); };
                if (outside || std::any_of(taken_.begin(), taken_.end(), meets)) continue;
                const std::ptrdiff_t covered = std::count_if(marks_.begin(), marks_.end(), meets);
                if (covered < fewest) fewest = covered, best = box;
            }
        }
        return best;
    }

    const studies::Comparison& comparison_;
    const Scale& scale_;
    std::vector<ScatterBox> marks_, taken_;
};

}  // namespace

std::string scatter_svg(const studies::Comparison& comparison, std::string_view unit,
                        const PictureStyle& style) {
    const PictureColours& colours = style.colours();
    const double side = usual_side / style.scale(usual_scatter_font_size);
    const Scale scale = scale_of(comparison, side);
    std::string svg = svg_begin(style, margin_left + side + scatter_legend_width,
                                margin_top + side + margin_below, usual_scatter_font_size);
    svg += fmt::format(
        "<style>.name{{font-size:11px;stroke:{4};stroke-width:3px;paint-order:stroke}}</style>\n"
        "<defs><clipPath id='frame'><rect x='{0}' y='{1}' width='{2}' height='{2}'/></clipPath></defs>\n"
        "<text x='{0}' y='26' font-size='16'>Predicted against measured, {3} kernels</text>\n",
        margin_left, margin_top, side, comparison.measurements.size(), colours.ground);
    svg += axes(scale, unit, colours) + diagonal(scale, colours);
    double legend = margin_top + 14;
    for (std::size_t f = comparison.families.size(); f-- > 0;) {  // the first family on top
        const studies::FamilyComparison& family = comparison.families[f];
        const std::string colour = style.line_colour(static_cast<std::size_t>(family.family));
        for (const studies::ComparePoint& point : family.points) {
            const studies::Measurement& measurement = comparison.measurements[point.measurement];
            svg += mark(f, scale.x(measurement.measured), scale.y(point.predicted), colour);
            svg += fmt::format("><title>{}: {}\nmeasured {:.4g}, predicted {:.4g} ({:+.1f} %)</title></{}>\n",
                               to_string(family.family), svg_text(measurement.kernel), measurement.measured,
                               point.predicted, 100 * point.error,
                               f % 4 == 0 ? "circle" : (f % 4 == 2 ? "rect" : "path"));
        }
    }
    for (std::size_t f = 0; f < comparison.families.size(); ++f) {
        const studies::FamilyComparison& family = comparison.families[f];
        const double x = margin_left + side + 20;
        svg += mark(f, x, legend, style.line_colour(static_cast<std::size_t>(family.family))) + "/>\n";
        svg += fmt::format("<text x='{}' y='{}' font-weight='bold'>{}</text>\n", x + 12, legend + 4,
                           to_string(family.family));
        svg += fmt::format("<text x='{}' y='{}'>{}</text>\n", x + 12, legend + 20,
                           family.absolute ? "nothing fitted" : "one scale fitted");
        svg += fmt::format("<text x='{}' y='{}'>MAPE {:.1f} %, median {:.1f} %</text>\n", x + 12, legend + 36,
                           family.predicted.mape, family.predicted.median);
        svg += fmt::format("<text x='{}' y='{}'>Spearman {:.3f}</text>\n", x + 12, legend + 52,
                           family.spearman.value);
        legend += 84;
    }
    svg += fmt::format(
        "<text x='{0}' y='{1}' fill='{3}'>dashed: equal; grey: ±25 %</text>\n"
        "<text x='{0}' y='{2}' fill='{3}'>named: the furthest beyond</text>\n",
        margin_left + side + 20, margin_top + side - 20, margin_top + side - 4, colours.soft);
    if (!comparison.families.empty()) svg += PointNames(comparison, scale).svg();
    return svg + "</svg>\n";
}

}  // namespace warpnet::pictures
