// The ranking of a space of launches, as text and as a plot. The text names the axes with several values, or
// all axes if there are none.
// The x axis of the plot is the numeric axis with the most different values, with a line per combination of
// the remaining axes. If the launches have measured times, or there are too many lines, the plot shows times
// over the rank.

#include "analysis/pictures/plots/line_plot_svg.hpp"
#include "cli/report/texts.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

constexpr std::size_t listed_launches = 20;
constexpr std::size_t listed_left_out = 5;
constexpr std::size_t most_lines = 8;   // of a plot
constexpr std::size_t most_named = 40;  // launches along the axis

std::string count_text(std::size_t launches) {
    return fmt::format("{} launch{}", launches, launches == 1 ? "" : "es");
}

std::string quality_text(const studies::TuneQuality& quality) {
    return fmt::format(
        "measured: the predicted best is number {} of {}, {:.1f} % slower than the fastest\n"
        "          Spearman {:.3f}, mean absolute error {:.1f} %\n",
        quality.measured_rank_of_best, count_text(quality.launches), 100 * quality.loss, quality.spearman,
        quality.mape);
}

/// A value; of a file only the name without its folder.
std::string short_value(const studies::TunedLaunch& launch, std::size_t axis) {
    const std::string& value = launch.values[axis];
    return value.substr(value.rfind('/') + 1);
}

/// The axes with more than one value.
std::vector<std::size_t> varied_axes(const studies::TunedSpace& space) {
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < space.axes.size(); ++axis)
        if (std::ranges::any_of(space.launches, [&](const studies::TunedLaunch& launch) {
                return launch.values[axis] != space.launches.front().values[axis];
            }))
            axes.push_back(axis);
    return axes;
}

/// The value of an axis as a number.
std::optional<double> number_of(const studies::TunedLaunch& launch, std::size_t axis) {
    return parse_number<double>(launch.values[axis]);
}

/// The numeric axis with the most different values: the x axis of the plot.
std::optional<std::size_t> x_axis(const studies::TunedSpace& space) {
    std::optional<std::size_t> best;
    std::size_t most = 1;
    for (std::size_t axis = 0; axis < space.axes.size(); ++axis) {
        std::map<double, int> values;
        bool numbers = true;
        for (const studies::TunedLaunch& launch : space.launches) {
            const auto value = number_of(launch, axis);
            numbers = numbers && value;
            if (value) ++values[*value];
        }
        if (!numbers || values.size() <= most) continue;
        most = values.size();
        best = axis;
    }
    return best;
}

/// Predicted times over one axis, with a line per combination of the remaining axes.
std::vector<pictures::PlotLine> lines_over(const studies::TunedSpace& space, std::size_t x) {
    std::map<std::string, pictures::PlotLine> lines;
    for (const studies::TunedLaunch& launch : space.launches) {
        std::string name;
        for (const std::size_t axis : varied_axes(space))
            if (axis != x)
                name += fmt::format("{}{}={}", name.empty() ? "" : " ", space.axes[axis],
                                    short_value(launch, axis));
        pictures::PlotLine& line = lines[name];
        line.name = name.empty() ? "predicted" : name;
        line.points.push_back({*number_of(launch, x), launch.predicted.prediction.us});
    }
    std::vector<pictures::PlotLine> result;
    for (auto& [name, line] : lines) {
        std::ranges::sort(line.points, {}, &pictures::PlotPoint::x);
        result.push_back(std::move(line));
    }
    return result;
}

/// Names the launches by the values that vary, such as "128 40".
void name_launches(const studies::TunedSpace& space, pictures::LinePlot& plot) {
    const std::vector<std::size_t> axes = varied_axes(space);
    plot.x_name.clear();
    for (const std::size_t axis : axes) plot.x_name += space.axes[axis] + " ";
    plot.x_name += "of the launch, the fastest prediction first";
    for (const studies::TunedLaunch& launch : space.launches) {
        std::string& name = plot.x_labels.emplace_back();
        for (const std::size_t axis : axes) name += (name.empty() ? "" : " ") + short_value(launch, axis);
    }
}

/// Predicted and measured times over the launches, the fastest prediction at 0.
std::vector<pictures::PlotLine> lines_by_rank(const studies::TunedSpace& space) {
    pictures::PlotLine predicted{"predicted", {}}, measured{"measured", {}};
    double rank = 0;
    for (const studies::TunedLaunch& launch : space.launches) {
        predicted.points.push_back({rank, launch.predicted.prediction.us});
        if (launch.measured_us) measured.points.push_back({rank, *launch.measured_us});
        ++rank;
    }
    std::vector<pictures::PlotLine> lines = {std::move(predicted)};
    if (!measured.points.empty()) lines.push_back(std::move(measured));
    return lines;
}

}  // namespace

namespace {

std::string left_out_text(const studies::TunedSpace& space) {
    if (space.left_out.empty()) return "";
    std::string text = fmt::format("\n{} left out:\n", count_text(space.left_out.size()));
    const std::size_t shown = std::min(listed_left_out, space.left_out.size());
    for (std::size_t i = 0; i < shown; ++i) text += fmt::format("  {}\n", visible(space.left_out[i]));
    if (space.left_out.size() > shown)
        text += fmt::format("  … {} more (--json)\n", space.left_out.size() - shown);
    return text;
}

std::string row_text(const studies::TunedSpace& space, std::size_t rank, const std::vector<std::size_t>& axes,
                     const std::vector<std::size_t>& widths) {
    const studies::TunedLaunch& launch = space.launches[rank];
    const studies::SmPrediction& prediction = launch.predicted.prediction;
    std::string text = fmt::format("  {:>3}{}", rank + 1, launch.ties_with_best && rank > 0 ? "=" : " ");
    for (std::size_t i = 0; i < axes.size(); ++i)
        text += fmt::format("  {:>{}}", short_value(launch, axes[i]), widths[i]);
    text += fmt::format("  {:>13.3f}", prediction.us);
    if (space.quality)
        text +=
            fmt::format("  {:>12}", launch.measured_us ? fmt::format("{:.3f}", *launch.measured_us) : "-");
    return text + fmt::format("  {:>11.3f}  {}{}\n", prediction.closed.us,
                              to_string(prediction.closed.binding), prediction.outside.empty() ? "" : " *");
}

}  // namespace

std::string tune_text(const netgen::Device& device, const studies::TunedSpace& space) {
    std::string text =
        fmt::format("{} on {}, the fastest first\n\n  rank", count_text(space.launches.size()), device.name);
    const std::size_t shown = std::min(listed_launches, space.launches.size());
    std::vector<std::size_t> axes = varied_axes(space);
    // One launch, or launches that are all alike: the values still say which.
    for (std::size_t axis = 0; axes.empty() && axis < space.axes.size(); ++axis) axes.push_back(axis);
    std::vector<std::size_t> widths;
    for (const std::size_t axis : axes) {
        widths.push_back(space.axes[axis].size());
        for (std::size_t i = 0; i < shown; ++i)
            widths.back() = std::max(widths.back(), short_value(space.launches[i], axis).size());
        text += fmt::format("  {:>{}}", space.axes[axis], widths.back());
    }
    text +=
        fmt::format("  predicted, µs{}  closed form  limited by\n", space.quality ? "  measured, µs" : "");
    for (std::size_t i = 0; i < shown; ++i) text += row_text(space, i, axes, widths);
    if (shown < space.launches.size())
        text += fmt::format("  … {} more (--csv, --json)\n", space.launches.size() - shown);
    if (std::ranges::count_if(space.launches, &studies::TunedLaunch::ties_with_best) > 1)
        text += "= interval over the seeds overlaps with that of the first\n";
    const auto outside = [](const studies::TunedLaunch& launch) {
        return !launch.predicted.prediction.outside.empty();
    };
    if (std::any_of(space.launches.begin(), space.launches.begin() + static_cast<std::ptrdiff_t>(shown),
                    outside))
        text += "* outside the scope of this model (--json gives the reason)\n";
    if (space.quality) text += "\n" + quality_text(*space.quality);
    return text + left_out_text(space);
}

std::string tune_svg(const netgen::Device& device, const studies::TunedSpace& space,
                     const pictures::PictureStyle& style) {
    pictures::LinePlot plot;
    plot.style = style;
    plot.title = fmt::format("{} on {}", count_text(space.launches.size()), device.name);
    pictures::PlotPanel panel{"µs", false, {}};
    if (const auto x = x_axis(space)) {
        panel.lines = lines_over(space, *x);
        plot.x_name = space.axes[*x];
    }
    if (panel.lines.empty() || panel.lines.size() > most_lines || space.quality) {
        panel.lines = lines_by_rank(space);
        plot.x_name = "launches faster in the prediction";
        if (space.launches.size() <= most_named) name_launches(space, plot);
    }
    plot.panels.push_back(std::move(panel));
    return pictures::line_plot_svg(plot);
}

}  // namespace warpnet::cli
