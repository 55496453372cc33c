// Tables of nvprof, in two forms. In the first, one row per kernel has all counters in columns. In the
// second, the log of `--metrics` has one counter per row, but no launch shapes and times. The trace of the
// same program has shapes and times, but no counters. The two files are joined by the names of the kernels.
//
// The log has means over all launches of a kernel, so a kernel that was launched in several shapes is left
// out with a warning. A kernel in only one of the files is left out too. A bad row is a fault and does not
// reject the file. Units differ per file, and a row of units follows each head of a trace. O(rows * columns).

#include "analysis/studies/files/launches.hpp"
#include "analysis/studies/files/measured_table.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace warpnet::studies {

namespace {

Measurement nvprof_measurement(const Launch& launch, const MeasuredOptions& options) {
    const netgen::CounterOptions counters{
        options.line_transactions,
        options.l2_counters && options.facts.find(fact_function(launch.key), "common_sectors").has_value()};
    Measurement measurement =
        measurement_of(launch, netgen::profile_of_metrics(launch.metrics, launch.where, counters),
                       netgen::nvprof_needs(), options.facts);
    if (netgen::metric_is_there(launch.metrics, "elapsed_cycles_sm"))
        measurement.elapsed_cycles = netgen::metric_number(launch.metrics.find("elapsed_cycles_sm")->second,
                                                           launch.where + ": elapsed_cycles_sm");
    return measurement;
}

/// Whether profile_of_metrics() or this reader uses a counter.
bool is_nvprof_counter(std::string_view name) {
    const auto among = [&](std::span<const netgen::CounterNeed> needs) {
        return std::any_of(needs.begin(), needs.end(),
                           [&](const netgen::CounterNeed& need) { return need.name == name; });
    };
    return among(netgen::nvprof_needs()) || among(netgen::nvprof_extras());
}

/// Warns of rates without '%' that are never above 1, because they may be shares.
void warn_of_rates(const std::vector<const netgen::KernelMetrics*>& kernels, const std::string& source,
                   std::vector<std::string>& warnings) {
    for (const char* rate : {"global_hit_rate", "l2_tex_read_hit_rate"}) {
        double most = 0;
        for (const netgen::KernelMetrics* metrics : kernels) {
            if (!netgen::metric_is_there(*metrics, rate)) continue;
            const std::string& text = metrics->find(rate)->second;
            most = std::max(most, text.ends_with('%') ? 100 : netgen::metric_percent(text, rate));
        }
        if (most > 0 && most <= 1)
            warnings.push_back(fmt::format(
                "{}: {} is at most {} everywhere and has no '%': it is taken as per cent, and not as a share",
                source, rate, most));
    }
}

/// The launches of a kernel in the trace, by grid and block.
struct Traced {
    std::vector<std::string> shapes;
    std::string where, grid, block, device;
    std::string registers, static_bytes, dynamic_bytes;
    std::vector<double> times;  // us
    bool counted = false;       // the log has its counters
};

class TraceReader {
  public:
    explicit TraceReader(Table& table) : table_(table) {
        table.pass({"Start", "Size", "Throughput", "SrcMemType", "DstMemType", "Src Dev", "Src Ctx",
                    "Dst Dev", "Dst Ctx", "Context", "Stream", "Correlation_ID"});
    }

    void read(std::map<std::string, Traced>& kernels, const MeasuredOptions& options,
              std::vector<std::string>& faults) {
        std::optional<std::size_t> session;
        for (const CsvRow& row : table_.rows()) {
            // A row of units follows each head. It has no name.
            if (session != table_.session(row)) {
                session = table_.session(row);
                units_ = table_.field(row, "Name").empty() ? &row : nullptr;
                if (units_ != nullptr) continue;
            }
            read_row(faults, [&] {
                const std::string& name = table_.field(row, "Name");
                if (name.empty())
                    throw InputError(fmt::format("{}: expected a 'Name', found none", table_.where(row)));
                if (!name.starts_with('[')) read_launch(row, options, kernels);
            });
        }
    }

  private:
    /// A size in bytes or a time in microseconds, in any unit of the column.
    double number(const CsvRow& row, std::string_view name, const netgen::ProfilerUnit& wanted) {
        const std::string where = fmt::format("{}: {}", table_.where(row), name);
        const std::string unit = units_ == nullptr ? "" : table_.field(*units_, name);
        const std::string& text = table_.field(row, name);
        const double value =
            unit == "ns" ? netgen::metric_count(text, where) : netgen::metric_number(text, where);
        if (value == 0 && unit.empty()) return 0;
        const auto known = netgen::profiler_unit(unit);
        if (!known || known->bytes != wanted.bytes || known->seconds != wanted.seconds)
            throw InputError(fmt::format("{}: expected a unit of {}, found '{}'", where,
                                         wanted.seconds == 1 ? "time" : "memory", unit));
        // nvprof's kilobytes are 1024 bytes.
        const double scale = unit == "KB"   ? 1024
                             : unit == "MB" ? 0x1p20
                             : unit == "GB" ? 0x1p30
                                            : known->scale;
        return wanted.seconds == 1 ? netgen::to_microseconds(value, *known) : scale * value;
    }

    std::string bytes(const CsvRow& row, std::string_view name) {
        if (!netgen::is_metric_value(table_.field(row, name))) return "";
        const double size = number(row, name, {1, 1, 0});
        if (size < 0) throw InputError(fmt::format("{}: {}: expected a size", table_.where(row), name));
        return fmt::format("{:.0f}", size);
    }

    void read_launch(const CsvRow& row, const MeasuredOptions& options,
                     std::map<std::string, Traced>& kernels) {
        // "copy(float*, int) [217]": the number in brackets belongs to the launch.
        std::string name = table_.field(row, "Name");
        const std::size_t bracket = name.rfind(" [");
        if (bracket != std::string::npos && name.ends_with(']')) name.resize(bracket);
        if (const std::string& registers = table_.field(row, "Registers Per Thread");
            netgen::is_metric_value(registers))
            netgen::nvprof_value("Registers Per Thread", registers, table_.where(row), false);
        const double us = number(row, "Duration", netgen::seconds_unit);
        if (options.needs_time) check_time(us, table_.where(row), "Duration");
        const auto shape_of = [&](std::string_view what) {
            std::string shape;
            for (const char axis : {'X', 'Y', 'Z'}) {
                const std::string column = fmt::format("{} {}", what, axis);
                const std::int64_t size = netgen::metric_extent(
                    table_.field(row, column), fmt::format("{}: {}", table_.where(row), column));
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
        if (table_.field(row, "Registers Per Thread") != traced.registers ||
            static_bytes != traced.static_bytes || dynamic_bytes != traced.dynamic_bytes)
            throw InputError(fmt::format("{}: expected the registers and the shared memory of {}",
                                         table_.where(row), traced.where));
        if (std::find(traced.shapes.begin(), traced.shapes.end(), shape) == traced.shapes.end())
            traced.shapes.push_back(shape);
        traced.times.push_back(us);
    }

    Table& table_;
    const CsvRow* units_ = nullptr;
};

/// The counters of one kernel, over all its launches.
struct Logged {
    std::string where, device, launches;
    std::size_t line = 0;
    netgen::KernelMetrics metrics;
    std::map<std::string, std::string> ranges;  ///< of the counters over the launches
};

/// In the order of the file.
std::vector<std::pair<std::string, Logged>> read_log(std::span<Table> files,
                                                     std::vector<std::string>& faults) {
    std::vector<std::pair<std::string, Logged>> kernels;
    for (Table& table : files) {
        table.pass({"Invocations", "Metric Description", "Total"});
        const bool event = table.has("Event Name");
        for (const char* column : {"Min", "Max", "Avg"})
            if (!table.has(column))
                throw InputError(fmt::format("{}: expected a column '{}'", table.where(), column));
        for (const CsvRow& row : table.rows()) {
            const std::string &kernel = table.field(row, "Kernel"),
                              &name = table.field(row, event ? "Event Name" : "Metric Name"),
                              &device = table.field(row, "Device"), &value = table.field(row, "Avg");
            auto found = std::find_if(kernels.begin(), kernels.end(),
                                      [&](const auto& one) { return one.first == kernel; });
            if (found == kernels.end()) {
                kernels.push_back(
                    {kernel, {table.where(row), device, table.field(row, "Invocations"), row.line, {}, {}}});
                found = kernels.end() - 1;
            }
            const std::string &least = table.field(row, "Min"), &most = table.field(row, "Max");
            read_row(faults, [&] {
                Logged& logged = found->second;
                if (device != logged.device)
                    throw InputError(fmt::format("{}: expected one GPU per kernel, found '{}' and '{}'",
                                                 table.where(row), logged.device, device));
                if (kernel.empty() || name.empty())
                    throw InputError(fmt::format("{}: expected a '{}', found none", table.where(row),
                                                 kernel.empty() ? "Kernel"
                                                 : event        ? "Event Name"
                                                                : "Metric Name"));
                if (!is_nvprof_counter(name)) return table.leave(name);
                std::vector<double> rising;
                for (const std::string* number : {&least, &value, &most})
                    if (netgen::is_metric_value(*number) || name == "inst_executed")
                        rising.push_back(
                            netgen::nvprof_value(name, *number, table.where(row), number == &value));
                check_rising(rising, fmt::format("{}: {}", table.where(row), name));
                if (!netgen::is_metric_value(value)) return;
                const auto [known, is_new] = logged.metrics.emplace(name, value);
                const std::string range = fmt::format("{} to {}", least, most);
                const bool same = logged.ranges.try_emplace(name, range).first->second == range;
                if (!is_new && (known->second != value || !same))
                    throw InputError(fmt::format("{}: expected {} of '{}' once, found {} and {}{}",
                                                 table.where(row), name, kernel, known->second, value,
                                                 same ? "" : fmt::format(" ({})", range)));
                if (name != "inst_executed") return;
                const std::string where = table.where(row);
                const bool vary = netgen::nvprof_value(name, least, where, false) !=
                                  netgen::nvprof_value(name, most, where, false);
                logged.metrics["inst_vary"] = vary ? "1" : "0";
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
    for (const double us : traced.times) launch.add(1, us);
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
    MissingCounters missing;
    std::vector<const netgen::KernelMetrics*> rates;
    const auto read = [&](const CsvRow& row) {
        rows.check_width(row);
        const std::string where = rows.where(row);
        netgen::KernelMetrics metrics;
        for (const std::string& column : rows.columns()) {
            if (column == "kernel" || column == "grid" || column == "block") {
                metrics[column] = rows.field(row, column);
                if (metrics[column].empty())
                    throw InputError(fmt::format("{}: expected a '{}', found none", where, column));
            } else if (is_nvprof_counter(column)) {
                const std::string& value = rows.field(row, column);
                if (netgen::is_metric_value(value)) netgen::nvprof_value(column, value, where, true);
                metrics[column] = value;
            }
        }
        const auto number = [&](const std::string& column) -> std::optional<double> {
            const std::string& value = rows.field(row, column);
            if (netgen::is_metric_value(value))
                return netgen::metric_number(value, fmt::format("{}: {}", where, column));
            if (rows.has(column)) rows.gap(row, column);
            return std::nullopt;
        };
        const auto median = number(time);
        if (options.needs_time) check_time(median, where, time);
        const auto least = number("dur_min_us"), most = number("dur_max_us");
        check_spread(median, least, most, where);
        const auto count = number("launches");
        if (count && !(*count >= 1 && *count <= 1e12 && *count == std::floor(*count)))
            throw InputError(fmt::format("{}: launches: expected a count, found {}", where, *count));
        for (const char* needed : {"kernel", "grid", "block"}) {
            if (metrics[needed].empty())
                throw InputError(fmt::format("{}: expected a '{}', found none", where, needed));
        }
        const std::string device = rows.field(row, "device");
        if (rows.has("device") && device.empty()) rows.gap(row, "device");
        if (table.device.empty()) table.device = device;
        add_gpu(table.gpus, {device, "", where});
        missing.add(metrics, row.line);
        const std::string other = device == table.device ? "" : fmt::format(" [{}]", device);
        const netgen::KernelProfile described = netgen::profile_of_metrics(metrics, where);
        Launch& launch = launches.at(
            metrics["kernel"], metrics["grid"], metrics["block"] + other, where,
            traits_of(described,
                      resources_text(metrics["regs"], metrics["static_smem"], metrics["dynamic_smem"])));
        const std::int64_t launched = count ? std::llround(*count) : 1;
        launch.add(launched, median);
        for (const auto& one : {median, least, most})
            if (one) launch.extremes.push_back(*one);
        launch.counted.emplace_back(std::move(metrics), launched);
    };
    for (const CsvRow& row : rows.rows()) read_row(table.faults, [&] { read(row); });
    launches.take_means(rows.source(), table.warnings);
    for (const Launch& launch : launches.list()) {
        read_row(table.faults, [&] {
            table.measurements.push_back(nvprof_measurement(launch, options));
            rates.push_back(&launch.metrics);
        });
    }
    missing.warn(netgen::nvprof_needs(), netgen::nvprof_extras(), rows.source(), "nvprof", table.warnings);
    warn_of_rates(rates, rows.source(), table.warnings);
    if (std::string gaps = rows.gaps("unknown, and 'launches' as 1"); !gaps.empty())
        table.warnings.push_back(std::move(gaps));
    return table;
}

MeasuredTable join_nvprof(std::span<Table> metrics, std::span<Table> traces, const MeasuredOptions& options) {
    if (traces.empty()) {
        throw InputError(
            fmt::format("{}: a log of metrics has neither launch shapes nor times; expected the trace of the "
                        "same program "
                        "as well, from\n  nvprof --csv --log-file trace.csv --print-gpu-trace ./program",
                        metrics.front().source()));
    }
    if (metrics.empty()) {
        throw InputError(
            fmt::format("{}: a trace has no counters; expected the metrics of the same program "
                        "as well, from\n  {}",
                        traces.front().source(),
                        netgen::nvprof_command().substr(netgen::nvprof_command().find('\n') + 1)));
    }
    MeasuredTable table;
    table.format = MeasuredFormat::nvprof;
    std::map<std::string, Traced> traced;
    for (Table& trace : traces) {
        TraceReader(trace).read(traced, options, table.faults);
        if (!trace.has("Dynamic SMem"))
            table.warnings.push_back(
                fmt::format("{}: there is no column 'Dynamic SMem': dynamic shared memory counts as none",
                            trace.where()));
    }
    MissingCounters missing;
    const auto logs = read_log(metrics, table.faults);
    std::vector<const netgen::KernelMetrics*> rates;
    for (const auto& log : logs) {
        const std::string& kernel = log.first;
        const Logged& logged = log.second;
        const auto found = traced.find(kernel);
        if (found == traced.end()) {
            table.warnings.push_back(
                fmt::format("{}: the trace has no kernel '{}': left out", logged.where, kernel));
            continue;
        }
        found->second.counted = true;
        if (found->second.shapes.size() > 1) {
            table.warnings.push_back(
                fmt::format("{}: '{}' was launched in {} shapes ({}, {}, …), and its counters are means over "
                            "them: left out",
                            logged.where, kernel, found->second.shapes.size(), found->second.shapes[0],
                            found->second.shapes[1]));
            continue;
        }
        const std::string& device = found->second.device;
        if (device != logged.device)
            table.warnings.push_back(
                fmt::format("{}: the counters of '{}' are of '{}', and its times of '{}'", logged.where,
                            kernel, logged.device, device));
        if (table.device.empty()) table.device = device;
        const Launch launch = joined(kernel, logged, found->second);
        if (logged.launches != std::to_string(launch.launches))
            table.warnings.push_back(fmt::format(
                "{}: the log has {} launches of '{}', and the trace {}: they are not of the same run",
                logged.where, logged.launches.empty() ? "no number of" : logged.launches, kernel,
                launch.launches));
        read_row(table.faults, [&] {
            table.measurements.push_back(nvprof_measurement(launch, options));
            missing.add(launch.metrics, logged.line);
            add_gpu(table.gpus, {device, "", found->second.where});
            rates.push_back(&logged.metrics);
        });
    }
    for (const auto& [kernel, launches] : traced)
        if (!launches.counted)
            table.warnings.push_back(
                fmt::format("{}: the log has no counters of '{}': left out", launches.where, kernel));
    missing.warn(netgen::nvprof_needs(), netgen::nvprof_extras(), metrics.front().source(), "nvprof",
                 table.warnings);
    warn_of_rates(rates, metrics.front().source(), table.warnings);
    return table;
}

}  // namespace warpnet::studies
