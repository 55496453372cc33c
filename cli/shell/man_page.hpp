#pragma once

#include <string>

namespace CLI {
class App;
}

namespace warpnet::cli {

/// The manual page of the program, or of one of its commands with all families of that, in roff's man(7)
/// macros: what --help says, and beside it man_text().
std::string man_page(const CLI::App& command);

/// Writes warpnet.1 and a warpnet-COMMAND.1 for each command into a folder. Throws InputError.
void write_man_pages(const CLI::App& program, const std::string& folder);

/// What a manual says about a command and --help does not, as paragraphs; empty where there is nothing.
std::string man_text(const std::string& command);

}  // namespace warpnet::cli
