// Tables of Nsight Compute in any of three layouts: one metric per row, one launch per row below a row of
// units, or a summary per kernel. All columns that distinguish launches identify the rows of a launch,
// because IDs of another session begin at 0 again. Each value is converted to the unit of its metric.
// Launches of one kernel and shape that do the same work become one measurement with mean counters and the
// median time. A launch with a bad value is a fault. The cost is linear in the text, apart from the
// comparisons of launches.cpp.

#include "analysis/studies/compare/statistics.hpp"
#include "analysis/studies/files/launches.hpp"
#include "analysis/studies/files/measured_table.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace warpnet::studies {

namespace {

bool is_nsight_time(std::string_view metric) { return netgen::nsight_unit(metric) == "us"; }

/// The measurements of one launch, or the mean of several.
struct OneLaunch {
    std::string kernel, grid, block, where;
    std::string gpu, gpu_name, compute_capability;
    std::string apart;  ///< distinguishes launches of one shape: the column 'case'
    std::size_t line = 0;
    netgen::KernelMetrics metrics;
    std::vector<double> extremes;               // us
    std::map<std::string, std::string> ranges;  // of a summary, by metric
    std::int64_t launches = 1;
    std::string invocations = {};  ///< of a summary
    std::string fault;             ///< the reason for leaving it out

    /// The time in microseconds, from the best available metric.
    std::optional<double> time() const {
        for (const std::string_view name : netgen::nsight_times())
            if (netgen::metric_is_there(metrics, name))
                return netgen::metric_number(metrics.find(name)->second, where);
        return std::nullopt;
    }
    void fail(std::string why) {
        if (fault.empty()) fault = std::move(why);
    }
};

class NsightReader {
  public:
    explicit NsightReader(Table& table) : table_(table) {
        table.pass({"Section Name", "Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type",
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
    /// Warns of metrics that need a unit and have none.
    void warn_of_units(std::vector<std::string>& warnings) const {
        for (const auto& [metric, lines] : without_unit_)
            warnings.push_back(fmt::format("{}: {} has no unit (line {}): taken as {}", table_.source(),
                                           metric, first_lines(lines), netgen::nsight_unit(metric)));
    }

  private:
    /// The key of a launch. IDs of another session begin at 0 again.
    std::string key_of(const CsvRow& row) {
        std::string key = fmt::format("{}", table_.session(row));
        for (const char* column : {"Process ID", "Process Name", "Host Name", "Device", "Context", "Stream",
                                   "ID", "Kernel Name", "Grid Size", "Block Size", "case"})
            key += "\n" + table_.field(row, column);
        return key;
    }

    /// Stores a metric in bytes, Hertz, microseconds or plain counts.
    void keep(OneLaunch& launch, const std::string& name, const std::string& unit, const std::string& value,
              const CsvRow& row, bool mean = false) {
        if (!netgen::is_metric_value(value)) return;
        // --print-metric-instances appends the values of the instances to that of the metric: "96 (48; 48)".
        if (const std::size_t instances = value.find(" (");
            instances != std::string::npos && value.back() == ')' && value.front() != '(')
            return keep(launch, name, unit, value.substr(0, instances), row, mean);
        try {
            const double number = netgen::nsight_value(name, value, unit, table_.where(row), mean);
            if (unit.empty() && number > 0 && !netgen::nsight_unit(name).empty()) {
                std::vector<std::size_t>& lines = without_unit_[name];
                if (lines.empty() || lines.back() != row.line) lines.push_back(row.line);
            }
            const std::string text = fmt::format("{}", number);
            const auto [known, added] = launch.metrics.emplace(name, text);
            if (!added && known->second != text)
                launch.fail(
                    fmt::format("{}: expected {} of a launch once, found {} and {}: two sessions, or two "
                                "launches of one ID",
                                table_.where(row), name, known->second, text));
        } catch (const InputError& error) {
            launch.fail(error.what());
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
        launch.line = row.line;
        launch.gpu_name = table_.field(row, "Device Name");
        if (device_.empty()) device_ = launch.gpu_name;
        if (launch.kernel.empty())
            launch.fail(fmt::format("{}: expected a 'Kernel Name', found none", launch.where));
    }

    /// One metric per row. The rows of one launch have one ID. A summary has no ID, but the number of its
    /// launches.
    void read_long() {
        const bool summary = !table_.has("Metric Value");
        std::map<std::string, std::size_t> by_key;
        for (const CsvRow& row : table_.rows()) {
            const std::string& metric = table_.field(row, "Metric Name");
            const std::string& unit = table_.field(row, "Metric Unit");
            const auto [found, added] = by_key.try_emplace(key_of(row), launches_.size());
            if (added) {
                launches_.emplace_back();
                name(launches_.back(), row);
            }
            OneLaunch& launch = launches_[found->second];
            const std::string& count = table_.field(row, "Invocations");
            const std::string &least = table_.field(row, "Minimum"), &most = table_.field(row, "Maximum");
            if (metric.empty()) {
                const std::string& value = table_.field(row, summary ? "Average" : "Metric Value");
                if (!value.empty())  // otherwise the advice of a rule
                    launch.fail(fmt::format("{}: expected a 'Metric Name' for the value {}, found none",
                                            table_.where(row), value));
                continue;
            }
            if (!netgen::is_nsight_metric(metric)) {
                table_.leave(metric);
                continue;
            }
            keep(launch, metric, unit, table_.field(row, summary ? "Average" : "Metric Value"), row,
                 summary && count != "1");
            if (!summary) continue;
            try {
                const double times = netgen::metric_number(count, table_.where(row) + ": Invocations");
                if (!(times >= 1 && times <= 1e12 && times == std::floor(times)))
                    throw InputError(
                        fmt::format("{}: Invocations: expected a count, found {}", table_.where(row), count));
                if (!launch.invocations.empty() && launch.invocations != count)
                    throw InputError(
                        fmt::format("{}: expected the Invocations of a kernel to be alike, found {} "
                                    "and {}",
                                    table_.where(row), launch.invocations, count));
                launch.invocations = count;
                launch.launches = std::llround(times);
                const std::string range = fmt::format("{} to {}", least, most);
                const std::string& known = launch.ranges.try_emplace(metric, range).first->second;
                if (known != range)
                    throw InputError(fmt::format("{}: expected one range of {}, found {} and {}",
                                                 table_.where(row), metric, known, range));
                std::vector<double> rising;
                for (const auto& [value, mean] :
                     {std::pair(least, false), {table_.field(row, "Average"), count != "1"}, {most, false}})
                    if (netgen::is_metric_value(value))
                        rising.push_back(netgen::nsight_value(metric, value, unit, table_.where(row), mean));
                check_rising(rising, fmt::format("{}: {}", table_.where(row), metric));
                if (is_nsight_time(metric))
                    launch.extremes.insert(launch.extremes.end(), rising.begin(), rising.end());
            } catch (const InputError& error) {
                launch.fail(error.what());
            }
        }
    }

    /// One launch per row. Below each head is a row of units, which has neither a kernel nor an ID.
    void read_wide() {
        const CsvRow* units = nullptr;
        std::optional<std::size_t> session;
        const bool has_id = table_.has("ID");
        std::map<std::string, std::size_t> lines;
        for (const CsvRow& row : table_.rows()) {
            if (session != table_.session(row)) {
                session = table_.session(row);
                units = nullptr;
                if (table_.field(row, "Kernel Name").empty() && table_.field(row, "ID").empty()) {
                    units = &row;
                    continue;
                }
            }
            OneLaunch launch;
            name(launch, row);
            if (const auto [first, added] = lines.try_emplace(key_of(row), row.line); has_id && !added)
                launch.fail(fmt::format("{}: repeats the launch of line {} with other values",
                                        table_.where(row), first->second));
            for (const std::string& column : table_.columns()) {
                if (!netgen::is_nsight_metric(column)) continue;
                keep(launch, column, units == nullptr ? "" : table_.field(*units, column),
                     table_.field(row, column), row);
            }
            launches_.push_back(std::move(launch));
        }
    }

    Table& table_;
    std::vector<OneLaunch> launches_;
    std::map<std::string, std::vector<std::size_t>> without_unit_;  // metrics with their lines
    std::string device_;
};

/// The shape from the columns, or from metrics, which older versions have instead.
std::string nsight_shape(const std::string& column, const netgen::KernelMetrics& metrics,
                         std::string_view metric) {
    if (!column.empty() || !netgen::metric_is_there(metrics, metric)) return column;
    return metrics.find(metric)->second;
}

/// Removes launches with other compute capabilities, if some launches have the device's.
void keep_capability(std::vector<OneLaunch>& launches, const std::string& wanted,
                     std::vector<std::string>& warnings) {
    if (wanted.empty()) return;
    const auto other = [&](const OneLaunch& one) {
        return !one.compute_capability.empty() && one.compute_capability != wanted;
    };
    const auto others = std::count_if(launches.begin(), launches.end(), other);
    if (others == 0 || others == static_cast<std::ptrdiff_t>(launches.size())) return;
    const OneLaunch& first = *std::find_if(launches.begin(), launches.end(), other);
    warnings.push_back(fmt::format(
        "{}: measured on compute capability {}, and the device has {}: {} of {} launches {} left out",
        first.where, first.compute_capability, wanted, others, launches.size(), others == 1 ? "is" : "are"));
    std::erase_if(launches, other);
}

/// The suffix of the name of a launch: its case, and its GPU if the file has several.
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
    reader.warn_of_units(table.warnings);
    keep_capability(read, options.compute_capability, table.warnings);
    std::set<std::string> gpus;
    for (const OneLaunch& one : read) gpus.insert(one.gpu);
    Launches launches;
    MissingCounters missing;
    const netgen::CounterOptions counters{.other_counters = options.other_counters};
    for (OneLaunch& one : read) {
        read_row(table.faults, [&] {
            if (!one.fault.empty()) throw InputError(one.fault);
            const std::optional<double> us = one.time();
            const std::string grid = nsight_shape(one.grid, one.metrics, "launch__grid_size");
            const std::string block = nsight_shape(one.block, one.metrics, "launch__block_size");
            if (grid.empty() || block.empty()) {
                throw InputError(fmt::format(
                    "{}: expected the columns Grid Size and Block Size, or the metrics launch__grid_size and "
                    "launch__block_size",
                    one.where));
            }
            if (options.needs_time) check_time(us, one.where, "gpu__time_duration.sum");
            one.metrics["Grid Size"] = grid;
            one.metrics["Block Size"] = block;
            const netgen::KernelProfile described =
                netgen::profile_of_nsight(one.metrics, one.where, counters);
            Launch& launch =
                launches.at(one.kernel, grid, block + launch_suffix(one, gpus), one.where,
                            traits_of(described, fmt::format("{} registers, {} bytes of shared memory",
                                                             described.registers, described.shared_bytes)));
            add_gpu(table.gpus, {one.gpu_name, one.compute_capability, one.where});
            launch.add(one.launches, us);
            launch.id = one.apart;
            launch.extremes.insert(launch.extremes.end(), one.extremes.begin(), one.extremes.end());
            for (const std::string_view clock : netgen::nsight_clocks()) {
                if (!netgen::metric_is_there(one.metrics, clock)) continue;
                launch.clocks.push_back(netgen::metric_number(one.metrics.find(clock)->second, one.where) /
                                        1e6);
                break;
            }
            missing.add(one.metrics, one.line);
            launch.counted.emplace_back(std::move(one.metrics), one.launches);
        });
    }
    launches.take_means(text.source(), table.warnings);
    for (const Launch& launch : launches.list()) {
        read_row(table.faults, [&] {
            netgen::KernelProfile profile = netgen::profile_of_nsight(launch.metrics, launch.where, counters);
            profile.name = launch.key;
            Measurement measurement = measurement_of(launch, profile, netgen::nsight_needs(), options.facts);
            if (!launch.clocks.empty()) {
                measurement.clock_mhz = sample::median(launch.clocks);
                measurement.clock_source = "the profiler's run";
            }
            table.measurements.push_back(std::move(measurement));
        });
    }
    missing.warn(netgen::nsight_needs(), {}, text.source(), "ncu", table.warnings);
    return table;
}

}  // namespace warpnet::studies
