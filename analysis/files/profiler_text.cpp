#include "analysis/files/profiler_text.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace warpnet {

namespace {

// Calls use(line number from 1, line without its end) until it returns false.
template <class Use>
void each_line(std::string_view text, Use use) {
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!use(++number, line)) return;
        begin = end + 1;
    }
}

/// One line as a row; nothing where its quotes do not close.
std::optional<CsvRow> row_of(std::size_t number, std::string_view line) {
    try {
        std::vector<CsvRow> rows = parse_csv(line, "");
        if (rows.size() != 1) return std::nullopt;
        rows.front().line = number;
        return std::move(rows.front());
    } catch (const InputError&) {
        return std::nullopt;
    }
}

ProfilerTable kind_of(const CsvRow& header) {
    const auto all = [&](std::initializer_list<std::string_view> names) {
        return std::all_of(names.begin(), names.end(),
                           [&](std::string_view name) { return has_column(header, name); });
    };
    if (all({"Kernel Name", "Metric Name", "Metric Value"})) return ProfilerTable::nsight_long;
    if (all({"Kernel Name"})) return ProfilerTable::nsight_wide;
    if (all({"Device", "Kernel", "Invocations", "Metric Name"})) return ProfilerTable::nvprof_metrics;
    if (all({"Start", "Duration", "Grid X", "Block X", "Name"})) return ProfilerTable::nvprof_trace;
    if (all({"Time(%)", "Calls", "Avg", "Name"})) return ProfilerTable::nvprof_summary;
    return ProfilerTable::none;
}

}  // namespace

std::size_t column_of(const CsvRow& header, std::string_view name) {
    const auto found = std::find(header.fields.begin(), header.fields.end(), name);
    return static_cast<std::size_t>(found - header.fields.begin());
}

bool has_column(const CsvRow& header, std::string_view name) {
    return column_of(header, name) < header.fields.size();
}

std::string found_columns(const CsvRow& header) {
    std::string names;
    for (const std::string& name : header.fields) names += (names.empty() ? "" : ", ") + name;
    return names.empty() ? "found no columns" : "found " + names;
}

std::string at_line(const std::string& source, const CsvRow& row) {
    return fmt::format("{}:{}", source, row.line);
}

void check_width(const CsvRow& header, const CsvRow& row, const std::string& source) {
    if (row.fields.size() == header.fields.size()) return;
    throw InputError(fmt::format("{}: expected {} fields as in the head of the table, found {}",
                                 at_line(source, row), header.fields.size(), row.fields.size()));
}

ProfilerText find_profiler_table(std::string_view text, const std::string& source) {
    ProfilerText found;
    each_line(text, [&](std::size_t number, std::string_view line) {
        if (line.empty() || line.starts_with("==")) return true;
        const bool quoted = line.front() == '"';
        auto row = row_of(number, line);
        if (found.kind == ProfilerTable::none) {
            if (row) found.kind = kind_of(*row);
            if (found.kind != ProfilerTable::none) found.header = std::move(*row);
            return true;
        }
        if (row && row->fields == found.header.fields) return true;  // several outputs one after the other
        if (row && row->fields.size() == found.header.fields.size()) {
            found.rows.push_back(std::move(*row));
        } else if (quoted && row) {
            throw InputError(fmt::format(
                "{}:{}: expected {} fields as in the head of the table (line {}), found {}", source, number,
                found.header.fields.size(), found.header.line, row->fields.size()));
        } else if (quoted) {
            throw InputError(fmt::format("{}:{}: a quote is opened and not closed", source, number));
        } else {
            ++found.skipped;  // the program's own output
        }
        return true;
    });
    return found;
}

}  // namespace warpnet
