#include "analysis/studies/files/nsight_table.hpp"

#include "analysis/studies/compare/statistics.hpp"
#include "analysis/studies/files/launches.hpp"
#include "analysis/studies/files/missing_counters.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace warpnet {

namespace {

bool is_nsight_time(std::string_view metric) {
    const auto times = nsight_times();
    return std::find(times.begin(), times.end(), metric) != times.end();
}

/// What the absence of a counter does, for a message; empty if there are other counters for the same.
std::string consequence(std::string_view metric) {
    for (const CounterNeed& need : nsight_needs())
        if (need.name == metric && need.instead.empty()) return fmt::format(": {}", need.consequence);
    return "";
}

/// What one launch was measured to be, or the mean of several.
struct OneLaunch {
    std::string kernel, grid, block, where;
    std::string gpu, compute_capability;
    std::string apart;  ///< what else tells it from launches of one shape: column case
    KernelMetrics metrics;
    std::optional<double> us;
    std::vector<double> extremes;  // us
    std::int64_t launches = 1;
    std::string fault;  ///< why it is left out
};

class NsightReader {
  public:
    explicit NsightReader(Table& table) : table_(table) {
        table.pass({"ID", "Process ID", "Process Name", "Host Name", "Context", "Stream", "Section Name",
                    "Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type",
                    "Estimated Speedup",
                    "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
                    "Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
                    "Metric Description"});
    }

    std::vector<OneLaunch> read() {
        if (table_.has("Metric Name")) {
            read_long();
        } else {
            read_wide();
        }
        return std::move(launches_);
    }
    const std::string& device() const { return device_; }
    /// What the file has in place of values, once per metric.
    const std::vector<std::string>& without_value() const { return without_value_; }

  private:
    /// Keeps a metric in bytes, Hertz and plain counts; a time becomes that of the launch.
    void keep(OneLaunch& launch, const std::string& name, const std::string& unit, const std::string& value,
              const CsvRow& row) {
        if (value.empty() || value == "-") return;
        // --print-metric-instances puts the values of the instances behind that of the metric: "96 (48; 48)".
        if (const std::size_t instances = value.find(" (");
            instances != std::string::npos && value.back() == ')' && value.front() != '(')
            return keep(launch, name, unit, value.substr(0, instances), row);
        if (!is_metric_value(value)) {
            if (seen_without_.insert(name).second)
                without_value_.push_back(fmt::format("{}: {} has no value ('{}'){}", table_.where(row), name,
                                                     value, consequence(name)));
            return;
        }
        try {
            const double number = nsight_value(name, value, unit, table_.where(row));
            if (is_nsight_time(name)) {
                launch.us = number;
            } else {
                launch.metrics[name] = fmt::format("{}", number);
            }
        } catch (const InputError& error) {
            if (launch.fault.empty()) launch.fault = error.what();
        }
    }

    void name(OneLaunch& launch, const CsvRow& row) {
        launch.kernel = table_.field(row, "Kernel Name");
        launch.grid = table_.field(row, "Grid Size");
        launch.block = table_.field(row, "Block Size");
        launch.gpu = table_.field(row, "Device");
        launch.compute_capability = table_.field(row, "CC");
        launch.apart = table_.field(row, "case");
        launch.where = table_.where(row);
        if (device_.empty()) device_ = table_.field(row, "Device Name");
    }

    /// One metric per row. The rows of one launch have one ID; a summary has no ID, and counts its launches.
    void read_long() {
        const bool summary = !table_.has("Metric Value");
        const bool has_id = table_.has("ID");
        std::map<std::string, std::size_t> by_id;
        for (const CsvRow& row : table_.rows()) {
            const std::string& metric = table_.field(row, "Metric Name");
            const std::string& unit = table_.field(row, "Metric Unit");
            const std::string key =
                fmt::format("{}/{}/{}", table_.field(row, "Process ID"), table_.field(row, "Device"),
                            has_id ? table_.field(row, "ID")
                                   : table_.field(row, "Kernel Name") + table_.field(row, "Grid Size") +
                                         table_.field(row, "Block Size"));
            const auto [found, added] = by_id.try_emplace(key, launches_.size());
            if (added) {
                launches_.emplace_back();
                name(launches_.back(), row);
            }
            OneLaunch& launch = launches_[found->second];
            const std::string& count = table_.field(row, "Invocations");
            const std::string &least = table_.field(row, "Minimum"), &most = table_.field(row, "Maximum");
            if (metric.empty()) continue;  // advice of a rule
            if (!is_nsight_metric(metric)) {
                table_.leave(metric);
                continue;
            }
            keep(launch, metric, unit, table_.field(row, summary ? "Average" : "Metric Value"), row);
            if (!summary) continue;
            try {
                launch.launches = std::llround(metric_number(count, table_.where(row) + ": Invocations"));
                for (const std::string& value : {least, most}) {
                    if (!is_metric_value(value)) continue;
                    const double extreme = nsight_value(metric, value, unit, table_.where(row));
                    if (is_nsight_time(metric)) launch.extremes.push_back(extreme);
                }
            } catch (const InputError& error) {
                if (launch.fault.empty()) launch.fault = error.what();
            }
        }
    }

    /// One launch per row, below the head a row of units: it has no kernel.
    void read_wide() {
        const CsvRow* units = nullptr;
        for (const CsvRow& row : table_.rows()) {
            if (table_.field(row, "Kernel Name").empty()) {
                if (units == nullptr) units = &row;
                continue;
            }
            OneLaunch launch;
            name(launch, row);
            for (const std::string& column : table_.columns()) {
                if (!is_nsight_metric(column)) continue;
                keep(launch, column, units == nullptr ? "" : table_.field(*units, column),
                     table_.field(row, column), row);
            }
            launches_.push_back(std::move(launch));
        }
    }

    Table& table_;
    std::vector<OneLaunch> launches_;
    std::set<std::string> seen_without_;
    std::vector<std::string> without_value_;
    std::string device_;
};

/// The shape from the columns, or from the metrics that older versions have in their place.
std::string nsight_shape(const std::string& column, const KernelMetrics& metrics, std::string_view metric) {
    if (!column.empty() || !metric_is_there(metrics, metric)) return column;
    return metrics.find(metric)->second;
}

/// Takes out the launches on other GPUs than the device, if there are any on its like; else a warning.
void keep_capability(std::vector<OneLaunch>& launches, const std::string& wanted,
                     std::vector<std::string>& warnings) {
    if (wanted.empty()) return;
    const auto other = [&](const OneLaunch& one) {
        return !one.compute_capability.empty() && one.compute_capability != wanted;
    };
    const auto others = std::count_if(launches.begin(), launches.end(), other);
    if (others == 0) return;
    const OneLaunch& first = *std::find_if(launches.begin(), launches.end(), other);
    const bool some = others < static_cast<std::ptrdiff_t>(launches.size());
    warnings.push_back(
        fmt::format("{}: measured on compute capability {}, and the device has {}: {}", first.where,
                    first.compute_capability, wanted,
                    some ? fmt::format("{} of {} launches are left out", others, launches.size())
                         : "the predictions are those of another GPU"));
    if (some) std::erase_if(launches, other);
}

/// What is added to the name of a launch: its case, and the GPU if the file has several.
std::string launch_suffix(const OneLaunch& one, const std::set<std::string>& gpus) {
    std::string apart = one.apart.empty() ? "" : fmt::format(" [case {}]", one.apart);
    if (gpus.size() < 2) return apart;
    return apart + fmt::format(" [device {}{}{}]", one.gpu,
                               one.compute_capability.empty() ? "" : ", compute capability ",
                               one.compute_capability);
}

}  // namespace

MeasuredTable read_nsight_table(Table& text, const MeasuredOptions& options) {
    NsightReader reader(text);
    MeasuredTable table;
    table.format = MeasuredFormat::nsight;
    std::vector<OneLaunch> read = reader.read();
    table.device = reader.device();
    table.warnings = reader.without_value();
    keep_capability(read, options.compute_capability, table.warnings);
    std::set<std::string> gpus;
    for (const OneLaunch& one : read) gpus.insert(one.gpu);
    Launches launches;
    KernelMetrics all;
    std::map<std::string, std::vector<double>> clocks;  // MHz, by key
    for (OneLaunch& one : read) {
        read_row(table.faults, [&] {
            if (!one.fault.empty()) throw InputError(one.fault);
            const std::string grid = nsight_shape(one.grid, one.metrics, "launch__grid_size");
            const std::string block = nsight_shape(one.block, one.metrics, "launch__block_size");
            if (grid.empty() || block.empty()) {
                throw InputError(fmt::format(
                    "{}: expected the columns Grid Size and Block Size, or the metrics launch__grid_size and "
                    "launch__block_size",
                    one.where));
            }
            Launch& launch = launches.at(one.kernel, grid, block + launch_suffix(one, gpus), one.where);
            launch.launches += one.launches;
            if (one.us) launch.times.push_back(*one.us);
            launch.extremes.insert(launch.extremes.end(), one.extremes.begin(), one.extremes.end());
            for (const std::string_view clock : nsight_clocks()) {
                if (!metric_is_there(one.metrics, clock)) continue;
                clocks[launch.key].push_back(metric_number(one.metrics.find(clock)->second, one.where) / 1e6);
                break;
            }
            if (!launch.metrics.empty()) return;
            one.metrics["Grid Size"] = grid;
            one.metrics["Block Size"] = block;
            for (const auto& [name, value] : one.metrics) all.try_emplace(name, value);
            launch.metrics = std::move(one.metrics);
        });
    }
    for (const Launch& launch : launches.list()) {
        read_row(table.faults, [&] {
            need_time(launch, options.needs_time, "gpu__time_duration.sum");
            KernelProfile profile = profile_of_nsight(launch.metrics, launch.where);
            profile.name = launch.key;
            Measurement measurement = measurement_of(launch, profile, options.facts);
            const auto clock = clocks.find(launch.key);
            if (clock != clocks.end()) measurement.clock_mhz = sample::median(clock->second);
            table.measurements.push_back(std::move(measurement));
        });
    }
    if (!table.measurements.empty())
        warn_of_missing(nsight_needs(), all, text.source(), "ncu", table.warnings);
    return table;
}

}  // namespace warpnet
