#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// A value as it stands in a CSV file (RFC 4180): in quotes where it holds a comma, a quote or a line break,
/// its control characters as visible() shows them.
std::string csv_field(std::string_view value);

/// One row of a CSV file and the line, from 1, on which it begins.
struct CsvRow {
    std::size_t line = 1;
    std::vector<std::string> fields;
};

/// A text as UTF-8 without a byte order mark: UTF-16 (what `>` of PowerShell writes) is converted, NUL
/// characters are removed. Anything else stays as it is. O(text).
std::string plain_utf8(std::string_view bytes);

/// The rows of a CSV text (RFC 4180), empty lines left out; line ends LF or CRLF. Throws InputError
/// (source:line: ...) for an unclosed quote or text after a closing one.
std::vector<CsvRow> parse_csv(std::string_view text, const std::string& source, char separator = ',');

/// A table as people and spreadsheets make it, the header first: fields between commas, semicolons or tabs
/// (of which the header has most, or what a first line `sep=;` says), blanks around them left out, names of
/// columns in small letters, lines that begin with == left out. Between semicolons and tabs a comma in a
/// number is a decimal one ("4,1"). Throws InputError (source:line: ...) like parse_csv(), where a column
/// stands twice, and where a number between tabs could be both ("4,100"). O(text).
std::vector<CsvRow> parse_table(std::string_view text, const std::string& source);

}  // namespace warpnet
