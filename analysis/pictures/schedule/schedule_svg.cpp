// A schedule as a Gantt chart, never wider than a page. A column of a long schedule covers several steps and
// is filled in proportion to the steps in which its row fires. A thin grey bar shows the wait of a row until
// it fires again. The longest wait is labelled with its length, because readers look for it in the witness of
// a long run. Hundreds of rows become lower, and only some of them get a label.

#include "analysis/pictures/schedule/schedule_svg.hpp"

#include "analysis/pictures/schedule/schedule_rows.hpp"
#include "analysis/pictures/svg_text.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/base/no_index.hpp"
#include "engine/base/round_up.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace warpnet::pictures {

namespace {

constexpr double most_row_height = 18, least_row_height = 3, rows_height = 1080;  // of all rows, roughly
constexpr double title_line = 16, title_size = 12, axis_height = 26, right_margin = 20;
constexpr double legend_gap = 12, legend_row_height = 18, least_width = 640;
constexpr double least_label_distance = 13, least_tick_distance = 48;
constexpr double wide_column = 14, chart_width = 1080;  // the maximal width of a longer schedule
constexpr double most_wide_columns = 120, usual_font_size = 11;
constexpr std::size_t most_cells = 400'000;  // rows x columns
constexpr std::string_view waits_name = "waits: nothing fires";

/// The firings of one row in the steps of one column.
struct Cell {
    std::map<std::size_t, std::uint32_t> firings;  // by kind
    std::vector<std::uint32_t> transitions;        // if a column is one step
};

struct Chart {
    std::vector<std::string> rows;
    std::vector<std::string> kinds;
    std::vector<std::size_t> colours;             // of the kinds, for PictureStyle::area_fill()
    std::vector<std::size_t> kind_of_transition;  // no_index if it never fires
    std::uint64_t steps = 0;
    std::uint64_t steps_of_column = 1;
    std::vector<std::map<std::uint64_t, Cell>> cells;  // per row, by column
    std::vector<ScheduleWait> waits;

    std::uint64_t columns() const { return divided_up(steps, steps_of_column); }
};

Chart chart_of(const Net& net, const Schedule& schedule) {
    const ScheduleRows all = schedule_rows(net);
    Chart chart;
    chart.rows = all.names;
    const std::size_t rows = all.names.size();
    chart.cells.resize(rows);
    const std::uint64_t columns =
        std::clamp<std::uint64_t>(most_cells / rows, 100, static_cast<std::uint64_t>(chart_width));
    chart.steps_of_column = std::max<std::uint64_t>(1, divided_up(timed_steps(schedule), columns));
    chart.kind_of_transition.assign(net.transitions().size(), no_index);
    std::map<std::string, std::size_t> kinds;
    bool rest = false;
    for (const ScheduledStep& step : schedule) {
        if (!step.immediate) ++chart.steps;
        for (const std::uint32_t t : step.transitions) {
            rest |= all.row_of[t] == all.rest();
            std::size_t& number = chart.kind_of_transition[t];
            if (number == no_index) {
                number = kinds.try_emplace(all.kind_of[t], kinds.size()).first->second;
                if (number == chart.kinds.size()) chart.kinds.push_back(all.kind_of[t]);
            }
            if (step.immediate) continue;  // takes no time: only in the legend
            Cell& cell = chart.cells[all.row_of[t]][(chart.steps - 1) / chart.steps_of_column];
            ++cell.firings[number];
            if (chart.steps_of_column == 1) cell.transitions.push_back(t);
        }
    }
    if (!rest) chart.rows.pop_back();
    chart.waits = waits_of(net, all, schedule);
    chart.colours = colours_of(all, chart.kinds);
    return chart;
}

std::string title_of(const Net& net, const Chart& chart, const std::string& note) {
    std::string title =
        fmt::format("{}: {}", net.name().empty() ? net.id() : net.name(), plural(chart.steps, "step"));
    if (!note.empty()) title += "; " + note;
    if (chart.steps_of_column > 1)
        title += fmt::format(". A column is {} steps, filled as far as the row fires in them",
                             chart.steps_of_column);
    return title;
}

/// The coordinates of the chart.
struct Layout {
    const PictureStyle& style;
    std::vector<std::string> title_lines;
    double left, top, row_height, column_width, width, chart_width, chart_height;

    Layout(const Chart& chart, const std::string& title, const PictureStyle& picture_style)
        : style(picture_style) {
        const double scale = style.scale(usual_font_size);  // of the whole picture
        left = 70;
        for (const std::string& row : chart.rows)
            left = std::max(left, 14 + text_width(row, usual_font_size));
        row_height =
            std::clamp(rows_height / scale / static_cast<double>(std::max<std::size_t>(1, chart.rows.size())),
                       least_row_height, most_row_height);
        const auto columns = static_cast<double>(std::max<std::uint64_t>(1, chart.columns()));
        column_width = static_cast<double>(chart.steps) <= most_wide_columns / scale
                           ? wide_column
                           : std::clamp(pictures::chart_width / scale / columns, 1 / scale, 8.0);
        chart_width = static_cast<double>(chart.columns()) * column_width;
        chart_height = static_cast<double>(chart.rows.size()) * row_height;
        width = chart_width + left + right_margin;
        for (const std::string& kind : chart.kinds) width = std::max(width, left + legend_width_of(kind));
        width = std::max(width, least_width / scale);
        title_lines = wrapped_text(title, width - left, title_size);
        top = 6 + title_line * static_cast<double>(title_lines.size()) + axis_height;
    }

    static double legend_width_of(const std::string& kind) { return 30 + text_width(kind, usual_font_size); }
    double x_of(std::uint64_t column) const { return left + static_cast<double>(column) * column_width; }
    double y_of(std::size_t row) const { return top + static_cast<double>(row) * row_height; }
};

/// The positions of the names of the kinds below a chart, in as many rows as they need.
struct Legend {
    struct Entry {
        double x, y;  // of the first row: 0
    };
    std::vector<Entry> entries;
    double height = 0;

    Legend(const Chart& chart, const Layout& layout) {
        std::vector<std::string> names = chart.kinds;
        if (!chart.waits.empty()) names.emplace_back(waits_name);
        double x = layout.left, y = 0;
        for (const std::string& kind : names) {
            const double needed = Layout::legend_width_of(kind);
            if (x > layout.left && x + needed > layout.width) x = layout.left, y += legend_row_height;
            entries.push_back({x, y});
            x += needed;
        }
        height = y + legend_row_height;
    }
};

std::string legend_svg(const Chart& chart, const Legend& legend, const PictureStyle& style, double top) {
    std::string svg;
    for (std::size_t kind = 0; kind < chart.kinds.size(); ++kind) {
        const auto [x, y] = legend.entries[kind];
        svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"{}/>", x,
                           top + y, style.area_fill(chart.colours[kind]), style.area_edge());
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 14, top + y + 9,
                           svg_text(chart.kinds[kind]));
    }
    if (legend.entries.size() == chart.kinds.size()) return svg;
    const auto [x, y] = legend.entries.back();
    return svg + fmt::format(
                     "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"3\" fill=\"{}\"/>"
                     "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                     x, top + y + 4, style.colours().faint, x + 14, top + y + 9, waits_name);
}

/// The names of the rows, as many as fit, and the lines between them.
std::string rows_svg(const Chart& chart, const Layout& layout) {
    const auto every =
        static_cast<std::size_t>(std::max(1.0, std::ceil(least_label_distance / layout.row_height)));
    std::string svg;
    for (std::size_t row = 0; row < chart.rows.size(); row += every) {
        svg += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", layout.left - 6,
                           layout.y_of(row) + layout.row_height / 2 + 4, svg_text(chart.rows[row]));
        svg += fmt::format(
            "<line x1=\"{0:.0f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/>\n",
            layout.left, layout.left + layout.chart_width, layout.y_of(row) + layout.row_height,
            layout.style.colours().grid);
    }
    return svg;
}

/// The least of 1, 2, 5, 10, 20, ... steps between two numbers that leaves room for them.
std::uint64_t tick_of(const Chart& chart, const Layout& layout) {
    const double least =
        least_tick_distance / layout.column_width * static_cast<double>(chart.steps_of_column);
    for (std::uint64_t ten = 1;; ten *= 10) {
        for (const std::uint64_t digit : {1U, 2U, 5U})
            if (static_cast<double>(digit * ten) >= least) return digit * ten;
    }
}

std::string axis_svg(const Chart& chart, const Layout& layout) {
    const std::uint64_t tick = tick_of(chart, layout);
    const double width_of_step = layout.column_width / static_cast<double>(chart.steps_of_column);
    std::string svg =
        fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\" fill=\"{}\">step</text>\n",
                    layout.left - 6, layout.top - 10, layout.style.colours().soft);
    for (std::uint64_t step = tick; step <= chart.steps; step += tick) {
        const double end = layout.left + static_cast<double>(step) * width_of_step;
        svg +=
            fmt::format("<text x=\"{0:.1f}\" y=\"{1:.0f}\" text-anchor=\"middle\" fill=\"{3}\">{2}</text>\n",
                        end - width_of_step / 2, layout.top - 10, step, layout.style.colours().soft);
        svg += fmt::format(
            "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" "
            "stroke=\"{3}\"/>\n",
            end, layout.top - 6, layout.top + layout.chart_height, layout.style.colours().grid);
    }
    return svg;
}

/// The waits that are at least a column wide, and the length of the longest one if it can be written there.
std::string waits_svg(const Chart& chart, const Layout& layout) {
    const double width_of_step = layout.column_width / static_cast<double>(chart.steps_of_column);
    const double bar = std::max(1.0, layout.row_height * 0.2);
    const auto x_of = [&](std::uint64_t step) {
        return layout.left + static_cast<double>(step) * width_of_step;
    };
    std::string svg;
    for (const ScheduleWait& wait : chart.waits)
        if (wait.steps() >= chart.steps_of_column)
            svg += fmt::format(
                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"><title>{} "
                "waits "
                "{}: {} to {}</title></rect>\n",
                x_of(wait.first - 1), layout.y_of(wait.row) + (layout.row_height - bar) / 2,
                x_of(wait.last) - x_of(wait.first - 1), bar, layout.style.colours().faint,
                svg_text(chart.rows[wait.row]), plural(wait.steps(), "step"), wait.first, wait.last);
    const auto longest = std::ranges::max_element(chart.waits, {}, &ScheduleWait::steps);
    if (longest == chart.waits.end() || layout.row_height < 14) return svg;
    const std::string said =
        fmt::format("{} waits {}", chart.rows[longest->row], plural(longest->steps(), "step"));
    const double width = text_width(said, usual_font_size) + 8;
    if (width > x_of(longest->last) - x_of(longest->first - 1)) return svg;
    const double middle = (x_of(longest->last) + x_of(longest->first - 1)) / 2;
    return svg + fmt::format(
                     "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>"
                     "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                     middle - width / 2, layout.y_of(longest->row) + 1, width, layout.row_height - 2,
                     layout.style.colours().ground, middle,
                     layout.y_of(longest->row) + layout.row_height / 2 + 4, svg_text(said));
}

/// The same cell in columns [begin, end): its height is filled in proportion to the steps in which the row
/// fires.
std::string cell_svg(const Net& net, const Chart& chart, const Layout& layout, std::size_t row,
                     const Cell& cell, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t first = begin * chart.steps_of_column + 1;
    const std::uint64_t last = std::min(end * chart.steps_of_column, chart.steps);
    const bool single = chart.steps_of_column == 1 && first == last;
    const double gap = single && layout.column_width >= 4 ? 1 : 0;
    const std::string edge = layout.column_width >= 4 ? layout.style.area_edge() : "";
    const double padding = layout.row_height >= 10 ? 2 : 0;
    const double height = layout.row_height - 2 * padding;
    std::uint64_t all = 0;
    for (const auto& [kind, firings] : cell.firings) all += firings;
    const auto full = static_cast<double>(std::max(all, chart.steps_of_column));
    double y = layout.y_of(row) + padding + height;
    std::string svg;
    const auto add = [&](std::size_t kind, std::uint32_t firings, const std::string& title) {
        const double part = height * firings / full;
        y -= part;
        svg += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"{}>"
            "<title>{}</title></rect>\n",
            layout.x_of(begin) + gap / 2, y, static_cast<double>(end - begin) * layout.column_width - gap,
            part, layout.style.area_fill(chart.colours[kind]), edge, svg_text(title));
    };
    if (!single) {
        for (const auto& [kind, firings] : cell.firings)
            add(kind, firings,
                fmt::format("steps {}-{}: {} {}", first, last, chart.rows[row], chart.kinds[kind]));
        return svg;
    }
    for (const std::uint32_t t : cell.transitions)
        add(chart.kind_of_transition[t], 1, fmt::format("step {}: {}", first, net.transitions()[t].id));
    const std::string& name = chart.kinds[cell.firings.begin()->first];
    if (name.size() > 1 || layout.column_width < wide_column || cell.transitions.size() > 1) return svg;
    return svg + fmt::format(
                     "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"10\" "
                     "{}>{}</text>\n",
                     layout.x_of(begin) + layout.column_width / 2,
                     layout.y_of(row) + layout.row_height / 2 + 4, layout.style.on_area(), svg_text(name));
}

/// Narrow cells of the same look are merged.
std::string cells_svg(const Net& net, const Chart& chart, const Layout& layout) {
    std::string svg;
    for (std::size_t row = 0; row < chart.rows.size(); ++row) {
        const auto& cells = chart.cells[row];
        for (auto at = cells.begin(); at != cells.end();) {
            const auto begin = at;
            std::uint64_t end = begin->first + 1;
            for (++at; layout.column_width < 4 && at != cells.end() && at->first == end &&
                       at->second.firings == begin->second.firings;
                 ++at)
                ++end;
            svg += cell_svg(net, chart, layout, row, begin->second, begin->first, end);
        }
    }
    return svg;
}

}  // namespace

std::string schedule_svg(const Net& net, const Schedule& schedule, const std::string& note,
                         const PictureStyle& style) {
    const Chart chart = chart_of(net, schedule);
    const std::string title = title_of(net, chart, note);
    const Layout layout(chart, title, style);
    const Legend legend(chart, layout);
    const double legend_top = layout.top + layout.chart_height + legend_gap;
    std::string svg = svg_begin(style, layout.width, legend_top + legend.height, usual_font_size);
    if (!chart.colours.empty())
        svg += style.hatching(*std::max_element(chart.colours.begin(), chart.colours.end()) + 1);
    svg += fmt::format("<title>{}</title>\n", svg_text(title));
    for (std::size_t i = 0; i < layout.title_lines.size(); ++i)
        svg +=
            fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" font-size=\"{}\">{}</text>\n", layout.left,
                        title_line * static_cast<double>(i + 1), title_size, svg_text(layout.title_lines[i]));
    svg += rows_svg(chart, layout) + axis_svg(chart, layout) + waits_svg(chart, layout) +
           cells_svg(net, chart, layout);
    return svg + legend_svg(chart, legend, style, legend_top) + "</svg>\n";
}

std::string bounded_schedule_svg(const Net& net, const Schedule& schedule, const PictureStyle& style) {
    const std::string note = worst::note_on_bound(timed_steps(schedule), worst::quick_bound(net));
    return schedule_svg(net, schedule, note, style);
}

}  // namespace warpnet::pictures
