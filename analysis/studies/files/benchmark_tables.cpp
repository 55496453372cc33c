// Tables of benchmarks without counters: CSV of nvbench, and T4 results of Kernel Tuner (its
// results-schema.json). Axes of a benchmark give the shape of the launch. csv_printer.cu of nvbench puts the
// columns of a later benchmark after the columns of the first. So a column after 'Skipped' is also an axis,
// unless it is one of nvbench's own.

#include "analysis/studies/files/launches.hpp"
#include "analysis/studies/files/measured_table.hpp"
#include "engine/base/text.hpp"
#include "engine/input/json.hpp"
#include "netgen/sm/kernel_metrics.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::studies {

namespace {

/// The part of the launch that an axis gives: 'g'rid or 'b'lock, and x, y, z or all three ('a').
struct LaunchAxis {
    char of = 0, dimension = 'a';
};

std::optional<LaunchAxis> launch_axis(std::string_view name) {
    std::string low = lower_case(name);
    std::erase(low, '_');
    if (low == "blocks" || low == "grid" || low == "numblocks" || low == "gridsize") return LaunchAxis{'g'};
    if (low == "threads" || low == "block" || low == "blocksize") return LaunchAxis{'b'};
    for (const char dimension : {'x', 'y', 'z'}) {
        if (low == fmt::format("gridsize{}", dimension)) return LaunchAxis{'g', dimension};
        if (low == fmt::format("blocksize{}", dimension)) return LaunchAxis{'b', dimension};
    }
    return std::nullopt;
}

struct BenchmarkRow {
    std::string name, device, where;
    std::vector<std::pair<std::string, std::string>> axes;  ///< with their values
    std::vector<double> times, extremes;                    ///< us
    double clock_mhz = 0;
};

class BenchmarkRows {
  public:
    explicit BenchmarkRows(std::string source) : source_(std::move(source)) {}

    /// Throws InputError for an axis of the launch without a shape.
    void add(const BenchmarkRow& row) {
        PtxRow code;
        code.source = source_;
        code.where = row.where;
        code.benchmark = true;
        std::string values;
        for (const auto& [axis, value] : row.axes) {
            if (value.empty()) continue;  // an axis of another benchmark
            values += fmt::format("{}{}={}", values.empty() ? "" : " ", axis, value);
            if (const auto launch = launch_axis(axis)) {
                const std::string at = fmt::format("{}: {}", row.where, axis);
                std::array<std::int64_t, 3>& extents = launch->of == 'g' ? code.grid : code.block;
                if (launch->dimension == 'a') {
                    extents = netgen::metric_shape(value, at);
                } else {
                    for (std::int64_t& extent : extents) extent = std::max<std::int64_t>(extent, 1);
                    extents[static_cast<std::size_t>(launch->dimension - 'x')] =
                        netgen::metric_extent(value, at);
                }
            } else if (std::find(others_.begin(), others_.end(), axis) == others_.end()) {
                others_.push_back(axis);
            }
        }
        for (const auto& [field, extents] :
             {std::pair("blocks", code.grid), std::pair("threads", code.block)}) {
            if (extents[0] == 0) continue;
            const std::int64_t product = netgen::metric_extent(fmt::format("{}", fmt::join(extents, "x")),
                                                               fmt::format("{}: {}", row.where, field));
            code.fields.emplace_back(field, static_cast<double>(product));
        }
        if (table_.device.empty()) table_.device = row.device;
        add_gpu(table_.gpus, {row.device, "", row.where});
        Launch& launch = launches_.at(
            row.name, values, row.device == table_.device ? "" : fmt::format("[{}]", row.device), row.where);
        if (launch.times.empty()) {
            clocks_.push_back(row.clock_mhz);
            names_.push_back(row.name);
            code.measurement = table_.ptx_rows.size();
            table_.ptx_rows.push_back(std::move(code));
        }
        launch.times.insert(launch.times.end(), row.times.begin(), row.times.end());
        launch.extremes.insert(launch.extremes.end(), row.extremes.begin(), row.extremes.end());
        ++launch.launches;
    }

    /// The table to which readers add faults and ignored columns.
    MeasuredTable& table() { return table_; }

    MeasuredTable finish() {
        std::size_t i = 0;
        for (Launch& launch : launches_.list()) {
            while (launch.key.ends_with(' ')) launch.key.pop_back();
            table_.measurements.push_back(measurement_of(launch));
            table_.measurements.back().clock_mhz = clocks_[i];
            table_.measurements.back().clock_source = "column Clock Rate";
            table_.measurements.back().function = names_[i++];
        }
        if (!others_.empty() && !table_.measurements.empty())
            table_.warnings.push_back(fmt::format(
                "{}: nothing is predicted from {}: rows that differ in nothing else get the same prediction",
                source_, fmt::join(others_, ", ")));
        return std::move(table_);
    }

  private:
    std::string source_;
    MeasuredTable table_;
    Launches launches_;
    std::vector<double> clocks_;
    std::vector<std::string> names_, others_;
};

void need_times(const BenchmarkRow& row, const MeasuredOptions& options, std::string_view expected) {
    if (!options.needs_time) return;
    if (row.times.empty()) throw InputError(fmt::format("{}: expected {}, found none", row.where, expected));
    for (const double us : row.times) check_time(us, row.where, "");
}

// The columns of nvbench itself. A unit follows the name.
constexpr std::array<std::string_view, 18> nvbench_columns = {
    "Samples",      "Noise",        "IQR",         "Rel IQR",         "CPU Time",    "Min CPU Time",
    "Max CPU Time", "Q1 CPU Time",  "Q3 CPU Time", "Median CPU Time", "Q1 GPU Time", "Q3 GPU Time",
    "Elem/s",       "GlobalMem BW", "BWUtil",      "Batch GPU",       "Walltime",    "Clock Scaling"};
constexpr std::array<std::string_view, 5> nvbench_counters = {"HBWPeak", "LoadEff", "StoreEff", "L1HitRate",
                                                              "L2HitRate"};

bool is_one_of(std::span<const std::string_view> names, std::string_view column) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
        return column.starts_with(name) &&
               (column.size() == name.size() || column.substr(name.size()).starts_with(" ("));
    });
}

/// The axes of nvbench's table.
std::vector<std::string> nvbench_axes(Table& rows) {
    std::vector<std::string> axes;
    for (const std::string& column : rows.columns()) {
        // "BlockSize (pow2)" repeats the number of BlockSize.
        if (is_one_of(nvbench_columns, column) || column.ends_with(" (pow2)")) {
            rows.pass({column});
        } else if (is_one_of(nvbench_counters, column)) {
            if (rows.has(column)) rows.leave(column);
        } else if (column != "Benchmark" && column != "Device" && column != "Device Name" &&
                   column != "Skipped" && column != "Clock Rate" &&
                   !is_one_of(std::array<std::string_view, 4>{"GPU Time", "Median GPU Time", "Min GPU Time",
                                                              "Max GPU Time"},
                              column)) {
            axes.push_back(column);
        }
    }
    return axes;
}

/// A unit of time in the spelling of T4; the benchmark hub writes "miliseconds".
netgen::ProfilerUnit tuner_unit(const JsonValue& value) {
    std::string text = lower_case(value.text());
    if (text == "miliseconds") text = "milliseconds";
    const auto unit = netgen::profiler_unit(text);
    if (!unit || unit->seconds != 1 || unit->bytes != 0) value.fail("a unit of time");
    return *unit;
}

std::string axis_value(const JsonValue& value) {
    if (value.is_text()) return value.text();
    return value.is_number() ? fmt::format("{}", value.number()) : value.boolean() ? "true" : "false";
}

/// The name of a file without folders and extension, and without blanks.
std::string file_stem(std::string_view source) {
    const std::size_t slash = source.rfind('/');
    std::string stem(slash == std::string_view::npos ? source : source.substr(slash + 1));
    if (stem.ends_with(".json")) stem.resize(stem.size() - 5);
    std::replace(stem.begin(), stem.end(), ' ', '_');
    return stem;
}

class TunerReader {
  public:
    TunerReader(const std::string& source, const MeasuredOptions& options)
        : source_(source), options_(options), name_(file_stem(source)), rows_(source) {}

    MeasuredTable read(const JsonValue& root) {
        if (!root.has("results") || !root.has("schema_version"))
            throw InputError(fmt::format(
                "{}: expected results of an auto-tuner (T4: schema_version, results), found {}", source_,
                root.has("benchmarks") && root.has("devices") ? "JSON of nvbench; its --csv is read"
                : root.has("cache") ? "a cache of Kernel Tuner; its store_output_file() writes T4"
                                    : "other JSON"));
        const JsonValue version = root.at("schema_version");
        if (!version.text().starts_with("1.")) version.fail("version 1");
        if (const auto metadata = root.find("metadata"))
            if (const auto unit = metadata->find("timeunit")) unit_ = tuner_unit(*unit);
        std::size_t i = 0;
        for (const JsonValue& result : root.at("results").elements())
            read_result(result, fmt::format("{}: results[{}]", source_, i++));
        if (apart_ > 0)
            rows_.table().warnings.push_back(
                fmt::format("{}: the measurement 'time' is not among the runtimes, whose median is taken{}",
                            first_apart_, apart_ == 1 ? "" : fmt::format(" ({} results)", apart_)));
        return rows_.finish();
    }

  private:
    /// Reads all members before it checks their values: a bad value rejects only its row.
    void read_result(const JsonValue& result, const std::string& where) {
        const auto configuration = result.at("configuration").members();
        const auto runtimes = result.at("times").find("runtimes");
        const std::vector<JsonValue> times = runtimes ? runtimes->elements() : std::vector<JsonValue>();
        std::optional<JsonValue> time, unit;
        if (const auto measurements = result.find("measurements")) {
            for (const JsonValue& measurement : measurements->elements()) {
                const std::string& name = measurement.at("name").text();
                const JsonValue value = measurement.at("value");
                const auto of = measurement.find("unit");
                if (value.is_array()) value.elements();
                if (name == "time") {
                    time = value;
                    unit = of;
                } else if (name != "__error__") {
                    ignore(name);
                }
            }
        }
        const JsonValue invalidity = result.at("invalidity"), correctness = result.at("correctness");
        read_row(rows_.table().faults, [&] {
            BenchmarkRow row{name_, "", where, {}, {}, {}, 0};
            if (invalidity.text() != "correct")
                throw InputError(fmt::format("{}: an invalid configuration ({})", where, invalidity.text()));
            if (!(correctness.number() > 0)) correctness.fail("a number above 0");
            for (const auto& [axis, value] : configuration) row.axes.emplace_back(axis, axis_value(value));
            for (const JsonValue& one : times) row.times.push_back(us(one, unit_, result));
            if (time) {
                const double objective =
                    us(*time, unit && !unit->text().empty() ? tuner_unit(*unit) : unit_, result);
                if (row.times.empty()) {
                    row.times.push_back(objective);
                } else {
                    const auto [least, most] = std::minmax_element(row.times.begin(), row.times.end());
                    if (objective < 0.999 * *least || objective > 1.001 * *most)
                        if (apart_++ == 0) first_apart_ = where;
                }
            }
            need_times(row, options_, "runtimes or a measurement 'time'");
            // The median of the runs is the time, and all runs count as one launch.
            rows_.add(row);
        });
    }

    double us(const JsonValue& value, const std::optional<netgen::ProfilerUnit>& unit,
              const JsonValue& result) const {
        if (!unit) result.fail("a unit of its times in metadata.timeunit");
        return netgen::to_microseconds(value.number(), *unit);
    }

    void ignore(const std::string& name) {
        std::vector<std::string>& ignored = rows_.table().ignored;
        if (std::find(ignored.begin(), ignored.end(), name) == ignored.end()) ignored.push_back(name);
    }

    const std::string& source_;
    const MeasuredOptions& options_;
    std::string name_;
    BenchmarkRows rows_;
    std::optional<netgen::ProfilerUnit> unit_;
    std::size_t apart_ = 0;
    std::string first_apart_;
};

}  // namespace

MeasuredTable read_nvbench(Table& rows, const MeasuredOptions& options) {
    BenchmarkRows found(rows.source());
    const std::vector<std::string> axes = nvbench_axes(rows);
    const auto column = [&](std::string_view stem) { return find_unit_column(rows, stem, {1, 0, 1}); };
    const auto median = column("Median GPU Time"), mean = column("GPU Time"), least = column("Min GPU Time"),
               most = column("Max GPU Time");
    if (!median && !mean)
        throw InputError(
            fmt::format("{}: expected a column 'GPU Time (UNIT)', which nvbench has for kernels and not for "
                        "functions of the "
                        "CPU, {}",
                        rows.where(), rows.found_columns()));
    // Pairs of a benchmark and an axis of its launch; the axes of other benchmarks are empty.
    std::set<std::pair<std::string, std::string>> shaped;
    for (const CsvRow& row : rows.rows())
        for (const std::string& axis : axes)
            if (launch_axis(axis) && !rows.field(row, axis).empty())
                shaped.emplace(rows.field(row, "Benchmark"), axis);
    const auto read = [&](const CsvRow& csv) {
        BenchmarkRow row{rows.field(csv, "Benchmark"), "", rows.where(csv), {}, {}, {}, 0};
        row.device = fmt::format("{} ({})", rows.field(csv, "Device Name"), rows.field(csv, "Device"));
        const std::string& skipped = rows.field(csv, "Skipped");
        if (skipped == "Yes") throw InputError(fmt::format("{}: the benchmark was skipped", row.where));
        if (skipped != "No")
            throw InputError(fmt::format("{}: Skipped: expected Yes or No, found '{}'", row.where, skipped));
        const auto us = [&](const std::optional<UnitColumn>& from) -> std::optional<double> {
            if (!from) return std::nullopt;
            if (!netgen::is_metric_value(rows.field(csv, from->name))) {
                rows.gap(csv, from->name);
                return std::nullopt;
            }
            return netgen::to_microseconds(
                netgen::metric_number(rows.field(csv, from->name),
                                      fmt::format("{}: {}", row.where, from->name)),
                from->unit);
        };
        for (const std::string& axis : axes) {
            row.axes.emplace_back(axis, rows.field(csv, axis));
            if (row.axes.back().second.empty() && shaped.contains({row.name, axis})) rows.gap(csv, axis);
        }
        const auto by_mean = us(mean), by_median = us(median);
        if (by_median || by_mean) row.times.push_back(by_median ? *by_median : *by_mean);
        const auto shortest = us(least), longest = us(most);
        for (const auto& extreme : {shortest, longest})
            if (extreme) row.extremes.push_back(*extreme);
        check_spread(row.times.empty() ? std::nullopt : std::optional(row.times.front()), shortest, longest,
                     row.where);
        if (const std::string& clock = rows.field(csv, "Clock Rate"); netgen::is_metric_value(clock)) {
            row.clock_mhz = netgen::metric_count(clock, row.where + ": Clock Rate") / 1e6;
            netgen::check_clock(row.clock_mhz, row.where + ": Clock Rate");
        } else if (rows.has("Clock Rate")) {
            rows.gap(csv, "Clock Rate");
        }
        need_times(row, options, fmt::format("a time in '{}'", (mean ? mean : median)->name));
        found.add(row);
    };
    for (const CsvRow& row : rows.rows()) read_row(found.table().faults, [&] { read(row); });
    if (std::string gaps = rows.gaps("unknown, and a median as the mean"); !gaps.empty())
        found.table().warnings.push_back(std::move(gaps));
    return found.finish();
}

MeasuredTable read_tuner_results(std::string_view text, const std::string& source,
                                 const MeasuredOptions& options) {
    constexpr std::array ignored = {IgnoredPart{"metadata/zenodo", ""},
                                    IgnoredPart{"metadata/hardware", ""},
                                    IgnoredPart{"metadata/environment", ""},
                                    IgnoredPart{"results/timestamp", ""},
                                    IgnoredPart{"results/objectives", ""},
                                    IgnoredPart{"results/times/compilation", ""},
                                    IgnoredPart{"results/times/compilation_time", ""},
                                    IgnoredPart{"results/times/benchmark", ""},
                                    IgnoredPart{"results/times/framework", ""},
                                    IgnoredPart{"results/times/search_algorithm", ""},
                                    IgnoredPart{"results/times/validation", ""}};
    return read_json(
        text, source, [&](const JsonValue& root) { return TunerReader(source, options).read(root); },
        ignored);
}

}  // namespace warpnet::studies
