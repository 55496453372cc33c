#pragma once

#include "engine/net/net.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
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

/// How nodes of a net are called in a game: by their names, where they have one and no other node is called
/// so.
class PlayNames {
  public:
    explicit PlayNames(const Net& net);

    const std::string& place(std::size_t place) const { return places_[place]; }
    const std::string& transition(std::size_t transition) const { return transitions_[transition]; }
    /// By id, else by that name.
    std::optional<std::size_t> find_place(const std::string& word) const;
    std::optional<std::size_t> find_transition(const std::string& word) const;

  private:
    std::vector<std::string> places_, transitions_;
    std::unordered_map<std::string, std::size_t> place_of_, transition_of_;
};

/// The words behind `begin`, in lines of about 100 characters; lines that go on begin with `indent` blanks.
std::string wrapped_words(std::string begin, const std::vector<std::string>& words, std::size_t indent);

}  // namespace warpnet::cli
