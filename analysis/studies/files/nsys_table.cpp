// Traces of Nsight Systems, and times for profiled launches. A trace has times and launch shapes but no
// counters. So each kernel, shape and GPU becomes a measurement whose counts come from its code. Units are
// part of the column names, which differ between versions.
//
// take_times() replaces the times of profiled launches, because a profiler slows kernels down. A row of a
// trace must match exactly one launch by function, blocks, threads and resources, and only one row may match
// a launch. An ambiguous row is a fault, because a guess could be wrong. O(rows * launches).

#include "analysis/studies/files/launches.hpp"
#include "analysis/studies/files/measured_table.hpp"
#include "netgen/code/ptx/kernel_names.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::studies {

namespace {

UnitColumn unit_column(Table& table, std::string_view stem, const netgen::ProfilerUnit& wanted) {
    if (auto found = find_unit_column(table, stem, wanted)) return std::move(*found);
    throw InputError(
        fmt::format("{}: expected a column '{} (UNIT)', {}", table.where(), stem, table.found_columns()));
}

/// Whether a launch has the blocks and threads that a row gives.
bool has_shape(const netgen::KernelProfile& profile, const PtxRow& row) {
    return std::all_of(row.fields.begin(), row.fields.end(), [&](const auto& field) {
        const auto& [name, value] = field;
        return (name != "blocks" || static_cast<double>(profile.blocks) == value) &&
               (name != "threads" || static_cast<double>(profile.threads) == value);
    });
}

/// The measurements with a profile that match a row, by the function and the name in the trace if these are
/// not empty.
std::vector<std::size_t> launches_like(const MeasuredTable& profiled, const PtxRow& row,
                                       std::string_view function, std::string_view written) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < profiled.measurements.size(); ++i) {
        const Measurement& one = profiled.measurements[i];
        if (one.profile && (function.empty() || fact_function(one.kernel) == function) &&
            (function.empty() || row.benchmark || netgen::may_be_one_kernel(one.kernel, written)) &&
            has_shape(*one.profile, row))
            found.push_back(i);
    }
    return found;
}

/// "40 registers and not 32": a resource of the row that contradicts its launch; empty if there is none.
std::string other_resources(const netgen::KernelProfile& profile, const PtxRow& row) {
    constexpr double of_driver = 1024;  // bytes of shared memory that not all profilers count
    for (const auto& [name, value] : row.fields) {
        const bool registers = name == "registers";
        if (!registers && name != "shared_bytes") continue;
        const auto counted = static_cast<double>(registers ? profile.registers : profile.shared_bytes);
        const double rounding = registers ? 0 : row.shared_rounding + of_driver;
        if (value > 0 && counted > 0 && std::abs(value - counted) > rounding)
            return fmt::format("{} {} and not {}", value, registers ? "registers" : "bytes of shared memory",
                               counted);
    }
    return "";
}

bool is_one_function(const MeasuredTable& table) {
    return std::all_of(table.measurements.begin(), table.measurements.end(), [&](const Measurement& one) {
        return fact_function(one.kernel) == fact_function(table.measurements.front().kernel);
    });
}

}  // namespace

std::optional<UnitColumn> find_unit_column(Table& table, std::string_view stem,
                                           const netgen::ProfilerUnit& wanted) {
    for (const std::string& name : table.columns()) {
        if (!name.starts_with(stem) || !name.ends_with(')')) continue;
        std::string_view rest = std::string_view(name).substr(stem.size());
        if (rest.starts_with(' ')) rest.remove_prefix(1);  // older versions have no blank: "Duration(nsec)"
        if (!rest.starts_with('(')) continue;
        const std::string_view text = rest.substr(1, rest.size() - 2);
        const auto unit = netgen::profiler_unit(text);
        if (!unit || unit->bytes != wanted.bytes || unit->seconds != wanted.seconds)
            throw InputError(fmt::format("{}: {}: expected a unit of {}, found '{}'", table.where(), stem,
                                         wanted.seconds == 1 ? "time" : "memory", text));
        return UnitColumn{name, *unit};
    }
    return std::nullopt;
}

MeasuredTable read_nsys_trace(Table& rows, const MeasuredOptions& options) {
    for (const std::string& name : rows.columns())
        for (const std::string_view stem : {"Start", "Bytes", "Throughput"})
            if (name.starts_with(stem) && name.find('(') <= stem.size() + 1) rows.pass({name});
    rows.pass({"CorrId", "SrcMemKd", "DstMemKd", "Ctx", "GreenCtx", "Strm"});
    const UnitColumn duration = unit_column(rows, "Duration", {1, 0, 1});
    const UnitColumn statics = unit_column(rows, "StcSMem", {1, 1, 0});
    const UnitColumn dynamics = unit_column(rows, "DymSMem", {1, 1, 0});
    MeasuredTable table;
    Launches launches;
    std::vector<PtxRow> shapes;
    const auto read = [&](const CsvRow& row) {
        const auto number = [&](const std::string& column) {
            const std::string at = fmt::format("{}: {}", rows.where(row), column);
            const bool whole = column == duration.name && duration.unit.scale == 1e-9;
            const std::string& cell = rows.field(row, column);
            const double value = column == "Reg/Trd" ? netgen::metric_whole(cell, at)
                                 : whole             ? netgen::metric_count(cell, at)
                                                     : netgen::metric_number(cell, at);
            if (value < 0)
                throw InputError(fmt::format("{}: expected no negative number, found {}", at, value));
            return value;
        };
        const auto size = [&](std::string_view what) {
            std::string text;
            for (const char axis : {'X', 'Y', 'Z'}) {
                const std::string column = fmt::format("{}{}", what, axis);
                text += fmt::format("{}{}", text.empty() ? "" : "x",
                                    netgen::metric_extent(rows.field(row, column),
                                                          fmt::format("{}: {}", rows.where(row), column)));
            }
            return text;
        };
        const std::string grid = size("Grd"), block = size("Blk"), where = rows.where(row);
        const std::string &device = rows.field(row, "Device"), &name = rows.field(row, "Name");
        const double us = netgen::to_microseconds(number(duration.name), duration.unit);
        const std::vector<std::pair<std::string, double>> fields = {
            {"blocks", static_cast<double>(netgen::metric_extent(grid, where))},
            {"threads", static_cast<double>(netgen::metric_extent(block, where))},
            {"registers", number("Reg/Trd")},
            {"shared_bytes", std::round(number(statics.name) * statics.unit.scale +
                                        number(dynamics.name) * dynamics.unit.scale)}};
        if (table.device.empty()) table.device = device;
        if (options.needs_time) check_time(us, where, duration.name);
        add_gpu(table.gpus, {device, "", where});
        Launch& launch = launches.at(
            name, grid, device == table.device ? block : fmt::format("{} [{}]", block, device), where,
            {resources_text(rows.field(row, "Reg/Trd"), rows.field(row, statics.name),
                            rows.field(row, dynamics.name))});
        if (launch.launches == 0) {
            shapes.push_back({shapes.size(), "", "", "", rows.source(), where, fields});
            // nsys rounds to three decimals.
            for (const UnitColumn& memory : {statics, dynamics})
                if (memory.unit.scale > 1) shapes.back().shared_rounding += 0.0005 * memory.unit.scale;
        }
        launch.add(1, us);
    };
    for (const CsvRow& row : rows.rows()) {
        const std::string& name = rows.field(row, "Name");
        if (name.starts_with('[')) continue;  // a copy, not a kernel
        read_row(table.faults, [&] {
            if (name.empty())
                throw InputError(fmt::format("{}: expected a 'Name', found none", rows.where(row)));
            read(row);
        });
    }
    for (const Launch& launch : launches.list()) table.measurements.push_back(measurement_of(launch));
    table.ptx_rows = std::move(shapes);
    if (!table.measurements.empty() && (statics.unit.scale > 1 || dynamics.unit.scale > 1))
        table.warnings.push_back(
            fmt::format("{}: '{}' and '{}' are rounded: shared memory of a block is not exact", rows.where(),
                        statics.name, dynamics.name));
    return table;
}

void take_times(MeasuredTable& profiled, std::span<MeasuredTable> timed) {
    struct Claim {
        MeasuredTable* table;
        std::string where;
        Measurement time;
    };
    std::vector<std::vector<Claim>> claims(profiled.measurements.size());
    std::set<std::string> renamed;
    const bool one_function = is_one_function(profiled);
    for (MeasuredTable& table : timed) {
        std::vector<PtxRow> left;
        std::vector<Measurement> unmatched;
        for (PtxRow& row : table.ptx_rows) {
            Measurement& time = table.measurements[row.measurement];
            std::vector<std::size_t> found =
                launches_like(profiled, row, fact_function(time.kernel), time.kernel);
            if (found.empty() && row.benchmark && one_function) {
                found = launches_like(profiled, row, "", "");
                if (!found.empty() && renamed.insert(time.function).second)
                    table.warnings.push_back(
                        fmt::format("{}: '{}' is taken for '{}', the only kernel of the other tables",
                                    row.where, time.function, profiled.measurements[found.front()].function));
            }
            if (found.empty()) {
                row.measurement = unmatched.size();
                left.push_back(std::move(row));
                unmatched.push_back(std::move(time));
                continue;
            }
            const Measurement& launch = profiled.measurements[found.front()];
            const std::string other = found.size() == 1 ? other_resources(*launch.profile, row) : "";
            if (found.size() > 1) {
                table.faults.push_back(fmt::format(
                    "{}: {} launches of the other tables fit '{}', {} and {} among them; expected {}",
                    row.where, found.size(), time.kernel, launch.kernel,
                    profiled.measurements[found[1]].kernel,
                    row.benchmark ? "blocks and threads that tell them apart" : "one"));
            } else if (!other.empty()) {
                table.faults.push_back(fmt::format("{}: expected '{}' as {} counts it, found {}", row.where,
                                                   launch.kernel, launch.where, other));
            } else {
                claims[found.front()].push_back({&table, row.where, std::move(time)});
            }
        }
        table.ptx_rows = std::move(left);
        table.measurements = std::move(unmatched);
    }
    for (std::size_t i = 0; i < claims.size(); ++i) {
        Measurement& launch = profiled.measurements[i];
        if (claims[i].size() > 1)
            for (const Claim& claim : claims[i])
                claim.table->faults.push_back(
                    fmt::format("{}: expected one row for '{}', found {}, {} and {} among them", claim.where,
                                launch.kernel, claims[i].size(), claims[i][0].where, claims[i][1].where));
        if (claims[i].size() != 1) continue;
        const Measurement& time = claims[i].front().time;
        launch.measured = time.measured;
        launch.mean = time.mean;
        launch.least = time.least;
        launch.most = time.most;
        launch.launches = time.launches;
        launch.clock_mhz = time.clock_mhz;  // the profiler's run is slower, so its clock does not count
        launch.clock_source = time.clock_source;
    }
}

}  // namespace warpnet::studies
