// A table that records which of its columns were read. A reader asks for columns by name, and each request
// marks the column. Unmarked columns with values are reported at the end, so a reader cannot drop one
// silently. A row that repeats an earlier row of its session exactly is removed and reported. Two columns
// with one name must have equal values. O(rows * columns).

#include "analysis/studies/files/table.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::studies {

Table::Table(std::string source, CsvRow header, std::vector<CsvRow> rows, std::vector<std::size_t> heads)
    : source_(std::move(source)),
      header_(std::move(header)),
      rows_(std::move(rows)),
      heads_(std::move(heads)),
      read_(header_.fields.size()) {
    for (std::size_t i = 0; i < header_.fields.size(); ++i) index_.emplace(header_.fields[i], i);
    std::map<std::pair<std::size_t, std::vector<std::string>>, std::size_t> seen;
    std::erase_if(rows_, [&](const CsvRow& row) {
        const bool digits = std::any_of(row.fields.begin(), row.fields.end(), [](const std::string& field) {
            return field.find_first_of("0123456789") != std::string::npos;
        });
        if (!digits) return false;
        const auto [first, added] = seen.try_emplace({session(row), row.fields}, row.line);
        if (!added) repeats_.push_back(fmt::format("{}: repeats line {}", where(row), first->second));
        return !added;
    });
}

std::size_t Table::session(const CsvRow& row) const {
    return static_cast<std::size_t>(std::lower_bound(heads_.begin(), heads_.end(), row.line) -
                                    heads_.begin());
}

bool Table::has(std::string_view column) {
    const auto found = index_.find(column);
    if (found == index_.end()) return false;
    const std::size_t first = found->second;
    if (read_[first]) return true;
    const auto cell = [](const CsvRow& row, std::size_t at) {
        return at < row.fields.size() ? std::string_view(row.fields[at]) : std::string_view();
    };
    for (std::size_t i = first + 1; i < header_.fields.size(); ++i) {
        if (header_.fields[i] != column) continue;
        for (const CsvRow& row : rows_)
            if (cell(row, first) != cell(row, i))
                throw InputError(
                    fmt::format("{}: expected one column '{}', found two, with '{}' and '{}' in "
                                "line {}",
                                where(), column, cell(row, first), cell(row, i), row.line));
        read_[i] = true;
    }
    read_[first] = true;
    return true;
}

const std::string& Table::field(const CsvRow& row, std::string_view column) {
    static const std::string none;
    if (!has(column)) return none;
    const std::size_t at = index_.find(column)->second;
    return at < row.fields.size() ? row.fields[at] : none;
}

void Table::pass(std::initializer_list<std::string_view> columns) {
    for (const std::string_view column : columns)
        for (std::size_t i = 0; i < header_.fields.size(); ++i)
            if (header_.fields[i] == column) read_[i] = true;
}

void Table::gap(const CsvRow& row, std::string_view column) {
    auto found =
        std::find_if(gaps_.begin(), gaps_.end(), [&](const auto& one) { return one.first == column; });
    if (found == gaps_.end()) found = gaps_.insert(found, {std::string(column), {}});
    found->second.push_back(row.line);
}

std::string Table::gaps(std::string_view consequence) const {
    std::string text;
    for (const auto& [column, lines] : gaps_) {
        const std::size_t at = index_.find(column)->second;
        const bool elsewhere = std::any_of(rows_.begin(), rows_.end(), [at](const CsvRow& row) {
            return at < row.fields.size() && !row.fields[at].empty();
        });
        if (elsewhere)
            text += fmt::format("{}{} (line {})", text.empty() ? "" : ", ", column, first_lines(lines));
    }
    return text.empty()
               ? text
               : fmt::format("{}: cells without a value count as {}: {}", source_, consequence, text);
}

void Table::leave(const std::string& name) {
    if (std::find(left_.begin(), left_.end(), name) == left_.end()) left_.push_back(name);
}

std::vector<std::string> Table::unread() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < read_.size(); ++i) {
        const bool value = std::any_of(rows_.begin(), rows_.end(), [i](const CsvRow& row) {
            return i < row.fields.size() && !row.fields[i].empty();
        });
        if (read_[i] || !value) continue;
        names.push_back(header_.fields[i].empty() ? fmt::format("column {} without a name", i + 1)
                                                  : header_.fields[i]);
    }
    names.insert(names.end(), left_.begin(), left_.end());
    return names;
}

std::string Table::where() const { return where(header_); }

std::string Table::where(const CsvRow& row) const { return fmt::format("{}:{}", source_, row.line); }

std::string Table::found_columns() const {
    return header_.fields.empty() ? "found no columns"
                                  : fmt::format("found {}", fmt::join(header_.fields, ", "));
}

void Table::check_width(const CsvRow& row) const {
    if (row.fields.size() == header_.fields.size()) return;
    throw InputError(fmt::format("{}: expected {} fields as in the header of the table, found {}", where(row),
                                 header_.fields.size(), row.fields.size()));
}

std::string first_lines(const std::vector<std::size_t>& lines) {
    constexpr std::ptrdiff_t most = 10;
    const auto count = static_cast<std::ptrdiff_t>(lines.size());
    return fmt::format("{}{}", fmt::join(lines.begin(), lines.begin() + std::min(most, count), ", "),
                       count > most ? fmt::format(" and {} more", count - most) : "");
}

Table read_table(std::string_view text, const std::string& source) {
    std::vector<CsvRow> rows = parse_table(text, source);
    if (rows.empty()) return {};
    CsvRow header = std::move(rows.front());
    rows.erase(rows.begin());
    return {source, std::move(header), std::move(rows)};
}

}  // namespace warpnet::studies
