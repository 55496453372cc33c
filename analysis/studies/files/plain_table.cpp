// Reads a table of counts, one measurement per row. The columns of the head decide the required cells of a
// row: counts of a warp (arith, shared, global), a launch shape with fields of a profile, or a file of PTX.
// Rows with a file of PTX are kept for read_measurements(), which counts their instructions. An empty cell of
// a known column becomes a warning that names its lines. A column without effect is reported, so no data of a
// table is dropped silently. O(text).

#include "analysis/studies/files/kernel_facts.hpp"
#include "analysis/studies/files/launches.hpp"
#include "analysis/studies/files/measured_table.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/kernel_names.hpp"
#include "netgen/sm/kernel_metrics.hpp"
#include "netgen/sm/kernel_profile.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::studies {
namespace {

// The columns that `compare --columns` lists. Counters and their meaning come from the tables of netgen/sm,
// so the list always agrees with the readers.

/// Adds counters with their meaning and the consequence of their absence.
void add_counters(std::span<const netgen::CounterNeed> needs, std::vector<MeasuredColumn>& columns) {
    for (const netgen::CounterNeed& need : needs) {
        std::string meaning = fmt::format("{}; without it: {}", need.meaning, need.consequence);
        if (!need.instead.empty()) meaning += fmt::format(" (or {})", fmt::join(need.instead, ", "));
        if (!need.implied_by.empty())
            meaning += fmt::format(" (or estimated from {})", fmt::join(need.implied_by, ", "));
        columns.push_back({std::string(need.name), std::string(need.unit), std::move(meaning)});
    }
}

}  // namespace

std::vector<MeasuredColumn> plain_columns() {
    std::vector<MeasuredColumn> columns = {
        {"kernel", "", "name of the kernel; launches of one function are compared together"},
        {"time_us", "us", "measured time of one launch; or cycles"},
        {"cycles", "cycles", "measured time of one launch; or time_us"},
        {"launches", "", "number of launches, for --totals; default 1"},
        {"least_us", "us", "the shortest of the timed launches, for the ranks of block sizes"},
        {"most_us", "us", "the longest of them"},
        {"clock_mhz", "MHz", "clock of the SMs during the run"},
        {"device", "", "the GPU, used if --device is not given"},
        {"case", "", "distinguishes launches of one shape, in the name of the kernel"},
        {"grid", "XxYxZ", "blocks of the launch; or blocks"},
        {"block", "XxYxZ", "threads of a block; or threads"},
        {"dynamic_shared", "bytes",
         "dynamic shared memory of a block, in addition to that of the code or shared_bytes"},
        {"warps", "", "warps on the SM, for the family warps; default 1"},
        {"arith", "/warp", "arithmetic instructions, for the family warps"},
        {"shared", "/warp", "accesses to shared memory, for the family warps"},
        {"global", "/warp", "accesses to global memory, for the family warps"},
        {"ptx", "file", "PTX or SASS in place of the counts, next to the table or in the current folder"},
        {"trips", "LABEL=N,...", "with ptx: how often its loops run, as 'ptx --trips'"},
        {"param", "NAME=N,...", "with ptx: values of the kernel's parameters, as 'ptx --param'"},
    };
    for (const netgen::ProfileField& field : netgen::described_profile_fields())
        columns.push_back({std::string(field.name), std::string(field.unit), std::string(field.meaning)});
    return columns;
}

std::vector<MeasuredColumn> nvprof_columns() {
    std::vector<MeasuredColumn> columns = {
        {"kernel", "", "name of the kernel"},
        {"grid", "XxYxZ", "blocks of the launch"},
        {"block", "XxYxZ", "threads of a block"},
        {"dur_med_us", "us", "measured time of one launch; or time_us"},
        {"dur_min_us", "us", "the shortest launch"},
        {"dur_max_us", "us", "the longest launch"},
        {"launches", "", "number of launches, for --totals; default 1"},
        {"device", "", "the GPU, used if --device is not given"},
        {"elapsed_cycles_sm", "cycles", "of one launch, summed over the SMs: the clock of the run"},
    };
    add_counters(netgen::nvprof_needs(), columns);
    return columns;
}

std::vector<MeasuredColumn> timed_columns() {
    return {
        {"Name", "", "nsys: name of the kernel"},
        {"Duration", "time", "nsys: measured time; the unit follows it"},
        {"GrdX ... BlkZ", "", "nsys: blocks of the launch, threads of a block"},
        {"Reg/Trd", "", "nsys: registers of a thread"},
        {"StcSMem, DymSMem", "memory", "nsys: shared memory of a block"},
        {"Device", "", "nsys: the GPU; nvbench: its number, with Device Name"},
        {"Benchmark", "", "nvbench: used as the kernel; T4: the name of the file is used"},
        {"GPU Time", "time", "nvbench: measured time, or Median GPU Time; Min and Max GPU Time: its range"},
        {"Clock Rate", "Hz", "nvbench: clock of the run"},
        {"runtimes", "timeunit", "T4: measured times, or the measurement 'time'"},
        {"NumBlocks, grid_size_x", "",
         "axis of nvbench, configuration of T4: blocks of the launch (or blocks, grid)"},
        {"BlockSize, block_size_x", "", "the same for threads of a block (or threads, block); _y, _z"},
    };
}

std::vector<MeasuredColumn> nsight_columns() {
    std::vector<MeasuredColumn> columns = {
        {"Kernel Name", "", "name of the kernel"},
        {"Grid Size", "(X, Y, Z)", "blocks of the launch; or launch__grid_size"},
        {"Block Size", "(X, Y, Z)", "threads of a block; or launch__block_size"},
        {"Device Name", "", "the GPU, used if --device is not given"},
        {"gpu__time_duration.sum", "time", "measured time (or gpu__time_duration.avg, Duration)"},
    };
    add_counters(netgen::nsight_needs(), columns);
    return columns;
}

namespace {

// Columns without effect in a row with counts, and in a row with a file of PTX.
constexpr std::array unused_counted = {"trips", "param"};
constexpr std::array unused_ptx = {"arith", "shared", "global"};

class PlainReader {
  public:
    PlainReader(Table& table, const MeasuredOptions& options) : table_(table), options_(options) {
        const bool time = table.has("time_us"), cycles = table.has("cycles");
        if (options.needs_time && time == cycles)
            throw InputError(
                fmt::format("{}: expected one column 'time_us' or 'cycles', {} ('compare --columns' lists "
                            "the supported columns)",
                            table.where(), table.found_columns()));
        unit_ = time ? "us" : "cycles";
        const bool arith = table.has("arith"), shared = table.has("shared"), global = table.has("global");
        counts_ = arith || shared || global;
        const bool blocks = table.has("blocks") || table.has("grid");
        const bool threads = table.has("threads") || table.has("block");
        shape_ = blocks && threads;
        table.pass({"id", "n", "repeats"});
        ptx_ = table.has("ptx");
        named_ = table.has("kernel");
        if (!counts_ && !shape_ && !ptx_)
            throw InputError(fmt::format(
                "{}: expected the columns arith, shared, global, or blocks and threads, or warps and ptx, {} "
                "('compare --columns' lists the supported columns)",
                table.where(), table.found_columns()));
    }

    const std::string& unit() const { return unit_; }

    /// The file of a row's kernel; empty if its counts are in the row.
    std::string ptx_of(const CsvRow& row) { return table_.field(row, "ptx"); }

    PtxRow read_ptx(const CsvRow& row, std::size_t measurement) {
        PtxRow ptx{measurement,
                   ptx_of(row),
                   table_.field(row, "trips"),
                   table_.field(row, "param"),
                   table_.source(),
                   table_.where(row),
                   {},
                   extents(row, "grid"),
                   extents(row, "block"),
                   number(row, "dynamic_shared").value_or(0)};
        for (const std::string_view field : netgen::profile_fields()) {
            if (const auto value = shape(row, field, false)) ptx.fields.emplace_back(field, *value);
        }
        return ptx;
    }

    /// Cells of rows with counts that are empty.
    void warn_of_gaps(std::vector<std::string>& warnings) const {
        std::string gaps = table_.gaps("if the table had no such column ('compare --columns')");
        if (!gaps.empty()) warnings.push_back(std::move(gaps));
    }

    Measurement read(const CsvRow& row) {
        table_.check_width(row);
        Measurement measurement;
        measurement.kernel = named_ ? table_.field(row, "kernel") : fmt::format("row {}", row.line);
        if (measurement.kernel.empty())
            throw InputError(fmt::format("{}: expected a 'kernel', found none", table_.where(row)));
        measurement.function = netgen::function_name(measurement.kernel);
        measurement.where = table_.where(row);
        measurement.id = table_.field(row, "id");
        if (const std::string& apart = table_.field(row, "case"); !apart.empty())
            measurement.kernel += fmt::format(" [case {}]", apart);
        const char* const time = unit_ == "us" ? "time_us" : "cycles";
        if (options_.needs_time || netgen::is_metric_value(table_.field(row, time)))
            measurement.measured = number(row, time, false).value_or(0);
        if (options_.needs_time && !(measurement.measured > 0))
            throw InputError(fmt::format("{}: expected a measured time above 0", table_.where(row)));
        const bool counted = ptx_of(row).empty();
        netgen::WarpCounts counts;
        if (counted && counts_)
            counts = {count(row, "arith", 0), count(row, "shared", 0), count(row, "global", 0)};
        for (const char* column : counted ? std::span<const char* const>(unused_counted) : unused_ptx)
            if (!table_.field(row, column).empty())
                table_.leave(fmt::format("{} in rows {} ptx", column, counted ? "without" : "with"));
        if (counted && !counts_ && !shape_)
            throw InputError(
                fmt::format("{}: expected a file in column 'ptx', found none", table_.where(row)));
        if (counted && counts_) measurement.counts = counts;
        measurement.launches = count(row, "launches", 1);
        if (unit_ == "us") {
            const auto least = number(row, "least_us"), most = number(row, "most_us");
            if (options_.needs_time) check_spread(measurement.measured, least, most, table_.where(row));
            measurement.least = least.value_or(0);
            measurement.most = most.value_or(0);
        }
        if (const auto clock = number(row, "clock_mhz")) {
            netgen::check_clock(*clock, table_.where(row) + ": clock_mhz");
            measurement.clock_mhz = *clock;
            measurement.clock_source = "column clock_mhz";
        }
        measurement.warps = count(row, "warps", 1);
        if (counted && shape_) measurement.profile = profile(row, counts, measurement.kernel);
        return measurement;
    }

  private:
    /// Nothing for an empty cell, which is a gap if a row of counts needs it. Words such as "n/a" are errors.
    std::optional<double> number(const CsvRow& row, std::string_view column, bool needed = true) {
        const std::string& text = table_.field(row, column);
        if (text.empty()) {
            if (needed && table_.has(column)) table_.gap(row, column);
            return std::nullopt;
        }
        constexpr std::array whole = {"launches", "warps", "arith", "shared", "global", "dynamic_shared"};
        const std::string where = fmt::format("{}: {}", table_.where(row), column);
        if (column == "cycles") return netgen::metric_count(text, where);
        const bool count = std::find(whole.begin(), whole.end(), column) != whole.end();
        return netgen::profile_number(count ? "blocks" : column, text, where);
    }

    /// x, y, z; zeros if the cell is empty.
    std::array<std::int64_t, 3> extents(const CsvRow& row, std::string_view column) {
        const std::string& text = table_.field(row, column);
        if (text.empty()) return {};
        return netgen::metric_shape(text, fmt::format("{}: {}", table_.where(row), column));
    }

    /// A field of a profile. Blocks and threads may also come from the columns grid and block.
    std::optional<double> shape(const CsvRow& row, std::string_view field, bool needed) {
        const bool extent = field == "blocks" || field == "threads";
        const auto value = number(row, field, needed && !extent);
        if (!extent) return value;
        const auto sizes = extents(row, field == "blocks" ? "grid" : "block");
        const auto all = static_cast<double>(sizes[0] * sizes[1] * sizes[2]);
        if (value && all > 0 && *value != all)
            throw InputError(fmt::format("{}: {} and {} differ: {} and {}", table_.where(row), field,
                                         field == "blocks" ? "grid" : "block", *value, all));
        if (value) return value;
        if (all > 0) return all;
        if (needed)
            throw InputError(
                fmt::format("{}: expected a number of {}, found none", table_.where(row), field));
        return std::nullopt;
    }

    std::int64_t count(const CsvRow& row, std::string_view column, std::int64_t otherwise) {
        const auto value = number(row, column);
        if (!value) return otherwise;
        if (*value < static_cast<double>(otherwise) || *value > 1e12)
            throw InputError(
                fmt::format("{}: {}: expected a count, found {}", table_.where(row), column, *value));
        return std::llround(*value);
    }

    netgen::KernelProfile profile(const CsvRow& row, const netgen::WarpCounts& counts,
                                  const std::string& name) {
        netgen::KernelProfile kernel = netgen::streaming_profile();
        kernel.name = name;
        kernel.fp32 = static_cast<double>(counts.arith);
        kernel.shared_loads = static_cast<double>(counts.shared);
        kernel.loads.requests = static_cast<double>(counts.global);
        for (const std::string_view field : netgen::profile_fields()) {
            if (const auto value = shape(row, field, true)) netgen::set_profile_field(kernel, field, *value);
        }
        if (const auto dynamic = number(row, "dynamic_shared")) kernel.shared_bytes += std::llround(*dynamic);
        try {
            netgen::validate(kernel);
            options_.facts.apply(fact_function(name), kernel);
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}", table_.where(row), error.what()));
        }
        return kernel;
    }

    Table& table_;
    const MeasuredOptions& options_;
    std::string unit_;
    bool counts_ = false, shape_ = false, ptx_ = false, named_ = false;
};

}  // namespace

MeasuredTable read_plain_table(Table& rows, const MeasuredOptions& options) {
    MeasuredTable table;
    PlainReader reader(rows, options);
    table.unit = reader.unit();
    for (const CsvRow& row : rows.rows()) {
        read_row(table.faults, [&] {
            Measurement measurement = reader.read(row);
            const std::string& device = rows.field(row, "device");
            if (table.device.empty()) table.device = device;
            add_gpu(table.gpus, {device, "", measurement.where});
            if (!reader.ptx_of(row).empty())
                table.ptx_rows.push_back(reader.read_ptx(row, table.measurements.size()));
            table.measurements.push_back(std::move(measurement));
        });
    }
    reader.warn_of_gaps(table.warnings);
    return table;
}

}  // namespace warpnet::studies
