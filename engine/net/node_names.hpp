#pragma once

#include "engine/net/net.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace warpnet {

/// What people call the nodes of a net where each must be told from the others: the name of a node that no
/// other node has as its name or id, else its id. Names of several lines, or with both kinds of quotes, are
/// passed over.
class NodeNames {
  public:
    explicit NodeNames(const Net& net);

    const std::string& place(std::size_t place) const { return places_[place]; }
    const std::string& transition(std::size_t transition) const { return transitions_[transition]; }
    /// By id, else by that name.
    std::optional<std::size_t> find_place(const std::string& word) const;
    std::optional<std::size_t> find_transition(const std::string& word) const;

  private:
    std::vector<std::string> places_, transitions_;
    std::unordered_map<std::string, std::size_t> place_of_, transition_of_;
};

}  // namespace warpnet
