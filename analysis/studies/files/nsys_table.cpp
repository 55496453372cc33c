#include "analysis/studies/files/nsys_table.hpp"

#include "analysis/studies/compare/compare.hpp"
#include "analysis/studies/files/launches.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace warpnet {

namespace {

/// A column "Duration (ns)" and its unit.
struct UnitColumn {
    std::string name;
    ProfilerUnit unit;
};

UnitColumn unit_column(Table& table, std::string_view stem, const ProfilerUnit& wanted) {
    for (const std::string& name : table.columns()) {
        if (!name.starts_with(stem) || !name.ends_with(')')) continue;
        const std::string_view rest = std::string_view(name).substr(stem.size());
        if (!rest.starts_with(" (")) continue;
        const std::string_view text = rest.substr(2, rest.size() - 3);
        const auto unit = profiler_unit(text);
        if (!unit || unit->bytes != wanted.bytes || unit->seconds != wanted.seconds)
            throw InputError(fmt::format("{}: {}: expected a unit of {}, found '{}'", table.where(), stem,
                                         wanted.seconds == 1 ? "time" : "memory", text));
        return {name, *unit};
    }
    throw InputError(
        fmt::format("{}: expected a column '{} (UNIT)', {}", table.where(), stem, table.found_columns()));
}

}  // namespace

MeasuredTable read_nsys_trace(Table& rows, const MeasuredOptions& options) {
    for (const std::string& name : rows.columns())
        if (name.starts_with("Start (") || name.starts_with("Bytes (") || name.starts_with("Throughput ("))
            rows.pass({name});
    rows.pass({"CorrId", "SrcMemKd", "DstMemKd", "Ctx", "GreenCtx", "Strm"});
    const UnitColumn duration = unit_column(rows, "Duration", {1, 0, 1});
    const UnitColumn statics = unit_column(rows, "StcSMem", {1, 1, 0});
    const UnitColumn dynamics = unit_column(rows, "DymSMem", {1, 1, 0});
    MeasuredTable table;
    Launches launches;
    std::vector<PtxRow> shapes;
    const auto read = [&](const CsvRow& row) {
        const auto number = [&](const std::string& column) {
            return metric_number(rows.field(row, column), fmt::format("{}: {}", rows.where(row), column));
        };
        const auto size = [&](std::string_view what) {
            std::string text;
            for (const char axis : {'X', 'Y', 'Z'})
                text +=
                    fmt::format("{}{:.0f}", text.empty() ? "" : "x", number(fmt::format("{}{}", what, axis)));
            return text;
        };
        const std::string grid = size("Grd"), block = size("Blk"), where = rows.where(row);
        const std::string &device = rows.field(row, "Device"), &name = rows.field(row, "Name");
        const double us = to_microseconds(number(duration.name), duration.unit);
        const std::vector<std::pair<std::string, double>> fields = {
            {"blocks", static_cast<double>(metric_extent(grid, where))},
            {"threads", static_cast<double>(metric_extent(block, where))},
            {"registers", number("Reg/Trd")},
            {"shared_bytes", std::round(number(statics.name) * statics.unit.scale +
                                        number(dynamics.name) * dynamics.unit.scale)}};
        if (table.device.empty()) table.device = device;
        if (!(us > 0) && options.needs_time)
            throw InputError(fmt::format("{}: expected a measured time above 0", where));
        Launch& launch = launches.at(
            name, grid, device == table.device ? block : fmt::format("{} [{}]", block, device), where);
        if (launch.launches++ == 0)
            shapes.push_back({shapes.size(), "", "", "", rows.source(), where, fields});
        launch.times.push_back(us);
    };
    for (const CsvRow& row : rows.rows()) {
        if (rows.field(row, "GrdX").empty()) continue;  // a copy, not a kernel
        read_row(table.faults, [&] { read(row); });
    }
    for (const Launch& launch : launches.list()) table.measurements.push_back(measurement_of(launch));
    table.ptx_rows = std::move(shapes);
    if (!table.measurements.empty())
        table.warnings.push_back(
            fmt::format("{}: '{}' and '{}' are rounded: shared memory of a block is not exact", rows.where(),
                        statics.name, dynamics.name));
    return table;
}

void take_nsys_times(MeasuredTable& profiled, MeasuredTable& trace) {
    std::vector<PtxRow> left;
    std::vector<Measurement> unmatched;
    for (PtxRow& row : trace.ptx_rows) {
        Measurement& timed = trace.measurements[row.measurement];
        const auto found = std::find_if(
            profiled.measurements.begin(), profiled.measurements.end(), [&](const Measurement& one) {
                return one.profile && one.function == timed.function &&
                       static_cast<double>(one.profile->blocks) == row.fields[0].second &&
                       static_cast<double>(one.profile->threads) == row.fields[1].second;
            });
        if (found == profiled.measurements.end()) {
            row.measurement = unmatched.size();
            left.push_back(std::move(row));
            unmatched.push_back(std::move(timed));
            continue;
        }
        found->measured = timed.measured;
        found->least = timed.least;
        found->most = timed.most;
        found->launches = timed.launches;
        found->clock_mhz = 0;  // of the slower run of the profiler
    }
    trace.ptx_rows = std::move(left);
    trace.measurements = std::move(unmatched);
}

}  // namespace warpnet
