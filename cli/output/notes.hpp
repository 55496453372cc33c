#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace warpnet::cli {

/// --quiet: disables progress, notes and warnings. Errors are still printed.
void be_quiet();
bool quiet();

/// A message in the form in which every error, note and warning is printed: control characters are visible(),
/// and a line of more than 1,600 bytes loses its middle.
std::string message_text(std::string_view message);

/// Prints a note or a warning on std::cerr, in the format of fmt::print().
void print_note_text(std::string_view text);
template <class... Arguments>
void print_note(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    print_note_text(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace warpnet::cli
