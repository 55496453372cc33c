#pragma once

#include "engine/net/net.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace warpnet {

/// Unique display names of the nodes of a net. The display name is the name of a node if no other node has it
/// as name or id, and otherwise its id. Names with several lines or with both kinds of quotes are not used.
class NodeNames {
  public:
    explicit NodeNames(const Net& net);

    const std::string& place(std::size_t place) const { return places_[place]; }
    const std::string& transition(std::size_t transition) const { return transitions_[transition]; }
    /// Finds a place by its id, or otherwise by its display name.
    std::optional<std::size_t> find_place(const std::string& word) const;
    std::optional<std::size_t> find_transition(const std::string& word) const;

  private:
    std::vector<std::string> places_, transitions_;
    std::unordered_map<std::string, std::size_t> place_of_, transition_of_;
};

}  // namespace warpnet
