#pragma once

#include "engine/net/net.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace warpnet {

/// The nodes of a net by their ids as written in files, with the visible control characters of csv_field().
class WrittenIds {
  public:
    explicit WrittenIds(const Net& net);

    std::optional<PlaceId> place(std::string_view id) const;
    std::optional<TransitionId> transition(std::string_view id) const;

  private:
    NodeIndex exact_;
    // Only nodes whose written id differs from the id.
    std::map<std::string, PlaceId, std::less<>> places_;
    std::map<std::string, TransitionId, std::less<>> transitions_;
};

}  // namespace warpnet
