#include "cli/commands/play_words.hpp"

#include "engine/base/parse_number.hpp"
#include "engine/net/error.hpp"

#include <algorithm>

namespace warpnet::cli {

namespace {

constexpr std::string_view between = " \t\r,";
constexpr std::int64_t most_times = 1'000'000;

/// Reads "*3" at `at` and moves behind it; 1 where nothing of the sort stands there.
std::int64_t multiplicity(std::string_view line, std::size_t& at) {
    if (at == line.size() || line[at] != '*') return 1;
    const std::size_t end = std::min(line.find_first_of(between, at), line.size());
    const std::string_view text = line.substr(at + 1, end - at - 1);
    const auto times = parse_number<std::int64_t>(text);
    if (!times || *times < 1 || *times > most_times) {
        throw InputError("expected a number from 1 to 1000000 after '*', found '" + std::string(text) + "'");
    }
    at = end;
    return *times;
}

}  // namespace

std::vector<PlayWord> split_play_words(std::string_view line) {
    std::vector<PlayWord> words;
    for (std::size_t at = line.find_first_not_of(between); at < line.size();
         at = line.find_first_not_of(between, at)) {
        PlayWord word;
        const char first = line[at];
        word.quoted = first == '"' || first == '\'';
        const std::size_t start = word.quoted ? at + 1 : at;
        std::size_t end = word.quoted ? line.find(first, start) : line.find_first_of(" \t\r,*", start);
        if (word.quoted && end == std::string_view::npos)
            throw InputError("expected a closing quote " + std::string(1, first));
        end = std::min(end, line.size());
        word.text = line.substr(start, end - start);
        at = word.quoted ? end + 1 : end;
        word.times = multiplicity(line, at);
        words.push_back(std::move(word));
    }
    return words;
}

std::string play_word(const std::string& id) {
    if (id.find_first_of(" \t\r,*'\"") == std::string::npos) return id;
    const char* quote = id.find('"') == std::string::npos ? "\"" : "'";
    return quote + id + quote;
}

std::string wrapped_words(std::string begin, const std::vector<std::string>& words, std::size_t indent) {
    constexpr std::size_t longest = 100;
    std::size_t width = begin.size();
    for (const std::string& word : words) {
        if (width > indent && width + 1 + word.size() > longest) {
            begin += "\n" + std::string(indent, ' ');
            width = indent;
        } else {
            begin += ' ';
            ++width;
        }
        begin += word;
        width += word.size();
    }
    return begin;
}

}  // namespace warpnet::cli
