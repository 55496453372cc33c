// Notes and warnings go to the standard error, unless --quiet is given. Messages quote foreign files, whose
// control characters must not reach a terminal, and whose fields may be megabytes long.

#include "cli/output/notes.hpp"

#include "engine/base/text.hpp"

#include <atomic>
#include <cstddef>
#include <iostream>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

std::atomic<bool> is_quiet = false;

/// Lists of alternatives in messages are shorter.
constexpr std::size_t most_of_line = 1'600;  // bytes

}  // namespace

void be_quiet() { is_quiet = true; }

bool quiet() { return is_quiet; }

std::string message_text(std::string_view message) {
    std::string text;
    for (const std::string_view line : split(message, '\n')) {
        if (line.data() != message.data()) text += '\n';
        const std::string shown = visible(line);
        if (shown.size() <= most_of_line) {
            text += shown;
            continue;
        }
        // The begin has the place and the expectation, the end often the next step.
        const auto is_middle = [&](std::size_t at) {
            return (static_cast<unsigned char>(shown[at]) & 0xC0U) == 0x80U;
        };
        std::size_t begin = most_of_line * 3 / 4, end = shown.size() - most_of_line / 4;
        while (is_middle(begin)) --begin;
        while (end < shown.size() && is_middle(end)) ++end;
        text += fmt::format("{} … {} bytes … {}", std::string_view(shown).substr(0, begin), end - begin,
                            std::string_view(shown).substr(end));
    }
    return text;
}

void print_note_text(std::string_view text) {
    if (!quiet()) std::cerr << message_text(text);
}

}  // namespace warpnet::cli
