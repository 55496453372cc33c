// Finds the tables of profilers in captured output, line by line. A line with the columns of a known report
// begins a table, and the names of the columns decide the kind of the table. Lines before the first head, and
// lines that begin with ==, belong to the profiler or to the program. Later lines are rows if they have as
// many fields as the head. A quoted line with another number of fields is an error, because it shows a
// truncated file. All remaining lines are counted and reported. O(text).

#include "analysis/studies/files/profiler_text.hpp"

#include "engine/input/lines.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace warpnet::studies {

namespace {

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

}  // namespace

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
                fmt::format("{}:{}: expected {} fields as in the head of the table (line {}), found {}",
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
            "{}:{}: {} below the head of the table {} no {} of it and {} ignored: output "
            "of the program, or a table that was cut",
            source, first_other, others == 1 ? "a line" : fmt::format("{} lines", others),
            others == 1 ? "is" : "are", others == 1 ? "row" : "rows", others == 1 ? "is" : "are"));
    for (Part& part : parts)
        found.tables.emplace_back(
            part.kind, Table(source, std::move(part.header), std::move(part.rows), std::move(part.heads)));
    return found;
}

}  // namespace warpnet::studies
