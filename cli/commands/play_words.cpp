#include "cli/commands/play_words.hpp"

#include "engine/base/parse_number.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <span>

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

namespace {

template <class Node>
void count_words(std::span<const Node> nodes, std::unordered_map<std::string, std::size_t>& used) {
    for (const Node& node : nodes) {
        ++used[node.id];
        if (!node.name.empty() && node.name != node.id) ++used[node.name];
    }
}

/// Names on one line that are no command.
bool is_usable(const std::string& name) {
    return !name.empty() && std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < ' '; }) &&
           (name.find('"') == std::string::npos || name.find('\'') == std::string::npos);
}

template <class Node>
void name_nodes(std::span<const Node> nodes, const std::unordered_map<std::string, std::size_t>& used,
                std::vector<std::string>& names, std::unordered_map<std::string, std::size_t>& found) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::string& name = nodes[i].name;
        const bool own = is_usable(name) && used.at(name) == 1;
        names.push_back(own ? name : nodes[i].id);
        if (own) found.emplace(name, i);
        found.insert_or_assign(nodes[i].id, i);
    }
}

std::optional<std::size_t> find_word(const std::unordered_map<std::string, std::size_t>& words,
                                     const std::string& word) {
    const auto found = words.find(word);
    return found == words.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

PlayNames::PlayNames(const Net& net) {
    std::unordered_map<std::string, std::size_t> used;
    count_words(net.places(), used);
    count_words(net.transitions(), used);
    name_nodes(net.places(), used, places_, place_of_);
    name_nodes(net.transitions(), used, transitions_, transition_of_);
}

std::optional<std::size_t> PlayNames::find_place(const std::string& word) const {
    return find_word(place_of_, word);
}

std::optional<std::size_t> PlayNames::find_transition(const std::string& word) const {
    return find_word(transition_of_, word);
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
