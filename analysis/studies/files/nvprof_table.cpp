#include "analysis/studies/files/nvprof_table.hpp"

#include "analysis/studies/files/launches.hpp"
#include "analysis/studies/files/missing_counters.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace warpnet {

namespace {

Measurement nvprof_measurement(const Launch& launch, const MeasuredOptions& options) {
    const CounterOptions counters{
        options.line_transactions,
        options.l2_counters && options.facts.find(fact_function(launch.key), "common_sectors").has_value()};
    Measurement measurement =
        measurement_of(launch, profile_of_metrics(launch.metrics, launch.where, counters), options.facts);
    if (metric_is_there(launch.metrics, "elapsed_cycles_sm"))
        measurement.elapsed_cycles = metric_number(launch.metrics.find("elapsed_cycles_sm")->second,
                                                   launch.where + ": elapsed_cycles_sm");
    return measurement;
}

/// Whether profile_of_metrics() or this reader makes something of a counter.
bool is_nvprof_counter(std::string_view name) {
    constexpr std::array others = {std::string_view("elapsed_cycles_sm"),
                                   std::string_view("dynamic_smem"),
                                   std::string_view("inst_control"),
                                   std::string_view("inst_compute_ld_st"),
                                   std::string_view("inst_vary"),
                                   std::string_view("l2_read_transactions"),
                                   std::string_view("l2_write_transactions")};
    const auto needs = nvprof_needs();
    return std::find(others.begin(), others.end(), name) != others.end() ||
           std::any_of(needs.begin(), needs.end(),
                       [&](const CounterNeed& need) { return need.name == name; });
}

/// What the trace knows of a kernel: its launches by grid and block.
struct Traced {
    std::vector<std::string> shapes;
    std::string where, grid, block, device;
    std::string registers, static_bytes, dynamic_bytes;
    std::vector<double> times;  // us
};

class TraceReader {
  public:
    explicit TraceReader(Table& table) : table_(table) {
        table.pass({"Start", "Size", "Throughput", "SrcMemType", "DstMemType", "Src Dev", "Src Ctx",
                    "Dst Dev", "Dst Ctx", "Context", "Stream", "Correlation_ID"});
        // The row of units has no name: it is found before the launches.
        for (const CsvRow& row : table.rows()) {
            if (units_ == nullptr && table.field(row, "Name").empty() &&
                !table.field(row, "Duration").empty())
                units_ = &row;
        }
    }

    void read(std::map<std::string, Traced>& kernels, std::vector<std::string>& faults) {
        for (const CsvRow& row : table_.rows()) {
            if (&row == units_ || table_.field(row, "Name").empty()) continue;
            if (table_.field(row, "Grid X").empty()) continue;  // a copy, not a kernel
            read_row(faults, [&] { read_launch(row, kernels); });
        }
    }

  private:
    /// A size in bytes or a time in microseconds, whatever the unit of the column.
    double number(const CsvRow& row, std::string_view name, const ProfilerUnit& wanted,
                  std::string_view unit) {
        const std::string where = fmt::format("{}: {}", table_.where(row), name);
        const std::string& named = units_ == nullptr ? "" : table_.field(*units_, name);
        if (!named.empty()) unit = named;
        const auto known = profiler_unit(unit);
        if (!known || known->bytes != wanted.bytes || known->seconds != wanted.seconds)
            throw InputError(fmt::format("{}: expected a unit of {}, found '{}'", where,
                                         wanted.seconds == 1 ? "time" : "memory", unit));
        // Kilobytes of nvprof are 1024 bytes.
        const double scale = unit == "KB"   ? 1024
                             : unit == "MB" ? 0x1p20
                             : unit == "GB" ? 0x1p30
                                            : known->scale;
        const double value = metric_number(table_.field(row, name), where);
        return wanted.seconds == 1 ? to_microseconds(value, *known) : scale * value;
    }

    std::string bytes(const CsvRow& row, std::string_view name) {
        if (table_.field(row, name).empty()) return "0";
        return fmt::format("{:.0f}", number(row, name, {1, 1, 0}, "B"));
    }

    void read_launch(const CsvRow& row, std::map<std::string, Traced>& kernels) {
        // "copy(float*, int) [217]": what stands in brackets is the number of the launch.
        std::string name = table_.field(row, "Name");
        const std::size_t bracket = name.rfind(" [");
        if (bracket != std::string::npos && name.ends_with(']')) name.resize(bracket);
        const double us = number(row, "Duration", seconds_unit, "us");
        const auto shape_of = [&](std::string_view what) {
            std::string shape;
            for (const char axis : {'X', 'Y', 'Z'}) {
                const std::string column = fmt::format("{} {}", what, axis);
                const std::int64_t size = metric_extent(table_.field(row, column),
                                                        fmt::format("{}: {}", table_.where(row), column));
                shape += fmt::format("{}{}", shape.empty() ? "" : "x", size);
            }
            return shape;
        };
        const std::string grid = shape_of("Grid"), block = shape_of("Block");
        const std::string static_bytes = bytes(row, "Static SMem"),
                          dynamic_bytes = bytes(row, "Dynamic SMem");
        Traced& traced = kernels[name];
        const std::string shape = grid + " " + block;
        if (traced.shapes.empty()) {
            traced.where = table_.where(row);
            traced.grid = grid;
            traced.block = block;
            traced.device = table_.field(row, "Device");
            traced.registers = table_.field(row, "Registers Per Thread");
            traced.static_bytes = static_bytes;
            traced.dynamic_bytes = dynamic_bytes;
        }
        if (table_.field(row, "Device") != traced.device)
            throw InputError(fmt::format("{}: expected one GPU per kernel, found '{}' and '{}'",
                                         table_.where(row), traced.device, table_.field(row, "Device")));
        if (std::find(traced.shapes.begin(), traced.shapes.end(), shape) == traced.shapes.end())
            traced.shapes.push_back(shape);
        traced.times.push_back(us);
    }

    Table& table_;
    const CsvRow* units_ = nullptr;
};

/// The counters of one kernel, over all its launches.
struct Logged {
    std::string where, device;
    KernelMetrics metrics;
};

/// In the order of the file.
std::vector<std::pair<std::string, Logged>> read_log(std::span<Table> files,
                                                     std::vector<std::string>& faults) {
    std::vector<std::pair<std::string, Logged>> kernels;
    for (Table& table : files) {
        table.pass({"Invocations", "Metric Description", "Total"});
        const bool event = table.has("Event Name");
        if (!table.has("Avg")) throw InputError(fmt::format("{}: expected a column 'Avg'", table.where()));
        for (const CsvRow& row : table.rows()) {
            const std::string &kernel = table.field(row, "Kernel"),
                              &name = table.field(row, event ? "Event Name" : "Metric Name"),
                              &device = table.field(row, "Device"), &value = table.field(row, "Avg");
            auto found = std::find_if(kernels.begin(), kernels.end(),
                                      [&](const auto& one) { return one.first == kernel; });
            if (found == kernels.end()) {
                kernels.push_back({kernel, {table.where(row), device, {}}});
                found = kernels.end() - 1;
            }
            const std::string &least = table.field(row, "Min"), &most = table.field(row, "Max");
            read_row(faults, [&] {
                Logged& logged = found->second;
                if (device != logged.device)
                    throw InputError(fmt::format("{}: expected one GPU per kernel, found '{}' and '{}'",
                                                 table.where(row), logged.device, device));
                if (!is_nvprof_counter(name)) return table.leave(name);
                for (const std::string& number : {value, least, most})
                    if (is_metric_value(number))
                        metric_number(number, fmt::format("{}: {}", table.where(row), name));
                const auto [known, is_new] = logged.metrics.emplace(name, value);
                if (!is_new && known->second != value)
                    throw InputError(fmt::format("{}: expected {} of '{}' once, found {} and {}",
                                                 table.where(row), name, kernel, known->second, value));
                if (name == "inst_executed") logged.metrics["inst_vary"] = least != most ? "1" : "0";
            });
        }
    }
    return kernels;
}

Launch joined(const std::string& kernel, const Logged& logged, const Traced& traced) {
    Launch launch;
    launch.key = fmt::format("{} {} {}", kernel, traced.grid, traced.block);
    launch.where = logged.where;
    launch.metrics = logged.metrics;
    launch.metrics["kernel"] = kernel;
    launch.metrics["grid"] = traced.grid;
    launch.metrics["block"] = traced.block;
    launch.metrics["regs"] = traced.registers;
    launch.metrics["static_smem"] = traced.static_bytes;
    launch.metrics["dynamic_smem"] = traced.dynamic_bytes;
    launch.times = traced.times;
    launch.launches = static_cast<std::int64_t>(traced.times.size());
    return launch;
}

}  // namespace

MeasuredTable read_nvprof_rows(Table& rows, const MeasuredOptions& options) {
    const std::string time = rows.has("dur_med_us") ? "dur_med_us" : "time_us";
    if (options.needs_time && !rows.has(time))
        throw InputError(fmt::format("{}: expected a column 'dur_med_us' or 'time_us'", rows.where()));
    MeasuredTable table;
    table.format = MeasuredFormat::nvprof;
    Launches launches;
    KernelMetrics all;
    const auto read = [&](const CsvRow& row) {
        rows.check_width(row);
        const std::string where = rows.where(row);
        KernelMetrics metrics;
        for (const std::string& column : rows.columns()) {
            if (column == "kernel" || column == "grid" || column == "block") {
                metrics[column] = rows.field(row, column);
                if (metrics[column].empty())
                    throw InputError(fmt::format("{}: expected a '{}', found none", where, column));
            } else if (is_nvprof_counter(column)) {
                const std::string& value = rows.field(row, column);
                if (is_metric_value(value)) metric_number(value, fmt::format("{}: {}", where, column));
                metrics[column] = value;
            }
        }
        const auto number = [&](const std::string& column) -> std::optional<double> {
            const std::string& value = rows.field(row, column);
            if (!is_metric_value(value)) return std::nullopt;
            return metric_number(value, fmt::format("{}: {}", where, column));
        };
        const auto median = number(time), least = number("dur_min_us"), most = number("dur_max_us");
        const auto count = number("launches");
        if (count && !(*count >= 1 && *count <= 1e12 && *count == std::floor(*count)))
            throw InputError(fmt::format("{}: launches: expected a count, found {}", where, *count));
        for (const char* needed : {"kernel", "grid", "block"}) {
            if (metrics[needed].empty())
                throw InputError(fmt::format("{}: expected a '{}', found none", where, needed));
        }
        for (const auto& [name, value] : metrics)
            if (!value.empty()) all.try_emplace(name, value);
        if (table.device.empty()) table.device = rows.field(row, "device");
        Launch& launch = launches.at(metrics["kernel"], metrics["grid"], metrics["block"], where);
        if (median) launch.times.push_back(*median);
        for (const auto& one : {median, least, most})
            if (one) launch.extremes.push_back(*one);
        launch.launches += count ? std::llround(*count) : 1;
        if (launch.metrics.empty()) launch.metrics = std::move(metrics);
    };
    for (const CsvRow& row : rows.rows()) read_row(table.faults, [&] { read(row); });
    for (const Launch& launch : launches.list()) {
        read_row(table.faults, [&] {
            need_time(launch, options.needs_time, time);
            table.measurements.push_back(nvprof_measurement(launch, options));
        });
    }
    warn_of_missing(nvprof_needs(), all, rows.source(), "nvprof", table.warnings);
    return table;
}

MeasuredTable join_nvprof(std::span<Table> metrics, std::span<Table> traces, const MeasuredOptions& options) {
    if (traces.empty()) {
        throw InputError(
            fmt::format("{}: a log of metrics has neither launch shapes nor times; expected the trace of the "
                        "same program "
                        "beside it, from\n  nvprof --csv --log-file trace.csv --print-gpu-trace ./program",
                        metrics.front().source()));
    }
    if (metrics.empty()) {
        throw InputError(
            fmt::format("{}: a trace has no counters; expected the metrics of the same program "
                        "beside it, from\n  {}",
                        traces.front().source(), nvprof_command().substr(nvprof_command().find('\n') + 1)));
    }
    MeasuredTable table;
    table.format = MeasuredFormat::nvprof;
    std::map<std::string, Traced> traced;
    for (Table& trace : traces) TraceReader(trace).read(traced, table.faults);
    KernelMetrics all;
    for (const auto& [kernel, logged] : read_log(metrics, table.faults)) {
        const auto found = traced.find(kernel);
        if (found == traced.end()) {
            table.warnings.push_back(
                fmt::format("{}: the trace has no kernel '{}': left out", logged.where, kernel));
            continue;
        }
        if (found->second.shapes.size() > 1) {
            table.warnings.push_back(
                fmt::format("{}: '{}' was launched in {} shapes ({}, {}, …), and its counters are means over "
                            "them: left out",
                            logged.where, kernel, found->second.shapes.size(), found->second.shapes[0],
                            found->second.shapes[1]));
            continue;
        }
        table.device = found->second.device;
        const Launch launch = joined(kernel, logged, found->second);
        for (const auto& [name, value] : launch.metrics) all.try_emplace(name, value);
        read_row(table.faults, [&] { table.measurements.push_back(nvprof_measurement(launch, options)); });
    }
    if (!table.measurements.empty())
        warn_of_missing(nvprof_needs(), all, metrics.front().source(), "nvprof", table.warnings);
    return table;
}

}  // namespace warpnet
