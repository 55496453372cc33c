// Reads CSV as programs and spreadsheets write it. parse_csv() is strict (RFC 4180). parse_table() accepts
// the variants that spreadsheets produce in different locales: UTF-16, `sep=` lines, semicolons or tabs, and
// decimal commas. A number that could be read in two ways is an error and not a guess.
//
// A separator is guessed from the first line with content only: `;` or a tab if it is more frequent than the
// comma. Decimal commas are changed after the fields are known, and never in names, grids and blocks. Cost:
// O(text) time and memory, a string per field.

#include "engine/input/csv.hpp"

#include "engine/base/text.hpp"
#include "engine/input/file_format.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace warpnet {

std::string csv_field(std::string_view value) {
    std::string shown = visible(value);
    if (shown.find_first_of(",\"\n") == std::string::npos) return shown;
    std::string quoted = "\"";
    for (const char c : shown) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

namespace {

/// Decodes UTF-16.
std::string from_utf16(std::string_view bytes, bool big_endian) {
    const auto unit = [&](std::size_t at) -> std::uint32_t {
        const std::uint32_t first = static_cast<unsigned char>(bytes[at]);
        const std::uint32_t second = static_cast<unsigned char>(bytes[at + 1]);
        return big_endian ? (first << 8U) | second : (second << 8U) | first;
    };
    std::string text;
    for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
        std::uint32_t code = unit(at);
        const bool pair = code >= 0xD800 && code < 0xDC00 && at + 3 < bytes.size() &&
                          unit(at + 2) >= 0xDC00 && unit(at + 2) < 0xE000;
        if (pair) {
            code = 0x10000 + ((code - 0xD800) << 10U) + (unit(at + 2) - 0xDC00);
            at += 2;
        }
        append_utf8(text, code);
    }
    return text;
}

class CsvParser {
  public:
    CsvParser(std::string_view text, const std::string& source, char separator)
        : text_(text), source_(source), separator_(separator) {}

    std::vector<CsvRow> parse() {
        std::vector<CsvRow> rows;
        while (at_ < text_.size()) {
            CsvRow row = parse_row();
            if (row.fields.size() > 1 || !row.fields.front().empty()) rows.push_back(std::move(row));
        }
        return rows;
    }

  private:
    bool at_line_end() const {
        return at_ == text_.size() || text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n";
    }

    CsvRow parse_row() {
        CsvRow row{line_, {parse_field()}};
        while (at_ < text_.size() && text_[at_] == separator_) {
            ++at_;
            row.fields.push_back(parse_field());
        }
        if (at_ < text_.size()) at_ += text_[at_] == '\r' ? 2U : 1U;
        ++line_;
        return row;
    }

    std::string parse_field() {
        std::string field;
        if (at_ < text_.size() && text_[at_] == '"') {
            field = parse_quoted();
            if (!at_line_end() && text_[at_] != separator_)
                fail(line_, separator_ == ',' ? "expected ',' after a closing quote"
                                              : "expected the end of a field after a closing quote");
        } else {
            while (!at_line_end() && text_[at_] != separator_) field += text_[at_++];
        }
        return field;
    }

    std::string parse_quoted() {
        const std::size_t first_line = line_;
        std::string field;
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '"' && text_.substr(at_, 2) != "\"\"") {
                ++at_;
                return field;
            }
            if (text_[at_] == '"') ++at_;
            if (text_[at_] == '\n') ++line_;
            field += text_[at_];
        }
        fail(first_line, "a quote is opened and not closed");
    }

    [[noreturn]] void fail(std::size_t line, const char* what) const {
        throw InputError(source_ + ":" + std::to_string(line) + ": " + what);
    }

    std::string_view text_;
    const std::string& source_;
    char separator_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
};

/// The separator of the fields, and the text with a `sep=` line emptied, since lines are counted.
std::pair<char, std::string> separator_of(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = trimmed(text.substr(begin, end - begin), " \t");
        if (line.starts_with("sep=") && line.size() >= 5) {
            std::string rest(text);
            rest.erase(begin, std::min(end, text.find('\r', begin)) - begin);
            return {line[4], rest};
        }
        if (line.find_first_not_of('\r') != std::string::npos && !line.starts_with("==")) {
            char most = ',';
            for (const char c : {';', '\t'}) {
                if (std::count(line.begin(), line.end(), c) > std::count(line.begin(), line.end(), most))
                    most = c;
            }
            return {most, std::string(text)};
        }
        begin = end + 1;
    }
    return {',', std::string(text)};
}

/// Converts the column names to lower case, and reports repeated ones.
void read_names(CsvRow& header, const std::string& source) {
    std::set<std::string> seen;
    for (std::string& name : header.fields) {
        name = lower_case(name);
        if (!name.empty() && !seen.insert(name).second)
            throw InputError(fmt::format("{}:{}: column '{}' appears twice", source, header.line, name));
    }
}

/// Changes "4,1" to "4.1" and "1.234,5" to "1234.5".
void read_decimal_commas(const CsvRow& header, CsvRow& row, const std::string& source, char separator) {
    for (std::size_t i = 0; i < row.fields.size(); ++i) {
        std::string& field = row.fields[i];
        const std::size_t comma = field.find(',');
        const std::string name = i < header.fields.size() ? header.fields[i] : std::string();
        if (comma == std::string::npos || field.find(',', comma + 1) != std::string::npos ||
            name == "kernel" || name == "grid" || name == "block" ||
            field.find_first_not_of("0123456789.,-+eE%") != std::string::npos)
            continue;
        const bool dots = field.find('.') != std::string::npos;
        const std::size_t digits = field.find_first_not_of("0123456789", comma + 1);
        if (separator == '\t' && !dots && std::min(digits, field.size()) == comma + 4)
            throw InputError(fmt::format(
                "{}:{}: '{}' may be a thousand times as much; expected a decimal point, or no comma", source,
                row.line, field));
        if (dots && field.rfind('.') > comma) continue;  // 1,234.5
        std::erase(field, '.');
        field[field.find(',')] = '.';
    }
}

}  // namespace

std::string plain_utf8(std::string_view bytes) {
    std::string text;
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
        text = from_utf16(bytes.substr(2), bytes.front() == '\xFE');
    } else {
        text = bytes.substr(bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0);
    }
    std::erase(text, '\0');
    return text;
}

std::vector<CsvRow> parse_csv(std::string_view text, const std::string& source, char separator) {
    require_format(text, source, "a table (CSV)");
    return CsvParser(text, source, separator).parse();
}

std::vector<CsvRow> parse_table(std::string_view text, const std::string& source) {
    const auto [separator, rest] = separator_of(text);
    std::vector<CsvRow> rows = parse_csv(rest, source, separator);
    for (CsvRow& row : rows) {
        for (std::string& field : row.fields) field = std::string(trimmed(field, " \t"));
    }
    std::erase_if(rows, [](const CsvRow& row) {
        const auto empty = [](const std::string& field) { return field.empty(); };
        return row.fields.front().starts_with("==") ||
               std::all_of(row.fields.begin(), row.fields.end(), empty);
    });
    if (rows.empty()) return rows;
    read_names(rows.front(), source);
    if (separator != ',') {
        for (std::size_t i = 1; i < rows.size(); ++i)
            read_decimal_commas(rows.front(), rows[i], source, separator);
    }
    return rows;
}

namespace {

// Finds nodes by their ids as written in files. Control characters in ids are written visibly, so such ids
// have a second spelling. An exact id goes before a spelling. Only ids whose spelling differs are stored.

template <class Id, class Nodes>
void add_other_spellings(const Nodes& nodes, std::map<std::string, Id, std::less<>>& found) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        std::string written = visible(nodes[i].id);
        if (written != nodes[i].id) found.emplace(std::move(written), Id(static_cast<std::uint32_t>(i)));
    }
}

template <class Id>
std::optional<Id> find(const std::map<std::string, Id, std::less<>>& spellings, std::string_view id) {
    const auto found = spellings.find(id);
    return found == spellings.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

WrittenIds::WrittenIds(const Net& net) : exact_(net) {
    add_other_spellings(net.places(), places_);
    add_other_spellings(net.transitions(), transitions_);
}

std::optional<PlaceId> WrittenIds::place(std::string_view id) const {
    const auto exact = exact_.place(id);
    return exact ? exact : find(places_, id);
}

std::optional<TransitionId> WrittenIds::transition(std::string_view id) const {
    const auto exact = exact_.transition(id);
    return exact ? exact : find(transitions_, id);
}

}  // namespace warpnet
