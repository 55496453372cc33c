// The table, the CSV and the plot of a sweep, from one list of columns, so that all three show equal figures.
// A table and a plot show at most three hubs; the CSV has all.
//
// A column is a name and a function from a row to a figure, so a new figure is one entry. If a row lacks the
// figure, the table shows a dash. Hubs are collected over all rows, because a hub may exist only from some
// value of the parameter on.

#include "analysis/pictures/plots/line_plot_svg.hpp"
#include "cli/report/texts.hpp"
#include "engine/base/text.hpp"
#include "engine/input/csv.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

constexpr std::size_t listed_hubs = 3;

/// One figure of every row, in the table, in CSV and in the plot.
struct Column {
    std::string title, name;
    int digits = 0;
    bool share = false;  ///< a share from 0 to 1, printed in per cent
    std::function<std::optional<double>(const studies::SweepRow&)> value;
};

std::optional<double> number(const std::optional<std::uint64_t>& value) {
    if (!value) return {};
    return static_cast<double>(*value);
}

template <class Value>
Column steps_column(std::string title, int digits, Value RunStatistics::*member) {
    std::string name = "steps_" + title;
    return {std::move(title), std::move(name), digits, false, [member](const studies::SweepRow& row) {
                return row.steps ? std::optional<double>(static_cast<double>((*row.steps).*member))
                                 : std::nullopt;
            }};
}

std::vector<Column> step_columns(const studies::SweepReport& report) {
    std::vector<Column> columns;
    if (report.runs > 0)
        columns = {steps_column("min", 0, &RunStatistics::min_steps),
                   steps_column("mean", 2, &RunStatistics::mean_steps),
                   steps_column("max", 0, &RunStatistics::max_steps)};
    if (report.found)
        columns.push_back({"found", "worst_found", 0, false,
                           [](const studies::SweepRow& row) { return number(row.found); }});
    if (report.upper)
        columns.push_back({"at most", "worst_upper", 0, false,
                           [](const studies::SweepRow& row) { return number(row.upper); }});
    return columns;
}

/// The hubs of all rows, in the order of their first occurrence.
std::vector<std::string> hubs_of(const studies::SweepReport& report) {
    std::vector<std::string> names;
    for (const studies::SweepRow& row : report.rows) {
        for (const studies::SweptHub& hub : row.hubs) {
            if (std::find(names.begin(), names.end(), hub.place) == names.end()) names.push_back(hub.place);
        }
    }
    return names;
}

Column hub_column(const std::string& place, const std::string& what, double studies::SweptHub::*member) {
    std::string name = place + "_" + what;
    std::replace(name.begin(), name.end(), ' ', '_');
    return {place + " " + what, std::move(name), 2, true, [place, member](const studies::SweepRow& row) {
                for (const studies::SweptHub& hub : row.hubs) {
                    if (hub.place == place) return std::optional<double>(hub.*member);
                }
                return std::optional<double>();
            }};
}

std::vector<Column> hub_columns(const std::vector<std::string>& hubs) {
    std::vector<Column> columns;
    for (const std::string& place : hubs) {
        columns.push_back(hub_column(place, "in use", &studies::SweptHub::in_use));
        columns.push_back(hub_column(place, "idle", &studies::SweptHub::idle));
    }
    return columns;
}

std::string cell(const Column& column, const studies::SweepRow& row) {
    const auto value = column.value(row);
    if (!value) return "-";
    return column.share ? fmt::format("{:.{}f} %", 100 * *value, column.digits)
                        : fmt::format("{:.{}f}", *value, column.digits);
}

/// "family warps, parameter global-latency: 100 runs each, policy random, seed 1"
std::string title_of(const studies::SweepReport& report) {
    std::string title = fmt::format("family {}, parameter {}", report.family, report.parameter);
    if (report.runs > 0)
        title += fmt::format(": {} each, policy {}, seed {}", amount(report.runs, "run"), report.policy,
                             report.seed);
    return title;
}

/// The common part of the machines of all rows. REQUIRES: there is a row.
std::string machine_of(const studies::SweepReport& report) {
    // With one scheduler, the assignment of warps makes no difference.
    worst::Machine machine = std::ranges::max(report.rows, {}, [](const studies::SweepRow& row) {
                                 return row.machine.count;
                             }).machine;
    for (const studies::SweepRow& row : report.rows) {
        const bool same_kind = row.machine.schedulers == machine.schedulers;
        if (same_kind && row.machine.count != machine.count) machine.count = 0;
        if (row.machine.units != machine.units) machine.units.clear();
    }
    return to_text(machine);
}

std::string notes(const studies::SweepReport& report) {
    std::string text;
    for (const studies::SweepRow& row : report.rows) {
        if (row.ended < row.runs)
            text += fmt::format("  {} {}: {} of {} did not end and do not count\n", report.parameter,
                                row.value, row.runs - row.ended, amount(row.runs, "run"));
        if (row.runs < report.runs)
            text += fmt::format("  {} {}: {} not started\n", report.parameter, row.value,
                                amount(report.runs - row.runs, "run"));
        if (!row.policy_decides)
            text += fmt::format("  {} {}: {} has nothing to decide, since no warps wait for each other\n",
                                report.parameter, row.value, report.policy);
    }
    if (report.rows.size() < report.values)
        text +=
            fmt::format("  {} of {} values not started\n", report.values - report.rows.size(), report.values);
    if (report.upper && !report.rows.empty()) text += fmt::format("  machine: {}\n", machine_of(report));
    return text.empty() ? "" : "\n" + text;
}

pictures::PlotPanel panel_of(const studies::SweepReport& report, const std::vector<Column>& columns,
                             std::string y_name) {
    pictures::PlotPanel panel{std::move(y_name), false, {}};
    for (const Column& column : columns) {
        pictures::PlotLine line{column.title, {}, column.name == "worst_upper"};
        for (std::size_t i = 0; i < report.rows.size(); ++i) {
            const studies::SweepRow& row = report.rows[i];
            const auto x = static_cast<double>(report.multiplied ? static_cast<std::int64_t>(i) : row.value);
            if (const auto value = column.value(row))
                line.points.push_back({x, column.share ? 100 * *value : *value});
        }
        panel.lines.push_back(std::move(line));
    }
    return panel;
}

/// The steps: the mean of the runs as a line, between the least and the largest as a band; found, bound.
pictures::PlotPanel steps_panel(const studies::SweepReport& report) {
    const std::vector<Column> columns = step_columns(report);
    pictures::PlotPanel panel = panel_of(report, columns, "steps");
    if (report.runs == 0) return panel;
    pictures::PlotBand band{"min to max", "mean", {}};
    const auto &least = panel.lines[0].points, &largest = panel.lines[2].points;
    for (std::size_t i = 0; i < least.size(); ++i)
        band.edges.push_back({least[i].x, least[i].y, largest[i].y});
    panel.bands.push_back(std::move(band));
    std::erase_if(panel.lines,
                  [](const pictures::PlotLine& line) { return line.name == "min" || line.name == "max"; });
    return panel;
}

}  // namespace

std::string sweep_text(const studies::SweepReport& report) {
    std::vector<Column> columns = step_columns(report);
    std::vector<std::string> hubs = hubs_of(report);
    const std::size_t left_out = hubs.size() > listed_hubs ? hubs.size() - listed_hubs : 0;
    hubs.resize(hubs.size() - left_out);
    for (Column& column : hub_columns(hubs)) columns.push_back(std::move(column));
    std::string text = title_of(report) + "\n\n";
    const std::size_t first = std::max<std::size_t>(8, report.parameter.size());
    text += fmt::format("  {:>{}}", report.parameter, first);
    const auto width = [](const Column& column) {
        return std::max<std::size_t>(10, column.title.size() + 2);
    };
    for (const Column& column : columns) text += fmt::format("{:>{}}", column.title, width(column));
    text += "\n";
    for (const studies::SweepRow& row : report.rows) {
        text += fmt::format("  {:>{}}", row.value, first);
        for (const Column& column : columns) text += fmt::format("{:>{}}", cell(column, row), width(column));
        text += report.found && row.exact ? "  exact\n" : "\n";
    }
    if (left_out > 0) text += fmt::format("\n  {} more shared places: --json, --csv\n", left_out);
    return text + notes(report);
}

std::string sweep_csv(const studies::SweepReport& report) {
    std::vector<Column> columns = step_columns(report);
    for (Column& column : hub_columns(hubs_of(report))) columns.push_back(std::move(column));
    std::string text = csv_field(report.parameter) + ",runs,dead";
    for (const Column& column : columns) text += "," + csv_field(column.name);
    text += "\n";
    for (const studies::SweepRow& row : report.rows) {
        text += fmt::format("{},{},{}", row.value, row.runs, row.ended);
        for (const Column& column : columns) {
            const auto value = column.value(row);
            text += value ? fmt::format(",{:.10g}", *value) : ",";
        }
        text += "\n";
    }
    return text;
}

std::string sweep_svg(const studies::SweepReport& report, const std::string& arguments,
                      const pictures::PictureStyle& style) {
    pictures::LinePlot plot;
    plot.style = style;
    plot.title = title_of(report);
    plot.notes = {"warpnet generate " + arguments};
    if (!report.rows.empty()) plot.notes.push_back("machine: " + machine_of(report));
    plot.x_name = report.parameter;
    if (report.multiplied) {
        for (const studies::SweepRow& row : report.rows) plot.x_labels.push_back(std::to_string(row.value));
    }
    plot.panels.push_back(steps_panel(report));
    std::vector<std::string> hubs = hubs_of(report);
    hubs.resize(std::min(hubs.size(), listed_hubs));
    if (!hubs.empty()) plot.panels.push_back(panel_of(report, hub_columns(hubs), "per cent"));
    return pictures::line_plot_svg(plot);
}

ExitCode exit_code_of(const studies::SweepReport& report) {
    if (report.interrupted) return ExitCode::interrupted;
    const bool complete =
        report.rows.size() == report.values &&
        std::all_of(report.rows.begin(), report.rows.end(), [&](const studies::SweepRow& row) {
            return row.ended == report.runs && !row.limit_reached;
        });
    return complete ? ExitCode::done : ExitCode::limit;
}

}  // namespace warpnet::cli
