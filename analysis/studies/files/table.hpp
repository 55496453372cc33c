#pragma once

#include "engine/input/csv.hpp"

#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// A table whose columns are read by name. It records the columns that were read, so read_measured() can
/// report the rest: a reader that forgets a column does not drop it silently.
class Table {
  public:
    Table() = default;
    /// `source` names the file in errors.
    Table(std::string source, CsvRow header, std::vector<CsvRow> rows);

    const std::vector<std::string>& columns() const { return header_.fields; }
    const std::vector<CsvRow>& rows() const { return rows_; }
    const std::string& source() const { return source_; }

    /// Whether there is a column of the name, which counts as read from now on.
    bool has(std::string_view column);
    /// A field of a row; empty where the table has no such column or the row does not reach to it.
    const std::string& field(const CsvRow& row, std::string_view column);
    /// Columns that tell rows apart or describe them, and change no answer; all that have one of the names.
    void pass(std::initializer_list<std::string_view> columns);
    /// Something that the rows name and the reader does not use, such as a metric.
    void leave(const std::string& name);

    /// Unread columns with a value in some row, in the order of the file, then the names given to leave().
    std::vector<std::string> unread() const;

    /// "source:line" of the head, and of a row.
    std::string where() const;
    std::string where(const CsvRow& row) const;
    /// "found kernel, time" or "found no columns", for errors.
    std::string found_columns() const;
    /// Throws InputError if a row is not as wide as the head.
    void check_width(const CsvRow& row) const;

  private:
    std::string source_;
    CsvRow header_;
    std::vector<CsvRow> rows_;
    std::map<std::string, std::size_t, std::less<>> index_;
    std::vector<bool> read_;
    std::vector<std::string> left_;
};

/// parse_table() with its first row as the head; no columns if the text is empty.
Table read_table(std::string_view text, const std::string& source);

}  // namespace warpnet
