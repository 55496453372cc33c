#pragma once

#include "cli/input/command.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace warpnet::cli {

/// The format of a table that is the answer of a command.
enum class TableFormat : std::uint8_t { text, markdown, latex };
std::string_view to_string(TableFormat format);

/// --format, for commands whose answer is a table; excludes --json.
Option add_table_format(Command& command, TableFormat& format);

/// The Markdown or LaTeX table of a CSV table with a header. Columns of numbers are right-aligned.
std::string formatted_table(std::string_view csv, TableFormat format);

}  // namespace warpnet::cli
