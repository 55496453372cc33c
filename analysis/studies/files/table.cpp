#include "analysis/studies/files/table.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet {

Table::Table(std::string source, CsvRow header, std::vector<CsvRow> rows)
    : source_(std::move(source)),
      header_(std::move(header)),
      rows_(std::move(rows)),
      read_(header_.fields.size()) {
    for (std::size_t i = 0; i < header_.fields.size(); ++i) index_.emplace(header_.fields[i], i);
}

bool Table::has(std::string_view column) {
    const auto found = index_.find(column);
    if (found == index_.end()) return false;
    read_[found->second] = true;
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
    throw InputError(fmt::format("{}: expected {} fields as in the head of the table, found {}", where(row),
                                 header_.fields.size(), row.fields.size()));
}

Table read_table(std::string_view text, const std::string& source) {
    std::vector<CsvRow> rows = parse_table(text, source);
    if (rows.empty()) return {};
    CsvRow header = std::move(rows.front());
    rows.erase(rows.begin());
    return {source, std::move(header), std::move(rows)};
}

}  // namespace warpnet
