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

/// A table whose columns are read by name. It records the columns that were read, so read_measured() can
/// report the rest: a reader that forgets a column does not drop it silently.
class Table {
  public:
    Table() = default;
    /// `source` names the file in errors. `heads`: lines on which the head is repeated, since the output of
    /// another session follows. A row that repeats one of its session to the letter is taken out (repeats()),
    /// but for rows without a digit, which are those of units.
    Table(std::string source, CsvRow header, std::vector<CsvRow> rows, std::vector<std::size_t> heads = {});

    const std::vector<std::string>& columns() const { return header_.fields; }
    const std::vector<CsvRow>& rows() const { return rows_; }
    const std::string& source() const { return source_; }

    /// How many heads are above a row besides the first.
    std::size_t session(const CsvRow& row) const;
    /// The rows that were taken out: "source:line: repeats line 5".
    const std::vector<std::string>& repeats() const { return repeats_; }

    /// Whether there is a column of the name, which counts as read from now on. Throws InputError if there
    /// are several whose values differ.
    bool has(std::string_view column);
    /// A field of a row; empty if the table has no such column or the row does not reach to it.
    const std::string& field(const CsvRow& row, std::string_view column);
    /// Columns that tell rows apart or describe them, and change no answer; all that have one of the names.
    void pass(std::initializer_list<std::string_view> columns);
    /// Names a cell without a value that other rows have in a column, which gaps() puts into one warning.
    void gap(const CsvRow& row, std::string_view column);
    /// "source: cells without a value: fp32 (line 3, 7)" and what they count as; empty if there is no gap.
    std::string gaps(std::string_view consequence) const;
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
    std::vector<std::size_t> heads_;
    std::vector<std::string> repeats_;
    std::vector<std::pair<std::string, std::vector<std::size_t>>> gaps_;  // columns with lines
    std::map<std::string, std::size_t, std::less<>> index_;
    std::vector<bool> read_;
    std::vector<std::string> left_;
};

/// "3, 7 and 12 more": of many lines the first.
std::string first_lines(const std::vector<std::size_t>& lines);

/// parse_table() with its first row as the head; no columns if the text is empty.
Table read_table(std::string_view text, const std::string& source);

}  // namespace warpnet::studies
