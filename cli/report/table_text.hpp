#pragma once

#include "cli/input/command.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace warpnet::cli {

/// How a command prints the table that is its answer.
enum class TableFormat : std::uint8_t { text, markdown, latex };
std::string_view to_string(TableFormat format);

/// --format, of commands whose answer is a table; not with --json.
Option add_table_format(Command& command, TableFormat& format);

/// A table in CSV, with a header, as a table of Markdown or LaTeX. Columns of numbers are right-aligned.
std::string formatted_table(std::string_view csv, TableFormat format);

}  // namespace warpnet::cli
