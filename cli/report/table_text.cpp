// Tables for documents. They are made from the CSV of a command, so that all formats have the same columns.

#include "cli/report/table_text.hpp"

#include "cli/input/options.hpp"
#include "engine/base/text.hpp"
#include "engine/input/csv.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

using Row = std::vector<std::string>;

std::vector<Row> rows_of(std::string_view csv) {
    std::vector<Row> rows;
    for (CsvRow& row : parse_csv(csv, "table")) rows.push_back(std::move(row.fields));
    return rows;
}

std::string escaped(std::string_view text, TableFormat format) {
    const std::string_view special = format == TableFormat::markdown ? "|\\" : "&%$#_{}";
    std::string result;
    for (const char c : text) {
        if (format == TableFormat::latex && c == '\\') {
            result += "\\textbackslash{}";
        } else if (format == TableFormat::latex && (c == '~' || c == '^')) {
            result += fmt::format("\\{}{{}}", c);
        } else {
            if (special.find(c) != std::string_view::npos) result += '\\';
            result += c;
        }
    }
    return result;
}

/// For each column, whether all its fields are numbers or empty.
std::vector<bool> number_columns(const std::vector<Row>& rows) {
    std::vector<bool> numbers(rows.front().size(), true);
    for (std::size_t r = 1; r < rows.size(); ++r)
        for (std::size_t c = 0; c < std::min(rows[r].size(), numbers.size()); ++c)
            if (!rows[r][c].empty() && !parse_number<double>(rows[r][c])) numbers[c] = false;
    return numbers;
}

}  // namespace

std::string_view to_string(TableFormat format) {
    switch (format) {
        case TableFormat::text:
            return "text";
        case TableFormat::markdown:
            return "markdown";
        case TableFormat::latex:
            return "latex";
    }
    return "";
}

Option add_table_format(Command& command, TableFormat& format) {
    Option option = add_choice(command, "--format", format, "Print the table in this format",
                               std::vector{TableFormat::text, TableFormat::markdown, TableFormat::latex});
    option.excludes("--json");
    return option;
}

std::string formatted_table(std::string_view csv, TableFormat format) {
    std::vector<Row> rows = rows_of(csv);
    if (rows.empty()) return "";
    const std::vector<bool> numbers = number_columns(rows);
    for (Row& row : rows)
        for (std::string& field : row) field = escaped(field, format);
    std::string text;
    if (format == TableFormat::markdown) {
        for (std::size_t r = 0; r < rows.size(); ++r) {
            text += fmt::format("| {} |\n", fmt::join(rows[r], " | "));
            if (r > 0) continue;
            for (const bool number : numbers) text += number ? "|---:" : "|:---";
            text += "|\n";
        }
        return text;
    }
    text = "\\begin{tabular}{";
    for (const bool number : numbers) text += number ? 'r' : 'l';
    text += "}\n\\hline\n";
    for (std::size_t r = 0; r < rows.size(); ++r)
        text += fmt::format("{} \\\\\n{}", fmt::join(rows[r], " & "), r == 0 ? "\\hline\n" : "");
    return text + "\\hline\n\\end{tabular}\n";
}

}  // namespace warpnet::cli
