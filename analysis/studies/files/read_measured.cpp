// Recognises the table in each file and merges all tables. Known tables of profilers are found inside
// captured output. Otherwise the columns decide, and a file that begins with { is a result of Kernel Tuner. A
// metrics log of nvprof is joined with its trace. Traces and benchmarks give their times to profiled
// launches; their remaining rows are measurements of their own. If no prediction is possible from a report,
// it is rejected with the command that writes a suitable one.

#include "analysis/studies/files/read_measured.hpp"

#include "analysis/studies/files/measured_table.hpp"
#include "analysis/studies/files/table.hpp"
#include "engine/base/text.hpp"
#include "engine/input/csv.hpp"
#include "engine/input/lines.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::studies {
namespace {

// Finds the tables of profilers in captured output, line by line. A line with the columns of a known report
// begins a table, and the names of the columns decide the kind of the table. Lines before the first head, and
// lines that begin with ==, belong to the profiler or to the program. Later lines are rows if they have as
// many fields as the head. A quoted line with another number of fields is an error, because it shows a
// truncated file. All remaining lines are counted and reported. O(text).

/// The report that a table contains, recognised by the names of its columns.
enum class ProfilerTable {
    none,            ///< not a profiler's
    nvprof_metrics,  ///< nvprof --csv --metrics or --events: one counter of one kernel per row, over all its
                     ///< launches
    nvprof_trace,    ///< nvprof --csv --print-gpu-trace: one launch or copy per row
    nvprof_summary,  ///< nvprof --csv alone: totals, without launch shapes
    nvprof_calls,    ///< nvprof --csv --print-api-trace: calls of the API
    nsight_long,     ///< ncu --csv: one metric of one launch per row
    nsight_wide,     ///< ncu --csv --page raw: one launch per row
    nsight_summary,  ///< ncu --csv --print-summary per-gpu: metrics without kernels
    nsys_trace,      ///< nsys stats -r cuda_gpu_trace --format csv: one launch or copy per row
    nsys_summary,    ///< nsys stats -r cuda_gpu_kern_sum --format csv: totals, without launch shapes
    nsys_launches,   ///< nsys stats -r cuda_kern_exec_trace: launches with the calls that made them
    nsys_other,      ///< other reports of nsys: calls of the API, ranges, copies
    rocprof,         ///< kernels of AMD's GPUs, of any version of rocprof
    nvbench,         ///< nvbench --csv: one benchmark and set of axis values per row
};

/// The tables of a profiler, extracted from the output of the profiled program and the profiler.
struct ProfilerText {
    /// Rows are as wide as the header, including the row of units. Empty if the text is no profiler's.
    std::vector<std::pair<ProfilerTable, Table>> tables;
    /// The profiler's warnings and errors, and the number of lines after the first header that are no rows.
    std::vector<std::string> messages;
};

/// A line as a row; nothing if its quotes do not close.
std::optional<CsvRow> row_of(std::size_t number, std::string_view line, char separator = ',') {
    try {
        std::vector<CsvRow> rows = parse_csv(line, "", separator);
        if (rows.size() != 1) return std::nullopt;
        rows.front().line = number;
        return std::move(rows.front());
    } catch (const InputError&) {
        return std::nullopt;
    }
}

ProfilerTable kind_of(const CsvRow& header) {
    const auto all = [&](std::initializer_list<std::string_view> names) {
        return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
            return std::find(header.fields.begin(), header.fields.end(), name) != header.fields.end();
        });
    };
    const auto begins = [&](std::string_view stem) {
        return std::any_of(header.fields.begin(), header.fields.end(), [&](const std::string& name) {
            return name.starts_with(stem) && name.find('(') <= stem.size() + 1;
        });
    };
    const auto any = [&](std::initializer_list<std::string_view> names) {
        return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return all({name}); });
    };
    if (all({"Kernel Name", "GridXYZ", "BlockXYZ"})) return ProfilerTable::nsys_launches;
    if (all({"Kernel Name", "Metric Name", "Metric Value"})) return ProfilerTable::nsight_long;
    if (all({"Kernel Name", "Metric Name", "Average"})) return ProfilerTable::nsight_long;
    if (all({"Metric Name", "Average"})) return ProfilerTable::nsight_summary;
    if (all({"Kernel Name"})) return ProfilerTable::nsight_wide;
    if (all({"Device", "Kernel", "Invocations", "Metric Name"})) return ProfilerTable::nvprof_metrics;
    if (all({"Device", "Kernel", "Invocations", "Event Name"})) return ProfilerTable::nvprof_metrics;
    if (all({"Start", "Duration", "Grid X", "Block X", "Name"})) return ProfilerTable::nvprof_trace;
    if (all({"Time(%)", "Calls", "Avg", "Name"})) return ProfilerTable::nvprof_summary;
    if (all({"Start", "Duration", "Name"})) return ProfilerTable::nvprof_calls;
    if (all({"GrdX", "BlkX", "Name"})) return ProfilerTable::nsys_trace;
    if (all({"Instances"}) && any({"Name", "Operation"}) && begins("Total Time"))
        return ProfilerTable::nsys_summary;
    if (any({"Name", "Operation", "Range"}) && (begins("Start") || begins("Total Time") || begins("Total")))
        return ProfilerTable::nsys_other;
    if (any({"KernelName", "Kernel_Name", "TotalDurationNs"}) && !all({"kernel"}))
        return ProfilerTable::rocprof;
    if (all({"Benchmark", "Device Name", "Skipped"})) return ProfilerTable::nvbench;
    return ProfilerTable::none;
}

/// Throws InputError if another program saved the table with semicolons or tabs, because that program may
/// have changed numbers as well ("25,000" becomes 25).
void check_separator(std::size_t number, std::string_view line, const std::string& source) {
    for (const auto& [separator, name] : {std::pair(';', "semicolons"), std::pair('\t', "tabs")}) {
        if (line.find(separator) == std::string_view::npos) continue;
        const auto row = row_of(number, line, separator);
        if (row && kind_of(*row) != ProfilerTable::none)
            throw InputError(
                fmt::format("{}:{}: expected commas between the fields of a profiler's table, found "
                            "{}; expected the file as the profiler writes it",
                            source, number, name));
    }
}

/// "==PROF== Connected" reports progress; "==ERROR== …" and "==7== Warning: …" are complaints.
bool is_complaint(std::string_view line) {
    const std::size_t end = line.find("==", 2);
    if (end == std::string_view::npos) return false;
    const std::string_view tag = line.substr(2, end - 2), rest = line.substr(end + 2);
    return tag == "ERROR" || tag == "WARNING" || rest.starts_with(" Error") || rest.starts_with(" Warning");
}

/// Finds the tables of a profiler in a text (see plain_utf8()). Each begins with a line that is the head of a
/// known report. Lines that begin with == are the profiler's messages. Throws InputError (source:line: …) for
/// a row with quotes that is malformed or not as wide as the header, because this shows a truncated file.
/// O(text).
ProfilerText find_profiler_tables(std::string_view text, const std::string& source) {
    struct Part {
        ProfilerTable kind;
        CsvRow header;
        std::vector<CsvRow> rows;
        std::vector<std::size_t> heads;
    };
    ProfilerText found;
    std::vector<Part> parts;
    std::size_t others = 0, first_other = 0;
    each_line(text, [&](std::size_t number, std::string_view line) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.starts_with("==") && is_complaint(line))
            found.messages.push_back(fmt::format("{}:{}: the profiler reports: {}", source, number, line));
        if (line.empty() || line.starts_with("==")) return true;
        const bool quoted = line.front() == '"';
        auto row = row_of(number, line);
        if (const ProfilerTable kind = row ? kind_of(*row) : ProfilerTable::none;
            kind != ProfilerTable::none) {
            // Several outputs may follow each other, with the same columns or with different ones.
            if (parts.empty() || row->fields != parts.back().header.fields) {
                parts.push_back({kind, std::move(*row), {}, {}});
            } else {
                parts.back().heads.push_back(number);
            }
            return true;
        }
        if (parts.empty()) {
            check_separator(number, line, source);
            return true;
        }
        const CsvRow& header = parts.back().header;
        if (row && row->fields.size() == header.fields.size()) {
            parts.back().rows.push_back(std::move(*row));
        } else if (quoted && row) {
            throw InputError(
                fmt::format("{}:{}: expected {} fields as in the header of the table (line {}), found {}",
                            source, number, header.fields.size(), header.line, row->fields.size()));
        } else if (quoted) {
            throw InputError(fmt::format("{}:{}: a quote is opened and not closed", source, number));
        } else if (others++ == 0) {
            first_other = number;
        }
        return true;
    });
    if (others > 0)
        found.messages.push_back(fmt::format(
            "{}:{}: {} below the header of the table {} no {} of it and {} ignored: output "
            "of the program, or a table that was cut",
            source, first_other, others == 1 ? "a line" : fmt::format("{} lines", others),
            others == 1 ? "is" : "are", others == 1 ? "row" : "rows", others == 1 ? "is" : "are"));
    for (Part& part : parts)
        found.tables.emplace_back(
            part.kind, Table(source, std::move(part.header), std::move(part.rows), std::move(part.heads)));
    return found;
}

/// Reads tables, and lists the columns that no reader requested as ignored.
template <class Read>
MeasuredTable read_with(std::span<Table> tables, Read&& read) {
    MeasuredTable result = read();
    for (const Table& table : tables) {
        for (std::string& name : table.unread()) result.ignored.push_back(std::move(name));
        result.faults.insert(result.faults.end(), table.repeats().begin(), table.repeats().end());
    }
    return result;
}

MeasuredTable read_rows(const std::string& text, const std::string& source, const MeasuredOptions& options) {
    Table table = read_table(text, source);
    if (table.columns().empty())
        throw InputError(fmt::format("{}: expected a table of measurements, found nothing", source));
    return read_with(std::span(&table, 1), [&] {
        return table.has("inst_executed") ? read_nvprof_rows(table, options)
                                          : read_plain_table(table, options);
    });
}

/// Describes a table from which no prediction is possible, and a suitable table; empty if the table is
/// supported.
struct Unsupported {
    std::string_view what, instead;
};

Unsupported unsupported(ProfilerTable kind) {
    constexpr std::string_view nsys = "a trace, from\n  nsys stats -r cuda_gpu_trace --format csv REPORT",
                               nvprof =
                                   "a trace, from\n  nvprof --csv --log-file trace.csv --print-gpu-trace "
                                   "./program";
    switch (kind) {
        case ProfilerTable::nvprof_summary:
            return {"a summary of nvprof, which has no launch shapes", nvprof};
        case ProfilerTable::nvprof_calls:
            return {"calls of the API from nvprof, without launch shapes", nvprof};
        case ProfilerTable::nsys_summary:
            return {"a summary of nsys, which has no launches", nsys};
        case ProfilerTable::nsys_launches:
            return {"launches with their calls from nsys, without registers and shared memory", nsys};
        case ProfilerTable::nsys_other:
            return {"a report of nsys without kernels", nsys};
        case ProfilerTable::nsight_summary:
            return {"a summary of ncu per GPU, which has no kernels", "--print-summary per-kernel, or none"};
        case ProfilerTable::rocprof:
            return {
                "a table of rocprof, whose counters are those of GPUs of AMD",
                "a table of counts (kernel, time_us, blocks, threads, ...; 'warpnet compare --columns' lists "
                "all columns)"};
        default:
            return {};
    }
}

/// Joins the tables of several files of one kind.
void append(MeasuredTable& table, MeasuredTable more, bool first) {
    if (first) {
        table = std::move(more);
        return;
    }
    if (table.unit != more.unit)
        throw InputError("expected all tables in one unit, found time_us in one and cycles in another");
    if (table.device.empty()) table.device = more.device;
    for (const MeasuredGpu& gpu : more.gpus) add_gpu(table.gpus, gpu);
    for (PtxRow& one : more.ptx_rows) {
        one.measurement += table.measurements.size();
        table.ptx_rows.push_back(std::move(one));
    }
    for (Measurement& one : more.measurements) table.measurements.push_back(std::move(one));
    for (std::string& one : more.warnings) table.warnings.push_back(std::move(one));
    for (std::string& one : more.ignored) table.ignored.push_back(std::move(one));
    for (std::string& one : more.faults) table.faults.push_back(std::move(one));
}

}  // namespace

void add_gpu(std::vector<MeasuredGpu>& gpus, const MeasuredGpu& gpu) {
    if (gpu.name.empty() && gpu.compute_capability.empty()) return;
    auto found = std::find(gpus.begin(), gpus.end(), gpu);
    if (found == gpus.end()) {
        found = gpus.insert(found, gpu);
        found->launches = 0;
    }
    found->launches += std::max<std::size_t>(gpu.launches, 1);
}

std::vector<std::string> warn_of_gpus(const std::vector<MeasuredGpu>& gpus, const netgen::Device& device) {
    std::vector<std::string> warnings;
    std::size_t all = 0;
    for (const MeasuredGpu& gpu : gpus) all += gpu.launches;
    for (const MeasuredGpu& gpu : gpus) {
        const bool capability = !gpu.compute_capability.empty() && !device.compute_capability.empty() &&
                                gpu.compute_capability != device.compute_capability;
        if (!capability && (gpu.name.empty() || netgen::is_name_of(gpu.name, device))) continue;
        const std::string of =
            capability ? "compute capability " + gpu.compute_capability : fmt::format("'{}'", gpu.name);
        warnings.push_back(fmt::format(
            "{}: {}measured on {}, and the device is {}{} the predictions are those of another GPU",
            gpu.where, gpu.launches == all ? "" : fmt::format("{} of {} launches were ", gpu.launches, all),
            of, device.name,
            capability ? fmt::format(", which has {}:", device.compute_capability)
                       : ": unless both names are of one GPU,"));
    }
    return warnings;
}

std::string first_faults(const std::vector<std::string>& faults, std::string_view before,
                         std::string_view behind) {
    constexpr std::size_t most = 20;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, faults.size()); ++i)
        text += fmt::format("{}{}{}", before, faults[i], behind);
    if (faults.size() > most)
        text += fmt::format("{}and {}{}", before, plural(faults.size() - most, "more row"), behind);
    return text;
}

MeasuredTable read_measured(std::span<const SourceText> files, const MeasuredOptions& options) {
    MeasuredTable table;
    std::vector<Table> metrics, traces;
    std::vector<MeasuredTable> timed;  // of traces and benchmarks
    std::vector<std::string> messages;
    std::string sources;
    bool first = true;
    const auto add = [&](MeasuredTable more) {
        append(table, std::move(more), first);
        first = false;
    };
    for (const SourceText& file : files) {
        if (const auto same = std::find_if(files.begin(), files.end(),
                                           [&](const SourceText& one) { return one.text == file.text; });
            &*same != &file) {
            messages.push_back(
                fmt::format("{}: has the same content as {}: ignored", file.source, same->source));
            continue;
        }
        const std::string text = plain_utf8(file.text);
        sources += (sources.empty() ? "" : ", ") + file.source;
        ProfilerText found = find_profiler_tables(text, file.source);
        messages.insert(messages.end(), found.messages.begin(), found.messages.end());
        if (found.tables.empty()) {
            const std::size_t begin = text.find_first_not_of(" \t\r\n");
            if (begin != std::string::npos && text[begin] == '{') {
                timed.push_back(read_tuner_results(text, file.source, options));
            } else {
                add(read_rows(text, file.source, options));
            }
        }
        for (auto& [kind, one] : found.tables) {
            if (const auto [what, instead] = unsupported(kind); !what.empty()) {
                if (found.tables.size() == 1)
                    throw InputError(fmt::format("{}: found {}; expected {}", one.where(), what, instead));
                messages.push_back(fmt::format("{}: {}, is ignored", one.where(), what));
                continue;
            }
            switch (kind) {
                case ProfilerTable::nvprof_metrics:
                    metrics.push_back(std::move(one));
                    break;
                case ProfilerTable::nvprof_trace:
                    traces.push_back(std::move(one));
                    break;
                case ProfilerTable::nsys_trace:
                    timed.push_back(read_with(std::span(&one, 1), [&options, &launches = one] {
                        return read_nsys_trace(launches, options);
                    }));
                    break;
                case ProfilerTable::nvbench:
                    timed.push_back(read_with(std::span(&one, 1), [&options, &launches = one] {
                        return read_nvbench(launches, options);
                    }));
                    break;
                case ProfilerTable::nsight_long:
                case ProfilerTable::nsight_wide:
                    add(read_with(std::span(&one, 1), [&options, &launches = one] {
                        return read_nsight_table(launches, options);
                    }));
                    break;
                default:
                    break;
            }
        }
    }
    if (!metrics.empty() || !traces.empty()) {
        MeasuredTable joined = read_with(metrics, [&] { return join_nvprof(metrics, traces, options); });
        add(read_with(traces, [&] { return std::move(joined); }));
    }
    take_times(table, timed);
    for (MeasuredTable& times : timed) add(std::move(times));
    table.warnings.insert(table.warnings.begin(), messages.begin(), messages.end());
    if (table.measurements.empty()) {
        if (table.faults.size() == 1) throw InputError(table.faults.front());
        throw InputError(fmt::format("{}: expected at least one row of measurements, found none{}{}", sources,
                                     first_faults(table.faults, "\n  "),
                                     first_faults(table.warnings, "\n  ")));
    }
    return table;
}

MeasuredTable read_measured(std::string_view text, const std::string& source,
                            const MeasuredOptions& options) {
    const SourceText file{std::string(text), source};
    return read_measured(std::span(&file, 1), options);
}

}  // namespace warpnet::studies
