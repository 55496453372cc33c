#include "analysis/files/read_measured.hpp"

#include "analysis/files/csv.hpp"
#include "analysis/files/nsight_table.hpp"
#include "analysis/files/nvprof_table.hpp"
#include "analysis/files/plain_table.hpp"
#include "analysis/files/profiler_text.hpp"
#include "engine/net/error.hpp"

#include <utility>

#include <fmt/format.h>

namespace warpnet {

namespace {

MeasuredTable read_rows(const std::string& text, const std::string& source, const MeasuredOptions& options) {
    const std::vector<CsvRow> rows = parse_table(text, source);
    if (rows.empty())
        throw InputError(fmt::format("{}: expected a table of measurements, found nothing", source));
    if (has_column(rows.front(), "inst_executed")) return read_nvprof_rows(rows, source, options);
    return read_plain_table(rows, source, options);
}

/// The tables of several files of one kind become one.
void append(MeasuredTable& table, MeasuredTable more, bool first) {
    if (first) {
        table = std::move(more);
        return;
    }
    if (table.unit != more.unit)
        throw InputError("expected all tables in one unit, found time_us in one and cycles in another");
    for (PtxRow& one : more.ptx_rows) {
        one.measurement += table.measurements.size();
        table.ptx_rows.push_back(std::move(one));
    }
    for (Measurement& one : more.measurements) table.measurements.push_back(std::move(one));
    for (std::string& one : more.warnings) table.warnings.push_back(std::move(one));
    for (std::string& one : more.ignored) table.ignored.push_back(std::move(one));
}

}  // namespace

MeasuredTable read_measured(std::span<const SourceText> files, const MeasuredOptions& options) {
    MeasuredTable table;
    std::vector<NvprofFile> metrics, traces;
    std::string sources;
    bool first = true;
    for (const SourceText& file : files) {
        const std::string text = plain_utf8(file.text);
        sources += (sources.empty() ? "" : ", ") + file.source;
        ProfilerText found = find_profiler_table(text, file.source);
        switch (found.kind) {
            case ProfilerTable::nvprof_metrics:
                metrics.push_back({std::move(found), file.source});
                break;
            case ProfilerTable::nvprof_trace:
                traces.push_back({std::move(found), file.source});
                break;
            case ProfilerTable::nvprof_summary:
                throw InputError(fmt::format(
                    "{}:{}: a summary of nvprof has no launch shapes; expected a trace, from\n  nvprof --csv "
                    "--log-file trace.csv --print-gpu-trace ./program",
                    file.source, found.header.line));
            case ProfilerTable::nsight_long:
            case ProfilerTable::nsight_wide:
                append(table, read_nsight_table(found, file.source, options), first);
                first = false;
                break;
            case ProfilerTable::none:
                append(table, read_rows(text, file.source, options), first);
                first = false;
                break;
        }
    }
    if (!metrics.empty() || !traces.empty()) append(table, join_nvprof(metrics, traces, options), first);
    if (table.measurements.empty()) {
        std::string why;
        for (const std::string& warning : table.warnings) why += "\n  " + warning;
        throw InputError(
            fmt::format("{}: expected at least one row of measurements, found none{}", sources, why));
    }
    return table;
}

MeasuredTable read_measured(std::string_view text, const std::string& source,
                            const MeasuredOptions& options) {
    const SourceText file{std::string(text), source};
    return read_measured(std::span(&file, 1), options);
}

}  // namespace warpnet
