#include "analysis/files/plain_table.hpp"

#include "analysis/compare/compare.hpp"
#include "analysis/files/measured_columns.hpp"
#include "analysis/files/profiler_text.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/kernel_metrics.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace warpnet {

namespace {

class PlainReader {
  public:
    PlainReader(const CsvRow& header, const std::string& source, bool needs_time)
        : header_(header), source_(source), needs_time_(needs_time) {
        time_ = column_of(header, "time_us");
        cycles_ = column_of(header, "cycles");
        if (needs_time && (time_ < header.fields.size()) == (cycles_ < header.fields.size()))
            throw InputError(
                fmt::format("{}: expected one column 'time_us' or 'cycles', {} ('compare --columns' lists "
                            "what is understood)",
                            at_line(source, header), found_columns(header)));
        counts_ = has_column(header, "arith") || has_column(header, "shared") || has_column(header, "global");
        shape_ = has_column(header, "blocks") && has_column(header, "threads");
        ptx_ = has_column(header, "ptx");
        for (const std::string& field : header.fields) {
            if (!field.empty() && !is_plain_column(field)) ignored_.push_back(field);
        }
        if (!counts_ && !shape_ && !ptx_)
            throw InputError(fmt::format(
                "{}: expected the columns arith, shared, global, or blocks and threads, or warps and ptx, {} "
                "('compare --columns' lists what is understood)",
                at_line(source, header), found_columns(header)));
    }

    std::string unit() const { return time_ < header_.fields.size() ? "us" : "cycles"; }
    const std::vector<std::string>& ignored() const { return ignored_; }

    /// The file of a row's kernel; empty where its counts are in the row.
    std::string ptx_of(const CsvRow& row) const { return ptx_ ? text(row, "ptx") : ""; }

    PtxRow read_ptx(const CsvRow& row, std::size_t measurement) const {
        PtxRow ptx{measurement,           ptx_of(row), text(row, "trips"), text(row, "param"), source_,
                   at_line(source_, row), {}};
        for (const std::string_view field : profile_fields()) {
            if (const auto value = number(row, field, ptx.where)) ptx.fields.emplace_back(field, *value);
        }
        return ptx;
    }

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
        const bool counted = ptx_of(row).empty();
        if (counted && !counts_ && !shape_)
            throw InputError(fmt::format("{}: expected a file in column 'ptx', found none", where));
        if (counted && counts_) measurement.counts = counts;
        measurement.launches = std::max<std::int64_t>(1, count(row, "launches", where, 1));
        measurement.warps = std::max<std::int64_t>(1, count(row, "warps", where, 1));
        if (counted && shape_) measurement.profile = profile(row, counts, measurement.kernel, where);
        return measurement;
    }

  private:
    std::string text(const CsvRow& row, std::string_view column) const {
        const std::size_t at = column_of(header_, column);
        return at < row.fields.size() ? row.fields[at] : "";
    }

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
    bool counts_ = false, shape_ = false, ptx_ = false;
    std::vector<std::string> ignored_;
};

}  // namespace

MeasuredTable read_plain_table(const std::vector<CsvRow>& rows, const std::string& source,
                               const MeasuredOptions& options) {
    MeasuredTable table;
    const PlainReader reader(rows.front(), source, options.needs_time);
    table.unit = reader.unit();
    table.ignored = reader.ignored();
    for (std::size_t i = 1; i < rows.size(); ++i) {
        table.measurements.push_back(reader.read(rows[i]));
        if (!reader.ptx_of(rows[i]).empty()) table.ptx_rows.push_back(reader.read_ptx(rows[i], i - 1));
    }
    return table;
}

}  // namespace warpnet
