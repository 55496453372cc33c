#include "analysis/files/nsight_table.hpp"

#include "analysis/compare/statistics.hpp"
#include "analysis/files/launches.hpp"
#include "analysis/files/missing_counters.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/counter_needs.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace warpnet {

namespace {

constexpr std::array time_names = {std::string_view("gpu__time_duration.sum"),
                                   std::string_view("gpu__time_duration.avg"), std::string_view("Duration")};
constexpr std::array clock_names = {std::string_view("gpc__cycles_elapsed.avg.per_second"),
                                    std::string_view("smsp__cycles_elapsed.avg.per_second"),
                                    std::string_view("sm__cycles_elapsed.avg.per_second"),
                                    std::string_view("SM Frequency")};

/// What one launch was measured to be.
struct OneLaunch {
    std::string kernel, grid, block, where;
    KernelMetrics metrics;
    std::optional<double> us;
};

class NsightReader {
  public:
    NsightReader(const ProfilerText& table, const std::string& source) : table_(table), source_(source) {}

    std::vector<OneLaunch> read() {
        if (table_.kind == ProfilerTable::nsight_long) {
            read_long();
        } else {
            read_wide();
        }
        return std::move(launches_);
    }
    const std::string& device() const { return device_; }

  private:
    std::string field(const CsvRow& row, std::string_view name) const {
        const std::size_t at = column_of(table_.header, name);
        return at < row.fields.size() ? row.fields[at] : "";
    }

    /// Keeps a metric in bytes, Hertz and plain counts; a time becomes that of the launch.
    void keep(OneLaunch& launch, const std::string& name, const std::string& unit, const std::string& value,
              const std::string& where) const {
        if (value.empty()) return;
        if (std::find(time_names.begin(), time_names.end(), name) != time_names.end()) {
            const auto us = nsight_microseconds(metric_number(value, where), unit);
            if (!us) throw InputError(fmt::format("{}: expected a unit of time, found '{}'", where, unit));
            launch.us = *us;
            return;
        }
        const double scale = nsight_unit_scale(unit);
        launch.metrics[name] = scale == 1 || !metric_is_there({{name, value}}, name)
                                   ? value
                                   : fmt::format("{}", scale * metric_number(value, where));
    }

    void name(OneLaunch& launch, const CsvRow& row) {
        launch.kernel = field(row, "Kernel Name");
        launch.grid = field(row, "Grid Size");
        launch.block = field(row, "Block Size");
        launch.where = at_line(source_, row);
        if (device_.empty()) device_ = field(row, "Device Name");
    }

    /// One metric a row; the rows of one launch have one ID.
    void read_long() {
        std::map<std::string, std::size_t> by_id;
        for (const CsvRow& row : table_.rows) {
            const std::string id =
                has_column(table_.header, "ID")
                    ? field(row, "Process ID") + "/" + field(row, "ID")
                    : field(row, "Kernel Name") + field(row, "Grid Size") + field(row, "Block Size");
            const auto [found, added] = by_id.try_emplace(id, launches_.size());
            if (added) {
                launches_.emplace_back();
                name(launches_.back(), row);
            }
            keep(launches_[found->second], field(row, "Metric Name"), field(row, "Metric Unit"),
                 field(row, "Metric Value"), at_line(source_, row));
        }
    }

    /// One launch a row, below the head a row of units: it has no kernel.
    void read_wide() {
        const CsvRow* units = nullptr;
        for (const CsvRow& row : table_.rows) {
            if (field(row, "Kernel Name").empty()) {
                if (units == nullptr) units = &row;
                continue;
            }
            OneLaunch launch;
            name(launch, row);
            for (std::size_t k = 0; k < row.fields.size(); ++k) {
                keep(launch, table_.header.fields[k], units == nullptr ? "" : units->fields[k], row.fields[k],
                     launch.where);
            }
            launches_.push_back(std::move(launch));
        }
    }

    const ProfilerText& table_;
    const std::string& source_;
    std::vector<OneLaunch> launches_;
    std::string device_;
};

/// The shape from the columns, or from the metrics that older versions have in their place.
std::string shape(const std::string& column, const KernelMetrics& metrics, std::string_view metric) {
    if (!column.empty() || !metric_is_there(metrics, metric)) return column;
    return metrics.find(metric)->second;
}

}  // namespace

MeasuredTable read_nsight_table(const ProfilerText& text, const std::string& source,
                                const MeasuredOptions& options) {
    NsightReader reader(text, source);
    Launches launches;
    KernelMetrics all;
    std::map<std::string, std::vector<double>> clocks;  // MHz, by key
    for (OneLaunch& one : reader.read()) {
        const std::string grid = shape(one.grid, one.metrics, "launch__grid_size");
        const std::string block = shape(one.block, one.metrics, "launch__block_size");
        if (grid.empty() || block.empty()) {
            throw InputError(fmt::format(
                "{}: expected the columns Grid Size and Block Size, or the metrics launch__grid_size and "
                "launch__block_size",
                one.where));
        }
        Launch& launch = launches.at(one.kernel, grid, block, one.where);
        ++launch.launches;
        if (one.us) launch.times.push_back(*one.us);
        for (const std::string_view clock : clock_names) {
            if (!metric_is_there(one.metrics, clock)) continue;
            clocks[launch.key].push_back(metric_number(one.metrics.find(clock)->second, one.where) / 1e6);
            break;
        }
        if (!launch.metrics.empty()) continue;
        one.metrics["Grid Size"] = grid;
        one.metrics["Block Size"] = block;
        for (const auto& [name, value] : one.metrics) all.try_emplace(name, value);
        launch.metrics = std::move(one.metrics);
    }
    MeasuredTable table;
    table.format = MeasuredFormat::nsight;
    table.device = reader.device();
    for (const Launch& launch : launches.list()) {
        need_time(launch, options.needs_time, "gpu__time_duration.sum");
        KernelProfile profile = profile_of_nsight(launch.metrics, launch.where);
        profile.name = launch.key;
        table.measurements.push_back(measurement_of(launch, profile, options.facts));
        const auto clock = clocks.find(launch.key);
        if (clock != clocks.end()) table.measurements.back().clock_mhz = sample::median(clock->second);
    }
    if (!table.measurements.empty()) warn_of_missing(nsight_needs(), all, source, "ncu", table.warnings);
    return table;
}

}  // namespace warpnet
