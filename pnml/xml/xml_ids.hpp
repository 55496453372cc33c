#pragma once

#include "engine/net/net.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace warpnet::xml {

/// Ids for a document: letters, digits and '_' only, each unique over all its elements. An id that is so
/// already stays. A function of the net alone.
class Ids {
  public:
    /// Keeps a reference to the net.
    explicit Ids(const Net& net);

    const std::string& of(PlaceId place) const { return of(index(place), net_[place].id); }
    const std::string& of(TransitionId transition) const {
        return of(net_.places().size() + index(transition), net_[transition].id);
    }

    const std::string& net() const { return net_id_; }
    const std::string& page() const { return page_; }
    const std::string& arc_prefix() const { return arc_prefix_; }  ///< followed by the arc's number

  private:
    const std::string& of(std::size_t node, const std::string& own) const {
        return changed_.empty() || changed_[node].empty() ? own : changed_[node];
    }

    const Net& net_;
    std::vector<std::string> changed_;  // by places, then transitions; empty: the own id serves
    std::string net_id_;
    std::string page_;
    std::string arc_prefix_;
};

}  // namespace warpnet::xml
