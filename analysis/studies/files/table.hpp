#pragma once

#include "engine/input/csv.hpp"

#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet::studies {

/// A table whose columns are read by name. It records the columns that were read. So read_measured() can
/// report the remaining columns, and no reader drops a column silently.
class Table {
  public:
    Table() = default;
    /// `source` names the file in errors. `heads`: lines that repeat the head, because the output of another
    /// session follows. A row that exactly repeats a row of its session is removed (repeats()), except rows
    /// without a digit, which are rows of units.
    Table(std::string source, CsvRow header, std::vector<CsvRow> rows, std::vector<std::size_t> heads = {});

    const std::vector<std::string>& columns() const { return header_.fields; }
    const std::vector<CsvRow>& rows() const { return rows_; }
    const std::string& source() const { return source_; }

    /// The number of heads above a row, without the first head.
    std::size_t session(const CsvRow& row) const;
    /// The removed rows: "source:line: repeats line 5".
    const std::vector<std::string>& repeats() const { return repeats_; }

    /// Whether there is a column with this name, which is marked as read. Throws InputError if there are
    /// several with different values.
    bool has(std::string_view column);
    /// A field of a row; empty if the table has no such column or the row is too short.
    const std::string& field(const CsvRow& row, std::string_view column);
    /// Marks columns that distinguish or describe rows and change no answer, also if several have one of the
    /// names.
    void pass(std::initializer_list<std::string_view> columns);
    /// Records an empty cell in a column in which other rows have values. gaps() puts these cells into one
    /// warning.
    void gap(const CsvRow& row, std::string_view column);
    /// "source: cells without a value: fp32 (line 3, 7)" and the consequence; empty if there is no gap.
    std::string gaps(std::string_view consequence) const;
    /// Records something that the rows name and the reader does not use, such as a metric.
    void leave(const std::string& name);

    /// Unread columns with a value in any row, in the order of the file, then the names given to leave().
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
    std::vector<std::size_t> heads_;
    std::vector<std::string> repeats_;
    std::vector<std::pair<std::string, std::vector<std::size_t>>> gaps_;  // columns with their lines
    std::map<std::string, std::size_t, std::less<>> index_;
    std::vector<bool> read_;
    std::vector<std::string> left_;
};

/// "3, 7 and 12 more": the first lines, and the number of remaining lines.
std::string first_lines(const std::vector<std::size_t>& lines);

/// parse_table() with its first row as the head; no columns if the text is empty.
Table read_table(std::string_view text, const std::string& source);

}  // namespace warpnet::studies
