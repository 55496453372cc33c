// Display names must be unique, because messages and questions refer to nodes by them. A name that two nodes
// share, or that is the id of another node, is not used for either node.

#include "engine/net/node_names.hpp"

#include <algorithm>
#include <span>

namespace warpnet {

namespace {

template <class Node>
void count_words(std::span<const Node> nodes, std::unordered_map<std::string, std::size_t>& used) {
    for (const Node& node : nodes) {
        ++used[node.id];
        if (!node.name.empty() && node.name != node.id) ++used[node.name];
    }
}

/// Whether the name has one line and can be quoted.
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

NodeNames::NodeNames(const Net& net) {
    std::unordered_map<std::string, std::size_t> used;
    count_words(net.places(), used);
    count_words(net.transitions(), used);
    name_nodes(net.places(), used, places_, place_of_);
    name_nodes(net.transitions(), used, transitions_, transition_of_);
}

std::optional<std::size_t> NodeNames::find_place(const std::string& word) const {
    return find_word(place_of_, word);
}

std::optional<std::size_t> NodeNames::find_transition(const std::string& word) const {
    return find_word(transition_of_, word);
}

}  // namespace warpnet
