#include "cli/input/measured_csv.hpp"

#include "cli/input/csv.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/kernel_metrics.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

using Rows = std::vector<CsvRow>;

/// One launch, or the median of several, of a kernel with one launch shape.
struct Launch {
    std::string key;
    std::string where;
    KernelMetrics metrics;
    std::vector<double> times;  // us
    std::int64_t launches = 0;
};

class Launches {
  public:
    Launch& at(const std::string& kernel, const std::string& grid, const std::string& block,
               const std::string& where) {
        std::string key = fmt::format("{}\n{}\n{}", kernel, grid, block);
        const auto [found, added] = index_.try_emplace(std::move(key), list_.size());
        if (added) list_.push_back({fmt::format("{} {} {}", kernel, grid, block), where, {}, {}, 0});
        return list_[found->second];
    }
    std::vector<Launch>& list() { return list_; }

  private:
    std::map<std::string, std::size_t> index_;
    std::vector<Launch> list_;
};

std::string at_line(const std::string& source, const CsvRow& row) {
    return fmt::format("{}:{}", source, row.line);
}

std::size_t column_of(const CsvRow& header, std::string_view name) {
    const auto found = std::find(header.fields.begin(), header.fields.end(), name);
    return static_cast<std::size_t>(found - header.fields.begin());
}

bool has_column(const CsvRow& header, std::string_view name) {
    return column_of(header, name) < header.fields.size();
}

void check_width(const CsvRow& header, const CsvRow& row, const std::string& source) {
    if (row.fields.size() == header.fields.size()) return;
    throw InputError(fmt::format("{}: expected {} fields as in the head of the table, found {}",
                                 at_line(source, row), header.fields.size(), row.fields.size()));
}

Measurement measurement_of(Launch& launch, const KernelProfile& profile) {
    Measurement measurement;
    measurement.kernel = launch.key;
    measurement.function = function_name(launch.key);
    measurement.measured = launch.times.empty() ? 0 : median(launch.times);
    measurement.launches = launch.launches;
    measurement.profile = profile;
    return measurement;
}

void need_time(const Launch& launch, bool needed, std::string_view column) {
    if (needed && launch.times.empty())
        throw InputError(fmt::format("{}: expected a time in '{}', found none", launch.where, column));
}

void read_nvprof(const Rows& rows, const std::string& source, bool needs_time, MeasuredTable& table) {
    const CsvRow& header = rows.front();
    const std::string time = has_column(header, "dur_med_us") ? "dur_med_us" : "time_us";
    if (needs_time && !has_column(header, time))
        throw InputError(
            fmt::format("{}: expected a column 'dur_med_us' or 'time_us'", at_line(source, header)));
    Launches launches;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        check_width(header, rows[i], source);
        KernelMetrics metrics;
        for (std::size_t k = 0; k < header.fields.size(); ++k) metrics[header.fields[k]] = rows[i].fields[k];
        const std::string where = at_line(source, rows[i]);
        for (const char* needed : {"kernel", "grid", "block"}) {
            if (metrics[needed].empty())
                throw InputError(fmt::format("{}: expected a '{}', found none", where, needed));
        }
        Launch& launch = launches.at(metrics["kernel"], metrics["grid"], metrics["block"], where);
        const std::string& measured = metrics[time];
        if (!measured.empty())
            launch.times.push_back(metric_number(measured, fmt::format("{}: {}", where, time)));
        const std::string& number = metrics["launches"];
        launch.launches +=
            number.empty() ? 1 : std::llround(metric_number(number, fmt::format("{}: launches", where)));
        if (launch.metrics.empty()) launch.metrics = std::move(metrics);
    }
    for (Launch& launch : launches.list()) {
        need_time(launch, needs_time, time);
        table.measurements.push_back(
            measurement_of(launch, profile_of_metrics(launch.metrics, launch.where)));
    }
}

/// Nsight Compute with one metric a row ("Metric Name", "Metric Unit", "Metric Value").
void read_nsight_long(const Rows& rows, const std::string& source, Launches& launches) {
    const CsvRow& header = rows.front();
    const std::size_t kernel = column_of(header, "Kernel Name"), grid = column_of(header, "Grid Size"),
                      block = column_of(header, "Block Size"), name = column_of(header, "Metric Name"),
                      unit = column_of(header, "Metric Unit"), value = column_of(header, "Metric Value"),
                      id = column_of(header, "ID");
    for (const std::size_t column : {kernel, grid, block, name, value}) {
        if (column == header.fields.size()) {
            throw InputError(
                fmt::format("{}: expected the columns Kernel Name, Grid Size, Block Size, Metric Name, "
                            "Metric Value (ncu --csv --print-units base)",
                            at_line(source, header)));
        }
    }
    std::map<std::string, std::string> first_launch;  // whose metrics describe the kernel
    for (std::size_t i = 1; i < rows.size(); ++i) {
        check_width(header, rows[i], source);
        const auto& fields = rows[i].fields;
        Launch& launch = launches.at(fields[kernel], fields[grid], fields[block], at_line(source, rows[i]));
        const std::string launch_id = id < fields.size() ? fields[id] : "";
        const bool first = first_launch.try_emplace(launch.key, launch_id).first->second == launch_id;
        if (fields[name] == "gpu__time_duration.sum" || fields[name] == "Duration") {
            const std::string where = at_line(source, rows[i]);
            const std::string time_unit = unit < fields.size() ? fields[unit] : "";
            const auto us = nsight_microseconds(metric_number(fields[value], where), time_unit);
            if (!us)
                throw InputError(fmt::format("{}: expected a unit of time, found '{}'", where, time_unit));
            launch.times.push_back(*us);
            ++launch.launches;
        }
        if (first) launch.metrics[fields[name]] = fields[value];
        launch.metrics["Grid Size"] = fields[grid];
        launch.metrics["Block Size"] = fields[block];
    }
}

/// Nsight Compute with one launch a row (--page raw), the row below the head holding the units.
void read_nsight_wide(const Rows& rows, const std::string& source, Launches& launches) {
    const CsvRow& header = rows.front();
    const std::size_t kernel = column_of(header, "Kernel Name"), grid = column_of(header, "Grid Size"),
                      block = column_of(header, "Block Size"),
                      time = column_of(header, "gpu__time_duration.sum");
    if (grid == header.fields.size() || block == header.fields.size() || rows.size() < 2)
        throw InputError(fmt::format("{}: expected the columns Grid Size and Block Size and a row of units",
                                     at_line(source, header)));
    const CsvRow& units = rows[1];
    check_width(header, units, source);
    for (std::size_t i = 2; i < rows.size(); ++i) {
        check_width(header, rows[i], source);
        const auto& fields = rows[i].fields;
        const std::string where = at_line(source, rows[i]);
        Launch& launch = launches.at(fields[kernel], fields[grid], fields[block], where);
        ++launch.launches;
        if (time < fields.size() && !fields[time].empty()) {
            const auto us = nsight_microseconds(metric_number(fields[time], where), units.fields[time]);
            if (!us)
                throw InputError(
                    fmt::format("{}: expected a unit of time, found '{}'", where, units.fields[time]));
            launch.times.push_back(*us);
        }
        if (!launch.metrics.empty()) continue;
        for (std::size_t k = 0; k < fields.size(); ++k) launch.metrics[header.fields[k]] = fields[k];
    }
}

void read_nsight(const Rows& rows, const std::string& source, bool needs_time, MeasuredTable& table) {
    Launches launches;
    if (has_column(rows.front(), "Metric Name")) {
        read_nsight_long(rows, source, launches);
    } else {
        read_nsight_wide(rows, source, launches);
    }
    for (Launch& launch : launches.list()) {
        need_time(launch, needs_time, "gpu__time_duration.sum");
        KernelProfile profile = profile_of_nsight(launch.metrics, launch.where);
        profile.name = launch.key;
        table.measurements.push_back(measurement_of(launch, profile));
    }
}

class PlainReader {
  public:
    PlainReader(const CsvRow& header, const std::string& source, bool needs_time)
        : header_(header), source_(source), needs_time_(needs_time) {
        time_ = column_of(header, "time_us");
        cycles_ = column_of(header, "cycles");
        if (needs_time && (time_ < header.fields.size()) == (cycles_ < header.fields.size()))
            throw InputError(
                fmt::format("{}: expected one column 'time_us' or 'cycles'", at_line(source, header)));
        counts_ = has_column(header, "arith") || has_column(header, "shared") || has_column(header, "global");
        shape_ = has_column(header, "blocks") && has_column(header, "threads");
        for (const std::string& field : header.fields) {
            KernelProfile scratch;
            const bool known = field == "kernel" || field == "time_us" || field == "cycles" ||
                               field == "warps" || field == "arith" || field == "shared" ||
                               field == "global" || set_profile_field(scratch, field, 1);
            if (!known) ignored_.push_back(field);
        }
        if (!counts_ && !shape_)
            throw InputError(
                fmt::format("{}: expected the columns arith, shared, global, or blocks and threads",
                            at_line(source, header)));
    }

    std::string unit() const { return time_ < header_.fields.size() ? "us" : "cycles"; }
    const std::vector<std::string>& ignored() const { return ignored_; }

    Measurement read(const CsvRow& row) const {
        check_width(header_, row, source_);
        const std::string where = at_line(source_, row);
        Measurement measurement;
        const std::size_t kernel = column_of(header_, "kernel");
        measurement.kernel =
            kernel < row.fields.size() ? row.fields[kernel] : fmt::format("row {}", row.line);
        measurement.function = function_name(measurement.kernel);
        if (const auto time = number(row, unit() == "us" ? "time_us" : "cycles", where))
            measurement.measured = *time;
        if (needs_time_ && !(measurement.measured > 0))
            throw InputError(fmt::format("{}: expected a measured time above 0", where));
        const WarpCounts counts = {count(row, "arith", where, 0), count(row, "shared", where, 0),
                                   count(row, "global", where, 0)};
        if (counts_) measurement.counts = counts;
        measurement.warps = std::max<std::int64_t>(1, count(row, "warps", where, 1));
        if (shape_) measurement.profile = profile(row, counts, measurement.kernel, where);
        return measurement;
    }

  private:
    std::optional<double> number(const CsvRow& row, std::string_view column, const std::string& where) const {
        const std::size_t at = column_of(header_, column);
        if (at >= row.fields.size() || row.fields[at].empty()) return std::nullopt;
        return metric_number(row.fields[at], fmt::format("{}: {}", where, column));
    }

    std::int64_t count(const CsvRow& row, std::string_view column, const std::string& where,
                       std::int64_t otherwise) const {
        const auto value = number(row, column, where);
        if (!value) return otherwise;
        if (*value < 0 || *value > 1e12)
            throw InputError(fmt::format("{}: {}: expected a count, found {}", where, column, *value));
        return std::llround(*value);
    }

    KernelProfile profile(const CsvRow& row, const WarpCounts& counts, const std::string& name,
                          const std::string& where) const {
        KernelProfile kernel = streaming_profile();
        kernel.name = name;
        kernel.fp32 = static_cast<double>(counts.arith);
        kernel.shared_loads = static_cast<double>(counts.shared);
        kernel.loads.requests = static_cast<double>(counts.global);
        for (const std::string_view field : profile_fields()) {
            if (const auto value = number(row, field, where)) set_profile_field(kernel, field, *value);
        }
        try {
            validate(kernel);
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}", where, error.what()));
        }
        return kernel;
    }

    const CsvRow& header_;
    const std::string& source_;
    bool needs_time_;
    std::size_t time_ = 0, cycles_ = 0;
    bool counts_ = false, shape_ = false;
    std::vector<std::string> ignored_;
};

}  // namespace

MeasuredTable read_measured_csv(std::string_view text, const std::string& source, bool needs_time) {
    Rows rows = parse_csv(text, source);
    // Nsight Compute writes lines that begin with == before its table.
    std::erase_if(rows, [](const CsvRow& row) { return row.fields.front().starts_with("=="); });
    if (rows.empty())
        throw InputError(fmt::format("{}: expected a table of measurements, found nothing", source));
    MeasuredTable table;
    if (has_column(rows.front(), "Kernel Name")) {
        table.format = MeasuredFormat::nsight;
        read_nsight(rows, source, needs_time, table);
    } else if (has_column(rows.front(), "inst_executed")) {
        table.format = MeasuredFormat::nvprof;
        read_nvprof(rows, source, needs_time, table);
    } else {
        const PlainReader reader(rows.front(), source, needs_time);
        table.unit = reader.unit();
        table.ignored = reader.ignored();
        for (std::size_t i = 1; i < rows.size(); ++i) table.measurements.push_back(reader.read(rows[i]));
    }
    if (table.measurements.empty())
        throw InputError(fmt::format("{}: expected at least one row of measurements, found none", source));
    return table;
}

}  // namespace warpnet::cli
