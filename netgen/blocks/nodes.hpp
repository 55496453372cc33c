#pragma once

#include "engine/net/net_builder.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace warpnet::netgen {

/// Ids that are valid in XML and resemble the names. No id is the prefix of another one up to an underscore,
/// so that ids made by appending to them stay different.
std::vector<std::string> readable_ids(const std::vector<std::string>& names);

/// A NetBuilder with the kinds of nodes of family `blocks`, and a limit on them.
class BlocksNodes : public NetBuilder {
  public:
    BlocksNodes(const std::string& id, std::size_t max_nodes);

    PlaceId place(const std::string& id, Tokens tokens = 0);
    TransitionId timed(const std::string& id);
    TransitionId immediate(const std::string& id);
    /// An immediate transition that shares the token of `arbiter`. It fires only if none of a higher layer
    /// can.
    TransitionId arbitrated(const std::string& id, std::int32_t layer);
    /// A delay gadget ([Gogolinska17] section 4): a token leaves through the returned transition `length`
    /// steps after it came to `wait`.
    TransitionId add_delay(const std::string& id, PlaceId wait, Tokens length);

  private:
    void count_node();

    std::size_t max_nodes_;
    std::size_t nodes_ = 0;
    PlaceId arbiter_;
};

}  // namespace warpnet::netgen
