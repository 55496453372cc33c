#pragma once

#include "engine/net/net.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// A value in the form of a CSV field (RFC 4180). It is quoted if it contains a comma, a quote or a line
/// break. Control characters become visible as in visible().
std::string csv_field(std::string_view value);

/// A row of a CSV file, and the line (from 1) on which it begins.
struct CsvRow {
    std::size_t line = 1;
    std::vector<std::string> fields;
};

/// The text as UTF-8 without a byte order mark: UTF-16, which PowerShell's `>` writes, is converted, and NUL
/// characters are removed. Other text is unchanged. O(text).
std::string plain_utf8(std::string_view bytes);

/// The rows of a CSV text (RFC 4180) without empty lines. Line ends are LF or CRLF. Throws InputError
/// (source:line: ...) for an unclosed quote and for text after a closing quote.
std::vector<CsvRow> parse_csv(std::string_view text, const std::string& source, char separator = ',');

/// A table from a user or a spreadsheet, header first. Commas, semicolons or tabs separate the fields: the
/// most frequent one in the header, or the one that a first line `sep=;` names. Blanks around fields are
/// removed, column names are converted to lower case, and lines that begin with == are skipped. If semicolons
/// or tabs separate the fields, a comma in a number is a decimal comma ("4,1"). Throws InputError
/// (source:line: ...) like parse_csv(), for repeated columns, and for an ambiguous number between tabs
/// ("4,100"). O(text).
std::vector<CsvRow> parse_table(std::string_view text, const std::string& source);

/// The nodes of a net by their ids as written in files, with the visible control characters of csv_field().
class WrittenIds {
  public:
    explicit WrittenIds(const Net& net);

    std::optional<PlaceId> place(std::string_view id) const;
    std::optional<TransitionId> transition(std::string_view id) const;

  private:
    NodeIndex exact_;
    // Only nodes whose written id differs from the id.
    std::map<std::string, PlaceId, std::less<>> places_;
    std::map<std::string, TransitionId, std::less<>> transitions_;
};

}  // namespace warpnet
