#include "analysis/files/nvprof_table.hpp"

#include "analysis/files/launches.hpp"
#include "analysis/files/missing_counters.hpp"
#include "analysis/files/plain_table.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/counter_needs.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
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
        options.l2_counters && options.facts.knows(fact_function(launch.key), "common_sectors")};
    Measurement measurement =
        measurement_of(launch, profile_of_metrics(launch.metrics, launch.where, counters), options.facts);
    if (metric_is_there(launch.metrics, "elapsed_cycles_sm"))
        measurement.elapsed_cycles = metric_number(launch.metrics.find("elapsed_cycles_sm")->second,
                                                   launch.where + ": elapsed_cycles_sm");
    return measurement;
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
    TraceReader(const ProfilerText& table, const std::string& source) : table_(table), source_(source) {}

    void read(std::map<std::string, Traced>& kernels) {
        for (const CsvRow& row : table_.rows) {
            if (field(row, "Duration").empty() || field(row, "Name").empty()) continue;
            if (units_ == nullptr && field(row, "Grid X").empty() && is_unit(field(row, "Duration"))) {
                units_ = &row;
                continue;
            }
            if (field(row, "Grid X").empty()) continue;  // a copy, not a kernel
            read_launch(row, kernels);
        }
    }
    /// The row of units has no name, so that it is found before the launches.
    void find_units() {
        for (const CsvRow& row : table_.rows) {
            if (!is_unit(field(row, "Duration"))) continue;
            units_ = &row;
            return;
        }
    }

  private:
    static bool is_unit(const std::string& text) { return nsight_microseconds(1, text).has_value(); }

    const std::string& field(const CsvRow& row, std::string_view name) const {
        static const std::string none;
        const std::size_t at = column_of(table_.header, name);
        return at < row.fields.size() ? row.fields[at] : none;
    }

    /// Bytes, whatever the unit of the column.
    std::string bytes(const CsvRow& row, std::string_view name) const {
        const std::string& text = field(row, name);
        if (text.empty()) return "0";
        const std::string unit = units_ == nullptr ? "B" : field(*units_, name);
        const double scale = unit == "KB" ? 1024 : unit == "MB" ? 1024.0 * 1024 : 1;
        return fmt::format("{:.0f}", scale * metric_number(text, at_line(source_, row)));
    }

    void read_launch(const CsvRow& row, std::map<std::string, Traced>& kernels) {
        const std::string where = at_line(source_, row);
        // "copy(float*, int) [217]": what stands in brackets is the number of the launch.
        std::string name = field(row, "Name");
        const std::size_t bracket = name.rfind(" [");
        if (bracket != std::string::npos && name.ends_with(']')) name.resize(bracket);
        const std::string unit = units_ == nullptr ? "us" : field(*units_, "Duration");
        const auto us = nsight_microseconds(metric_number(field(row, "Duration"), where), unit);
        if (!us) throw InputError(fmt::format("{}: expected a unit of time, found '{}'", where, unit));
        const std::string grid =
            fmt::format("{}x{}x{}", field(row, "Grid X"), field(row, "Grid Y"), field(row, "Grid Z"));
        const std::string block =
            fmt::format("{}x{}x{}", field(row, "Block X"), field(row, "Block Y"), field(row, "Block Z"));
        Traced& traced = kernels[name];
        const std::string shape = grid + " " + block;
        if (traced.shapes.empty()) {
            traced.where = where;
            traced.grid = grid;
            traced.block = block;
            traced.device = field(row, "Device");
            traced.registers = field(row, "Registers Per Thread");
            traced.static_bytes = bytes(row, "Static SMem");
            traced.dynamic_bytes = bytes(row, "Dynamic SMem");
        }
        if (std::find(traced.shapes.begin(), traced.shapes.end(), shape) == traced.shapes.end())
            traced.shapes.push_back(shape);
        traced.times.push_back(*us);
    }

    const ProfilerText& table_;
    const std::string& source_;
    const CsvRow* units_ = nullptr;
};

/// The counters of one kernel, over all its launches.
struct Logged {
    std::string where;
    KernelMetrics metrics;
};

/// In the order of the file.
std::vector<std::pair<std::string, Logged>> read_log(const std::vector<NvprofFile>& files) {
    std::vector<std::pair<std::string, Logged>> kernels;
    for (const NvprofFile& file : files) {
        const CsvRow& header = file.table.header;
        const std::size_t kernel = column_of(header, "Kernel"), name = column_of(header, "Metric Name"),
                          mean = column_of(header, "Avg"), least = column_of(header, "Min"),
                          most = column_of(header, "Max");
        if (mean == header.fields.size())
            throw InputError(fmt::format("{}: expected a column 'Avg'", at_line(file.source, header)));
        for (const CsvRow& row : file.table.rows) {
            auto found = std::find_if(kernels.begin(), kernels.end(),
                                      [&](const auto& one) { return one.first == row.fields[kernel]; });
            if (found == kernels.end()) {
                kernels.push_back({row.fields[kernel], {at_line(file.source, row), {}}});
                found = kernels.end() - 1;
            }
            KernelMetrics& metrics = found->second.metrics;
            metrics[row.fields[name]] = row.fields[mean];
            const bool varies = least < row.fields.size() && most < row.fields.size() &&
                                row.fields[least] != row.fields[most];
            if (row.fields[name] == "inst_executed") metrics["inst_vary"] = varies ? "1" : "0";
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

MeasuredTable read_nvprof_rows(const std::vector<CsvRow>& rows, const std::string& source,
                               const MeasuredOptions& options) {
    const CsvRow& header = rows.front();
    const std::string time = has_column(header, "dur_med_us") ? "dur_med_us" : "time_us";
    if (options.needs_time && !has_column(header, time))
        throw InputError(
            fmt::format("{}: expected a column 'dur_med_us' or 'time_us'", at_line(source, header)));
    MeasuredTable table;
    table.format = MeasuredFormat::nvprof;
    Launches launches;
    KernelMetrics all;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        check_width(header, rows[i], source);
        KernelMetrics metrics;
        for (std::size_t k = 0; k < header.fields.size(); ++k) metrics[header.fields[k]] = rows[i].fields[k];
        const std::string where = at_line(source, rows[i]);
        for (const char* needed : {"kernel", "grid", "block"}) {
            if (metrics[needed].empty())
                throw InputError(fmt::format("{}: expected a '{}', found none", where, needed));
        }
        for (const auto& [name, value] : metrics)
            if (!value.empty()) all.try_emplace(name, value);
        if (table.device.empty()) table.device = metrics["device"];
        Launch& launch = launches.at(metrics["kernel"], metrics["grid"], metrics["block"], where);
        for (const std::string& column : {time, std::string("dur_min_us"), std::string("dur_max_us")}) {
            const std::string& measured = metrics[column];
            if (measured.empty()) continue;
            const double us = metric_number(measured, fmt::format("{}: {}", where, column));
            if (column == time) launch.times.push_back(us);
            launch.extremes.push_back(us);
        }
        const std::string& number = metrics["launches"];
        launch.launches +=
            number.empty() ? 1 : std::llround(metric_number(number, fmt::format("{}: launches", where)));
        if (launch.metrics.empty()) launch.metrics = std::move(metrics);
    }
    for (const Launch& launch : launches.list()) {
        need_time(launch, options.needs_time, time);
        table.measurements.push_back(nvprof_measurement(launch, options));
    }
    warn_of_missing(nvprof_needs(), all, source, "nvprof", table.warnings);
    return table;
}

MeasuredTable join_nvprof(const std::vector<NvprofFile>& metrics, const std::vector<NvprofFile>& traces,
                          const MeasuredOptions& options) {
    if (traces.empty()) {
        throw InputError(
            fmt::format("{}: a log of metrics has neither launch shapes nor times; expected the trace of the "
                        "same program "
                        "beside it, from\n  nvprof --csv --log-file trace.csv --print-gpu-trace ./program",
                        metrics.front().source));
    }
    if (metrics.empty()) {
        throw InputError(
            fmt::format("{}: a trace has no counters; expected the metrics of the same program "
                        "beside it, from\n  {}",
                        traces.front().source, nvprof_command().substr(nvprof_command().find('\n') + 1)));
    }
    std::map<std::string, Traced> traced;
    for (const NvprofFile& file : traces) {
        TraceReader reader(file.table, file.source);
        reader.find_units();
        reader.read(traced);
    }
    MeasuredTable table;
    table.format = MeasuredFormat::nvprof;
    KernelMetrics all;
    for (const auto& [kernel, logged] : read_log(metrics)) {
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
        table.measurements.push_back(nvprof_measurement(launch, options));
    }
    if (!table.measurements.empty())
        warn_of_missing(nvprof_needs(), all, metrics.front().source, "nvprof", table.warnings);
    return table;
}

}  // namespace warpnet
