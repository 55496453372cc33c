#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::cli {

/// A word of a line of the token game: an id, a number or a command, and how often: `t*3`.
struct PlayWord {
    std::string text;
    std::int64_t times = 1;  ///< 1 to 1,000,000
    bool quoted = false;     ///< it stood in quotes, so it is an id
};

/// Words stand between spaces or commas. One in quotes, single or double, may hold anything but that quote.
/// Throws InputError for an unclosed quote or a multiplicity that is none.
std::vector<PlayWord> split_play_words(std::string_view line);

/// An id as such a word: in quotes where it needs them.
std::string play_word(const std::string& id);

/// The words behind `begin`, in lines of about 100 characters; lines that go on begin with `indent` blanks.
std::string wrapped_words(std::string begin, const std::vector<std::string>& words, std::size_t indent);

}  // namespace warpnet::cli
